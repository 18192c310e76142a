package guard_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/pipeline/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "the words of a candidate"

// rig is a guard with what it has told.
type rig struct {
	*guard.Guard
	logs    *observer.ObservedLogs
	mu      sync.Mutex
	counted []string
}

func newRig() *rig {
	core, logs := observer.New(zap.DebugLevel)
	r := &rig{logs: logs}
	r.Guard = guard.New(zap.New(core), func(where string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.counted = append(r.counted, where)
	})
	return r
}

// told checks that one panic was logged, without its text, and counted.
func (r *rig) told(t *testing.T, where string) {
	t.Helper()
	all := r.logs.FilterMessage("interview.panicked").All()
	if len(all) != 1 || len(r.counted) != 1 || r.counted[0] != where {
		t.Fatalf("%d panics logged and %q counted, want one in %q", len(all), r.counted, where)
	}
	fields := all[0].ContextMap()
	stack, _ := fields["stack"].(string)
	if fields["where"] != where || fields["type"] != "string" || !strings.Contains(stack, "guard_test.go") {
		t.Errorf("logged as %v", fields)
	}
	for _, f := range fields {
		if text, is := f.(string); is && strings.Contains(text, secret) {
			t.Errorf("the panic's text is logged: %s", text)
		}
	}
}

// What an interview cannot do without breaks it, however it was started, and nobody else.
func TestAPanicBreaksTheInterview(t *testing.T) {
	for name, start := range map[string]func(*guard.Guard, *sync.WaitGroup, func()){
		"go":    func(g *guard.Guard, tasks *sync.WaitGroup, f func()) { g.Go(tasks, "there", f) },
		"start": func(g *guard.Guard, _ *sync.WaitGroup, f func()) { g.Start("there", f) },
		"after": func(g *guard.Guard, _ *sync.WaitGroup, f func()) { g.After(time.Second, "there", f) },
		"do":    func(g *guard.Guard, _ *sync.WaitGroup, f func()) { g.Do("there", f) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, other := newRig(), newRig()
				ctx, stop := r.Watch(t.Context())
				defer stop()
				elsewhere, stopOther := other.Watch(t.Context())
				defer stopOther()
				var tasks sync.WaitGroup
				start(guard.From(guard.With(ctx, r.Guard)), &tasks, func() { panic(secret) })
				<-ctx.Done()
				tasks.Wait()
				synctest.Wait()
				r.told(t, "there")
				if err := guard.Broken(ctx); err == nil || strings.Contains(err.Error(), secret) {
					t.Errorf("the interview ends with %v", err)
				}
				if elsewhere.Err() != nil {
					t.Error("another interview was broken, too")
				}
			})
		})
	}
}

// What is done beside the talk fails alone.
func TestWorkBesideTheTalk(t *testing.T) {
	r := newRig()
	ctx, stop := r.Watch(t.Context())
	defer stop()
	var tasks sync.WaitGroup
	r.Beside(&tasks, "there", func() { panic(secret) })
	tasks.Wait()
	r.told(t, "there")
	if ctx.Err() != nil {
		t.Error("it broke the interview")
	}
	if err := newRig().Try("there", func() error { panic(secret) }); !guard.Is(err) {
		t.Errorf("tried: %v", err)
	}
	own := errors.New("own")
	if err := r.Try("there", func() error { return own }); !errors.Is(err, own) || guard.Is(err) {
		t.Errorf("an error of its own became %v", err)
	}
}

// A panic that nobody watches for ends nothing later, and a context that ends for another reason is not broken.
func TestUnwatched(t *testing.T) {
	r := newRig()
	first, stop := r.Watch(t.Context())
	stop()
	r.Do("there", func() { panic(secret) })
	r.told(t, "there")
	second, stop := r.Watch(t.Context())
	defer stop()
	if second.Err() != nil || guard.Broken(first) != nil || guard.Broken(t.Context()) != nil {
		t.Error("an old panic broke what came after")
	}
}

// Without a guard nothing is hidden.
func TestNoGuard(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a panic vanished")
		}
	}()
	g := guard.From(context.Background())
	ctx, stop := g.Watch(t.Context())
	defer stop()
	_ = ctx
	g.Do("there", func() { panic(secret) })
}
