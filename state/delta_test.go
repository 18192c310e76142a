package state_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/state"
)

// A delta leads from one text to the other and back, and never through the middle of a character.
func TestDifference(t *testing.T) {
	letters := rapid.StringOf(rapid.SampledFrom([]rune("ab\n<é试诗👩👨")))
	rapid.Check(t, func(r *rapid.T) {
		from, to := letters.Draw(r, "from"), letters.Draw(r, "to")
		d := state.Difference(from, to)
		if got, ok := d.Apply(from); !ok || got != to {
			r.Fatalf("%+v makes %q of %q, want %q", d, got, from, to)
		}
		if got, ok := d.Back().Apply(to); !ok || got != from {
			r.Fatalf("%+v back makes %q of %q, want %q", d, got, to, from)
		}
		if !utf8.ValidString(d.Cut) || !utf8.ValidString(d.Put) {
			r.Fatalf("%+v cuts a character", d)
		}
	})
	for _, d := range []state.Delta{{Keep: -1}, {Keep: 9}, {Keep: 1, Cut: "x"}, {Keep: 3}} {
		if got, ok := d.Apply("ab试"); ok {
			t.Errorf("%+v makes %q", d, got)
		}
	}
}

// A patch of a long text keeps what differs only, and still tells what was.
func TestAPatchOfALongText(t *testing.T) {
	long := strings.Repeat("for a in prices:\n", 2000)
	before, after := quoted(t, long), quoted(t, long+"  return <a>\n")
	p := state.NewPatch("code", before, after)
	if raw := quoted(t, p); len(raw) > 300 {
		t.Errorf("%d bytes for a line", len(raw))
	}
	if was, ok := p.Was(after); !ok || string(was) != string(before) {
		t.Errorf("%t %.80s", ok, was)
	}
	for _, other := range []string{"", "7", `"short"`} {
		if was, ok := p.Was(json.RawMessage(other)); ok {
			t.Errorf("of %q it makes %.80s", other, was)
		}
	}
	for _, whole := range [][2]string{{"", `"x"`}, {`"x"`, `"y"`}, {"", string(after)}, {string(after), "null"}} {
		p := state.NewPatch("code", json.RawMessage(whole[0]), json.RawMessage(whole[1]))
		if p.Delta != nil || string(p.Before) != whole[0] || string(p.After) != whole[1] {
			t.Errorf("%.40s → %.40s: %+v", whole[0], whole[1], p.Delta)
		}
	}
}

func quoted(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
