package turn

import (
	"fmt"
	"time"
)

// Mode says how long to leave the candidate room.
type Mode string

// The modes of a stage.
const (
	// Patient leaves room to think; the default.
	Patient Mode = "patient"
	// Brisk answers as soon as it can be right.
	Brisk Mode = "brisk"
	// Manual ends turns only on request (push to talk).
	Manual Mode = "manual"
)

// Kind is what sort of answer was asked for.
type Kind string

// The kinds of question.
const (
	// Open asks for anything; the default.
	Open Kind = "open"
	// YesNo asks for a word.
	YesNo Kind = "yes_no"
	// Brief asks for a word or a few: a name, a number.
	Brief Kind = "short"
	// Story asks for a longer account, in which pauses are likely.
	Story Kind = "story"
)

// Expectation is what the agent expects of the next turn. The zero value is a patient wait for an open answer.
type Expectation struct {
	Kind Kind
	Mode Mode
}

// State is what is known of the candidate's turn.
type State struct {
	// Speaking says that voice activity goes on.
	Speaking bool
	// Start and End are where the first speech of the turn began and the last truly ended, in samples.
	Start, End int64
	// Text is the transcript so far: finals, and partials where the final is not there yet.
	Text string
	// Pending counts speech segments whose final transcript has not come.
	Pending int
	// Failed says that the recogniser failed on a segment of this turn.
	Failed bool
	// Bare says that the recogniser has written no punctuation so far in the session.
	Bare bool
	// Tail is the melody at the end of the last speech.
	Tail Tail
	// Audio is the probability of a complete turn that an external model of the sound gave, above 0; 0 where there is none.
	Audio float64
	// Expect is what was asked.
	Expect Expectation
	// Pauses are the candidate's, inside the turns so far.
	Pauses Pauses
	// Asked says that an end of the turn was requested, at AskedAt.
	Asked   bool
	AskedAt int64
}

// Action is what to do with the turn.
type Action uint8

// What State.Decide may say.
const (
	// Wait: ask again at Decision.At, or when the state changes; At 0 means only then.
	Wait Action = iota
	// Commit: the turn is over and has words.
	Commit
	// NoWords: there was speech but nothing was understood; the turn is over without words.
	NoWords
	// Suspend: the candidate asked for time to think, until Decision.At.
	Suspend
)

// String returns the action's name.
func (a Action) String() string {
	switch a {
	case Wait:
		return "wait"
	case Commit:
		return "commit"
	case NoWords:
		return "no_words"
	case Suspend:
		return "suspend"
	}
	return fmt.Sprintf("action(%d)", uint8(a))
}

// Decision is what is made of a State.
type Decision struct {
	Action Action
	// At is the position at which waiting or thinking is over.
	At int64
	// Reason is for the trace of the turn.
	Reason string
}

const (
	// maxSilence is the silence after a sentence that is plainly not over.
	maxSilence = 2400 * time.Millisecond
	// budget is how long after the end of speech, or after a request, to wait for the final transcript: a recogniser's 99th percentile.
	budget = 1500 * time.Millisecond
	// thinkingTime is how long a request for time to think is granted.
	thinkingTime = 30 * time.Second
)

// Decide says what to do with the turn at now.
func (s State) Decide(now int64) Decision {
	switch {
	case s.Asked:
		return s.onRequest(now)
	case s.Speaking:
		return Decision{Reason: "still speaking"}
	case s.Expect.Mode == Manual:
		return Decision{Reason: "waiting for a request to end the turn"}
	case s.Text == "":
		return s.withoutText(now)
	case AsksForTime(s.Text):
		return s.thinking(now)
	}
	return s.afterText(now)
}

// onRequest ends the turn as soon as its transcript is there.
func (s State) onRequest(now int64) Decision {
	if limit := s.AskedAt + Samples(budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "asked to end, transcript on its way"}
	}
	if s.Text == "" {
		return Decision{Action: NoWords, Reason: s.noWordsReason()}
	}
	return Decision{Action: Commit, Reason: "asked to end"}
}

func (s State) withoutText(now int64) Decision {
	if limit := s.End + Samples(budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "transcript on its way"}
	}
	if at := s.End + Samples(patience(Expectation{Mode: s.Expect.Mode}, answer{}, Pauses{})); now < at {
		return Decision{At: at, Reason: "no words yet"}
	}
	return Decision{Action: NoWords, Reason: s.noWordsReason()}
}

func (s State) noWordsReason() string {
	switch {
	case s.Failed:
		return "recogniser failed"
	case s.Pending > 0:
		return "no transcript in time"
	}
	return "nothing understood"
}

func (s State) thinking(now int64) Decision {
	if limit := s.End + Samples(budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "final transcript on its way"}
	}
	if at := s.End + Samples(thinkingTime); now < at {
		return Decision{Action: Suspend, At: at, Reason: "asked for time to think"}
	}
	return Decision{Action: Commit, Reason: "time to think is over"}
}

func (s State) afterText(now int64) Decision {
	delay, reason := s.Delay()
	at := s.End + Samples(delay)
	if now < at {
		return Decision{At: at, Reason: reason}
	}
	if s.Pending == 0 {
		return Decision{Action: Commit, Reason: reason}
	}
	if limit := max(at, s.End+Samples(budget)); now < limit {
		return Decision{At: limit, Reason: "final transcript on its way"}
	}
	return Decision{Action: Commit, Reason: reason + "; final transcript late"}
}

// Delay returns the silence to leave after this text, and what decided it.
func (s State) Delay() (delay time.Duration, reason string) {
	features, weights := Read(s), &LearnedWeights
	if s.Bare {
		weights = &LearnedBare
	}
	low := patience(s.Expect, s.answer(), s.Pauses)
	return weights.Delay(features, low, max(low, maxSilence+s.Pauses.grown)), features.reason()
}
