package engine

import (
	"time"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Effect is something for the session to carry out, in the order given. It holds all that is needed for that, as of the Step it
// comes from; it is never changed, so that any goroutine may use it for as long as it likes. The set is closed.
type Effect interface{ effect() }

// Say puts an utterance on the floor. Exactly one VoiceEnded answers it, whatever happens.
type Say struct {
	Utterance uint64
	Visit     uint64
	Stage     string
	Move      Move
	Prompts   []string // the prompt ids it issues
	// Text is the scripted wording. It is what is said when Lead is nil, when there is no model, and when it fails.
	Text string
	Lead *Lead
	// Uninterruptible keeps the voice going although the candidate speaks.
	Uninterruptible bool
	Last            bool // the goodbye
	// Persona is the id of who speaks, where candidates choose who interviews; empty = nobody was chosen yet.
	Persona string
	Voice   Voice
	Turn    string // the stage's manner of turn-taking: patient, brisk or manual; empty = the default
	// Expects is the kind of answer that the question earns: story, yes_no or short; empty = any.
	Expects string
}

// Voice is how an utterance sounds: as whoever interviews does, where one was chosen, or as the definition says (R002-64).
type Voice struct {
	plain   definition.Voice
	persona *cast.Persona
}

// With returns the voice as the speech engine of this name knows it; personas know several.
func (v Voice) With(engine string) definition.Voice {
	if v.persona != nil {
		return v.persona.Voice(engine)
	}
	return v.plain
}

// Move is what the interviewer does with an utterance.
type Move string

// The moves.
const (
	MoveOpen     Move = "open"
	MoveBridge   Move = "bridge" // acknowledge, shift, and open the next stage
	MoveProbe    Move = "probe"  // ask for what is missing
	MoveReprompt Move = "reprompt"
	MoveSimplify Move = "simplify"
	MoveRephrase Move = "rephrase" // the candidate asked for the question again
	MoveGrant    Move = "grant"    // time to think
	MoveClose    Move = "close"

	MoveHold    Move = "hold"    // ask for patience while something is waited for
	MoveHint    Move = "hint"    // give the next hint
	MoveSupport Move = "support" // comfort somebody frustrated, and offer a choice
	MoveRefuse  Move = "refuse"  // a stage that matters is not skipped; the answer is not given away
	MoveCheck   Move = "check"   // what was said is no answer yet
	MoveSorry   Move = "sorry"   // something went wrong, and the talk goes on
	MoveReport  Move = "report"  // tell the report in short
)

// StopSpeech silences the utterance at once and drops what is behind it.
type StopSpeech struct {
	Utterance uint64
	Reason    string
	// Withdrawn says that it was never asked: the question before it waits again.
	Withdrawn bool
}

// TakeTurn ends the candidate's running turn now: what was heard so far comes as a UserTurn, or as NoWords.
type TakeTurn struct{ Reason string }

// ArmTimer starts a timer; a TimerFired with the same name, id and visit answers it unless it is cancelled.
type ArmTimer struct {
	Name  string
	ID    uint64
	Visit uint64
	After time.Duration
}

// CancelTimer stops a timer.
type CancelTimer struct {
	Name string
	ID   uint64
}

// Publish tells the room where the interview stands.
type Publish struct {
	Stage, Title string
	Index, Total int           // the stage's place among those before the goodbye, from 1; Index 0 = the goodbye
	Left         time.Duration // until the stage's hard limit; 0 = it has none
	// Item is the sub-phase, if the stage is held as several; then Title is its name, and Phase of Phases its place.
	Item          string
	Phase, Phases int
	Turn          string // the stage's manner of turn-taking, as in its definition
}

// Fact is one line of the structured log: a name of the form noun.verb and its fields. Words of the candidate are
// never among them.
type Fact struct {
	Name   string
	Fields []Field
}

// Field is one named value of a Fact: a string, an integer, a bool or a time.Duration.
type Field struct {
	Key   string
	Value any
}

// End closes the session.
type End struct{ Reason string }

// Run has the session find out what Step cannot know: it asks a provider, or a model. Exactly one TaskDone with the same
// task and visit answers it, unless it is cancelled. What is asked for by Kind says which other fields are set. What a model can
// answer has a question (Question).
type Run struct {
	Task, Visit uint64
	Kind        string
	Company     string // phases, question, and evaluate by the provider
	// InterviewType is what the provider is told.
	InterviewType string
	Evaluator     string         // evaluate: "provider", or the name of a judge
	Item          *evaluate.Item // evaluate: what is judged
	Budget        time.Duration  // the answer is of no use after this long
	Attempt       int            // 1 = the first try
	// State is what a report is made of: a snapshot, which nobody changes.
	State *state.UserData
}

// The kinds of a Run.
const (
	TaskPhases   = "phases"
	TaskQuestion = "question"
	TaskEvaluate = "evaluate"
	TaskReport   = "report"
)

// Judge has something judged beside the talk. Nobody waits for it: a Judged may come at any time, or never.
type Judge struct {
	Attachment string
	By         string // evaluator
	Item       evaluate.Item
	Visit      uint64
	Budget     time.Duration // of one attempt
	Attempts   int
}

// Record turns the keeping of sound on or off.
type Record struct {
	On      bool
	Consent string // how the candidate agreed: page, metadata or spoken
}

// CancelRun says that nobody waits for the task any more; no TaskDone is needed.
type CancelRun struct {
	Task   uint64
	Reason string
}

func (Say) effect()         {}
func (StopSpeech) effect()  {}
func (TakeTurn) effect()    {}
func (ArmTimer) effect()    {}
func (CancelTimer) effect() {}
func (Publish) effect()     {}
func (Fact) effect()        {}
func (End) effect()         {}
func (Run) effect()         {}
func (CancelRun) effect()   {}
func (Judge) effect()       {}
func (Record) effect()      {}

// Timer names.
const (
	TimerDeadline = "deadline" // the stage's hard limit
	TimerGrace    = "grace"    // how long speech may run past it
	TimerNoInput  = "no_input" // the next rung of the silence ladder
	TimerGoodbye  = "goodbye"  // the end comes even if the goodbye cannot be heard
	TimerSoft     = "soft"     // the stage's soft limit
	TimerGroup    = "group"    // the cap over a group of stages
	TimerHold     = "hold"     // until the candidate is asked for patience
	TimerTask     = "task"     // how long a task is waited for
	TimerBreak    = "break"    // until a break of the candidate's is over
)

// timers are all names, in the order in which they are cancelled; pausing are those that stand still while the candidate
// is away.
var (
	timers  = []string{TimerDeadline, TimerGrace, TimerNoInput, TimerGoodbye, TimerSoft, TimerGroup, TimerHold, TimerTask, TimerBreak}
	pausing = []string{TimerDeadline, TimerGrace, TimerSoft, TimerGroup, TimerHold, TimerTask}
)

// Reasons for leaving a stage.
const (
	ReasonComplete  = "complete"
	ReasonTurns     = "turns"
	ReasonFollowUps = "followups"
	ReasonIntent    = "intent"
	ReasonElapsed   = "elapsed"
	ReasonExhausted = "exhausted" // nothing is left to ask
	ReasonDeadline  = "deadline"
	ReasonIdle      = "idle"
	ReasonCandidate = "candidate" // the candidate asked to stop

	ReasonPassed     = "passed"             // the gate let it through
	ReasonAttempts   = "attempts_exhausted" // the gate did not, as often as it may
	ReasonSkipped    = "skipped"            // it was left out: the candidate wished it, or somebody who looks on
	ReasonIncomplete = "incomplete"         // the candidate insisted on leaving it out
	ReasonReordered  = "reordered"          // another sub-phase is taken first
	ReasonEasier     = "easier"             // the candidate chose a simpler problem
	ReasonRollback   = "rollback"           // the state did not fit: back to where it last did
	ReasonOperator   = "operator"
)

// Forced reports whether the reason is a fallback: the candidate had not finished.
func Forced(reason string) bool { return reason == ReasonDeadline || reason == ReasonIdle }

func ms(d time.Duration) state.Millis { return state.FromDuration(d) }
