package listen

import (
	"time"

	"github.com/vivavoice/viva/pipeline/turn"
)

// Event is something the Listener heard or decided.
type Event interface{ isEvent() }

// SpeechStarted says that the candidate began to speak.
type SpeechStarted struct{}

// SpeechStopped says that the candidate stopped; the turn may go on.
type SpeechStopped struct{}

// Partial is the text of the turn so far; it replaces the one before.
type Partial struct{ Text string }

// Prospect says that the turn may be over: there were 200 ms of silence after words. It comes at most once for each text of a
// silence, and again when the text changes. A Turn, NoWords or SpeechStarted follows; SpeechStarted takes it back.
type Prospect struct {
	// Text is the turn so far, finals and partials.
	Text string
	// Start and End are where the first speech began and the last truly ended.
	Start, End int64
	// Silence is the time from End to this event.
	Silence time.Duration
	At      time.Time
}

// Signal says that a listening signal fits now: the candidate pauses in an account, and the wait for its end goes on. It comes at most
// once in a silence and once in 15 s.
type Signal struct{ Text string }

// Turn is a finished turn of the candidate.
type Turn struct {
	// ID counts the turns of the session from 1; an ID without a Turn had no words.
	ID   uint64
	Text string
	// Words is the number of words of Text.
	Words int
	// Confidence is the mean over the turn's segments, 0 where the recogniser does not say.
	Confidence float64
	// Start and End are where the first speech began and the last truly ended.
	Start, End int64
	// DecidedAfter is the time from End to the decision.
	DecidedAfter time.Duration
	// Reason says what decided it.
	Reason string
	At     time.Time
}

// NoWords says that there was speech, or a request to end the turn, but no words.
type NoWords struct{ Reason string }

// Floor says what to do with the agent's voice.
type Floor struct {
	Move turn.Move
	// Generation is the agent's utterance.
	Generation uint64
	Reason     string
	// Position is where on the audio clock it was decided, and SpeechStart where the speech began that decided it.
	Position, SpeechStart int64
	At                    time.Time
}

// Thinking says that the candidate asked for time to think; the turn is held open for that long.
type Thinking struct{ For time.Duration }

// LongSpeech says that the turn has lasted longer than 30 s; it is repeated every second while the candidate speaks.
type LongSpeech struct {
	Duration time.Duration
	// Words is the number of words understood so far.
	Words int
}

// Failed says that recognition failed for a segment. Listening goes on.
type Failed struct{ Err error }

func (SpeechStarted) isEvent() {}
func (SpeechStopped) isEvent() {}
func (Partial) isEvent()       {}
func (Prospect) isEvent()      {}
func (Signal) isEvent()        {}
func (Turn) isEvent()          {}
func (NoWords) isEvent()       {}
func (Floor) isEvent()         {}
func (Thinking) isEvent()      {}
func (LongSpeech) isEvent()    {}
func (Failed) isEvent()        {}
