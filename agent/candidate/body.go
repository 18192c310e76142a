package candidate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
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
	// ErrLimit says that a conversation took longer than it may.
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

// attendance says where a candidate goes and whom it meets there.
type attendance struct {
	who            Identity
	agentName      string        // whom to dispatch; "" relies on automatic dispatch
	metadata       string        // of the dispatch
	limit          time.Duration // of the whole conversation
	stageAttribute string        // of the agent; "" for none
	recording      string        // path of a WAV file; "" records nothing
}

// mind decides what a body says. It is asked by the body's goroutine and must not block.
type mind interface {
	// meet says that the first agent is there.
	meet(at time.Time)
	// told takes what an agent says of itself, and heed its words.
	told(changed map[string]string)
	heed(words room.TranscriptReceived, at time.Time)
	// decide is called every 20 ms while an agent has been met and nothing is being said. It may begin speech, and ends the
	// conversation with an outcome.
	decide(now time.Time) (Outcome, error)
	// spoken says that the speech begun last has been sent.
	spoken(now time.Time)
	// done says whether all is said: an agent that leaves then has not cut the conversation short.
	done() bool
}

// body is one synthetic participant: ears and a mouth in a room, without a will. Its goroutine owns everything but the inbox's
// queues.
type body struct {
	attendance
	mind mind // set before the body is used
	deps Deps
	log  *zap.Logger

	inbox    *inbox
	meter    *Meter
	hearing  hearing
	conn     Connection // once joined
	sender   sender
	recorder *recorder // nil when nothing is recorded

	began      time.Time // of the conversation, and of its recording
	dispatched time.Time
	agents     map[string]bool
	met        bool      // an agent has been there
	alone      time.Time // since when no agent is there, after that
	clip       *Clip     // being said, nil in between
	frame      int       // next of the clip
}

func newBody(a attendance, meter *Meter, silence []byte, deps Deps) body {
	return body{
		attendance: a, deps: deps, log: deps.Logger.With(zap.String("room", a.who.Room)),
		inbox: newInbox(), meter: meter, sender: sender{silence: silence, dtx: a.who.DTX}, agents: map[string]bool{},
	}
}

// hold is the visit to the room, within its limit: join, publish, ask for the agent, talk, leave.
//
// The candidate is in the room before the agent is asked for, so that it sees the agent appear.
func (b *body) hold(ctx context.Context) (Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.limit, ErrLimit)
	defer cancel()
	b.dispatched = time.Now() // what an agent that comes by itself is measured from
	err := b.connect(ctx)
	defer b.leave(ctx)
	if err != nil {
		return failure(ctx, err)
	}
	b.began = time.Now()
	if err := b.record(); err != nil {
		return OutcomeFailed, err
	}
	outcome, err := b.converse(ctx)
	if b.recorder != nil {
		err = errors.Join(err, b.recorder.close(time.Now()))
	}
	return outcome, err
}

func (b *body) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	var err error
	if b.conn, err = b.deps.Server.Connect(ctx, b.who, b.inbox); err != nil {
		b.conn = nil
		return fmt.Errorf("join room %s: %w", b.who.Room, err)
	}
	if b.sender.mic, err = b.conn.Publish(ctx); err != nil {
		return fmt.Errorf("publish microphone: %w", err)
	}
	return nil
}

// leave closes the connection and deletes the room, also after the run was interrupted.
func (b *body) leave(ctx context.Context) {
	b.inbox.end()
	if b.conn == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	closing, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := b.conn.Close(closing); err != nil {
		b.log.Warn("candidate.close_failed", zap.Error(err))
	}
	deleting, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := b.deps.Server.Delete(deleting, b.who.Room); err != nil {
		b.log.Warn("candidate.room_not_deleted", zap.Error(err))
	}
}

func (b *body) record() error {
	if b.recording == "" {
		return nil
	}
	var err error
	b.recorder, err = newRecorder(b.recording, b.began)
	return err
}

// dispatch asks for the agent while the conversation already runs, and waits for the answer at the end.
func (b *body) dispatch(ctx context.Context, requests *sync.WaitGroup) <-chan error {
	result := make(chan error, 1)
	if b.agentName == "" {
		return result
	}
	b.dispatched = time.Now()
	requests.Go(func() {
		err := b.deps.Server.Dispatch(ctx, b.who.Room, b.agentName, b.metadata)
		if err != nil {
			result <- fmt.Errorf("dispatch agent %q: %w", b.agentName, err)
		}
	})
	return result
}

// converse is the candidate's loop. It returns when the conversation is over.
func (b *body) converse(ctx context.Context) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	var requests sync.WaitGroup
	defer requests.Wait()
	defer cancel()
	refused := b.dispatch(ctx, &requests)
	b.meter.Dispatched(b.dispatched)

	b.sender.due = time.Now()
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return failure(ctx, context.Cause(ctx))
		case err := <-refused:
			return failure(ctx, err)
		case e := <-b.inbox.events:
			if outcome, err := b.note(e); outcome != "" {
				return outcome, err
			}
		case p := <-b.inbox.packets:
			b.hear(p)
		case <-tick.C:
			if outcome, err := b.tick(); outcome != "" {
				return outcome, err
			}
			tick.Reset(time.Until(b.sender.due))
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

// note takes an event; only agents concern a candidate. It returns an outcome when the conversation is over.
func (b *body) note(told Event) (Outcome, error) {
	switch e := told.Event.(type) {
	case room.ParticipantJoined:
		if e.Participant.Kind == livekit.ParticipantInfo_AGENT {
			b.joined(e.Participant.Identity, told.At)
			b.claims(e.Participant.Identity, e.Participant.Attributes, told.At)
		}
	case room.ParticipantAttributes:
		b.claims(e.Identity, e.Changed, told.At)
	case room.ParticipantLeft:
		if b.agents[e.Participant.Identity] {
			delete(b.agents, e.Participant.Identity)
			b.alone = told.At
		}
	case room.TranscriptReceived:
		if b.agents[e.From] {
			b.mind.heed(e, told.At)
		}
	case room.Disconnected:
		closed := e.Reason == livekit.DisconnectReason_ROOM_DELETED || e.Reason == livekit.DisconnectReason_ROOM_CLOSED
		switch {
		case b.met && closed:
			return b.abandoned(), nil
		case closed:
			return OutcomeFailed, fmt.Errorf("disconnected: %w", ErrRoomClosed)
		}
		return OutcomeFailed, fmt.Errorf("disconnected from the room by the server or the network: %v", e.Reason)
	}
	return "", nil
}

func (b *body) joined(agent string, at time.Time) {
	b.agents[agent] = true
	b.meter.Joined(at)
	if !b.met {
		b.met = true
		b.mind.meet(at)
		b.log.Info("candidate.agent_joined", zap.String("agent", agent), zap.Duration("after", at.Sub(b.dispatched)))
	}
}

// claims takes what an agent says of itself.
func (b *body) claims(agent string, changed map[string]string, at time.Time) {
	if !b.agents[agent] {
		return
	}
	if changed[stateAttribute] == thinking {
		b.meter.Thinking(at)
	}
	if stage, ok := changed[b.stageAttribute]; ok {
		b.meter.Stage(stage, at)
	}
	b.mind.told(changed)
}

// abandoned is the outcome when the agent ends the conversation.
func (b *body) abandoned() Outcome {
	if b.clip == nil && b.mind.done() {
		return OutcomeCompleted
	}
	return OutcomeAgentLeft
}

// hear takes a packet and gives its buffer back.
func (b *body) hear(p Packet) {
	sound, pcm := b.hearing.listen(p)
	b.meter.Heard(sound)
	if b.recorder != nil {
		b.recorder.heard(sound, pcm)
	}
	b.inbox.done(p)
}

// tick sends the frame that is due, after having heard what has arrived. It returns an outcome when the conversation is over.
func (b *body) tick() (Outcome, error) {
	b.hearWaiting()
	now := time.Now()
	b.sender.keepTime(now)
	if outcome, err := b.presence(now); outcome != "" {
		return outcome, err
	}
	if b.clip == nil && b.met {
		if outcome, err := b.mind.decide(now); outcome != "" {
			return outcome, err
		}
	}
	if err := b.send(now); err != nil {
		return OutcomeFailed, fmt.Errorf("send microphone: %w", err)
	}
	if b.recorder != nil {
		b.recorder.advance(now)
	}
	return "", nil
}

func (b *body) hearWaiting() {
	for range packetQueue {
		select {
		case p := <-b.inbox.packets:
			b.hear(p)
		default:
			return
		}
	}
}

// presence finds out whether there is still somebody to talk with.
func (b *body) presence(now time.Time) (Outcome, error) {
	switch {
	case !b.met && now.Sub(b.dispatched) >= joinTimeout:
		return OutcomeFailed, fmt.Errorf("waited %v: %w", joinTimeout, ErrNoAgent)
	case b.met && len(b.agents) == 0 && now.Sub(b.alone) >= agentGrace:
		return b.abandoned(), nil
	}
	return "", nil
}

// tool says how well this candidate kept time.
func (b *body) tool() Tool {
	return Tool{SenderStats: b.sender.stats, PacketsDropped: b.inbox.dropped.Load(), Undecodable: b.hearing.undecodable}
}

// say begins to say a clip; interrupting when it is meant to stop the agent.
func (b *body) say(clip *Clip, interrupting bool) {
	b.clip, b.frame = clip, 0
	b.meter.BeginSpeech(interrupting)
}

// send sends 20 ms: of the utterance, or silence.
func (b *body) send(now time.Time) error {
	payload := b.sender.silence
	var err error
	if b.clip == nil {
		err = b.sender.rest()
	} else {
		payload = b.clip.frames[b.frame]
		b.meter.Sent(now, b.clip.voiced[b.frame])
		err = b.sender.speak(payload)
		b.advanceClip(now)
	}
	if b.recorder != nil {
		b.recorder.sent(now, payload)
	}
	return err
}

func (b *body) advanceClip(now time.Time) {
	if b.frame++; b.frame < len(b.clip.frames) {
		return
	}
	b.clip = nil
	b.meter.EndSpeech()
	b.mind.spoken(now)
}
