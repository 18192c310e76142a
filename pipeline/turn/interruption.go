package turn

import (
	"errors"
	"fmt"
	"time"
)

// Floor is what the agent's voice is doing.
type Floor uint8

// The states of the floor.
const (
	// Playing: the voice is heard at full level.
	Playing Floor = iota
	// Ducked: the voice is heard at a lower level.
	Ducked
	// Paused: the voice is held and may go on.
	Paused
	// Taken: the candidate has the floor; the voice will not go on.
	Taken
)

// Overlap is what is known of sound from the candidate while the agent is audible.
type Overlap struct {
	Floor Floor
	// PausedAt is where the voice was paused, while Floor is Paused; 0 where that is not known.
	PausedAt int64
	// Audible says that the agent has an utterance on the track, also while it is paused, since AudibleSince.
	Audible      bool
	AudibleSince int64
	// First marks the first utterance of the session, during which echo cancellation still settles.
	First bool
	// Uninterruptible utterances are spoken to the end.
	Uninterruptible bool
	// Speaking says that voice activity goes on. It began at Start and was last heard at End, which stands still during a
	// silence too short to end it.
	Speaking   bool
	Start, End int64
	// Text is what was understood of it so far, partial or final.
	Text string
	// Pending says that its final transcript has not come.
	Pending bool
	// Streams says that the recogniser gives partials, so words show while they are spoken.
	Streams bool
}

// Move is what to do with the agent's voice.
type Move uint8

// The moves of Interruption.
const (
	// None: leave it as it is.
	None Move = iota
	// Duck: lower it.
	Duck
	// Unduck: bring it back to full level.
	Unduck
	// Pause: hold it where it is.
	Pause
	// Resume: let it go on from there at full level.
	Resume
	// Interrupt: drop it; the candidate has the floor.
	Interrupt
)

// String returns the move's name.
func (m Move) String() string {
	names := [...]string{"none", "duck", "unduck", "pause", "resume", "interrupt"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("move(%d)", uint8(m))
}

// Apply returns the floor after the move.
func (f Floor) Apply(m Move) Floor {
	switch m {
	case Duck:
		return Ducked
	case Pause:
		return Paused
	case Unduck, Resume:
		return Playing
	case Interrupt:
		return Taken
	case None:
	}
	return f
}

// Verdict is what Interruption makes of an Overlap.
type Verdict struct {
	Move   Move
	Reason string
}

// Interruption decides what sound from the candidate does to the agent's voice: duck early, pause soon after, and only then
// decide. Fields left zero get the defaults.
type Interruption struct {
	// DuckAfter and PauseAfter are lengths of continuous speech: 96 and 190 ms. Speech is found some 60 ms after its onset and
	// in steps of 32 ms, so that the voice is silent 250 ms after the onset.
	DuckAfter, PauseAfter time.Duration
	// ConfirmAfter is the speech that interrupts without words: 1.4 s; ConfirmBackchannel the same while only a backchannel was
	// understood: 1.6 s. The voice is silent meanwhile, so that the wait costs nothing that is heard, and a slow backchannel of two
	// or three words fits into it.
	ConfirmAfter, ConfirmBackchannel time.Duration
	// TrustAfter is the length of speech from which a single word of a partial interrupts: 600 ms.
	TrustAfter time.Duration
	// WordsWithin is how long after the end of speech words may still show, where the recogniser gives partials: 400 ms.
	WordsWithin time.Duration
	// Limit is how long after the end of speech a pause may last: 2 s. MaxPause is how long it may last in all, whatever sounds
	// come meanwhile: 3 s.
	Limit, MaxPause time.Duration
	// EchoGuard is how long nothing interrupts the first utterance of a session: 0 by default (browsers cancel echo
	// from the start); 3 s suits loudspeakers without it.
	EchoGuard time.Duration
}

// WithDefaults returns p with zero fields filled in, or an error when the times contradict each other.
func (p Interruption) WithDefaults() (Interruption, error) {
	fill := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	fill(&p.DuckAfter, 96*time.Millisecond)
	fill(&p.PauseAfter, 190*time.Millisecond)
	fill(&p.ConfirmAfter, 1400*time.Millisecond)
	fill(&p.ConfirmBackchannel, 1600*time.Millisecond)
	fill(&p.TrustAfter, 600*time.Millisecond)
	fill(&p.WordsWithin, 400*time.Millisecond)
	fill(&p.Limit, 2*time.Second)
	fill(&p.MaxPause, max(3*time.Second, p.Limit))
	ordered := 0 <= p.DuckAfter && p.DuckAfter <= p.PauseAfter && p.PauseAfter <= p.ConfirmAfter && p.ConfirmAfter <= p.ConfirmBackchannel
	if !ordered || min(p.WordsWithin, p.TrustAfter) < 0 || p.Limit < p.WordsWithin || p.MaxPause < p.Limit || p.EchoGuard < 0 {
		return p, errors.New("interruption times must not be negative and must grow from duck over pause to confirm, from words to limit, and from there to the longest pause")
	}
	return p, nil
}

// Decide says what to do with the voice at now. The receiver must come from WithDefaults. Call it after every change and
// every 40 ms at most while the agent is audible.
func (p Interruption) Decide(s Overlap, now int64) Verdict {
	v := p.judge(s, now)
	if v.Move == None && s.Floor == Paused && s.PausedAt > 0 && now-s.PausedAt >= Samples(p.MaxPause) {
		return p.endPause(s)
	}
	return v
}

// endPause decides what has been open for too long: one short sound after another, each with its transcript to come.
func (p Interruption) endPause(s Overlap) Verdict {
	if s.Speaking || meaningful(s.Text) > 0 {
		return Verdict{Interrupt, "sounds go on"}
	}
	return Verdict{Resume, "paused for too long"}
}

func (p Interruption) judge(s Overlap, now int64) Verdict {
	switch {
	case !s.Audible || s.Floor == Taken:
		return Verdict{Reason: "the voice is not heard"}
	case s.Uninterruptible:
		return s.restore("utterance is not to be interrupted")
	case s.First && now < s.AudibleSince+Samples(p.EchoGuard):
		return s.restore("echo guard at the start of the session")
	case s.Text != "" && !Backchannel(s.Text):
		return p.onWords(s, now)
	case s.Speaking:
		return p.during(s)
	}
	return p.after(s, now)
}

// onWords interrupts. A single word of a partial is waited on, because the first guess at a backchannel is often another word.
func (p Interruption) onWords(s Overlap, now int64) Verdict {
	switch {
	case !s.Pending, meaningful(s.Text) > 1, Duration(s.End-s.Start) >= p.TrustAfter, !s.Speaking && Duration(now-s.End) >= p.WordsWithin:
		return Verdict{Interrupt, "words"}
	case s.Speaking:
		return p.during(s)
	}
	return Verdict{None, "waiting for the final words"}
}

// restore gives the voice its floor back.
func (s Overlap) restore(reason string) Verdict {
	switch s.Floor {
	case Ducked:
		return Verdict{Unduck, reason}
	case Paused:
		return Verdict{Resume, reason}
	case Playing, Taken:
	}
	return Verdict{None, reason}
}

// during judges speech that goes on by its length.
func (p Interruption) during(s Overlap) Verdict {
	start := s.Start
	if s.First && p.EchoGuard > 0 {
		start = max(start, s.AudibleSince+Samples(p.EchoGuard))
	}
	length := Duration(s.End - start)
	confirm, reason := p.ConfirmAfter, "speech goes on"
	if s.Text != "" {
		confirm, reason = p.ConfirmBackchannel, "speech goes on after a backchannel"
	}
	switch {
	case length >= confirm:
		return Verdict{Interrupt, reason}
	case length >= p.PauseAfter && s.Floor != Paused:
		return Verdict{Pause, "speech"}
	case length >= p.DuckAfter && s.Floor == Playing:
		return Verdict{Duck, "sound like speech"}
	}
	return Verdict{None, "too short to tell"}
}

// after judges speech that has ended without words that interrupt.
func (p Interruption) after(s Overlap, now int64) Verdict {
	silence := Duration(now - s.End)
	switch {
	case s.Floor == Ducked:
		return Verdict{Unduck, "short sound"}
	case s.Floor != Paused:
		return Verdict{None, "silence"}
	case s.Text != "" && (!s.Pending || silence >= p.WordsWithin):
		return Verdict{Resume, "backchannel"}
	case !s.Pending:
		return Verdict{Resume, "nothing understood"}
	case s.Streams && silence >= p.WordsWithin:
		return Verdict{Resume, "no words after the sound"}
	case silence >= p.Limit:
		return Verdict{Resume, "no transcript in time"}
	}
	return Verdict{None, "waiting for words"}
}
