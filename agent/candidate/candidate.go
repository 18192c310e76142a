package candidate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	connectLimit = 20 * time.Second // to join and publish
	leaveLimit   = 5 * time.Second  // to leave, and again to delete the room
	agentGrace   = 3 * time.Second  // a room may be without agents for so long, during a handoff or a restart
)

var (
	// ErrNoAgent says that no agent came.
	ErrNoAgent = errors.New("no agent came: is a worker registered under this agent name, and has it capacity?")
	// ErrRoomClosed says that the room was ended for everybody; an agent may do that to end a conversation.
	ErrRoomClosed = errors.New("the room was closed")
	// ErrLimit says that a conversation took longer than the plan allows.
	ErrLimit = errors.New("the conversation took longer than its limit")
)

// Outcome says how a candidate's conversation ended.
type Outcome string

// Outcomes.
const (
	OutcomeCompleted Outcome = "completed"  // all turns were said
	OutcomeAgentLeft Outcome = "agent_left" // the agent ended it before
	OutcomeStopped   Outcome = "stopped"    // the run was interrupted
	OutcomeFailed    Outcome = "failed"     // see the error
)

// candidate is one synthetic participant. Its goroutine owns everything but the inbox's queues and the tally.
type candidate struct {
	number int
	plan   Plan
	who    Identity
	deps   Deps
	log    *zap.Logger
	tally  *tally

	inbox    *inbox
	meter    *Meter
	hearing  hearing
	talk     conversation
	sender   sender
	recorder *recorder // nil when nothing is recorded

	dispatched time.Time
	agents     map[string]bool
	met        bool      // an agent has been there
	alone      time.Time // since when no agent is there, after that
	clip       *Clip     // being said, nil in between
	frame      int       // next of the clip
}

func newCandidate(number int, run string, plan Plan, deps Deps, t *tally) *candidate {
	random := rand.New(rand.NewPCG(plan.Seed, uint64(number))) //nolint:gosec // reproducible on purpose
	room := fmt.Sprintf("%s-%s-%d", plan.RoomPrefix, run, number)
	return &candidate{
		number: number, plan: plan, deps: deps, tally: t,
		log:   deps.Logger.With(zap.String("room", room)),
		who:   Identity{Room: room, Identity: fmt.Sprintf("candidate-%d", number), Name: fmt.Sprintf("Synthetic candidate %d", number)},
		inbox: newInbox(),
		meter: NewMeter(plan.Threshold, plan.Silence),
		talk: conversation{
			turns: drawTurns(plan, random), silence: plan.Silence, answerTimeout: plan.AnswerTimeout, interruptions: plan.perRoom(),
		},
		sender: sender{silence: deps.Speech.silence, dtx: plan.DTX},
		agents: map[string]bool{},
	}
}

// run holds the conversation and returns what was measured, whatever happens.
func (c *candidate) run(ctx context.Context) RoomResult {
	started := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, c.plan.Limit, ErrLimit)
	defer cancel()
	outcome, err := c.attend(limited)
	result := RoomResult{
		Number: c.number, Room: c.who.Room, Outcome: outcome, Duration: milliseconds(time.Since(started)),
		Sender: c.sender.stats, Dropped: c.inbox.dropped.Load(), Undecodable: c.hearing.undecodable,
		measured: c.meter.Finish(),
	}
	result.Counters = result.measured.Counters
	if err != nil {
		result.Error = err.Error()
	}
	c.log.Info("candidate.finished", zap.String("outcome", string(outcome)), zap.Int("turns", result.Turns), zap.Error(err))
	return result
}

// attend is the visit to the room: join, publish, ask for the agent, talk, leave.
//
// The candidate is in the room before the agent is asked for, so that it sees the agent appear.
func (c *candidate) attend(ctx context.Context) (Outcome, error) {
	c.dispatched = time.Now() // what an agent that comes by itself is measured from
	conn, err := c.connect(ctx)
	defer c.leave(ctx, conn)
	if err != nil {
		return failure(ctx, err)
	}
	if err := c.record(); err != nil {
		return OutcomeFailed, err
	}
	outcome, err := c.converse(ctx)
	if c.recorder != nil {
		err = errors.Join(err, c.recorder.close(time.Now()))
	}
	return outcome, err
}

func (c *candidate) connect(ctx context.Context) (Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	conn, err := c.deps.Connector.Connect(ctx, c.who, c.inbox)
	if err != nil {
		return nil, fmt.Errorf("join room %s: %w", c.who.Room, err)
	}
	if c.sender.mic, err = conn.Publish(ctx, c.plan.DTX); err != nil {
		return conn, fmt.Errorf("publish microphone: %w", err)
	}
	return conn, nil
}

// leave closes the connection and deletes the room, also after the run was interrupted.
func (c *candidate) leave(ctx context.Context, conn Connection) {
	c.inbox.end()
	if conn == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	closing, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := conn.Close(closing); err != nil {
		c.log.Warn("candidate.close_failed", zap.Error(err))
	}
	if c.plan.KeepRooms {
		return
	}
	deleting, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := c.deps.Rooms.Delete(deleting, c.who.Room); err != nil {
		c.log.Warn("candidate.room_not_deleted", zap.Error(err))
	}
}

func (c *candidate) record() error {
	if c.plan.RecordDir == "" {
		return nil
	}
	var err error
	c.recorder, err = newRecorder(filepath.Join(c.plan.RecordDir, c.who.Room+".wav"), c.plan.RecordStereo, time.Now())
	return err
}

// dispatch asks for the agent while the conversation already runs, and waits for the answer at the end.
func (c *candidate) dispatch(ctx context.Context, requests *sync.WaitGroup) <-chan error {
	result := make(chan error, 1)
	if c.plan.AgentName == "" {
		return result
	}
	c.dispatched = time.Now()
	requests.Go(func() {
		err := c.deps.Rooms.Dispatch(ctx, c.who.Room, c.plan.AgentName, c.plan.Metadata)
		if err != nil {
			result <- fmt.Errorf("dispatch agent %q: %w", c.plan.AgentName, err)
		}
	})
	return result
}

// converse is the candidate's loop. It returns when the conversation is over.
func (c *candidate) converse(ctx context.Context) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	var requests sync.WaitGroup
	defer requests.Wait()
	defer cancel()
	refused := c.dispatch(ctx, &requests)
	c.meter.Dispatched(c.dispatched)

	c.sender.due = time.Now()
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return failure(ctx, context.Cause(ctx))
		case err := <-refused:
			return failure(ctx, err)
		case e := <-c.inbox.events:
			if outcome, err := c.note(e); outcome != "" {
				return outcome, err
			}
		case p := <-c.inbox.packets:
			c.hear(p)
		case <-tick.C:
			if outcome, err := c.tick(); outcome != "" {
				return outcome, err
			}
			tick.Reset(time.Until(c.sender.due))
		}
	}
}

// failure tells a failed conversation from one that was interrupted.
func failure(ctx context.Context, err error) (Outcome, error) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), ErrLimit) {
		return OutcomeStopped, nil
	}
	return OutcomeFailed, err
}

// note takes an event. It returns an outcome when the conversation is over.
func (c *candidate) note(e Event) (Outcome, error) {
	switch e := e.(type) {
	case AgentJoined:
		c.agents[e.Identity] = true
		c.meter.Joined(e.At)
		if !c.met {
			c.met = true
			c.talk.begin(e.At)
			c.log.Info("candidate.agent_joined", zap.String("agent", e.Identity), zap.Duration("after", e.At.Sub(c.dispatched)))
		}
	case AgentAttributes:
		c.noteAttributes(e)
	case AgentLeft:
		delete(c.agents, e.Identity)
		c.alone = e.At
	case Disconnected:
		if c.met && errors.Is(e.Err, ErrRoomClosed) {
			return c.abandoned(), nil
		}
		return OutcomeFailed, fmt.Errorf("disconnected from the room: %w", e.Err)
	}
	return "", nil
}

// noteAttributes takes what an agent says of itself.
func (c *candidate) noteAttributes(e AgentAttributes) {
	if !c.agents[e.Identity] {
		return
	}
	if e.Changed[stateAttribute] == thinking {
		c.meter.Thinking(e.At)
	}
	if stage, ok := e.Changed[c.plan.StageAttribute]; ok {
		c.meter.Stage(stage, e.At)
	}
}

// abandoned is the outcome when the agent ends the conversation.
func (c *candidate) abandoned() Outcome {
	if c.clip == nil && c.talk.said == len(c.talk.turns) {
		return OutcomeCompleted
	}
	return OutcomeAgentLeft
}

// hear takes a packet and gives its buffer back.
func (c *candidate) hear(p Packet) {
	sound, pcm := c.hearing.listen(p)
	c.meter.Heard(sound)
	if c.recorder != nil {
		c.recorder.heard(sound, pcm)
	}
	c.inbox.done(p)
}

// tick sends the frame that is due, after having heard what has arrived. It returns an outcome when the conversation is over.
func (c *candidate) tick() (Outcome, error) {
	c.hearWaiting()
	now := time.Now()
	c.sender.keepTime(now)
	if outcome, err := c.presence(now); outcome != "" {
		return outcome, err
	}
	if c.clip == nil && c.met {
		if over := c.decide(now); over {
			return OutcomeCompleted, nil
		}
	}
	if err := c.send(now); err != nil {
		return OutcomeFailed, fmt.Errorf("send microphone: %w", err)
	}
	if c.recorder != nil {
		c.recorder.advance(now)
	}
	return "", nil
}

func (c *candidate) hearWaiting() {
	for range packetQueue {
		select {
		case p := <-c.inbox.packets:
			c.hear(p)
		default:
			return
		}
	}
}

// presence finds out whether there is still somebody to talk with.
func (c *candidate) presence(now time.Time) (Outcome, error) {
	switch {
	case !c.met && now.Sub(c.dispatched) >= c.plan.JoinTimeout:
		return OutcomeFailed, fmt.Errorf("waited %v: %w", c.plan.JoinTimeout, ErrNoAgent)
	case c.met && len(c.agents) == 0 && now.Sub(c.alone) >= agentGrace:
		return c.abandoned(), nil
	}
	return "", nil
}

// decide asks the conversation and begins what it says; true when all is over.
func (c *candidate) decide(now time.Time) (over bool) {
	switch c.talk.next(now, c.meter.Ear(now)) {
	case actSpeak:
		c.begin(false)
	case actInterrupt:
		c.begin(true)
	case actGiveUp:
		c.meter.GiveUp()
		c.tally.missing.Add(1)
	case actLeave:
		return true
	case actWait:
	}
	return false
}

// begin chooses the words of the turn. An interruption that came too late is an ordinary answer.
func (c *candidate) begin(interrupting bool) {
	index := c.talk.said - 1
	if interrupting {
		c.clip = c.deps.Speech.interruption(c.number, index)
	} else {
		c.clip = c.deps.Speech.answer(c.number, index)
	}
	c.frame = 0
	c.meter.BeginSpeech(interrupting)
	if !interrupting && c.talk.current().interrupts {
		c.meter.MissInterruption()
	}
}

// send sends 20 ms: of the utterance, or silence.
func (c *candidate) send(now time.Time) error {
	payload := c.sender.silence
	var err error
	if c.clip == nil {
		err = c.sender.rest()
	} else {
		payload = c.clip.frames[c.frame]
		c.meter.Sent(now, c.clip.voiced[c.frame])
		err = c.sender.speak(payload)
		c.advanceClip(now)
	}
	if c.recorder != nil {
		c.recorder.sent(now, payload)
	}
	return err
}

func (c *candidate) advanceClip(now time.Time) {
	if c.frame++; c.frame < len(c.clip.frames) {
		return
	}
	c.clip = nil
	c.meter.EndSpeech()
	c.talk.spoken(now)
	c.tally.turns.Add(1)
}
