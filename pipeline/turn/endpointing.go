package turn

import (
	"errors"
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

// The actions of Endpointing.
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

// Decision is what Endpointing makes of a State.
type Decision struct {
	Action Action
	// At is the position at which waiting or thinking is over.
	At int64
	// Reason is for the trace of the turn.
	Reason string
}

// Endpointing decides when a turn is over. Fields left zero get the defaults.
type Endpointing struct {
	// MinPatient and MinBrisk are the silences after a complete sentence: 0.6 s and 0.35 s. A reply that was prepared in the silence is
	// ready to be heard no sooner than 0.7 s after the end of speech, so that shorter ones gain nothing.
	MinPatient, MinBrisk time.Duration
	// StoryExtra is added to them where a longer account was asked for: 0.3 s.
	StoryExtra time.Duration
	// Max is the silence after a sentence that is plainly not over: 2.4 s.
	Max time.Duration
	// Budget is how long after the end of speech, or after a request, to wait for the final transcript: 1.5 s. It
	// should be the recogniser's 99th percentile.
	Budget time.Duration
	// Thinking is how long a request for time to think is granted: 30 s.
	Thinking time.Duration
	// Weights fuses the features where the recogniser writes punctuation, Bare where it writes none; the zero values mean
	// LearnedWeights and LearnedBare.
	Weights, Bare Weights
}

// WithDefaults returns e with zero fields filled in, or an error that names the settings that contradict each other.
func (e Endpointing) WithDefaults() (Endpointing, error) {
	fill := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	fill(&e.MinPatient, 600*time.Millisecond)
	fill(&e.MinBrisk, 350*time.Millisecond)
	fill(&e.StoryExtra, 300*time.Millisecond)
	fill(&e.Max, 2400*time.Millisecond)
	fill(&e.Budget, 1500*time.Millisecond)
	fill(&e.Thinking, 30*time.Second)
	if e.Weights == (Weights{}) {
		e.Weights = LearnedWeights
	}
	if e.Bare == (Weights{}) {
		e.Bare = LearnedBare
	}
	if min(e.MinPatient, e.MinBrisk, e.StoryExtra, e.Budget, e.Thinking) < 0 || max(e.MinPatient, e.MinBrisk) > e.Max {
		return e, errors.New("endpointing delays must not be negative, and the minimum not above the maximum")
	}
	return e, nil
}

// Decide says what to do with the turn at now. The receiver must come from WithDefaults.
func (e Endpointing) Decide(s State, now int64) Decision {
	switch {
	case s.Asked:
		return e.onRequest(s, now)
	case s.Speaking:
		return Decision{Reason: "still speaking"}
	case s.Expect.Mode == Manual:
		return Decision{Reason: "waiting for a request to end the turn"}
	case s.Text == "":
		return e.withoutText(s, now)
	case AsksForTime(s.Text):
		return e.thinking(s, now)
	}
	return e.afterText(s, now)
}

// onRequest ends the turn as soon as its transcript is there.
func (e Endpointing) onRequest(s State, now int64) Decision {
	if limit := s.AskedAt + Samples(e.Budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "asked to end, transcript on its way"}
	}
	if s.Text == "" {
		return Decision{Action: NoWords, Reason: noWordsReason(s)}
	}
	return Decision{Action: Commit, Reason: "asked to end"}
}

func (e Endpointing) withoutText(s State, now int64) Decision {
	if limit := s.End + Samples(e.Budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "transcript on its way"}
	}
	if at := s.End + Samples(e.minimum(s)); now < at {
		return Decision{At: at, Reason: "no words yet"}
	}
	return Decision{Action: NoWords, Reason: noWordsReason(s)}
}

func noWordsReason(s State) string {
	switch {
	case s.Failed:
		return "recogniser failed"
	case s.Pending > 0:
		return "no transcript in time"
	}
	return "nothing understood"
}

func (e Endpointing) thinking(s State, now int64) Decision {
	if limit := s.End + Samples(e.Budget); s.Pending > 0 && now < limit {
		return Decision{At: limit, Reason: "final transcript on its way"}
	}
	if at := s.End + Samples(e.Thinking); now < at {
		return Decision{Action: Suspend, At: at, Reason: "asked for time to think"}
	}
	return Decision{Action: Commit, Reason: "time to think is over"}
}

func (e Endpointing) afterText(s State, now int64) Decision {
	delay, reason := e.Delay(s)
	at := s.End + Samples(delay)
	if now < at {
		return Decision{At: at, Reason: reason}
	}
	if s.Pending == 0 {
		return Decision{Action: Commit, Reason: reason}
	}
	if limit := max(at, s.End+Samples(e.Budget)); now < limit {
		return Decision{At: limit, Reason: "final transcript on its way"}
	}
	return Decision{Action: Commit, Reason: reason + "; final transcript late"}
}

// Delay returns the silence to leave after this text, and what decided it.
func (e Endpointing) Delay(s State) (delay time.Duration, reason string) {
	features, weights := Read(s), e.Weights
	if s.Bare {
		weights = e.Bare
	}
	return weights.Delay(features, e.minimum(s), e.Max), features.reason()
}

// usualPause is the pause that needs no more room than the minimum: half a second. Of what a candidate's usual pause is longer, up to
// pauseMost, a share of pauseShare is added.
const (
	usualPause = 500 * time.Millisecond
	pauseMost  = 1500 * time.Millisecond
	pauseShare = 0.3
)

// minimum is the silence to leave after a complete sentence.
func (e Endpointing) minimum(s State) time.Duration {
	low := e.MinPatient
	if s.Expect.Mode == Brisk {
		low = e.MinBrisk
	}
	if s.Expect.Kind == Story {
		low += e.StoryExtra
	}
	low += time.Duration(pauseShare * float64(min(max(s.Pause-usualPause, 0), pauseMost)))
	return min(low, e.Max)
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
