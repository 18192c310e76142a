package webhook

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vivavoice/viva/state/store"
)

// maxKept bounds what a Memory holds: an hour's interviews of a busy worker.
const maxKept = 256

// ErrFull says that an outbox in memory holds as much as it may.
var ErrFull = errors.New("too many deliveries wait; a store (setting store.url) keeps more")

// Memory is an Outbox that lives as long as the process, for workers without a store. What was delivered or given up is
// forgotten.
type Memory struct {
	mu  sync.Mutex
	all map[string]store.Delivery // guarded by mu, by id
}

var _ Outbox = (*Memory)(nil)

// NewMemory returns an empty outbox.
func NewMemory() *Memory { return &Memory{all: make(map[string]store.Delivery)} }

// AddDelivery implements Outbox. It returns ErrFull when 256 deliveries wait.
func (m *Memory) AddDelivery(_ context.Context, d store.Delivery) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.all[d.ID]; there {
		return false, nil
	}
	if len(m.all) >= maxKept {
		return false, ErrFull
	}
	d.Status, d.Attempts = store.DeliveryWaiting, 0
	m.all[d.ID] = d
	return true, nil
}

// ClaimDeliveries implements Outbox.
func (m *Memory) ClaimDeliveries(_ context.Context, now time.Time, lease time.Duration, n int) ([]store.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due := slices.DeleteFunc(slices.Collect(maps.Values(m.all)), func(d store.Delivery) bool { return d.Next.After(now) })
	slices.SortFunc(due, func(a, b store.Delivery) int { return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.ID, b.ID)) })
	due = due[:min(n, len(due))]
	for i := range due {
		due[i].Attempts++
		due[i].Next = now.Add(lease)
		m.all[due[i].ID] = due[i]
	}
	return due, nil
}

// SettleDelivery implements Outbox.
func (m *Memory) SettleDelivery(_ context.Context, id, status string, next time.Time, problem string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, there := m.all[id]
	if !there {
		return nil
	}
	if status != store.DeliveryWaiting {
		delete(m.all, id)
		return nil
	}
	d.Status, d.Next, d.Problem = status, next, problem
	m.all[id] = d
	return nil
}

// take empties it.
func (m *Memory) take() []store.Delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := slices.SortedFunc(maps.Values(m.all), func(a, b store.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	clear(m.all)
	return left
}
