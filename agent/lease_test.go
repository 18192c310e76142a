package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// book is a database of leases that does what the test wants.
type book struct {
	mu     sync.Mutex
	down   bool         // guarded by mu: nothing can be renewed, or claimed
	held   []store.Hold // guarded by mu
	did    []string     // guarded by mu
	orphan *store.Orphan
	looked time.Time // guarded by mu: when it was first asked for orphans, while it was not down
}

func (b *book) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.did = append(b.did, what)
}

func (b *book) Acquire(_ context.Context, id, _ string, _ time.Duration, _ store.Call) (store.Hold, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := store.Hold{Session: id, Epoch: 7}
	b.held = append(b.held, h)
	return h, nil
}

func (b *book) Reserve(ctx context.Context, s store.Session, holder string, life, _ time.Duration, c store.Call) (store.Hold, error) {
	return b.Acquire(ctx, s.ID, holder, life, c)
}

func (b *book) Renew(context.Context, string, time.Duration) ([]store.Hold, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return nil, errors.New("no database")
	}
	return slices.Clone(b.held), nil
}

func (b *book) Release(_ context.Context, h store.Hold) error {
	b.note("release " + h.Session)
	return nil
}

func (b *book) Abandon(_ context.Context, h store.Hold) error {
	b.note("abandon " + h.Session)
	return nil
}

func (b *book) Offer(_ context.Context, h store.Hold) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("no database")
	}
	b.did = append(b.did, "offer "+h.Session)
	return nil
}

func (b *book) Retake(_ context.Context, h store.Hold, _ string, _ time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.down:
		return errors.New("no database")
	case !slices.Contains(b.held, h):
		return store.ErrLost
	}
	b.did = append(b.did, "retake "+h.Session)
	return nil
}

func (b *book) Fence(state.Journal, store.Hold) {}

func (b *book) ClaimOrphans(context.Context, string, time.Duration, time.Duration, int) ([]store.Orphan, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return nil, errors.New("no database")
	}
	if b.looked.IsZero() {
		b.looked = time.Now()
	}
	if b.orphan == nil {
		return nil, nil
	}
	o := *b.orphan
	b.orphan = nil
	return []store.Orphan{o}, nil
}

func (b *book) Postpone(_ context.Context, h store.Hold, _ time.Duration) error {
	b.note("postpone " + h.Session)
	return nil
}

func (b *book) Ping(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("no database")
	}
	return nil
}

func (b *book) set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// frames counts what reaches the track.
type frames int

func (f *frames) WriteFrame([]byte, playout.FrameInfo) error {
	*f++
	return nil
}

// tenancy is one lease in a bubble of time, with the track that it guards.
type tenancy struct {
	*book
	of    *leaseholder
	lease *lease
	heard frames
	ctx   context.Context // of the session

	registry *prometheus.Registry
}

func tenant(t *testing.T) *tenancy {
	t.Helper()
	b := &book{}
	registry := prometheus.NewRegistry()
	o := Options{Leases: b, Logger: zap.NewNop(), Metrics: NewMetrics(registry)}
	n := &tenancy{book: b, of: newLeaseholder(&o), lease: &lease{}, registry: registry}
	ctx, lost := context.WithCancelCause(t.Context())
	n.ctx = ctx
	if err := n.of.acquire(t.Context(), n.lease, "s", store.Call{}, lost); err != nil {
		t.Fatal(err)
	}
	return n
}

// befell is how often something befell the lease, as the metrics tell.
func (n *tenancy) befell(t *testing.T, event string) int {
	t.Helper()
	return int(sums(t, n.registry)["viva_leases_total "+event][0])
}

// speaks sends one frame, and reports whether it reached the track.
func (n *tenancy) speaks() bool {
	before := n.heard
	_ = fenced{&n.heard, n.lease}.WriteFrame(nil, playout.FrameInfo{})
	return n.heard > before
}

func (n *tenancy) end(t *testing.T, over bool, did string) {
	t.Helper()
	n.lease.end(t.Context(), over)
	n.lease.end(t.Context(), !over) // the first counts
	n.of.close()
	if got := strings.Join(n.did, ", "); got != did {
		t.Errorf("at its end: %q, want %q", got, did)
	}
}

// A lease that is renewed lets its holder speak for as long as it likes.
func TestLeaseHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := tenant(t)
		for range 100 {
			time.Sleep(leaseLife / 3)
			if !n.speaks() {
				t.Fatal("silenced")
			}
		}
		n.end(t, true, "release s")
	})
}

// Who lost the lease is silenced, and its session ended, at the next renewal; before another can have come.
func TestLeaseLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := tenant(t)
		n.set(func() { n.held[0].Epoch++ })
		time.Sleep(leaseLife/renewals + time.Millisecond)
		if n.speaks() || !errors.Is(context.Cause(n.ctx), errLeaseLost) {
			t.Errorf("it speaks, or its session goes on: %v", context.Cause(n.ctx))
		}
		if n.befell(t, leaseLost) != 1 {
			t.Error("nobody counts that it was lost")
		}
		n.end(t, false, "abandon s") // which changes nothing: the epoch is another one
	})
}

// A database that does not answer silences nobody, for nobody else can be called without it; but who may have been taken out of the room
// meanwhile, and has come back, waits for its answer.
func TestLeaseInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := tenant(t)
		n.set(func() { n.down = true })
		for range 100 {
			time.Sleep(leaseLife / 3)
			if !n.speaks() {
				t.Fatal("silenced by a database that is away")
			}
		}
		n.lease.doubt()
		time.Sleep(time.Minute)
		if n.speaks() || n.ctx.Err() != nil {
			t.Errorf("in doubt it speaks, or has given up: %v", context.Cause(n.ctx))
		}
		n.set(func() { n.down = false })
		time.Sleep(leaseLife/renewals + time.Millisecond)
		if !n.speaks() {
			t.Error("still silent")
		}
		n.end(t, false, "abandon s")
	})
}

// A process that stood still for longer than its lease says nothing as it wakes up.
func TestLeaseOfTheFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := tenant(t)
		n.set(func() { n.held = nil })
		n.lease.extend(time.Now().Add(-leaseLife)) // as long ago as if the renewals had stood still, too
		if n.speaks() {
			t.Error("it speaks")
		}
		n.end(t, true, "release s")
	})
}

// A worker that has to stop hands its interviews over; one whose job was ended on purpose does not.
func TestStopHandsOver(t *testing.T) {
	for cause, did := range map[error]string{worker.ErrStopped: "abandon s", worker.ErrDrainTimeout: "abandon s", worker.ErrTerminated: ""} {
		synctest.Test(t, func(t *testing.T) {
			n := tenant(t)
			job, end := context.WithCancelCause(t.Context())
			end(cause)
			a := &attendance{log: zap.NewNop()}
			a.lease.of, a.lease.hold = n.of, n.lease.hold
			n.of.mu.Lock()
			n.of.held["s"] = &a.lease
			n.of.mu.Unlock()
			ctx, lost := context.WithCancelCause(t.Context())
			a.lost = lost
			a.stop(job)
			if got := strings.Join(n.did, ""); got != did || ctx.Err() == nil || a.leased() == (did != "") {
				t.Errorf("%v: %q, leased %t, session %v", cause, got, a.leased(), ctx.Err())
			}
			a.lease.end(t.Context(), true)
			n.of.close()
		})
	}
}

// An interview that another worker holds is neither taken up nor begun anew; once it ran out it is taken up, and its former holder
// writes nothing more.
func TestTakeUpWaitsForTheLease(t *testing.T) {
	a := arrive(t, Metadata{Interview: "two_stage"}, "room")
	a.leave(t, time.Minute, nil)
	a.i.o.Leases, a.i.o.Logger = a.store, zap.NewNop()
	a.i.leaseholder = newLeaseholder(&a.i.o)
	a.lost = func(error) {}
	elder, entries, err := a.store.Resume(t.Context(), "AJ_old")
	if err != nil {
		t.Fatal(err)
	}
	hold, err := a.store.Acquire(t.Context(), "AJ_old", "elder", time.Hour, store.Call{})
	if err != nil {
		t.Fatal(err)
	}
	a.store.Fence(elder, hold)
	if _, err := a.open(t.Context(), jordan); !errors.Is(err, errTaken) || !errors.Is(err, store.ErrHeld) {
		t.Fatalf("while another holds it: %v", err)
	}
	if _, err := a.store.Session(t.Context(), "AJ_new"); !errors.Is(err, store.ErrNoSession) {
		t.Errorf("another interview was begun: %v", err)
	}
	if _, err := a.store.Renew(t.Context(), "elder", -time.Second); err != nil {
		t.Fatal(err)
	}
	held, err := a.open(t.Context(), jordan)
	if err != nil || held.resume == nil || held.start.Session != "AJ_old" {
		t.Fatalf("taken up: %+v, %v", held, err)
	}
	next := state.Entry{Seq: uint64(len(entries) + 1), Type: "stop"}
	if err := elder.Append(next); !errors.Is(err, store.ErrLost) {
		t.Errorf("the former holder writes: %v", err)
	}
	if err := held.journal.Append(next); err != nil {
		t.Error(err)
	}
	a.lease.end(t.Context(), true)
	a.i.leaseholder.close()
}
