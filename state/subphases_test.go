package state_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state"
)

// R000-9, R000-66: a company's list may hold plain words or words with aliases, and is written back as it came.
func TestKeywordJSON(t *testing.T) {
	text := `{"id":"data","name":"Data","description":"What is stored.","keywords":["schema",{"phrase":"SQL","aliases":{"any":["sequel"]}},{"phrase":"index","weight":2}]}`
	var p state.Phase
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	want := []state.Keyword{{Phrase: "schema"}, {Phrase: "SQL", Aliases: map[string][]string{"any": {"sequel"}}}, {Phrase: "index", Weight: 2}}
	if diff := cmp.Diff(want, p.Keywords); diff != "" {
		t.Error(diff)
	}
	back, err := json.Marshal(p)
	if err != nil || string(back) != text {
		t.Errorf("%v: %s", err, back)
	}
	for _, wrong := range []string{`7`, `["x"]`, `{"phrase":7}`} {
		if err := json.Unmarshal([]byte(wrong), new(state.Keyword)); err == nil {
			t.Errorf("%s was read", wrong)
		}
	}
}

// R000-23, R000-26, R000-27: what the list says about itself, with an index that fits and one that does not.
func TestSubPhases(t *testing.T) {
	var none *state.SubPhases
	if none.Current() != nil || none.Item("a") != nil || none.Remaining() != nil || (&state.SubPhases{}).Current() != nil {
		t.Error("something comes of nothing")
	}
	e := &state.SubPhases{Items: []state.Phase{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}, Index: 2, Completed: []string{"a"}, Skipped: []string{"b"}}
	if e.Current().ID != "c" || e.Item("d").ID != "d" || e.Item("x") != nil || !slices.Equal(e.Remaining(), []string{"d"}) {
		t.Errorf("%+v", e)
	}
	for id, closed := range map[string]bool{"a": true, "b": true, "c": false, "d": false} {
		if e.Closed(id) != closed {
			t.Errorf("%s is closed: %v", id, !closed)
		}
	}
	for _, i := range []int{-1, 4, 99} {
		if e.Index = i; e.Current().ID != "a" {
			t.Errorf("with index %d: %s", i, e.Current().ID)
		}
	}
}

func TestFieldEmpty(t *testing.T) {
	for value, empty := range map[string]bool{"": true, "null": true, `""`: true, "[]": true, "{}": true, "false": true, `"x"`: false, "[1]": false, "7": false, "true": false} {
		if (state.Field{Value: json.RawMessage(value)}).Empty() != empty {
			t.Errorf("%s is empty: %v", value, !empty)
		}
	}
}
