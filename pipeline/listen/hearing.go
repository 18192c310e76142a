package listen

import (
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

const (
	// lead is the audio before the first sample of speech that the recogniser gets with it: 300 ms.
	lead = 3 * turn.Rate / 10
	// pauseAfter is the silence from which a recogniser may begin with what was said: three windows, 96 ms. Half of what ends speech
	// (minSilence), and longer than the silence before a plosive.
	pauseAfter = 3 * vad.Window
	// lapsedLimit bounds how many late transcripts are remembered.
	lapsedLimit = 8
)

// hearing is what the listener's goroutine knows. It is for that goroutine alone.
type hearing struct {
	vad      Analyzer
	stream   stt.Stream
	handle   func(Event)
	log      *zap.Logger
	onStatus func(vad.Status) // status, bound once

	pcm   [vad.Window]int16
	spare []message
	at    int64 // end of the audio heard

	speaking bool
	start    int64 // of the last speech
	stop     int64 // end of the last window of speech
	paused   int64 // where the recogniser was last told that speech paused
	evidence float32
	segment  uint64
	streams  bool // the recogniser gives partials
	marks    bool // the recogniser writes punctuation
	pauses   turn.Pauses
	ended    int64 // end of the turn before, until it is known whether it was over; 0 from then on
	voiced   int64 // where the agent's voice was first heard after it; 0: it was not
	prosody  turn.Prosody
	tail     turn.Tail   // of the last speech
	judge    *audioJudge // nil without an audio model
	complete float64     // what the audio model said of the last speech; 0 for nothing

	turn     assembly
	id       uint64
	lapsed   []segment // given up without words, transcript still to come
	expected turn.Expectation
	asked    bool
	askedAt  int64
	thinking bool
	changed  bool  // decide again
	due      int64 // decide again there; 0 for never
	nextLong int64
	prospect string // text of the last Prospect of this silence
	weighed  string // text for which it was last seen in this silence whether a Signal fits
	signal   int64  // position of the last Signal; 0: there was none

	agent agent
}

func newHearing(o Options) *hearing {
	h := &hearing{vad: o.VAD, handle: o.Handle, log: o.Logger, id: 1}
	h.onStatus = h.status
	return h
}

// missed lets time pass for which there is no audio.
func (h *hearing) missed(samples int64) { h.at += samples }

// hear takes the next audio.
func (h *hearing) hear(pcm []int16) {
	from := h.at
	h.at += int64(len(pcm))
	h.stream.Write(pcm)
	h.prosody.Hear(pcm, from, h.speaking)
	if h.judge != nil {
		h.judge.recent.Add(pcm)
	}
	h.vad.Write(pcm, from, h.onStatus)
}

// unheard is called while no frames arrive.
func (h *hearing) unheard(idle time.Duration) {
	if h.speaking && idle >= trackGap {
		h.status(h.vad.Gap())
	}
	if !h.speaking { // what goes on unheard is not judged
		h.evaluate(h.at + turn.Samples(idle))
	}
}

// busy says whether anything would be decided without more audio.
func (h *hearing) busy() bool {
	return h.speaking || h.asked || len(h.turn.segments) > 0 || h.agent.floor != turn.Playing
}

func (h *hearing) status(s vad.Status) {
	h.evidence = s.Evidence
	switch s.Kind {
	case vad.SpeechStart:
		h.speechStarted(s.At)
	case vad.SpeechEnd:
		h.speechEnded(s.At)
	case vad.Unchanged:
		if h.speaking {
			h.stop = h.start + s.Speech
			h.foresee()
		}
	}
	h.evaluate(h.at)
}

func (h *hearing) speechStarted(at int64) {
	h.prune()
	if len(h.turn.segments) > 0 {
		h.pauses.Add(turn.Duration(at - h.stop))
	} else {
		h.nextLong = at + longSpeech
	}
	h.speaking, h.start, h.stop = true, at, h.at
	h.asked, h.thinking, h.changed = false, false, true // more speech withdraws a request to end
	h.prospect, h.weighed = "", ""
	h.segment++
	h.turn.add(segment{id: h.segment, start: at, end: at, open: true})
	h.stream.SpeechStarted(h.segment, min(int(h.at-at)+lead, stt.PreRoll))
	h.handle(SpeechStarted{})
}

// foresee tells the recogniser, once in a pause, that speech may be over.
func (h *hearing) foresee() {
	if h.paused != h.stop && h.at-h.stop >= pauseAfter {
		h.paused = h.stop
		stt.Paused(h.stream, h.segment)
	}
}

func (h *hearing) speechEnded(at int64) {
	h.speaking, h.stop = false, at
	h.changed = true
	h.tail, h.complete = h.prosody.Tail(at), 0
	if h.judge != nil {
		h.judge.ask(h.segment)
	}
	if s := h.turn.find(h.segment); s != nil {
		s.open, s.end = false, at
	}
	if h.paused != at { // it ended without a pause, or in another one
		h.paused = at
		stt.Paused(h.stream, h.segment)
	}
	h.stream.SpeechEnded(h.segment)
	h.handle(SpeechStopped{})
}

// recognised takes an event of the recogniser. Segments that belong to no turn any more are ignored.
func (h *hearing) recognised(e stt.Event) {
	switch e := e.(type) {
	case stt.Partial:
		h.partial(e)
	case stt.Final:
		h.final(e)
	case stt.Failed:
		h.failed(e)
	}
	h.evaluate(h.at)
}

func (h *hearing) partial(e stt.Partial) {
	h.streams = true
	if s := h.turn.find(e.Segment); s != nil && !s.final {
		h.understood(s, e.Text)
	}
}

func (h *hearing) final(e stt.Final) {
	h.marks = h.marks || strings.ContainsAny(e.Text, ".,?!。，？！")
	h.recall(e)
	s := h.turn.find(e.Segment)
	if s == nil {
		return
	}
	s.final, s.confidence = true, e.Confidence
	h.understood(s, e.Text)
}

// understood sets the text of a segment and reports the turn so far.
func (h *hearing) understood(s *segment, text string) {
	h.changed = true
	if s.text == text {
		return
	}
	s.text = text
	s.judged = s.judged && (text == "" || turn.Backchannel(text))
	h.turn.join()
	h.handle(Partial{Text: h.turn.text})
}

func (h *hearing) failed(e stt.Failed) {
	h.log.Warn("listen.recogniser_failed", zap.Uint64("segment", e.Segment), zap.Error(e.Err))
	h.handle(Failed{Err: e.Err})
	if s := h.turn.find(e.Segment); s != nil {
		s.final, s.failed = true, true
		h.changed = true
	}
}

// judged takes what the audio model says of the end of a segment.
func (h *hearing) judged(segment uint64, probability float64) {
	if segment != h.segment || h.speaking {
		return
	}
	h.complete, h.changed = max(probability, 1e-6), true
	h.evaluate(h.at)
}

// recall takes a segment that was given up back into the turn when words came for it after all.
func (h *hearing) recall(e stt.Final) {
	for i, s := range h.lapsed {
		if s.id != e.Segment {
			continue
		}
		h.lapsed = append(h.lapsed[:i], h.lapsed[i+1:]...)
		if e.Text != "" {
			h.turn.add(s)
			h.stop = max(h.stop, s.end)
		}
		return
	}
}

// lapse remembers segments whose transcript is late.
func (h *hearing) lapse(segments []segment) {
	h.lapsed = append(h.lapsed, segments...)
	if extra := len(h.lapsed) - lapsedLimit; extra > 0 {
		h.lapsed = h.lapsed[:copy(h.lapsed, h.lapsed[extra:])]
	}
}

func (h *hearing) expect(e turn.Expectation) {
	h.expected, h.changed = e, true
	h.evaluate(h.at)
}

func (h *hearing) commit() {
	h.asked, h.askedAt, h.changed = true, h.at, true
	if h.speaking {
		h.status(h.vad.Gap())
		return
	}
	h.evaluate(h.at)
}

// close ends the turn under way; the next one has a new number.
func (h *hearing) close() {
	h.turn.segments = h.turn.segments[:0]
	h.turn.text, h.prospect, h.weighed = "", "", ""
	h.id++
	h.asked, h.thinking, h.changed, h.due = false, false, false, 0
}
