package session_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// What is longer than a journal takes does not end an interview: an answer becomes a failure, and the rest is left out.
func TestEventsThatAreTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("<", state.MaxEntry)
		var journal state.Journal
		folder := state.Dir(t.TempDir())
		r := newRig(t, interview(t, "algorithm_coach"), nil, func(o *session.Options) {
			var err error
			if journal, err = folder.Create(t.Context(), "rig"); err != nil {
				t.Fatal(err)
			}
			o.Journal = journal
		})
		raw, err := json.Marshal(long)
		if err != nil {
			t.Fatal(err)
		}
		r.at(time.Second, session.Event{Event: engine.Material{Kind: "resume", Text: long}}, session.Event{Event: engine.CodeChanged{Text: long}},
			session.Event{Event: engine.TaskDone{Task: 7, Result: raw}},
			session.Event{Event: engine.CodeChanged{Text: "for a in prices"}})
		r.runFor(3 * time.Second)
		entries, err := folder.Read(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		kept := make(map[string]string)
		for _, e := range entries {
			kept[e.Type] = string(e.Data)
		}
		if kept["material"] != "" || !strings.Contains(kept["task.done"], "too long") || !strings.Contains(kept["code"], "prices") {
			t.Errorf("%v", kept)
		}
		if n := len(r.values("event.too_long", "bytes")); n != 3 {
			t.Errorf("%d are told of", n)
		}
	})
}
