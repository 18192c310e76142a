package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/state/store"
)

// A candidate's token is for one interview that begins in time: its room can be opened again and again, and each time the interviewer
// is dispatched. What a dead worker left is gone on with whenever.
func TestTicketIsForOneInterview(t *testing.T) {
	fresh, old := &Ticket{Until: time.Now().Add(time.Minute)}, &Ticket{Until: time.Now().Add(-time.Second)}
	over := func(s *store.Session) { s.State, s.Ended = store.Ended, time.Now() }
	for name, test := range map[string]struct {
		ticket *Ticket
		room   string
		change func(*store.Session) // of the session in "room"; nil: it is live, its worker dead
		want   string
	}{
		"in time":                        {ticket: fresh, room: "other"},
		"too late":                       {ticket: old, room: "other", want: "begun until"},
		"used":                           {ticket: fresh, room: "room", change: over, want: "is for one"},
		"used by one that failed":        {ticket: fresh, room: "room", change: func(s *store.Session) { s.State, s.Ended = store.Failed, time.Now() }, want: "is for one"},
		"a worker died":                  {ticket: fresh, room: "room"},
		"a worker died, and it is late":  {ticket: old, room: "room"},
		"dispatched, without any ticket": {room: "room", change: over},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := arrive(t, Metadata{Interview: "two_stage", Ticket: test.ticket}, test.room)
			a.leave(t, time.Minute, test.change)
			err := a.entitled(t.Context())
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// What cannot be gone on with is no way around the time.
func TestTicketThatRanOutBeginsNothing(t *testing.T) {
	a := arrive(t, Metadata{Interview: "two_stage", Ticket: &Ticket{Until: time.Now().Add(-time.Second)}}, "room")
	a.leave(t, 31*time.Minute, nil)
	if err := a.entitled(t.Context()); err != nil {
		t.Fatal(err)
	}
	if held, err := a.open(t.Context(), jordan); err == nil || held.journal != nil {
		t.Errorf("a new interview began: %v", err)
	}
	a.i.o.Archive = nil
	if err := a.entitled(t.Context()); err == nil || errors.Is(err, errUsed) {
		t.Errorf("without an archive: %v", err)
	}
}
