package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
)

const waysYAML = `
kind: ways_test
title: Ways
locales: [en]
input: {lexicons: {trees: {en: [oak, birch]}}}
stages:
  - id: A
    title: First
    prompts: {open: a.open, more: more, summary: a.summary}
    slots: [{id: name}]
    criteria: [{id: c1, phrase: roots}, {id: c2, phrase: leaves, aliases: {en: [foliage]}}]
    done: DONE
    next: [{when: {slot: name}, to: C}, {when: {mentions: trees}, to: B}, {when: {intent: refuse}, to: C}]
    limits: {hard: 5m, turns: 4}
  - {id: B, title: Second, prompts: {open: b.open, more: more}, done: {turns: 2}, limits: {hard: 5m}}
  - {id: C, title: Third, prompts: {open: c.open}, done: {turns: 1}, limits: {hard: 5m}}
  - {id: D, title: Goodbye, final: true, prompts: {open: bye}}
`

const waysWords = `
a.open: {say: ["What do you grow?"]}
a.summary: {say: ["you grow things"]}
b.open: {say: ["Which trees?"]}
c.open: {say: ["And who are you?"]}
more: {say: ["What else?", "And more?", "Anything else?", "And then?", "Go on?", "What next?", "Why?"]}
bye: {say: ["Goodbye."]}
`

func ways(t *testing.T, done string) *chat {
	t.Helper()
	text := strings.Replace(waysYAML, "DONE", done, 1)
	return newChat(t, compile(t, text, waysWords)).start(engine.Started{}).hear()
}

// The guards about what was said, and the limit of turns.
func TestGuards(t *testing.T) {
	for done, turns := range map[string][]string{
		"{coverage: 0.5}":                           {"I like them.", "Their roots."},
		"{coverage: 1}":                             {"Their roots.", "And their foliage."},
		"{mentions: trees}":                         {"I like them.", "An oak."},
		"{not: {turns: 1}}":                         {"I like them.", "They grow here.", "There are many.", "They are old."}, // never: the limit of turns ends it
		"{any: [{flag: never}]}":                    {"I like them.", "They grow here.", "There are many.", "They are old."},
		"{all: [{turns: 2}, {not: {flag: never}}]}": {"I like them.", "They grow here."},
	} {
		c := ways(t, done)
		for i, text := range turns {
			if c.u.Stage != "A" {
				t.Errorf("%s: left before %q", done, text)
			}
			c.tell(text)
			if i == len(turns)-1 && c.u.Stage == "A" {
				t.Errorf("%s: still there after %q", done, text)
			}
		}
		c.whole()
	}
}

// The first edge whose guard holds is the way out; without one it is the stage that follows. What the latest turn meant
// counts, however the stage was left; what an earlier one meant does not.
func TestEdges(t *testing.T) {
	for words, want := range map[string]string{
		"My name is Ada and I grow an oak.": "C", "An oak and a birch.": "B", "Some grass.": "B", "I'd rather not say.": "C",
	} {
		c := ways(t, "{turns: 1}")
		if c.tell(words); c.u.Stage != want {
			t.Errorf("%q: in %s", words, c.u.Stage)
		}
	}
	for last, want := range map[string]string{"I'd rather not say.": "C", "Some grass.": "B"} {
		c := ways(t, "{flag: never}")
		c.tell("I'd rather not say.")
		c.tell(last)
		if c.pass(5 * time.Minute); c.u.Visits[1].Stage != want {
			t.Errorf("after %q: %v", last, c.visits())
		}
	}
}

// R003-22, R003-24, R003-27: of a response only the message is spoken, never its metadata; and nobody is asked whose
// context does not fit.
func TestOnlyTheMessageIsSpoken(t *testing.T) {
	cast := newCast()
	cast["reader"].process = func(expert.Board) (expert.Response, error) {
		r := expert.Success("What goes in?", "")
		r.Metadata["confidence"], r.Metadata["note"] = 0.9, "do not say this"
		return r, nil
	}
	c := coached(t, cast)
	if said := c.tell(understood); said.Text != "What goes in?" || strings.Contains(asJSON(t, c.u), "do not say this") {
		t.Errorf("said %q", said.Text)
	}
	calls := 0
	cast["reader"].process = func(expert.Board) (expert.Response, error) { calls++; return expert.Success("x", ""), nil }
	cast["reader"].valid = func(expert.Board) error { return expert.ErrState }
	c.tell("And the two prices are on the list.")
	if calls != 0 || !slices.Equal(c.fact("expert.failed", "kind"), []any{"state"}) {
		t.Errorf("%d calls, %v", calls, c.fact("expert.failed", "kind"))
	}
}
