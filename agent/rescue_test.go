package agent

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// switchboard is what is asked of LiveKit.
type switchboard struct {
	*book
	present []string
	said    string
}

func (s *switchboard) Present(context.Context, string) ([]string, error) { return s.present, nil }

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
		present []string
		did     string
	}{
		"both there":         {[]string{"candidate", "agent-1"}, "remove agent-1 from room, dispatch viva to room"},
		"it has gone itself": {[]string{"candidate"}, "dispatch viva to room"},
		"nobody there":       {nil, "postpone AJ_old"},
		"the agent only":     {[]string{"agent-1"}, "postpone AJ_old"},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrive(t, Metadata{Interview: "two_stage"}, "room")
			a.leave(t, time.Minute, nil)
			b := &book{}
			s := &switchboard{book: b, present: test.present}
			a.i.o.Leases, a.i.o.Logger = b, zap.NewNop()
			a.i.rescue(t.Context(), &Rescue{Rooms: s}, &store.Orphan{
				Hold: store.Hold{Session: "AJ_old", Epoch: 3},
				Call: store.Call{Room: "room", Identity: "agent-1", Agent: "viva", Job: `{"interview":"two_stage","vars":{"company":"Acme"}}`},
			})
			if got := strings.Join(b.did, ", "); got != test.did {
				t.Errorf("it did %q, want %q", got, test.did)
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
