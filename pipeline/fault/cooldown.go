package fault

import (
	"sync"
	"time"
)

// DefaultCooldown is how long a failed engine of a chain is left alone.
const DefaultCooldown = 30 * time.Second

// Cooldown remembers which engines of a chain failed lately. It is shared by all calls of the chain.
type Cooldown struct {
	period time.Duration

	mu    sync.Mutex
	until []time.Time // guarded by mu
}

// NewCooldown makes a memory for n engines. A period of 0 means DefaultCooldown.
func NewCooldown(n int, period time.Duration) *Cooldown {
	if period == 0 {
		period = DefaultCooldown
	}
	return &Cooldown{period: period, until: make([]time.Time, n)}
}

// Order gives the engines in the order in which to try them: those that are well first, then those that failed lately, each
// group in the chain's own order.
func (c *Cooldown) Order() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	order := make([]int, 0, len(c.until))
	for i, t := range c.until {
		if !now.Before(t) {
			order = append(order, i)
		}
	}
	for i, t := range c.until {
		if now.Before(t) {
			order = append(order, i)
		}
	}
	return order
}

// Failed notes that engine i failed with err. A refused request or an empty answer says nothing about the next request,
// so those do not count; nor does a cancelled one.
func (c *Cooldown) Failed(i int, err error) {
	switch KindOf(err) {
	case BadRequest, Empty, Canceled:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until[i] = time.Now().Add(c.period)
}

// Worked notes that engine i answered.
func (c *Cooldown) Worked(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until[i] = time.Time{}
}
