package candidate

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

// heardAtOnce is how recently the agent must have been voiced for its voice to be in the air now: a packet and its jitter.
const heardAtOnce = 3 * audio.FrameDuration

// crosstalk is a time during which agent and candidate are voiced at once. Pauses between words do not end it, and do not count.
type crosstalk struct {
	active bool
	last   time.Time // latest moment of it
	length time.Duration
}

// bothVoiced notes that the candidate is voiced now, which the agent may be, too.
func (m *Meter) bothVoiced(now time.Time) {
	s := m.stretch
	if m.own.interrupting || !s.active || !s.counts || now.Sub(s.last) >= heardAtOnce {
		return
	}
	c := &m.crosstalk
	if c.active && now.Sub(c.last) >= endSilence {
		m.endCrosstalk()
	}
	c.active, c.last = true, now
	c.length += audio.FrameDuration
}

func (m *Meter) endCrosstalk() {
	length := m.crosstalk.length
	m.crosstalk = crosstalk{}
	if length > minOverlap {
		m.result.Crosstalk = append(m.result.Crosstalk, length)
	}
}
