package webhook_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/state/store"
)

// memory is an outbox for bubbles, which a database cannot be in.
type memory struct {
	mu  sync.Mutex
	all map[string]store.Delivery // guarded by mu, by id
}

var _ webhook.Outbox = (*memory)(nil)

func newMemory() *memory { return &memory{all: make(map[string]store.Delivery)} }

// AddDelivery implements webhook.Outbox.
func (m *memory) AddDelivery(_ context.Context, d store.Delivery) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.all[d.ID]; there {
		return false, nil
	}
	d.Status = store.DeliveryWaiting
	m.all[d.ID] = d
	return true, nil
}

// ClaimDeliveries implements webhook.Outbox.
func (m *memory) ClaimDeliveries(_ context.Context, now time.Time, lease time.Duration, n int) ([]store.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due := slices.DeleteFunc(slices.Collect(maps.Values(m.all)), func(d store.Delivery) bool {
		return d.Status != store.DeliveryWaiting || d.Next.After(now)
	})
	slices.SortFunc(due, func(a, b store.Delivery) int { return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.ID, b.ID)) })
	due = due[:min(n, len(due))]
	for i := range due {
		due[i].Attempts++
		due[i].Next = now.Add(lease)
		m.all[due[i].ID] = due[i]
	}
	return due, nil
}

// SettleDelivery implements webhook.Outbox.
func (m *memory) SettleDelivery(_ context.Context, id, status string, next time.Time, problem string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, there := m.all[id]
	if !there {
		return store.ErrNoDelivery
	}
	d.Status, d.Next, d.Problem = status, next, problem
	m.all[id] = d
	return nil
}

// dead are the deliveries that were given up.
func (m *memory) dead() []store.Delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Values(m.all)), func(d store.Delivery) bool { return d.Status != store.DeliveryDead })
}
