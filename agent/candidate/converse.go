package candidate

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Defaults of a Call that a Plan does not share.
const (
	DefaultCallLimit = 45 * time.Minute // of a whole conversation
	DefaultCallTurns = 200
	callPrefix       = "eval" // of rooms
)

// settle is the agent's silence after which a transcript that is still open, or not begun, is taken as it is.
const settle = 2 * time.Second

// identity is the candidate's in the room.
const identity = "candidate"

// Call is one conversation to be held. Partner and Voice must be given; the zero value of every other field means its default.
type Call struct {
	Room string // default: one made up for this call, eval-…
	Name string // the candidate's, shown to the agent; default "Candidate"

	AgentName string // whom to dispatch; "" relies on automatic dispatch when the room is created
	Metadata  string // job metadata handed over with the dispatch

	Partner Partner // decides what the candidate says
	Voice   Voice   // how it sounds; Whole makes one of a tts.Synthesizer

	Silence        time.Duration // the agent's silence that ends what it says, at least 250 ms
	AnswerTimeout  time.Duration // without a greeting, or an answer, the partner is asked again, as Heard.Missing
	Limit          time.Duration // of the conversation altogether
	Turns          int           // questions to the partner, silence included
	StageAttribute string        // of the agent's participant, that names the stage of the conversation; "" for none

	Record string // path of a WAV file: the candidate on the left, the agent on the right; "" records nothing
}

// Conversation is what was said and measured. It is complete as far as the talk went, also where there is an error.
type Conversation struct {
	Outcome Outcome // OutcomeAgentLeft is an interview's usual end; OutcomeCompleted says that the partner left
	Took    time.Duration
	Turns   int // questions to the partner

	// Lines are what was said, in the order in which it began. The interviewer's words are those of its
	// transcript, its times those of its voice as far as there is one. A line of the interviewer is cut when it ended in the middle
	// of a sentence while the candidate talked; one of the candidate when the conversation ended before it.
	Lines []talk.Line
	// Voice: missing answers include a missing greeting.
	Voice    talk.Voice
	Measured Measurements // the load test's measures, which Voice sums up
}

// Converse holds one conversation in a room of its own: it joins, asks for the agent, hears it out, speaks what the partner makes up,
// and leaves when the partner or the agent has left or the room is closed. It returns after everyone involved has ended; when ctx
// ends it stops politely, with OutcomeStopped and no error. An error says that the call is not complete, that the partner or the
// voice failed, or what OutcomeFailed means; ErrLimit, ErrTurns and ErrNoAgent can be told apart.
//
// Deps needs no Speech; Progress and Version are not used. Calls may be held at once, each with a partner of its own.
func Converse(ctx context.Context, call Call, deps Deps) (Conversation, error) {
	call = call.withDefaults()
	if err := errors.Join(call.validate(), deps.validate()); err != nil {
		return Conversation{Outcome: OutcomeFailed}, fmt.Errorf("converse: %w", err)
	}
	if deps.Logger == nil {
		deps.Logger = zap.NewNop()
	}
	quiet, err := emptySpeech()
	if err != nil {
		return Conversation{Outcome: OutcomeFailed}, err
	}
	t := newTalker(call, quiet.silence, deps)
	asking, cancel := context.WithCancel(ctx)
	var partner sync.WaitGroup
	partner.Go(func() { t.consult(asking) })
	outcome, err := t.hold(ctx)
	cancel()
	partner.Wait()
	return t.conversation(outcome), err
}

func (c Call) withDefaults() Call {
	c.Room = cmp.Or(c.Room, callPrefix+"-"+strings.ToLower(rand.Text()[:10]))
	c.Name = cmp.Or(c.Name, "Candidate")
	c.Silence = cmp.Or(c.Silence, DefaultSilence)
	c.AnswerTimeout = cmp.Or(c.AnswerTimeout, DefaultAnswerTimeout)
	c.Limit = cmp.Or(c.Limit, DefaultCallLimit)
	c.Turns = cmp.Or(c.Turns, DefaultCallTurns)
	return c
}

// validate reports every problem of a call with its defaults filled in, joined.
func (c Call) validate() error {
	var found problems
	check := found.check
	check(c.Partner != nil, "nobody was given who decides what the candidate says")
	check(c.Voice != nil, "the candidate was given no voice")
	found.patience(c.Silence, c.AnswerTimeout, c.Limit)
	check(c.Turns >= 1 && c.Turns <= maxTurns, "turns: %d is not between 1 and %d", c.Turns, maxTurns)
	if c.Record != "" {
		found.folder(filepath.Dir(c.Record))
	}
	return errors.Join(found...)
}

// attendance is where the call's candidate goes.
func (c Call) attendance() attendance {
	return attendance{
		who:       Identity{Room: c.Room, Identity: identity, Name: c.Name, Transcripts: true},
		agentName: c.AgentName, metadata: c.Metadata, limit: c.Limit, stageAttribute: c.StageAttribute,
		recording: c.Record,
	}
}

// Partner decides what a candidate says as the talk goes on: a model, a script, or a person.
//
// Calls come one at a time, in the order of the talk, from a goroutine that Converse owns. A call may take as long as it needs, within
// the limit of the conversation: the candidate sends silence and goes on hearing meanwhile. But the room's time is real: an
// interviewer who asks whether anybody is still there, or who goes on without an answer, does so while the call lasts. A partner who
// is slower than the interviewer's patience has to be held with interviews that are patient enough.
type Partner interface {
	// Next is told what has been said and returns what the candidate does. It returns soon after ctx has ended. An error ends the
	// conversation.
	Next(ctx context.Context, heard Heard) (Move, error)
}

// Heard is what a partner is told.
type Heard struct {
	// Lines are what the interviewer has said since the last call, by its own transcript. Words that came while the partner thought
	// or the candidate talked are among the next call's. A voice without a transcript is a line without text. The lines belong to
	// the partner.
	Lines []talk.Line
	// Missing says that the interviewer was waited for in vain: it did not greet, or did not answer.
	Missing bool
	At      time.Duration // since the conversation began
}

// Move is what a candidate does next. The zero value is silence until the interviewer speaks again, or Call.AnswerTimeout has passed.
type Move struct {
	// Wait counts from when the interviewer fell silent; what the partner's call, and making the sound, took are part of it. A
	// candidate waits longer where the interviewer talks or thinks. Of silence it is the length: the partner is asked again
	// then, or once the interviewer has spoken, whichever is first. 0 = at once; of silence, Call.AnswerTimeout.
	Wait time.Duration
	// Send is sent before anything is said, in order.
	Send []Message
	// Type is typed into the chat; "" = nothing.
	Type string
	// Say is spoken; "" = nothing.
	Say string
	// Leave ends the conversation, after the words if there are any.
	Leave bool
}

// Message is a data packet of at most 15 000 bytes, such as a page's editor sends.
type Message struct {
	Topic   string
	Payload []byte
}

// silent says whether a move holds nothing that an interviewer could react to.
func (m Move) silent() bool { return m.Say == "" && m.Type == "" && len(m.Send) == 0 && !m.Leave }

// reply is a partner's move, and the sound of its words.
type reply struct {
	move Move
	clip *Clip // nil: nothing is spoken
	err  error
}
