package candidate

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Defaults of a Plan.
const (
	DefaultThreshold       = -45.0                   // dBFS
	DefaultSilence         = 600 * time.Millisecond  // the agent's silence that invites an answer
	DefaultAnswerTimeout   = 15 * time.Second        // an answer that has not started by then is missing
	DefaultJoinTimeout     = 20 * time.Second        // LiveKit's own front ends give up on an agent after 20 s
	DefaultRamp            = 500 * time.Millisecond  // between the starts of two rooms
	DefaultEarliestBargeIn = 400 * time.Millisecond  // earliest interruption after the agent's voice started
	DefaultLatestBargeIn   = 1500 * time.Millisecond // latest one
	DefaultRoomPrefix      = "loadtest"

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

	Ramp       time.Duration // between the starts of two rooms; negative starts all at once
	Seed       uint64        // of everything drawn: same seed, same turns and the same interruption delays
	RoomPrefix string        // rooms are named PREFIX-RUN-NUMBER
	KeepRooms  bool          // leave the rooms to the server instead of deleting them at the end

	DTX             bool          // stop sending in silence as Opus DTX does, one packet per 400 ms remains
	Threshold       float64       // voice is above it, dBFS (negative)
	Silence         time.Duration // the agent's silence that invites the next utterance
	AnswerTimeout   time.Duration // after own speech; the conversation goes on without an answer then
	JoinTimeout     time.Duration // from dispatch until an agent is in the room; the room fails then
	EarliestBargeIn time.Duration // interruptions start this long after the agent's voice at the earliest
	LatestBargeIn   time.Duration // … and at the latest
	Limit           time.Duration // of one room altogether; default 1 min + 45 s per turn
	StageAttribute  string        // of the agent's participant, that names the stage of the conversation; "" for none
	ProviderTime    time.Duration // what providers take for the first sound of a stage, once a turn is over: taken off handoffs

	RecordDir    string // when set, one WAV per room of what was heard is written there; must exist
	RecordStereo bool   // record the candidate on the left and the agent on the right

	PIDs []int // processes whose CPU and memory are sampled, each with its children (Linux only)
}

// withDefaults returns the plan with every unset field filled in.
func (p Plan) withDefaults() Plan {
	if n := p.perRoom(); n > 0 {
		p.Turns, p.BargeIns = n, n
		setDefault(&p.Limit, time.Minute+time.Duration(extraTurns*n)*turnAllowance)
	}
	setDefault(&p.Ramp, DefaultRamp)
	setDefault(&p.RoomPrefix, DefaultRoomPrefix)
	setDefault(&p.Threshold, DefaultThreshold)
	setDefault(&p.Silence, DefaultSilence)
	setDefault(&p.AnswerTimeout, DefaultAnswerTimeout)
	setDefault(&p.JoinTimeout, DefaultJoinTimeout)
	setDefault(&p.EarliestBargeIn, DefaultEarliestBargeIn)
	setDefault(&p.LatestBargeIn, max(DefaultLatestBargeIn, p.EarliestBargeIn))
	setDefault(&p.Limit, time.Minute+time.Duration(p.Turns)*turnAllowance)
	return p
}

// perRoom is how many interruptions a candidate has to make, if the plan says it.
func (p Plan) perRoom() int {
	if p.Rooms < 1 || p.Interruptions < 1 {
		return 0
	}
	return (p.Interruptions + p.Rooms - 1) / p.Rooms
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate reports every problem of a plan with its defaults filled in, joined.
func (p Plan) validate() error {
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	check(p.Rooms >= 1 && p.Rooms <= maxRooms, "rooms: %d is not between 1 and %d", p.Rooms, maxRooms)
	check(p.Turns >= 1 && p.Turns <= maxTurns, "turns: %d is not between 1 and %d", p.Turns, maxTurns)
	check(p.BargeIns >= 0 && p.BargeIns <= p.Turns, "barge-ins: %d is not between 0 and the number of turns, %d", p.BargeIns, p.Turns)
	check(p.Interruptions >= 0, "interruptions: %d is negative", p.Interruptions)
	check(p.ProviderTime >= 0, "provider time: %v is negative", p.ProviderTime)
	check(p.Threshold < 0 && p.Threshold >= -90, "threshold: %g dBFS is not between -90 and 0", p.Threshold)
	check(p.Silence >= endSilence, "silence: %v is shorter than the %v that end an utterance", p.Silence, endSilence)
	check(p.AnswerTimeout > 0 && p.JoinTimeout > 0 && p.Limit > 0, "timeouts must be positive")
	check(p.EarliestBargeIn > 0 && p.LatestBargeIn >= p.EarliestBargeIn, "barge-in delay: %v to %v is not a range", p.EarliestBargeIn, p.LatestBargeIn)
	check(p.RecordDir != "" || !p.RecordStereo, "stereo recording needs a directory to record to")
	if p.RecordDir != "" {
		info, err := os.Stat(p.RecordDir)
		check(err == nil && info.IsDir(), "record: %s is not a directory; create it first", p.RecordDir)
	}
	return errors.Join(problems...)
}
