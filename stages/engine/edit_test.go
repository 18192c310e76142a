package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// An edit leads to the same state as the whole text, whatever is written, and whoever else wrote the field in between.
func TestEditsAreTheSameAsTexts(t *testing.T) {
	c := coached(t, newCast()).to(coach.Pseudocode)
	line := rapid.SampledFrom([]string{"for a in prices:\n", "\treturn a < b\n", "试\n", "é\xff", "👩", "\"\\", strings.Repeat("x = 1\n", 300)})
	rapid.Check(t, func(r *rapid.T) {
		u, at := c.u, c.now
		for range rapid.IntRange(1, 8).Draw(r, "edits") {
			at++
			text := strings.Join(rapid.SliceOfN(line, 0, 40).Draw(r, "text"), "")
			whole := engine.CodeChanged{Text: text, Language: "python"}
			short := c.iv.Shorten(u, whole)
			entry, err := engine.Encode(1, at, short)
			if err != nil {
				r.Fatal(err)
			}
			read, err := engine.Decode(entry)
			if err != nil {
				r.Fatal(err)
			}
			want, _ := c.iv.Step(u, at, whole)
			got, _ := c.iv.Step(u, at, read)
			if asJSON(t, got) != asJSON(t, want) {
				r.Fatalf("%+v leads elsewhere than the text", short)
			}
			u = got
		}
		// Every one of them can be undone, back to nothing.
		for i := len(u.Patches) - 1; i >= len(c.u.Patches); i-- {
			back, err := engine.Rollback(u, u.Patches[i].ID)
			if err != nil {
				r.Fatal(err)
			}
			u = back
		}
		if !u.Fields[expert.FieldCode].Empty() {
			r.Fatalf("left over: %s", u.Fields[expert.FieldCode].Value)
		}
	})
}

// A candidate who types for an hour makes neither the journal nor the state grow by the whole text at each pause: 2000 pauses
// over a page of code were 90 MB.
func TestTypingCostsWhatIsTyped(t *testing.T) {
	pure(t)
	c := coached(t, newCast()).to(coach.Pseudocode)
	page := strings.Repeat("    result = prices[a] + prices[b]\n", 300)
	u, journal, typed := c.u, 0, ""
	for i := range 2000 {
		typed += fmt.Sprintf("x%d ", i)
		ev := c.iv.Shorten(u, engine.CodeChanged{Text: typed + page})
		entry, err := engine.Encode(1, c.now, ev)
		if err != nil {
			t.Fatal(err)
		}
		journal += len(entry.Data)
		u, _ = c.iv.Step(u, c.now, ev)
	}
	if journal > 200_000 {
		t.Errorf("the journal has %d bytes", journal)
	}
	if kept := len(asJSON(t, u)); kept > 500_000 {
		t.Errorf("the state has %d bytes", kept)
	}
}

// An edit of another text than the one that is there changes nothing.
func TestAnEditThatDoesNotFit(t *testing.T) {
	c := coached(t, newCast()).to(coach.Pseudocode)
	c.send(engine.CodeChanged{Text: "for a in prices"})
	for _, e := range []engine.CodeEdited{{Keep: -1}, {Keep: 99}, {Cut: 99}, {Cut: -1}, {Keep: 1 << 62, Cut: 1 << 62}} {
		c.send(e)
		if got := string(c.u.Fields[expert.FieldCode].Value); got != `"for a in prices"` {
			t.Errorf("%+v makes %s", e, got)
		}
	}
}

// Who reads a trace sees the text, not an edit of it.
func TestTracesShowTheText(t *testing.T) {
	c := coached(t, newCast()).to(coach.Pseudocode)
	text := strings.Repeat("for a in prices\n", 60)
	entries, u := c.entries, c.u
	for _, ev := range []engine.Event{engine.CodeChanged{Text: text}, engine.CodeChanged{Text: text + "end", Language: "python"}} {
		short := c.iv.Shorten(u, ev)
		e, err := engine.Encode(uint64(len(entries)+1), c.now, short)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
		u, _ = c.iv.Step(u, c.now, short)
	}
	if e := entries[len(entries)-1]; e.Type != "code.edit" || len(e.Data) > 100 {
		t.Fatalf("%s %s", e.Type, e.Data)
	}
	var last simulate.Step
	if _, err := simulate.Refold(c.iv, entries, func(s simulate.Step) { last = s }); err != nil {
		t.Fatal(err)
	}
	ev, err := engine.Decode(state.Entry{Type: last.Event, Data: last.Data})
	if err != nil || ev != engine.Event(engine.CodeChanged{Text: text + "end", Language: "python"}) {
		t.Errorf("%v %+v", err, ev)
	}
}
