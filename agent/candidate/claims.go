package candidate

import "time"

// stateAttribute is where LiveKit's agents tell what they do, and thinking what they say there once a turn of the candidate is taken
// to be over.
const (
	stateAttribute = "lk.agent.state"
	thinking       = "thinking"
)

// claims are what the agent says of itself in its attributes. They arrive through another channel than its voice, some milliseconds
// later than the decision that they tell of.
type claims struct {
	decided time.Time // when it said last that it thinks
	stage   string
	handoff time.Time // when it changed from one stage to another last
}

// Thinking notes that the agent says that it thinks.
func (m *Meter) Thinking(at time.Time) { m.claims.decided = at }

// Stage notes which stage of the conversation the agent says it is in.
func (m *Meter) Stage(stage string, at time.Time) {
	c := &m.claims
	if c.stage != "" && stage != "" && stage != c.stage {
		c.handoff = at
	}
	if stage != "" {
		c.stage = stage
	}
}

// claimed measures the silence between what the agent said of its decision and the answer that has just been recognised as such.
// A claim that came later than the voice stands for no silence at all.
func (m *Meter) claimed() {
	c := m.claims
	if c.decided.Before(m.own.onset) {
		return
	}
	silence := max(0, m.stretch.onset.Sub(c.decided))
	if c.handoff.Before(m.own.onset) {
		m.result.Decided = append(m.result.Decided, silence)
		return
	}
	m.result.Handoffs = append(m.result.Handoffs, silence)
}
