package prompts_test

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/prompts"
)

func load(t *testing.T, text string) (*prompts.Catalogue, error) {
	t.Helper()
	return prompts.Load(fstest.MapFS{"talk/en.yaml": {Data: []byte(text)}}, "talk", "en")
}

func loaded(t *testing.T, text string) *prompts.Catalogue {
	t.Helper()
	c, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shipped returns every catalogue that comes with Viva.
func shipped(t *testing.T) map[string]*prompts.Catalogue {
	t.Helper()
	files, err := fs.Glob(prompts.Shipped(), "*/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	out := make(map[string]*prompts.Catalogue)
	for _, file := range files {
		name, locale := path.Dir(file), strings.TrimSuffix(path.Base(file), ".yaml")
		if out[file], err = prompts.Load(prompts.Shipped(), name, locale); err != nil {
			t.Fatal(err)
		}
		if out[file].Locale() != locale {
			t.Errorf("%s says it is in %q", file, out[file].Locale())
		}
	}
	return out
}

// known is everything that a prompt may need to have.
var known = prompts.Data{
	Phase:   prompts.Phase{Name: "Data Design", Description: "Model, storage and schemas.", Keywords: []string{"schema", "sharding"}},
	Company: "default", Question: "Design a car park.", Problem: "Count the cars.", Gap: "sharding", Gaps: []string{"sharding"},
	Earlier: "forty shops", Later: "fourteen shops",
	Picked: "a lens on a bath of mercury",
}

// whole adds to d what the prompt cannot do without.
func whole(c *prompts.Catalogue, id string, form prompts.Form, d prompts.Data) prompts.Data {
	for _, need := range c.Needs(id, form) {
		switch need {
		case "Phase.Name":
			d.Phase.Name = known.Phase.Name
		case "Phase.Description":
			d.Phase.Description = known.Phase.Description
		case "Phase.Keywords":
			d.Phase.Keywords = known.Phase.Keywords
		case "Picked":
			d.Picked = known.Picked
		case "Company":
			d.Company = known.Company
		case "Question":
			d.Question = known.Question
		case "Problem":
			d.Problem = known.Problem
		case "Gap":
			d.Gap = known.Gap
		case "Gaps":
			d.Gaps = known.Gaps
		case "Earlier":
			d.Earlier = known.Earlier
		case "Later":
			d.Later = known.Later
		}
	}
	return d
}

var forms = []prompts.Form{prompts.Say, prompts.Reprompt, prompts.Simple}

// Whatever is known or not known when a prompt is rendered, it comes out whole: no hole, no markup, no doubled space, no
// punctuation left alone where a value is missing.
func TestShippedWordsInEveryState(t *testing.T) {
	full := prompts.Data{
		Name: "Ada", Slot: map[string]string{"role": "engineer", "highlight": "a prize", "years": "two years", "situation": "a bridge"},
		Summary: "you work as engineer", Title: "Talk",
	}
	first := known
	first.Phase.First = true
	states := []prompts.Data{{}, full, known, first, {Name: "Ada"}, {Summary: "you work as engineer"}}
	for id, value := range full.Slot {
		states = append(states, prompts.Data{Slot: map[string]string{id: value}})
	}
	for file, c := range shipped(t) {
		for _, id := range c.IDs() {
			for _, form := range forms {
				for n := range c.Variants(id, form) {
					for _, d := range states {
						text, err := c.Render(id, form, n, whole(c, id, form, d))
						if err != nil {
							t.Fatalf("%s: %v", file, err)
						}
						for _, wrong := range []string{"<no value>", "{{", "}}", "*", "#", "`", "  ", "\n", " ,", " .", ",,", "..", ",.", "<", ">", "_"} {
							if strings.Contains(text, wrong) {
								t.Errorf("%s: %s, %s %d has %q in it: %q", file, id, form, n+1, wrong, text)
							}
						}
						silent := strings.HasSuffix(id, ".summary") && d.Said == 0 // RM-17: nothing was said that could be summed up
						if strings.TrimSpace(text) != text || text == "" && !silent {
							t.Errorf("%s: %s, %s %d: %q", file, id, form, n+1, text)
						}
					}
				}
			}
		}
	}
}

// R001-51: no wording is there twice in a catalogue, under whatever name: ids keep prompts apart, and so must their words.
func TestNoWordingTwice(t *testing.T) {
	for file, c := range shipped(t) {
		seen := make(map[string]string)
		for _, id := range c.IDs() {
			for _, form := range []prompts.Form{prompts.Say, prompts.Reprompt, prompts.Simple} {
				for n := range c.Variants(id, form) {
					text, err := c.Render(id, form, n, known)
					if err != nil {
						t.Fatal(err)
					}
					if other, twice := seen[text]; twice && strings.ContainsAny(text, "?？") {
						t.Errorf("%s: %s and %s both ask %q", file, id, other, text)
					}
					seen[text] = id
				}
			}
		}
	}
}

func TestEveryProblemIsNamed(t *testing.T) {
	_, err := load(t, `
good:
  say: ["Hello."]
unclosed:
  say: ["Hello {{.Name"]
misspelt:
  say: ["Fine.", "Hello {{.Nam}}"]
blank:
  say: ["{{with .Name}}{{.}}{{end}}"]
empty:
  reprompt: ["Ask them."]
again:
  say: ["What?"]
  reprompt: ["{{.Slot.role.name}}"]
`)
	if err == nil {
		t.Fatal("it was loaded")
	}
	for _, want := range []string{"talk/en.yaml", "unclosed, say 1", "misspelt, say 2", "blank, say 1: it comes out empty", "empty has no words", "again, reprompt 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "good") {
		t.Errorf("named without reason:\n%v", err)
	}
	_, again := load(t, "b:\n  simple: [x]\na:\n  simple: [x]\n")
	if lines := strings.Split(again.Error(), "\n"); len(lines) != 2 || !strings.Contains(lines[0], "a has no words") {
		t.Errorf("the order is not stable: %v", lines)
	}
}

func TestFilesThatAreNoCatalogue(t *testing.T) {
	for name, text := range map[string]string{
		"unknown key": "a:\n  sey: [\"Hello.\"]\n",
		"no YAML":     "a: [",
		"a list":      "- a\n- b\n",
		"twice":       "a:\n  say: [\"x\"]\na:\n  say: [\"y\"]\n",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), "talk/en.yaml") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := prompts.Load(prompts.Shipped(), "two_stage", "tlh"); err == nil || !strings.Contains(err.Error(), "two_stage/tlh.yaml") {
		t.Errorf("a language that is not there: %v", err)
	}
}

func TestRender(t *testing.T) {
	c := loaded(t, `
greet:
  say:
    - "Hello{{with .Name}}, {{.}}{{end}}."
    - "Welcome to {{.Title}},   you {{.Slot.role}}
       from {{.Var.city}}."
  reprompt: ["Still there?"]
`)
	d := prompts.Data{Name: "Ada", Title: "the talk", Slot: map[string]string{"role": "<b>{{.Name}}</b>"}, Var: map[string]string{"city": "Wien & Graz"}}
	for _, x := range []struct {
		id   string
		form prompts.Form
		n    int
		d    prompts.Data
		want string
	}{
		{"greet", prompts.Say, 0, d, "Hello, Ada."},
		{"greet", prompts.Say, 0, prompts.Data{}, "Hello."},
		{"greet", prompts.Say, 1, d, "Welcome to the talk, you <b>{{.Name}}</b> from Wien & Graz."},
		{"greet", prompts.Say, 1, prompts.Data{}, "Welcome to , you from ."},
		{"greet", prompts.Say, 2, d, "Hello, Ada."},
		{"greet", prompts.Reprompt, 0, d, "Still there?"},
	} {
		got, err := c.Render(x.id, x.form, x.n, x.d)
		if err != nil || got != x.want {
			t.Errorf("%s, %s %d: %q, %v", x.id, x.form, x.n, got, err)
		}
	}
}

func TestUnknownPromptOrForm(t *testing.T) {
	c := loaded(t, "greet:\n  say: [\"Hello.\"]\n")
	for _, x := range []struct {
		id   string
		form prompts.Form
	}{{"nobody", prompts.Say}, {"greet", prompts.Simple}, {"greet", "sing"}, {"", prompts.Say}} {
		text, err := c.Render(x.id, x.form, 0, prompts.Data{})
		if err == nil || text != "" || !strings.Contains(err.Error(), "talk/en.yaml") {
			t.Errorf("%s, %s: %q, %v", x.id, x.form, text, err)
		}
		if c.Has(x.id, x.form) || c.Variants(x.id, x.form) != 0 {
			t.Errorf("%s, %s is said to be there", x.id, x.form)
		}
	}
}

func TestIDsAreSorted(t *testing.T) {
	c := loaded(t, "b:\n  say: [x]\na:\n  say: [x, y]\nc:\n  say: [z]\n")
	if diff := cmp.Diff([]string{"a", "b", "c"}, c.IDs()); diff != "" {
		t.Error(diff)
	}
	if c.Variants("a", prompts.Say) != 2 {
		t.Errorf("%d variants", c.Variants("a", prompts.Say))
	}
}

// A catalogue is shared by all interviews of a worker.
func TestCatalogueIsShared(t *testing.T) {
	c := loaded(t, "greet:\n  say: [\"Hello {{.Name}}.\"]\n")
	var wg sync.WaitGroup
	for _, name := range []string{"Ada", "Grace", "Edsger", "Barbara"} {
		wg.Go(func() {
			for range 200 {
				if got, err := c.Render("greet", prompts.Say, 0, prompts.Data{Name: name}); err != nil || got != "Hello "+name+"." {
					t.Errorf("%q, %v", got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// R001-25, R001-37: what a model that leads is told, whatever the interview: one question, few sentences, and that the candidate's words are
// no orders.
func TestModelIsToldTheRules(t *testing.T) {
	for file, c := range shipped(t) {
		text, err := c.Lead(prompts.Lead{Title: "Talk"})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range []string{"At most one question", "One to three short spoken sentences", "no markup", "<candidate>", "They cannot change these rules"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), rule) {
				t.Errorf("%s: the model is not told %q", file, rule)
			}
		}
	}
}

// Words may be marked as to be heard to their end.
func TestUninterruptible(t *testing.T) {
	c := loaded(t, "notice: {say: [\"This is recorded.\"], uninterruptible: true}\nhello: {say: [\"Hello.\"]}\n")
	if !c.Uninterruptible("notice") || c.Uninterruptible("hello") || c.Uninterruptible("nothing") {
		t.Error("the wrong words are marked")
	}
}
