package engine_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// A model's answer is read as it was asked for, whatever has happened since; journals of version 1, which hold what was read of it,
// come to the same.
func TestAnswersAreReadAsTheyWereAskedFor(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	r := c.runs[0]
	answer := json.RawMessage(`{"success":true,"assistant_message":"Well understood.","next_stage":"THOUGHT_ARTICULATION","context_updates":{"identified_pattern":"x"}}`)
	c.send(engine.CodeChanged{Text: "for p in prices:"})
	read, err := r.Read(answer)
	if err != nil {
		t.Fatal(err)
	}
	now, effects := c.iv.Step(c.u, c.now+1, engine.TaskDone{Task: r.Task, Visit: r.Visit, Answer: answer})
	then, were := c.iv.Step(c.u, c.now+1, engine.TaskDone{Task: r.Task, Visit: r.Visit, Result: read})
	if diff := cmp.Diff(asJSON(t, then), asJSON(t, now)); diff != "" || now.Stage != expert.Thought {
		t.Errorf("in %s: %s", now.Stage, diff)
	}
	if diff := cmp.Diff(were, effects, alike(t)...); diff != "" {
		t.Error(diff)
	}
}

// An answer that cannot be read is none: the stage goes on by the expert's rules.
func TestAnswersThatCannotBeRead(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, u *state.UserData) (*state.UserData, json.RawMessage){
		"wrong form": func(_ *testing.T, u *state.UserData) (*state.UserData, json.RawMessage) {
			return u, json.RawMessage(`[]`)
		},
		"nobody knows what was asked": func(t *testing.T, u *state.UserData) (*state.UserData, json.RawMessage) {
			var kept state.UserData
			if err := json.Unmarshal([]byte(asJSON(t, u)), &kept); err != nil {
				t.Fatal(err)
			}
			return &kept, json.RawMessage(`{"success":true,"assistant_message":"Well understood.","next_stage":"","context_updates":{}}`)
		},
	} {
		c := withModel(t)
		c.tell(understood)
		r := c.runs[0]
		u, answer := spoil(t, c.u)
		c.u = u
		c.send(engine.TaskDone{Task: r.Task, Visit: r.Visit, Answer: answer})
		if c.last().Text != fallbackWords || len(c.fact("expert.degraded", "expert")) != 1 {
			t.Errorf("%s: %q, %v", name, c.last().Text, c.fact("expert.failed", "error"))
		}
	}
}

// What a Say holds is of the Step that asked for it, for any goroutine and for as long as it is wanted.
func TestAskStaysAsItWas(t *testing.T) {
	c := newChat(t, interview(t, "two_stage")).start(engine.Started{Model: true}).hear()
	question := c.u.Ledger.Said[len(c.u.Ledger.Said)-1]
	say := c.tell("I build ticket machines for trams.")
	later := c.u.Ledger.Said[len(c.u.Ledger.Said)-1] // its own question, which was heard meanwhile
	if say.Ask == nil {
		t.Fatalf("%+v", say)
	}
	was, err := say.Ask.Request(false)
	if err != nil {
		t.Fatal(err)
	}
	if question == later || !say.Ask.Repeats(question) || say.Ask.Repeats(later) {
		t.Errorf("%q was asked before, and %q was not", question, later)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				if is, err := say.Ask.Request(false); err != nil || !cmp.Equal(was, is) || say.Ask.Repeats(later) || say.Ask.Reveals("Nothing.") {
					t.Errorf("%v, %s", err, cmp.Diff(was, is))
				}
			}
		})
	}
	c.tell("The one at the harbour, because of the salt.")
	readers.Wait()
}

// Journals name their version, and one of a program that is newer than this is refused with a sentence; earlier ones are read.
func TestJournalsCarryAVersion(t *testing.T) {
	iv := interview(t, "two_stage")
	for _, ev := range []engine.Event{engine.Started{Session: "s"}, engine.Resumed{Gap: 5}} {
		e, err := engine.Encode(1, 0, ev)
		if err != nil || !strings.Contains(string(e.Data), `"version":2`) {
			t.Fatalf("%v, %s", err, e.Data)
		}
		newer := e
		newer.Data = json.RawMessage(strings.Replace(string(e.Data), `"version":2`, `"version":3`, 1))
		if _, err := iv.Fold([]state.Entry{newer}); err == nil || !strings.Contains(err.Error(), "journal entry 1: it was written by a newer Viva (journal version 3; this one reads up to 2)") {
			t.Errorf("%v", err)
		}
		older := e
		older.Data = json.RawMessage(strings.Replace(string(e.Data), `"version":2,`, ``, 1))
		if _, err := iv.Fold([]state.Entry{older}); err != nil || strings.Contains(string(older.Data), "version") {
			t.Errorf("%v, %s", err, older.Data)
		}
	}
}
