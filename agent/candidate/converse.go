package candidate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Defaults of a Call that a Plan does not share.
const (
	DefaultSettle    = 2 * time.Second  // the interviewer's silence after which its transcript is waited for no longer
	DefaultCallLimit = 45 * time.Minute // of a whole conversation
	DefaultCallTurns = 200
	callPrefix       = "eval" // of rooms
)

// Call is one conversation to be held. Partner and Voice must be given; the zero value of every other field means its default.
type Call struct {
	Room     string // default: one made up for this call, eval-…
	Identity string // the candidate's; default "candidate"
	Name     string // the candidate's, shown to the agent; default "Candidate"

	AgentName string // whom to dispatch; "" relies on automatic dispatch when the room is created
	Metadata  string // job metadata handed over with the dispatch

	Partner Partner // decides what the candidate says
	Voice   Voice   // how it sounds; Whole makes one of a tts.Synthesizer

	Threshold      float64       // voice is above it, dBFS (negative)
	Silence        time.Duration // the agent's silence that ends what it says, at least 250 ms
	Settle         time.Duration // the agent's silence after which a transcript that is still open is taken as it is
	AnswerTimeout  time.Duration // without a greeting, or an answer, the partner is asked again, as Heard.Missing
	JoinTimeout    time.Duration // from the dispatch until an agent is in the room; the conversation fails then
	Limit          time.Duration // of the conversation altogether
	Turns          int           // questions to the partner, silence included
	StageAttribute string        // of the agent's participant, that names the stage of the conversation; "" for none

	KeepRoom bool   // leave the room to the server instead of deleting it at the end
	Record   string // path of a WAV file: the candidate on the left, the agent on the right; "" records nothing
}

// Conversation is what was said and measured. It is complete as far as the talk went, also where there is an error.
type Conversation struct {
	Room    string
	Outcome Outcome   // OutcomeAgentLeft is an interview's usual end; OutcomeCompleted says that the partner left
	Began   time.Time // what the times of lines, and a recording, count from
	Took    time.Duration
	Turns   int // questions to the partner

	// Lines are what was said, and the partner's notes, in the order in which it began. The interviewer's words are those of its
	// transcript, its times those of its voice as far as there is one. A line of the interviewer is cut when it ended in the middle
	// of a sentence while the candidate talked; one of the candidate when the conversation ended before it.
	Lines []talk.Line
	// Recognised are the candidate's spoken lines as the agent understood them, by Line.N; a line it showed no transcript of is
	// missing.
	Recognised map[int]string
	// Voice: missing answers include a missing greeting.
	Voice    talk.Voice
	Measured Measurements // the load test's measures, which Voice sums up
	Tool     Tool         // how well the candidate itself kept time
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
	setDefault(&c.Room, callPrefix+"-"+strings.ToLower(rand.Text()[:10]))
	setDefault(&c.Identity, "candidate")
	setDefault(&c.Name, "Candidate")
	setDefault(&c.Threshold, DefaultThreshold)
	setDefault(&c.Silence, DefaultSilence)
	setDefault(&c.Settle, max(DefaultSettle, c.Silence))
	setDefault(&c.AnswerTimeout, DefaultAnswerTimeout)
	setDefault(&c.JoinTimeout, DefaultJoinTimeout)
	setDefault(&c.Limit, DefaultCallLimit)
	setDefault(&c.Turns, DefaultCallTurns)
	return c
}

// validate reports every problem of a call with its defaults filled in, joined.
func (c Call) validate() error {
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	check(c.Partner != nil, "nobody was given who decides what the candidate says")
	check(c.Voice != nil, "the candidate was given no voice")
	check(c.Threshold < 0 && c.Threshold >= -90, "threshold: %g dBFS is not between -90 and 0", c.Threshold)
	check(c.Silence >= endSilence, "silence: %v is shorter than the %v that end an utterance", c.Silence, endSilence)
	check(c.Settle >= c.Silence, "settle: %v is shorter than the silence of %v", c.Settle, c.Silence)
	check(c.AnswerTimeout > 0 && c.JoinTimeout > 0 && c.Limit > 0, "timeouts must be positive")
	check(c.Turns >= 1 && c.Turns <= maxTurns, "turns: %d is not between 1 and %d", c.Turns, maxTurns)
	if c.Record != "" {
		dir := filepath.Dir(c.Record)
		info, err := os.Stat(dir)
		check(err == nil && info.IsDir(), "record: %s is not a directory; create it first", dir)
	}
	return errors.Join(problems...)
}

// attendance is where the call's candidate goes.
func (c Call) attendance() attendance {
	return attendance{
		who:       Identity{Room: c.Room, Identity: c.Identity, Name: c.Name, Transcripts: true},
		agentName: c.AgentName, metadata: c.Metadata, joinTimeout: c.JoinTimeout, limit: c.Limit, stageAttribute: c.StageAttribute,
		keepRoom: c.KeepRoom, recording: c.Record, stereo: true,
	}
}
