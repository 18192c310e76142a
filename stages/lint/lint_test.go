package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/lint"
)

// RX-4, R003-83, R003-94: the shipped interviews have nothing wrong with them, in any of their languages.
func TestShippedKindsHaveNoFindings(t *testing.T) {
	files, err := fs.Glob(kinds.FS(), "*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(kinds.FS(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Interview(file, text, lint.World{}) {
			t.Error(f)
		}
	}
}

const talk = `kind: talk
title: Talk
locales: [en, zh]
vars: {city: {default: Bonn}}
provider: {type: system_design, question: city}
problems: {set: algorithm}
fields: {user_approach: {type: text}}
experts: [GuidedThoughtGenerator]
stages:
  - id: THOUGHT_ARTICULATION
    responder: experts
    prompts: {open: open, bridge: bridge}
    slots: [{id: mood, required: true, ask: mood, min_words: 2}]
    fallback: back
    hints: [hint]
    done: {slots: required}
    limits: {hard: 60s}
  - id: PHASES
    expand: phases
    prompts: {open: phase}
    single: {open: open}
    gate: {by: provider, rubric: design, continue: gap}
    done: {turns: 1}
    limits: {hard: 60s}
  - {id: END, final: true, prompts: {open: bye}}
`

const talkWords = `open: {say: ["Hello from {{.Var.city}}{{with .Slot.mood}} in {{.}} mood{{end}}?"], reprompt: ["Well?"]}
bridge: {say: ["So."]}
mood: {say: ["How are you?"]}
back: {say: ["What now?"]}
hint: {say: ["Look{{with .Gap}} at {{.}}{{end}}. {{.Problem}} It is {{.Question}} for {{.Company}}."]}
phase: {say: ["Now {{.Phase.Name}}."]}
gap: {say: ["And {{.Gap}}?"]}
bye: {say: ["Bye."]}
`

func world(en, zh string) lint.World {
	files := fstest.MapFS{}
	if en != "" {
		files["talk/en.yaml"] = &fstest.MapFile{Data: []byte(en)}
	}
	if zh != "" {
		files["talk/zh.yaml"] = &fstest.MapFile{Data: []byte(zh)}
	}
	return lint.World{Words: []fs.FS{files}}
}

func told(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

func TestATalkWithoutFindings(t *testing.T) {
	if got := lint.Interview("talk.yaml", []byte(talk), world(talkWords, talkWords)); len(got) > 0 {
		t.Error(told(got))
	}
}

// RX-4, R000-29, R003-10, R003-30, R003-83: every kind of mistake in what a definition names is found, and where.
func TestFindings(t *testing.T) {
	for _, x := range []struct{ name, old, new, wordsOld, wordsNew, want string }{
		{"an unknown expert", "[GuidedThoughtGenerator]", "[GuidedThoughtGenerator, Followup]", "", "", `talk.yaml:8:35: experts[1]: unknown expert "Followup"`},
		{"nobody leads", "[GuidedThoughtGenerator]", "[FollowUpGenerator]", "", "",
			"talk.yaml:11:5: stages[0].responder: stage THOUGHT_ARTICULATION: no expert is active"},
		{"an unknown set", "set: algorithm", "set: algorithms", "", "", "problems.set: the problem set \"algorithms\" is empty"},
		{"a rubric", "rubric: design", "rubric: desgin", "", "", `gate.rubric: unknown rubric "desgin"`},
		{"a language of the problems", "locales: [en, zh]", "locales: [en, vi]", "", "", "locales[1]: problem banner_poles is not there in language vi"},
		{"a language that nobody understands", "locales: [en, zh]", "locales: [en, tlh]", "", "", "locales[1]: nobody understands language tlh yet"},
		{"a language without words", "locales: [en, zh]", "locales: [en, vi]", "", "", "the words for language vi are missing: write prompts/talk/vi.yaml"},
		{"a slot that nothing fills", ", min_words: 2", "", "", "", `stages[0].slots[0]: without a model nothing fills "mood" in language en`},
		{"a prompt", "", "", "bridge: {", "brdge: {", `stages[0].prompts.bridge: prompt "bridge" has no say in prompts/talk/en.yaml; did you mean "brdge"?`},
		{"a fallback", "", "", "back: {", "bak: {", `prompt "back" has no say in prompts/talk/zh.yaml`},
		{"a sub-phase where there is none", "", "", "So.", "So, {{.Phase.Name}}.", `prompt "bridge" (say, en) says .Phase.Name, which is not known here`},
		{"a sub-phase for want of one", "single: {open: open}", "single: {open: phase}", "", "", `stages[1].single.open: prompt "phase" (say, en) says .Phase.Name`},
		{"a gap that may not be", "", "", "{{with .Gap}} at {{.}}{{end}}", " at {{.Gap}}", `stages[0].hints[0]: prompt "hint" (say, en) says .Gap`},
		{"a task without problems", "problems: {set: algorithm}", "", "", "", `prompt "hint" (say, en) says .Problem`},
		{"a question without a provider", "question: city", "company: city", "", "", `prompt "hint" (say, en) says .Question`},
		{"a variable", "", "", ".Var.city", ".Var.town", `prompt "open" (say, zh) uses .Var.town, which nothing fills`},
		{"a slot", "", "", ".Slot.mood", ".Slot.mod", `uses .Slot.mod, which nothing fills; did you mean "Slot.mood"?`},
		{"two questions", "", "", "Well?", "Well? Why?", "prompts/talk/en.yaml: open: reprompt 1: it asks 2 questions"},
		{"two questions behind one mark", "", "", "What now?", "What now, and why now?", "prompts/talk/zh.yaml: back: say 1: it asks 2 questions"},
		{"fault-finding", "", "", "[\"So.\"]", "[\"That's wrong.\"]", "finds fault with the candidate"},
		{"a secret", "", "", "What now?", "Two pointers?", "prompts/talk/en.yaml: back: say 1: \"two pointers\" gives a secret away"},
		{"a broken file", "", "", "bye:", "bye: [", "prompts/talk/en.yaml: prompts talk/en.yaml"},
		{"a rubric of what is judged in silence", "stages:\n", "evaluations: [{id: a, by: llm_rubric, rubric: strr}]\nstages:\n", "", "",
			`talk.yaml:9:39: evaluations[0].rubric: unknown rubric "strr": there are `},
		{"another judge's rubric", "stages:\n", "evaluations: [{id: a, by: two_stage, rubric: star, reference: yes}]\nstages:\n", "", "",
			`evaluations[0].rubric: unknown rubric "star": there are two_stage`},
		{"a right answer", "    fallback: back", "    fallback: back\n    reference: var.city", "", "",
			`prompt "open" (say, en) uses .Var.city, which holds a right answer: it would be given away`},
		{"a right answer of what is judged in silence", "stages:\n", "evaluations: [{id: a, by: two_stage, reference: var.city}]\nstages:\n", "", "", "which holds a right answer"},
		{"the words of a late report", "  - {id: END,", "  - {id: TELL, responder: report, prompts: {open: open}, fallback: late}\n  - {id: END,", "", "",
			`stages[2].fallback: prompt "late" has no say in prompts/talk/en.yaml`},
		{"the notice of a recording", "stages:\n", "recording: {notice: rec}\nstages:\n", "", "", `recording.notice: prompt "rec" has no say in prompts/talk/en.yaml`},
		{"the shape too", "hard: 60s", "hrd: 60s", "So.", "So, {{.Phase.Name}}.", `talk.yaml:17:14: stages[0].limits.hrd: unknown key "hrd"; did you mean "hard"?`},
	} {
		text, words := strings.Replace(talk, x.old, x.new, 1), strings.Replace(talkWords, x.wordsOld, x.wordsNew, 1)
		if got := told(lint.Interview("talk.yaml", []byte(text), world(words, words))); !strings.Contains(got, x.want) {
			t.Errorf("%s is told as\n%swant %s", x.name, got, x.want)
		}
	}
}

func TestLanguagesHaveTheSameForms(t *testing.T) {
	zh := strings.Replace(talkWords, ", reprompt: [\"Well?\"]", "", 1)
	got := told(lint.Interview("talk.yaml", []byte(talk), world(talkWords, zh)))
	if want := `prompt "open" has a reprompt in en, but none in prompts/talk/zh.yaml`; !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("got\n%swant %s", got, want)
	}
}

// R003-13: experts of one's own are known as soon as they are registered.
func TestExpertsOfOnesOwn(t *testing.T) {
	w := world(talkWords, talkWords)
	w.Experts = &expert.Registry{}
	got := told(lint.Interview("talk.yaml", []byte(talk), w))
	if !strings.Contains(got, `unknown expert "GuidedThoughtGenerator"`) {
		t.Errorf("an expert that is not registered is taken:\n%s", got)
	}
	shipped, err := kinds.Experts(&definition.Definition{})
	if err != nil {
		t.Fatal(err)
	}
	coach, _ := shipped.Find("GuidedThoughtGenerator")
	if err := w.Experts.Register(coach); err != nil {
		t.Fatal(err)
	}
	if got := lint.Interview("talk.yaml", []byte(talk), w); len(got) > 0 {
		t.Error(told(got))
	}
}

// What is said of a file that is no definition at all is one thing, not a hundred.
func TestGarbage(t *testing.T) {
	for _, text := range []string{"", "a: [", "\x00"} {
		if got := lint.Interview("g.yaml", []byte(text), lint.World{}); len(got) == 0 {
			t.Errorf("%q has nothing wrong with it", text)
		}
	}
	if text, err := os.ReadFile(filepath.Join("..", "kinds", "kinds.go")); err != nil || len(lint.Interview("k.yaml", text, lint.World{})) == 0 {
		t.Errorf("Go code has nothing wrong with it (%v)", err)
	}
}
