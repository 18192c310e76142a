package session

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Utterance is what a Voice is asked to say.
type Utterance struct {
	ID uint64 // the engine's number; of several drafts of an utterance one at most is heard
	// Generation grows with every call of Speak.
	Generation uint64
	// Hold prepares the utterance; nothing of it may be heard before Holder.Release.
	Hold     bool
	Name     string // the engine's name of a voice; empty = its default
	Language string
	Speed    float64
	// Listening is the word with which this voice says that it listens, to be made ready for Signaller; empty: it never does.
	Listening string
	Firm      bool // goes on although the candidate speaks
	// Started is called once, when the first frame is on its way; Words with the words that have become audible since
	// the last call, a leading space where one belongs. Neither may be called after Speak has returned.
	Started func()
	Words   func(more string)
	// Asked says that a provider was asked for sound, Sounded that its first sound has come. They may be called often, by any
	// goroutine; the first call of each counts.
	Asked, Sounded func()
}

// Spoken is how an utterance ended.
type Spoken struct {
	Heard    string // the words that reached the candidate
	Complete bool   // all of it was heard
	Err      error  // why it could not be spoken, or not to its end; nil when it was merely cut
}

// Voice is how the interviewer is heard. One utterance is in the air at a time: the session cancels ctx before it
// asks for another, and the voice must be silent at once then.
type Voice interface {
	Speak(ctx context.Context, u Utterance, src speak.Source) Spoken
	// Duck lowers the voice so far that it is not heard, or brings it back; Pause holds it, and Resume goes on from the start of the clause.
	Pause()
	Resume()
	Duck(on bool)
}

// Holder is a Voice that can prepare an utterance without letting it be heard. Speculation needs one.
type Holder interface {
	// Release lets the held utterance of this generation be heard. It may come before Speak was called, and must not
	// block.
	Release(generation uint64)
}

// Pulse is a Voice that knows when it was last heard. The watch on a voice that falls silent, and measures of how fast it
// falls silent, need one.
type Pulse interface {
	// LastSound returns which utterance was heard last, and when the latest of its frames that is not ducked was handed to the track.
	// It must not block.
	LastSound() (generation uint64, at time.Time)
}

// Ears is the listening side, as far as the session steers it. The calls must not block.
type Ears interface {
	// Audible tells which utterance is in the air; on is false when it has ended.
	Audible(utterance uint64, on, firm bool)
	// Take ends the candidate's running turn: a Turn or NoWords follows.
	Take()
	// Expect tells in which manner turns are taken now (patient, brisk or manual; empty = the default), and what kind of answer the
	// question on its way earns: story, yes_no or short; empty = any.
	Expect(turn, answer string)
}

// Button is an Ears that can be deaf: with push to talk it hears only while the button is held down. Stages in manual mode
// need one.
type Button interface {
	// Hear turns hearing on or off. It must not block.
	Hear(on bool)
}

// Presence shows the interview to the room. The calls must not block.
type Presence interface {
	State(s string) // listening, thinking or speaking
	Stage(p engine.Publish)
	// Words adds words of an utterance as they become audible; put together they are what Said gets at its end.
	Words(utterance uint64, more string)
	Said(utterance uint64, text string)
	// Candidate shows the candidate's words; the number tells turns apart.
	Candidate(turn uint64, text string, c Certainty)
	// Done says that the interview is over.
	Done(reason string)
}

// Certainty is how far words of the candidate are known.
type Certainty int

// The certainties.
const (
	Interim Certainty = iota // the turn goes on
	Final                    // all of a turn
	Unsure                   // all of a turn, of which the recogniser says that much may be wrong
)

// unsureBelow is the confidence of a recogniser below which a turn is shown as unsure. Of 137 recorded sentences, a third of them in
// noise, the local recogniser lost more than three in ten words in 60 % below it, and in 12 % above.
const unsureBelow = 0.66

// certainty is that of a turn that is over.
func certainty(m Turn) Certainty {
	if m.Confidence > 0 && m.Confidence < unsureBelow {
		return Unsure
	}
	return Final
}

// Sheet is a Presence that shows the task which the interview is about.
type Sheet interface {
	// Problem shows the problem with this id in place of the one before. It must not block.
	Problem(id string)
}

// Silent judges beside the talk.
type Silent interface {
	// Judge takes an item on and returns at once. answer is called once, by any goroutine; the session may be over by then.
	Judge(e engine.Judge, answer func(engine.Judged))
}

// Cast is a Presence that shows who interviews, where candidates choose.
type Cast interface {
	// Persona shows the persona with this id. It must not block.
	Persona(id string)
}

// Recorder keeps the sound of the talk while the candidate agrees to it.
type Recorder interface {
	// Record turns that on or off; off deletes what was kept. at is the time on the session's clock. It must not block.
	Record(e engine.Record, at state.Millis)
}

// Options are the parts of a session. Interview, Voice, Ears, Presence, Journal and Logger are required.
type Options struct {
	Interview *engine.Interview
	Start     engine.Started
	// Resume goes on with an interview that an earlier process began, in place of Start; nil: a new one.
	Resume   *Resumption
	Voice    Voice
	Ears     Ears
	Presence Presence
	Journal  state.Journal
	Model    llm.Model // nil: scripted words only
	Tasks    Tasks     // nil: whatever has to be asked fails, and the engine's rules stand in
	Silent   Silent    // nil: nothing is judged beside the talk
	Recorder Recorder  // nil: no sound is kept
	Speech   string    // the speech engine's name, by which personas know their voices; empty = only their pace is heard
	Meter    *Meter    // nil: one of the session's own, with the definition's budget
	Observe  func(engine.Fact)
	Trace    func(Trace) // called with each record, by the session's goroutine
	Logger   *zap.Logger
	// Speculate prepares replies on a Prospect, before the turn is decided. The Voice must be a Holder.
	Speculate bool
	// Signals lets a Voice that is a Signaller say softly that it listens, where the definition does not forbid it.
	Signals bool
}

const (
	modelWait = 4 * time.Second // for a model's first words; then the scripted ones are said
	closeWait = 5 * time.Second // for what Run has started, when it ends
)

// New prepares a session; nothing starts before Run.
func New(o Options) (*Session, error) {
	switch {
	case o.Interview == nil:
		return nil, errors.New("a session needs an interview")
	case o.Voice == nil || o.Ears == nil || o.Presence == nil:
		return nil, errors.New("a session needs a voice, ears and a presence in the room")
	case o.Journal == nil:
		return nil, errors.New("a session needs a journal")
	case o.Logger == nil:
		return nil, errors.New("a session needs a logger")
	}
	if _, can := o.Voice.(Holder); o.Speculate && !can {
		return nil, errors.New("a session that prepares replies needs a voice that can hold them back")
	}
	if o.Observe == nil {
		o.Observe = func(engine.Fact) {}
	}
	if o.Trace == nil {
		o.Trace = func(Trace) {}
	}
	if o.Meter == nil {
		o.Meter = NewMeter(o.Interview.Def.Budget.SessionTokens)
	}
	o.Start.Model = o.Model != nil
	o.Start.Kind, o.Start.DefHash = o.Interview.Def.Kind, o.Interview.Def.Hash()
	return &Session{
		o: o, modelWait: modelWait, inbox: newMailbox(), u: &state.UserData{}, timers: make(map[uint64]*time.Timer), done: make(chan struct{}),
		tracer: tracer{live: make(map[uint64]*live)}, errands: errands{running: make(map[uint64]context.CancelCauseFunc)},
	}, nil
}
