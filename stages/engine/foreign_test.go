package engine_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/state"
)

// FuzzDecode: an entry of any journal is an event that is written as it was read, or an error; an interview that has begun takes
// it without harm, and so does one that takes it twice.
func FuzzDecode(f *testing.F) {
	for _, seed := range [][2]string{
		{"code", `{"text":"for a in prices","language":"python"}`}, {"code.edit", `{"keep":3,"cut":2,"text":"é"}`},
		{"code.edit", `{"keep":-1,"cut":-1}`}, {"code.edit", `{"keep":9223372036854775807,"cut":9223372036854775807}`},
		{"turn", `{"text":"stop the interview","began":-9223372036854775808,"typed":true}`}, {"tool", `{"utterance":1,"visit":1,"name":"note","args":{"a":[1]}}`},
		{"tool", `{"args":"x"}`}, {"chosen", `{"persona":"\u0000"}`}, {"material", `{"kind":"resume","text":""}`}, {"timer", `{"name":"goodbye","id":1}`},
		{"task.done", `{"id":1,"result":null}`}, {"task.done", `{"id":1,"failed":"x","retryable":true}`}, {"judged", `{"item":"x","evaluation":{"score":1e308}}`},
		{"operator", `{"command":"rollback","argument":"18446744073709551616"}`}, {"operator", `{"command":"goto","argument":"nowhere"}`},
		{"consent", `{"recording":true}`}, {"resumed", `{"gap":-1}`}, {"started", `{"session":"again"}`}, {"voice.ended", `{"utterance":1,"visit":1,"heard":"x","tools":9223372036854775807}`},
		{"nobody", `{}`}, {"stop", `[]`}, {"away", `null`}, {"gone", ``},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	kinds := map[string]*engine.Interview{"two_stage": interview(f, "two_stage"), "conversation": interview(f, "conversation")}
	writing := coached(f, newCast()).to(coach.Pseudocode)
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		ev, err := engine.Decode(state.Entry{Seq: 1, Type: kind, Data: json.RawMessage(data)})
		if err != nil {
			return
		}
		entry, err := engine.Encode(1, 0, ev)
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.(type) { // what is written now says by which version
		case engine.Started:
			e.Version = engine.JournalVersion
			ev = e
		case engine.Resumed:
			e.Version = engine.JournalVersion
			ev = e
		}
		if again, err := engine.Decode(entry); err != nil || entry.Type != kind || !equal(t, again, ev) {
			t.Errorf("%+v is read again as %+v, %v", ev, again, err)
		}
		for _, iv := range kinds {
			u, _ := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s"})
			twice(t, iv, u, 10, ev)
		}
		twice(t, writing.iv, writing.u, writing.now, ev)
	})
}

// equal compares events by what they say.
func equal(t *testing.T, a, b engine.Event) bool {
	t.Helper()
	return reflect.DeepEqual(a, b) || asJSON(t, a) == asJSON(t, b)
}

// twice has an interview take an event and the same again; the state that was given stays as it was.
func twice(t *testing.T, iv *engine.Interview, u *state.UserData, at state.Millis, ev engine.Event) {
	t.Helper()
	before := asJSON(t, u)
	after, effects := iv.Step(u, at, ev)
	if asJSON(t, u) != before {
		t.Errorf("%+v changes the state that it was given", ev)
	}
	if replayed, again := iv.Step(u, at, ev); asJSON(t, replayed) != asJSON(t, after) || len(again) != len(effects) {
		t.Errorf("%+v leads to another state when it is replayed", ev)
	}
	if _, isCode := ev.(engine.CodeEdited); isCode && strings.Contains(asJSON(t, after), `\ufffd`) {
		t.Errorf("%+v cuts a character", ev)
	}
	iv.Step(after, at+1, ev)
}
