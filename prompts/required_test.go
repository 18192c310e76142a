package prompts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/prompts"
)

const phased = `
sub:
  say:
    - "You are with {{.Company}}. {{with .Name}}You talk to {{.}}.{{else}}The candidate has given no name.{{end}}
       The question: {{.Question}}
       {{.Phase.Name}}: {{.Phase.Description}} Topics: {{join .Phase.Keywords}}"
tested:
  say: ["Go on.{{with .Gap}} What about {{.}}, that is {{$.Gap}}?{{end}}{{if .Question}} It is {{.Question}}{{end}}", "More of {{or .Gap \"the rest\"}}."]
named:
  say: ["Hello.{{with .Name}} For {{.}}: {{$.Question}}{{end}}"]
bare:
  say: ["Now {{.Phase.Name | printf \"%s\"}}.", "Then {{printf \"%s\" .Problem}}."]
`

// R000-21, R000-29: what a prompt says is there, or it says nothing at all: no hole for the company, the question, or the
// sub-phase's name, description and topics. A candidate without a name is told as such.
func TestNothingIsSaidWithAHole(t *testing.T) {
	c := loaded(t, phased)
	full := known
	full.Name = "Ada"
	for want, without := range map[string]func(*prompts.Data){
		"Company": func(d *prompts.Data) { d.Company = "" }, "Question": func(d *prompts.Data) { d.Question = "" },
		"Phase.Name":        func(d *prompts.Data) { d.Phase.Name = "" },
		"Phase.Description": func(d *prompts.Data) { d.Phase.Description = "" },
		"Phase.Keywords":    func(d *prompts.Data) { d.Phase.Keywords = nil },
	} {
		d := full
		without(&d)
		text, err := c.Render("sub", prompts.Say, 0, d)
		if !errors.Is(err, prompts.ErrMissing) || text != "" || !strings.Contains(err.Error(), "sub: "+want+" is not known") {
			t.Errorf("without %s: %q, %v", want, text, err)
		}
		if diff := cmp.Diff([]string{want}, prompts.Lacks(d, c.Needs("sub", prompts.Say))); diff != "" {
			t.Errorf("without %s it lacks:\n%s", want, diff)
		}
	}
	text, err := c.Render("sub", prompts.Say, 0, full)
	if err != nil || !strings.Contains(text, "Data Design: Model, storage and schemas. Topics: schema, sharding") || !strings.Contains(text, "You talk to Ada.") {
		t.Errorf("with everything: %q, %v", text, err)
	}
	full.Name = ""
	if text, err = c.Render("sub", prompts.Say, 0, full); err != nil || !strings.Contains(text, "has given no name") {
		t.Errorf("without a name: %q, %v", text, err)
	}
}

// R000-29: at load time it is known what a prompt needs, in all its wordings and whatever else is known.
func TestNeeds(t *testing.T) {
	c := loaded(t, phased)
	for id, want := range map[string][]string{
		"tested": nil, "named": {"Question"}, "bare": {"Phase.Name", "Problem"}, "nobody": nil,
	} {
		if got := c.Needs(id, prompts.Say); !slices.Equal(got, want) {
			t.Errorf("%s needs %v, want %v", id, got, want)
		}
	}
	if got := c.Needs("sub", prompts.Say); len(got) != 5 {
		t.Errorf("the sub-phase prompt needs %v", got)
	}
	if text, err := c.Render("tested", prompts.Say, 0, prompts.Data{}); err != nil || text != "Go on." {
		t.Errorf("what is tested for may be missing: %q, %v", text, err)
	}
	if text, err := c.Render("tested", prompts.Say, 1, prompts.Data{}); err != nil || text != "More of the rest." {
		t.Errorf("what has a stand-in may be missing: %q, %v", text, err)
	}
	if text, err := c.Render("tested", prompts.Say, 0, known); err != nil || text != "Go on. What about sharding, that is sharding? It is Design a car park." {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := load(t, "a:\n  say: [\"{{.Phase.Nam}}\"]\n"); err == nil || !strings.Contains(err.Error(), "Nam") {
		t.Errorf("a misspelt field of the sub-phase: %v", err)
	}
}

func TestReferences(t *testing.T) {
	c := loaded(t, `
a:
  say:
    - "{{if or .Slot.role .Var.city}}{{with .Slot.role}}{{.}}{{end}}{{else}}{{range .Gaps}}{{$.Slot.years}}{{end}}Fine, {{.Name}}{{end}}."
    - "Well{{printf \"%s\" .Var.mood}}."
`)
	want := []string{"Slot.role", "Slot.years", "Var.city", "Var.mood"}
	if diff := cmp.Diff(want, c.References("a", prompts.Say)); diff != "" {
		t.Error(diff)
	}
	if got := c.References("a", prompts.Simple); got != nil {
		t.Errorf("a form that is not there refers to %v", got)
	}
}
