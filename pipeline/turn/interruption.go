package turn

import (
	"fmt"
	"time"
)

// Floor is what the agent's voice is doing.
type Floor uint8

// The states of the floor.
const (
	// Playing: the voice is heard at full level.
	Playing Floor = iota
	// Ducked: the voice goes on, too low to be heard by somebody who speaks.
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
	// Audible says that the agent has an utterance on the track, also while it is paused.
	Audible bool
	// Uninterruptible utterances are spoken to the end.
	Uninterruptible bool
	// Speaking says that voice activity goes on. It began at Start and was last heard at End, which stands still during a
	// silence too short to end it.
	Speaking   bool
	Start, End int64
	// Evidence of speech just now, as of vad.Status.
	Evidence float32
	// Text is what was understood of it so far, partial or final.
	Text string
	// Pending says that its final transcript has not come.
	Pending bool
	// Streams says that the recogniser gives partials, so words show while they are spoken.
	Streams bool
}

// Move is what to do with the agent's voice.
type Move uint8

// The moves.
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

// Verdict is what is made of an Overlap.
type Verdict struct {
	Move   Move
	Reason string
}

// When sound from the candidate does what to the agent's voice: what is likely to be speech lowers it at once, so far that it is not heard;
// it comes back behind a sound as short as a backchannel, is paused and then dropped when the sound goes on, and dropped when words say so.
const (
	// duckEvidence is that of two or three windows of speech, 110 to 140 ms behind its onset.
	duckEvidence = 0.75
	// upLeast is the least time from the onset until the voice comes back: a first syllable with a dip behind it is not answered by a blip
	// of voice. After holdAfter of speech or more, words are waited for as long as they may still show.
	upLeast   = 450 * time.Millisecond
	holdAfter = 500 * time.Millisecond
	// pauseAfter is the speech whose words are waited for with the voice paused, once wordsWithin is over: it is longer than most backchannels.
	pauseAfter = time.Second
	// confirmAfter is the speech that interrupts without words; confirmBackchannel the same while only a backchannel was understood.
	// The voice is silent meanwhile, so that the wait costs nothing that is heard, and a slow backchannel of two or three words fits
	// into it.
	confirmAfter       = 1600 * time.Millisecond
	confirmBackchannel = 1800 * time.Millisecond
	// trustAfter is the length of speech from which a single word of a partial interrupts.
	trustAfter = 600 * time.Millisecond
	// wordsWithin is how long after the end of speech words may still show, where the recogniser gives partials.
	wordsWithin = 400 * time.Millisecond
	// pauseLimit is how long after the end of speech a pause may last, maxPause how long in all, whatever sounds come meanwhile.
	pauseLimit = 2 * time.Second
	maxPause   = 3 * time.Second
)

// Decide says what to do with the voice at now. Call it after every change and every 40 ms at most while the agent is audible.
func (s Overlap) Decide(now int64) Verdict {
	v := s.judge(now)
	if v.Move == None && s.Floor == Paused && s.PausedAt > 0 && now-s.PausedAt >= Samples(maxPause) {
		return s.endPause()
	}
	return v
}

// endPause decides what has been open for too long: one short sound after another, each with its transcript to come.
func (s Overlap) endPause() Verdict {
	if s.Speaking || meaningful(s.Text) > 0 {
		return Verdict{Interrupt, "sounds go on"}
	}
	return Verdict{Resume, "paused for too long"}
}

func (s Overlap) judge(now int64) Verdict {
	switch {
	case !s.Audible || s.Floor == Taken:
		return Verdict{Reason: "the voice is not heard"}
	case s.Uninterruptible:
		return s.restore("utterance is not to be interrupted")
	case s.Text != "" && !Backchannel(s.Text):
		return s.onWords(now)
	case s.Speaking:
		return s.during()
	}
	return s.after(now)
}

// onWords interrupts. A single word of a partial is waited on, because the first guess at a backchannel is often another word.
func (s Overlap) onWords(now int64) Verdict {
	switch {
	case !s.Pending, meaningful(s.Text) > 1, Duration(s.End-s.Start) >= trustAfter, !s.Speaking && Duration(now-s.End) >= wordsWithin:
		return Verdict{Interrupt, "words"}
	case s.Speaking:
		return s.during()
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
func (s Overlap) during() Verdict {
	length, backchannel := Duration(s.End-s.Start), Backchannel(s.Text)
	confirm, reason := confirmAfter, "speech goes on"
	if backchannel {
		confirm, reason = confirmBackchannel, "speech goes on after a backchannel"
	}
	switch {
	case length >= confirm:
		return Verdict{Interrupt, reason}
	case s.Floor == Ducked && backchannel:
		return Verdict{Unduck, "backchannel"}
	case s.Floor == Playing && !backchannel && s.Evidence >= duckEvidence:
		return Verdict{Duck, "sound like speech"}
	}
	return Verdict{None, "too short to tell"}
}

// ducked brings the voice back after a short sound, and pauses it after a long one whose words are late.
func (s Overlap) ducked(now int64) Verdict {
	length, waited := Duration(s.End-s.Start), Duration(now-s.End)
	switch {
	case s.Text != "":
		return Verdict{Unduck, "backchannel"}
	case Duration(now-s.Start) < upLeast, s.Pending && length >= holdAfter && waited < wordsWithin:
		return Verdict{None, "waiting for words"}
	case s.Pending && length >= pauseAfter:
		return Verdict{Pause, "words are late"}
	}
	return Verdict{Unduck, "short sound"}
}

// after judges speech that has ended without words that interrupt.
func (s Overlap) after(now int64) Verdict {
	silence := Duration(now - s.End)
	switch {
	case s.Floor == Ducked:
		return s.ducked(now)
	case s.Floor != Paused:
		return Verdict{None, "silence"}
	case s.Text != "" && (!s.Pending || silence >= wordsWithin):
		return Verdict{Resume, "backchannel"}
	case !s.Pending:
		return Verdict{Resume, "nothing understood"}
	case s.Streams && silence >= wordsWithin:
		return Verdict{Resume, "no words after the sound"}
	case silence >= pauseLimit:
		return Verdict{Resume, "no transcript in time"}
	}
	return Verdict{None, "waiting for words"}
}
