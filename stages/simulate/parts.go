package simulate

import (
	"encoding/json"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Person is a candidate. The calls come one at a time, in the order of the talk, and may take their time: the interview's
// clock stands still meanwhile.
type Person interface {
	// React decides what to do now that the interviewer's words were heard to their end.
	React(s Situation) Action
	// Interrupt decides whether to speak into words that have just become audible; the action's Wait counts from their
	// beginning.
	Interrupt(s Situation) (Action, bool)
}

// Situation is what a candidate reacts to.
type Situation struct {
	State *state.UserData // for candidates who are played; a person knows only the words
	Say   engine.Say
	Text  string // the words heard
	At    state.Millis
	Lasts time.Duration // how long the words take; Interrupt only
}

// Action is what a candidate does next. The zero value is silence.
type Action struct {
	Wait     time.Duration // after the interviewer's words
	Text     string        // "" = silence
	Code     string        // written into the editor before speaking
	Language string        // of the code; empty = pseudocode
	Typed    bool          // Text is typed, not spoken
	Noise    bool          // a sound without words
	Lost     bool          // the recogniser does not understand it
	GoOn     int           // goes on so often after having been stopped
	Away     time.Duration // the connection is lost for so long
	Gone     bool          // leaves for good
	Reason   string        // why, with Gone; empty = hung up
}

// Interviewer words what the engine lets a model word.
type Interviewer interface {
	Word(u *state.UserData, e engine.Say) Wording
}

// Wording is how an utterance comes out.
type Wording struct {
	Text     string
	Latency  time.Duration // until its first frame
	Worded   bool          // by a model
	Degraded string        // why a script stands in
	// Reading is what a model that leads the turn understood; nil: it did not say.
	Reading json.RawMessage
}

// Desk does what an interview asks of others. The calls may take their time; what they return comes after the given time on the
// interview's clock.
type Desk interface {
	Do(r engine.Run) (engine.TaskDone, time.Duration)
	Judge(e engine.Judge) (engine.Judged, time.Duration)
}
