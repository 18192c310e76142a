package session

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

// Meter counts what one interview uses of models, and tells whether its live reply is being written, which has the right of
// way over whatever else wants a model. It is safe for concurrent use.
type Meter struct {
	limit  int64 // tokens; 0 = no limit
	used   atomic.Int64
	beside *Meter // counts what is used beside the talk; nil for one that is
	talk   *Meter // the one of the talk, for a meter beside it

	mu   sync.Mutex
	live int           // guarded by mu: replies being written
	idle chan struct{} // guarded by mu: closed when none is
}

// NewMeter makes a meter for a budget of so many tokens, prompts included; 0 = no limit.
func NewMeter(tokens int) *Meter {
	m := &Meter{limit: int64(tokens)}
	m.beside = &Meter{limit: m.limit, talk: m}
	return m
}

// Beside is the meter of what is used beside the talk, by judgements that nobody waits for. It is spent as soon as both
// together have used up the budget; the talk's own meter does not count it, so that the talk is never cut short by it. Its
// Yield waits for the talk.
func (m *Meter) Beside() *Meter { return m.beside }

// Add counts tokens.
func (m *Meter) Add(tokens int) { m.used.Add(int64(tokens)) }

// Used is how many were counted.
func (m *Meter) Used() int { return int(m.used.Load()) }

// Spent reports whether the budget is used up: no model is asked any more.
func (m *Meter) Spent() bool {
	used := m.used.Load()
	if m.talk != nil {
		used += m.talk.used.Load()
	}
	return m.limit > 0 && used >= m.limit
}

// Yield waits while a live reply is being written, at most for limit, or until ctx ends.
func (m *Meter) Yield(ctx context.Context, limit time.Duration) {
	if m.talk != nil {
		m = m.talk
	}
	m.mu.Lock()
	idle, live := m.idle, m.live
	m.mu.Unlock()
	if live == 0 {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// begin says that a live reply is being written, end that it is no more.
func (m *Meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == 0 {
		m.idle = make(chan struct{})
	}
	m.live++
}

func (m *Meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live--; m.live == 0 {
		close(m.idle)
	}
}

// noteBudget tells, once, that the budget is used up.
func (s *Session) noteBudget() {
	if s.broke || !s.o.Meter.Spent() {
		return
	}
	s.broke = true
	s.note("budget.spent", engine.Field{Key: "tokens", Value: s.o.Meter.Used()})
}
