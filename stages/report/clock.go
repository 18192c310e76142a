package report

import (
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// clock is what a journal says about time: who was heard when, and what happened in between.
type clock struct {
	spans  []Span
	events []Event // without labels: Detail holds the code
	turns  map[uint64]stretch
}

// stretch is the time of one turn.
type stretch struct {
	from, to Millis
	bursts   []Span // of speech, within a candidate's turn
	wait     Millis // since the interviewer's last word; -1 = unknown
	reply    Millis // until the interviewer's next word; -1 = there was none
}

// newClock reads the journal once. An entry that cannot be read is passed over: a report is made of what there is.
func newClock(journal []state.Entry, turns []state.Turn) *clock {
	r := reader{
		clock: &clock{turns: make(map[uint64]stretch)}, voices: make(map[uint64]Millis), noted: make(map[moment]uint64), said: -1,
	}
	for _, t := range turns {
		r.noted[moment{t.Speaker, t.At}] = t.ID
	}
	for _, entry := range journal {
		if ev, err := engine.Decode(entry); err == nil {
			r.read(entry.At, ev)
		}
	}
	return r.clock
}

// turn returns when a turn began and ended; without a journal both are the time it was noted.
func (c *clock) turn(t state.Turn) (from, to Millis) {
	if s, ok := c.turns[t.ID]; ok {
		return s.from, s.to
	}
	return t.At, t.At
}

// reader is a clock being made.
type reader struct {
	*clock
	voices   map[uint64]Millis // utterances in the air
	noted    map[moment]uint64 // turns
	bursts   []Span            // speech that is no turn yet
	speaking bool
	said     Millis // end of the interviewer's last word; -1 = none yet
	waiting  uint64 // the turn that waits for a reply
}

// moment is when somebody's turn was noted.
type moment struct {
	speaker state.Speaker
	at      Millis
}

func (r *reader) read(at Millis, ev engine.Event) {
	switch e := ev.(type) {
	case engine.VoiceStarted:
		r.voices[e.Utterance] = at
		r.replied(at)
	case engine.VoiceEnded:
		r.voiceEnded(at, e)
	case engine.SpeechStarted:
		r.bursts, r.speaking = append(r.bursts, Span{Speaker: string(state.SpeakerCandidate), From: at, To: at}), true
	case engine.SpeechStopped:
		r.silent(at)
	case engine.UserTurn:
		r.turnTaken(at, e)
	case engine.NoWords:
		r.silent(at)
		r.spans, r.bursts = append(r.spans, r.bursts...), nil
		r.event(at, "no_words", "")
	case engine.BargeIn:
		r.event(at, "interruption", "")
	case engine.TimerFired:
		r.timer(at, e.Name)
	case engine.Away:
		r.event(at, "away", "")
	case engine.Back:
		r.event(at, "back", "")
	case engine.Gone, engine.Stop:
		r.event(at, "end", "")
	}
}

func (r *reader) event(at Millis, kind, detail string) {
	r.events = append(r.events, Event{At: at, Kind: kind, Detail: detail})
}

// timer notes those timers that a candidate could have felt.
func (r *reader) timer(at Millis, name string) {
	switch name {
	case engine.TimerNoInput:
		r.event(at, "silence", name)
	case engine.TimerDeadline, engine.TimerGrace, engine.TimerSoft, engine.TimerGroup:
		r.event(at, "timer", name)
	}
}

func (r *reader) voiceEnded(at Millis, e engine.VoiceEnded) {
	from, heard := r.voices[e.Utterance]
	delete(r.voices, e.Utterance)
	if !heard {
		return
	}
	turn := r.noted[moment{state.SpeakerAgent, at}]
	if e.Heard == "" {
		turn = 0
	}
	r.spans = append(r.spans, Span{Speaker: string(state.SpeakerAgent), From: from, To: at, Turn: turn, Cut: e.Cut})
	r.said = at
	if turn != 0 {
		r.turns[turn] = stretch{from: from, to: at, wait: -1, reply: -1}
	}
}

// silent ends a burst of speech.
func (r *reader) silent(at Millis) {
	if n := len(r.bursts); r.speaking && n > 0 {
		r.bursts[n-1].To = at
	}
	r.speaking = false
}

func (r *reader) turnTaken(at Millis, e engine.UserTurn) {
	r.silent(at)
	turn := r.noted[moment{state.SpeakerCandidate, at}]
	s := stretch{from: at, to: at, wait: -1, reply: -1}
	if n := len(r.bursts); n > 0 && !e.Typed {
		s.from, s.to = r.bursts[0].From, r.bursts[n-1].To
		if r.said >= 0 && s.from >= r.said {
			s.wait = s.from - r.said
		}
	}
	for i := range r.bursts {
		r.bursts[i].Turn = turn
	}
	r.spans = append(r.spans, r.bursts...)
	if !e.Typed {
		s.bursts = r.bursts
	}
	r.bursts = nil
	if turn != 0 {
		r.turns[turn], r.waiting = s, turn
	}
}

// replied ends the wait of the turn before.
func (r *reader) replied(at Millis) {
	if s, ok := r.turns[r.waiting]; ok && r.waiting != 0 && at >= s.to {
		s.reply = at - s.to
		r.turns[r.waiting] = s
	}
	r.waiting = 0
}
