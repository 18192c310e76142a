package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// switchboard is what is asked of LiveKit.
type switchboard struct {
	*book
	present []Seat
	said    string
}

func (s *switchboard) Present(context.Context, string) ([]Seat, error) { return s.present, nil }

func (s *switchboard) Remove(_ context.Context, room, identity string) error {
	s.note("remove " + identity + " from " + room)
	return nil
}

func (s *switchboard) Dispatch(_ context.Context, room, name, metadata string) error {
	s.said = metadata
	s.note("dispatch " + name + " to " + room)
	return nil
}

// The dead interviewer is removed before another is called, with what its dispatch had said; and nobody is called for a candidate who
// is not there.
func TestRescueCalls(t *testing.T) {
	for name, test := range map[string]struct {
		present []Seat
		did     string
	}{
		"both there":         {[]Seat{{"candidate", false, true}, {"agent-1", true, false}}, "remove agent-1 from room, dispatch viva to room"},
		"it has gone itself": {[]Seat{{"candidate", false, true}}, "dispatch viva to room"},
		"nobody there":       {nil, "postpone AJ_old"},
		"the agent only":     {[]Seat{{"agent-1", true, false}}, "postpone AJ_old"},
		"one that was called and died, too": {
			[]Seat{{"candidate", false, true}, {"agent-1", true, false}, {"agent-2", true, false}, {"recorder", false, false}},
			"remove agent-1 from room, remove agent-2 from room, dispatch viva to room",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrive(t, Metadata{Interview: "two_stage"}, "room")
			a.leave(t, time.Minute, nil)
			b := &book{}
			s := &switchboard{book: b, present: test.present}
			registry := prometheus.NewRegistry()
			a.i.o.Leases, a.i.o.Logger, a.i.o.Metrics = b, zap.NewNop(), NewMetrics(registry)
			a.i.rescue(t.Context(), s, &store.Orphan{
				Hold: store.Hold{Session: "AJ_old", Epoch: 3},
				Call: store.Call{Room: "room", Identity: "agent-1", Agent: "viva", Job: `{"interview":"two_stage","vars":{"company":"Acme"}}`},
			})
			if got := strings.Join(b.did, ", "); got != test.did {
				t.Errorf("it did %q, want %q", got, test.did)
			}
			if called := sums(t, registry)["viva_rescues_total called"][0]; (called == 1) != (s.said != "") {
				t.Errorf("counted as called %v times", called)
			}
			if s.said == "" {
				return
			}
			m, err := ParseMetadata(s.said)
			if err != nil || m.Resume != "AJ_old" || m.Candidate.Identity != "candidate" || m.Interview != "two_stage" || m.Vars["company"] != "Acme" {
				t.Errorf("dispatched with %s: %v", s.said, err)
			}
		})
	}
}

// A database that was away has let all leases run out: whoever lives may renew them first. One that was away for a moment only has not.
func TestWatchAfterAnOutage(t *testing.T) {
	for name, test := range map[string]struct{ away, pause time.Duration }{
		"a moment": {leaseLife / 4, 0},
		"long":     {4 * leaseLife, leaseLife},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &book{}
				i := &Interviewer{o: Options{Leases: b, Logger: zap.NewNop(), Metrics: NewMetrics(prometheus.NewRegistry())}}
				i.leaseholder = newLeaseholder(&i.o)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- i.Rescue(ctx, Rescue{Agent: "viva", Ready: func() bool { return true }}) }()
				time.Sleep(leaseLife)
				b.set(func() { b.down = true })
				time.Sleep(test.away)
				b.set(func() { b.down, b.looked = false, time.Time{} })
				back := time.Now()
				time.Sleep(4 * leaseLife)
				b.set(func() {
					if took := b.looked.Sub(back); b.looked.IsZero() || took < test.pause || took > test.pause+leaseLife/2 {
						t.Errorf("leases were claimed %v after the database was back", took)
					}
				})
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
