package candidate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
)

// candidate is a synthetic participant of the load test: it says prepared clips. Its goroutine owns everything but the inbox's queues
// and the tally.
type candidate struct {
	body

	number int
	plan   Plan
	talk   conversation
	tally  *tally
}

var _ mind = (*candidate)(nil)

func newCandidate(number int, run string, plan Plan, deps Deps, t *tally) *candidate {
	random := rand.New(rand.NewPCG(plan.Seed, uint64(number))) //nolint:gosec // reproducible on purpose
	c := &candidate{
		body:   newBody(plan.attendance(number, run), NewMeter(plan.Silence), deps.Speech.silence, deps),
		number: number, plan: plan, tally: t,
		talk: conversation{
			turns: drawTurns(plan, random), silence: plan.Silence, answerTimeout: plan.AnswerTimeout, interruptions: plan.perRoom(),
		},
	}
	c.mind = c
	return c
}

// attendance is the visit of the candidate with that number.
func (p Plan) attendance(number int, run string) attendance {
	room := fmt.Sprintf("%s-%s-%d", roomPrefix, run, number)
	a := attendance{
		who:       Identity{Room: room, Identity: fmt.Sprintf("candidate-%d", number), Name: fmt.Sprintf("Synthetic candidate %d", number), DTX: p.DTX},
		agentName: p.AgentName, metadata: p.Metadata, limit: p.Limit, stageAttribute: p.StageAttribute,
	}
	if p.RecordDir != "" {
		a.recording = filepath.Join(p.RecordDir, room+".wav")
	}
	return a
}

// run holds the conversation and returns what was measured, whatever happens.
func (c *candidate) run(ctx context.Context) RoomResult {
	started := time.Now()
	outcome, err := c.hold(ctx)
	result := RoomResult{
		Number: c.number, Room: c.who.Room, Outcome: outcome, Duration: milliseconds(time.Since(started)),
		tool: c.tool(), measured: c.meter.Finish(),
	}
	result.Counters = result.measured.Counters
	if err != nil {
		result.Error = err.Error()
	}
	c.log.Info("candidate.finished", zap.String("outcome", string(outcome)), zap.Int("turns", result.Turns), zap.Error(err))
	return result
}

func (c *candidate) meet(at time.Time) { c.talk.expect(at) }

// told and heed implement mind: prepared clips depend on nothing that is said.

func (c *candidate) told(map[string]string) {}

func (c *candidate) heed(room.TranscriptReceived, time.Time) {}

func (c *candidate) spoken(now time.Time) {
	c.talk.expect(now)
	c.tally.turns.Add(1)
}

func (c *candidate) done() bool { return c.talk.said == len(c.talk.turns) }

// decide implements mind: it asks the conversation and begins what it says.
func (c *candidate) decide(now time.Time) (Outcome, error) {
	switch c.talk.next(now, c.meter.Ear(now)) {
	case actSpeak:
		c.begin(false)
	case actInterrupt:
		c.begin(true)
	case actGiveUp:
		c.meter.GiveUp()
		c.tally.missing.Add(1)
	case actLeave:
		return OutcomeCompleted, nil
	case actWait:
	}
	return "", nil
}

// begin chooses the words of the turn. An interruption that came too late is an ordinary answer.
func (c *candidate) begin(interrupting bool) {
	index := c.talk.said - 1
	clip := c.deps.Speech.answer(c.number, index)
	if interrupting {
		clip = c.deps.Speech.interruption(c.number, index)
	}
	c.say(clip, interrupting)
	if !interrupting && c.talk.turns[index].interrupts {
		c.meter.MissInterruption()
	}
}
