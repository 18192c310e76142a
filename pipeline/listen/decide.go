package listen

import (
	"time"

	"github.com/vivavoice/viva/pipeline/turn"
)

const (
	// longSpeech is when LongSpeech begins, longEvery how often it is repeated.
	longSpeech = 30 * turn.Rate
	longEvery  = turn.Rate
	// cutInWithin is how soon after the agent's voice began words say that it began too soon, cutMost how long a pause of theirs can be.
	cutInWithin = turn.Rate
	cutMost     = 3 * turn.Rate
	// prospectAfter is the silence from which a turn may be over: 200 ms, as long as pauses between words can last.
	prospectAfter = turn.Rate / 5
)

// agent is the utterance on the track and what the candidate's voice did to it.
type agent struct {
	audible         bool
	generation      uint64
	uninterruptible bool
	floor           turn.Floor
	pausedAt        int64 // while the floor is Paused
}

func (h *hearing) agentAudible(on bool, generation uint64, uninterruptible bool) {
	if generation < h.agent.generation {
		return
	}
	switch {
	case on && h.agent.audible && generation == h.agent.generation:
		h.agent.uninterruptible = uninterruptible
	case on:
		h.agent = agent{audible: true, generation: generation, uninterruptible: uninterruptible}
		if h.voiced == 0 {
			h.voiced = h.at
		}
	case h.agent.audible:
		h.settleOverlap()
	}
	h.changed = true
	h.guard()
	h.evaluate(h.at)
}

// guard tells the detector whether there is a voice of the agent's that can be stopped.
func (h *hearing) guard() {
	if g, ok := h.vad.(guarded); ok {
		g.guard(h.agent.audible && !h.agent.uninterruptible && h.agent.floor != turn.Taken)
	}
}

// settleOverlap decides, when the agent has ended, which words said meanwhile begin the next turn: all but backchannels, which are
// answers only shortly before the end of a question for one.
func (h *hearing) settleOverlap() {
	taken := h.agent.floor == turn.Taken
	h.agent.audible = false
	h.agent.floor = turn.Playing
	if taken {
		return
	}
	h.discard(func(s *segment) bool {
		early := s.end < h.at-boundary
		switch {
		case s.open:
			return false
		case s.text == "":
			return early || s.final
		case turn.Backchannel(s.text):
			return early || h.expected.Kind != turn.YesNo
		}
		return false
	})
}

// prune drops what was said during the agent's speech, long enough ago, without interrupting it. Words under an utterance that
// cannot be interrupted are kept: it is not their fault that they did not stop it.
func (h *hearing) prune() {
	if !h.agent.audible || h.agent.floor == turn.Taken {
		return
	}
	h.discard(func(s *segment) bool {
		spent := s.judged
		if h.agent.uninterruptible {
			spent = turn.Backchannel(s.text)
		}
		return s.end < h.at-boundary && (spent || s.text == "")
	})
}

func (h *hearing) discard(unwanted func(*segment) bool) {
	h.lapse(h.turn.drop(unwanted))
	if len(h.turn.segments) == 0 {
		h.due = 0
	}
}

// evaluate asks the policies what to do at now.
func (h *hearing) evaluate(now int64) {
	h.evaluateFloor(now)
	h.evaluateTurn(now)
	h.evaluateProspect(now)
	h.evaluateSignal(now)
	if h.speaking && now >= h.nextLong {
		h.reportLong(now)
	}
	h.changed = false
}

func (h *hearing) evaluateFloor(now int64) {
	if !h.agent.audible || h.agent.floor == turn.Taken || !h.speaking && h.agent.floor == turn.Playing && !h.changed {
		return
	}
	v := h.overlap().Decide(now)
	h.agent.floor = h.agent.floor.Apply(v.Move)
	if h.agent.floor == turn.Playing && !h.speaking {
		h.turn.judge()
	}
	if v.Move == turn.None {
		return
	}
	if v.Move == turn.Pause {
		h.agent.pausedAt = now
	}
	h.guard()
	h.changed = true
	h.handle(Floor{Move: v.Move, Generation: h.agent.generation, Reason: v.Reason, Position: now, SpeechStart: h.start, At: time.Now()})
}

func (h *hearing) overlap() turn.Overlap {
	text, pending := h.turn.overlap()
	return turn.Overlap{
		Floor: h.agent.floor, PausedAt: h.agent.pausedAt, Audible: h.agent.audible, Uninterruptible: h.agent.uninterruptible,
		Speaking: h.speaking, Start: h.start, End: h.stop, Evidence: h.evidence,
		Text: text, Pending: pending, Streams: h.streams,
	}
}

func (h *hearing) evaluateTurn(now int64) {
	if len(h.turn.segments) == 0 && !h.asked {
		return
	}
	if h.agent.audible && h.agent.floor != turn.Taken && !h.asked {
		return // whose turn it is comes before whether it is over
	}
	if !h.changed && (h.due == 0 || now < h.due) {
		return
	}
	h.learnCutIn()
	d := h.state().Decide(now)
	h.due = d.At
	switch d.Action {
	case turn.Wait:
	case turn.Suspend:
		h.think(turn.Duration(d.At - now))
	case turn.Commit:
		h.finish(d.Reason, now)
	case turn.NoWords:
		h.giveUp(d.Reason)
	}
}

// learnCutIn notes, when the first words of a turn show, whether the one before had not been over: the candidate went on before the agent's
// voice was heard, or just after.
func (h *hearing) learnCutIn() {
	if h.ended == 0 || h.turn.text == "" || turn.Backchannel(h.turn.text) {
		return
	}
	start, _ := h.turn.span()
	if pause := start - h.ended; pause <= cutMost && (h.voiced == 0 || start <= h.voiced+cutInWithin) {
		h.pauses.Cut(turn.Duration(pause))
	}
	h.ended = 0
}

// evaluateProspect tells early that the turn may be over, so that a reply can be prepared: once something was understood of
// the last speech, for without it the text is sure to change.
func (h *hearing) evaluateProspect(now int64) {
	if h.speaking || h.turn.text == h.prospect || !h.turn.current() || h.expected.Mode == turn.Manual {
		return
	}
	if h.agent.audible && h.agent.floor != turn.Taken {
		return
	}
	start, end := h.turn.span()
	if now-end < prospectAfter {
		return
	}
	h.prospect = h.turn.text
	h.handle(Prospect{
		Text: h.turn.text, Start: start, End: end, Silence: turn.Duration(now - end), At: time.Now(),
	})
}

// evaluateSignal tells when a listening signal fits. It changes nothing of how the turn is decided.
func (h *hearing) evaluateSignal(now int64) {
	if h.speaking || h.turn.text == h.weighed || !h.turn.current() || h.agent.audible && h.agent.floor != turn.Taken {
		return
	}
	if _, end := h.turn.span(); now-end < turn.SignalAfter {
		return
	}
	h.weighed = h.turn.text
	if h.state().Signal(now, h.signal) {
		h.signal = now
		h.handle(Signal{Text: h.turn.text})
	}
}

func (h *hearing) state() turn.State {
	start, end := h.turn.span()
	return turn.State{
		Speaking: h.speaking, Start: start, End: end, Text: h.turn.text, Pending: h.turn.pending(), Failed: h.turn.failed(),
		Bare: !h.marks, Tail: h.tail, Audio: h.complete, Expect: h.expected, Pauses: h.pauses, Asked: h.asked, AskedAt: h.askedAt,
	}
}

func (h *hearing) think(left time.Duration) {
	if h.thinking {
		return
	}
	h.thinking = true
	h.handle(Thinking{For: left})
}

// finish reports the turn. A transcript that comes later for one of its segments is ignored: the partial stood for it.
func (h *hearing) finish(reason string, now int64) {
	start, end := h.turn.span()
	t := Turn{
		ID: h.id, Text: h.turn.text, Words: len(turn.Words(h.turn.text)), Confidence: h.turn.confidence(),
		Start: start, End: end, DecidedAfter: turn.Duration(now - end), Reason: reason, At: time.Now(),
	}
	h.close()
	h.ended, h.voiced = end, 0
	h.handle(t)
}

// giveUp reports a turn without words, and remembers its segments in case words still come.
func (h *hearing) giveUp(reason string) {
	h.discard(func(*segment) bool { return true })
	h.close()
	h.handle(NoWords{Reason: reason})
}

func (h *hearing) reportLong(now int64) {
	if len(h.turn.segments) == 0 {
		return
	}
	start, _ := h.turn.span()
	h.nextLong += longEvery
	h.handle(LongSpeech{Duration: turn.Duration(now - start), Words: len(turn.Words(h.turn.text))})
}
