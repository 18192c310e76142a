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
	// End is where the last speech truly ended, in samples.
	End int64
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
	// Pause is the candidate's usual pause inside a turn (Pauses.Typical), 0 while unknown.
	Pause time.Duration
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
	// minPatient and minBrisk are the silences after a complete sentence. A reply that was prepared in the silence is ready to be heard
	// no sooner than 0.7 s after the end of speech, so that shorter ones gain nothing.
	minPatient = 600 * time.Millisecond
	minBrisk   = 350 * time.Millisecond
	// storyExtra is added to them where a longer account was asked for.
	storyExtra = 300 * time.Millisecond
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
	if at := s.End + Samples(s.minimum()); now < at {
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
	return weights.Delay(features, s.minimum(), maxSilence), features.reason()
}

// usualPause is the pause that needs no more room than the minimum: half a second. Of what a candidate's usual pause is longer, up to
// pauseMost, a share of pauseShare is added.
const (
	usualPause = 500 * time.Millisecond
	pauseMost  = 1500 * time.Millisecond
	pauseShare = 0.3
)

// minimum is the silence to leave after a complete sentence.
func (s State) minimum() time.Duration {
	low := minPatient
	if s.Expect.Mode == Brisk {
		low = minBrisk
	}
	if s.Expect.Kind == Story {
		low += storyExtra
	}
	low += time.Duration(pauseShare * float64(min(max(s.Pause-usualPause, 0), pauseMost)))
	return min(low, maxSilence)
}

// Pauses learns how long a candidate pauses inside a turn, as an average that forgets (weight 0.8 on the past). The zero
// value knows nothing yet.
type Pauses struct {
	typical time.Duration
	count   int
}

// Add notes a pause after which the candidate went on with the same turn.
func (p *Pauses) Add(d time.Duration) {
	p.count++
	if p.count == 1 {
		p.typical = d
		return
	}
	p.typical += (d - p.typical) / 5
}

// Typical returns the usual pause, or 0 before three were seen.
func (p *Pauses) Typical() time.Duration {
	if p.count < 3 {
		return 0
	}
	return p.typical
}
