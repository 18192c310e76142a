package candidate

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"
)

// Defaults of a Plan.
const (
	DefaultSilence       = 600 * time.Millisecond // the agent's silence that invites an answer
	DefaultAnswerTimeout = 15 * time.Second       // an answer that has not started by then is missing
	DefaultRamp          = 500 * time.Millisecond // between the starts of two rooms
)

// What is the same for all agents.
const (
	Threshold       = -45.0                   // dBFS; voice is above it
	joinTimeout     = 20 * time.Second        // from the dispatch until an agent is there; LiveKit's own front ends give up after as long
	earliestBargeIn = 400 * time.Millisecond  // earliest interruption after the agent's voice started
	latestBargeIn   = 1500 * time.Millisecond // latest one
	roomPrefix      = "loadtest"              // rooms are named PREFIX-RUN-NUMBER

	turnAllowance = 45 * time.Second // of the default limit of a room: one answer heard, one given
	maxRooms      = 10_000
	maxTurns      = 1_000
)

// Plan says what a run does. The zero value of every field but Rooms and Turns means its default; Run checks the plan first.
type Plan struct {
	Rooms    int // candidates, one per room, at least 1
	Turns    int // utterances of each candidate, interruptions included, at least 1
	BargeIns int // how many of the turns interrupt the agent; which ones is drawn with Seed
	// Interruptions is how many to make in all rooms together, at least. When set it decides Turns and BargeIns: every turn interrupts,
	// and where an agent was silent before it could be interrupted, the candidate takes up to three times as many turns.
	Interruptions int

	AgentName string // whom to dispatch; "" relies on automatic dispatch when the room is created
	Metadata  string // job metadata handed over with the dispatch

	Ramp time.Duration // between the starts of two rooms; negative starts all at once
	Seed uint64        // of everything drawn: same seed, same turns and the same interruption delays

	DTX            bool          // candidates do not send most of their silence, as browsers do: they cost less
	Silence        time.Duration // the agent's silence that invites the next utterance
	AnswerTimeout  time.Duration // after own speech; the conversation goes on without an answer then
	Limit          time.Duration // of one room altogether; default 1 min + 45 s per turn
	StageAttribute string        // of the agent's participant, that names the stage of the conversation; "" for none
	ProviderTime   time.Duration // what providers take for the first sound of a stage, once a turn is over: taken off handoffs

	RecordDir string // when set, one WAV per room is written there, the candidate on the left and the agent on the right; must exist

	PIDs []int // processes whose CPU and memory are sampled, each with its children (Linux only)
}

// withDefaults returns the plan with every unset field filled in.
func (p Plan) withDefaults() Plan {
	turns := p.Turns
	if n := p.perRoom(); n > 0 {
		p.Turns, p.BargeIns, turns = n, n, extraTurns*n
	}
	p.Ramp = cmp.Or(p.Ramp, DefaultRamp)
	p.Silence = cmp.Or(p.Silence, DefaultSilence)
	p.AnswerTimeout = cmp.Or(p.AnswerTimeout, DefaultAnswerTimeout)
	p.Limit = cmp.Or(p.Limit, time.Minute+time.Duration(turns)*turnAllowance)
	return p
}

// perRoom is how many interruptions a candidate has to make, if the plan says it.
func (p Plan) perRoom() int {
	if p.Rooms < 1 || p.Interruptions < 1 {
		return 0
	}
	return (p.Interruptions + p.Rooms - 1) / p.Rooms
}

// problems are what is wrong with a plan or a call.
type problems []error

func (p *problems) check(ok bool, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}

// patience checks how long an agent is waited for.
func (p *problems) patience(silence, answer, limit time.Duration) {
	p.check(silence >= endSilence, "silence: %v is shorter than the %v that end an utterance", silence, endSilence)
	p.check(answer > 0 && limit > 0, "timeouts must be positive")
}

// folder checks where a recording goes; "" is nowhere.
func (p *problems) folder(dir string) {
	if dir != "" {
		info, err := os.Stat(dir)
		p.check(err == nil && info.IsDir(), "record: %s is not a directory; create it first", dir)
	}
}

// validate reports every problem of a plan with its defaults filled in, joined.
func (p Plan) validate() error {
	var found problems
	check := found.check
	check(p.Rooms >= 1 && p.Rooms <= maxRooms, "rooms: %d is not between 1 and %d", p.Rooms, maxRooms)
	check(p.Turns >= 1 && p.Turns <= maxTurns, "turns: %d is not between 1 and %d", p.Turns, maxTurns)
	check(p.BargeIns >= 0 && p.BargeIns <= p.Turns, "barge-ins: %d is not between 0 and the number of turns, %d", p.BargeIns, p.Turns)
	check(p.Interruptions >= 0, "interruptions: %d is negative", p.Interruptions)
	check(p.ProviderTime >= 0, "provider time: %v is negative", p.ProviderTime)
	found.patience(p.Silence, p.AnswerTimeout, p.Limit)
	found.folder(p.RecordDir)
	return errors.Join(found...)
}
