package definition_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
)

// whole uses every part of the format, so that each can be broken.
const whole = `kind: whole
title: Whole
locales: [en, zh]
vars:
  company: {default: default}
  question: {default: Why}
  pick: {default: ""}
provider: {type: system_design, company: company, question: question, wait: 8s}
problems: {set: algorithm, pick: pick, levels: [easy]}
experts: [Coach]
fields:
  approach: {type: text, from: problem.title}
  place: {from: var.company}
input: {check: true, off_topic: true, empty: a, short: b, repeated: c, off: d, help_mode: e, lexicons: {cost: {any: [linear]}}}
recovery: {hold: 1s}
stages:
  - id: HELLO
    prompts: {open: open}
    slots: [{id: role, ask: ask, required: true}]
    done: {slots: required}
    limits: {hard: 60s}
    next:
      - {when: {slot: role}, to: LATER}
  - id: PART
    limits: {hard: 20m}
    stages:
      - id: PHASES
        prompts: {open: open}
        expand: phases
        single: {open: open}
        gate: {by: provider, else: checklist, pass: 0.6, hold: 2s, budget: 8s}
        skip: {rule: forward, allow: go, parallel: [[a, b]]}
        done: {decision: next_phase}
      - id: LATER
        prompts: {open: open}
        criteria: [{id: cost, phrase: cost, aliases: {zh: [成本]}}]
        gate: {by: keyword_coverage}
        skip: {rule: never, refuse: no}
        done: {any: [{coverage: 0.5}, {mentions: cost}, {intent: skip}]}
  - id: LED
    responder: experts
    prompts: {open: open}
    fallback: back
    skip: {rule: allowed, allow: go}
    done: {all: [{field: approach}, {queue_empty: approach}, {not: {flag: stuck}}, {skipped: true}]}
    no_input: [{after: 10s, do: advance}]
  - {id: END, final: true, prompts: {open: bye}}
`

func TestTheWholeFormatIsTaken(t *testing.T) {
	if _, err := definition.Parse("whole.yaml", []byte(whole)); err != nil {
		t.Error(err)
	}
}

// RX-4: what is wrong with a definition is found before any call, with its place, and with what was meant.
func TestEveryMistakeIsFound(t *testing.T) {
	for _, x := range []struct{ old, new, want string }{
		{"locales: [en, zh]", "locales: [en, en]", `3:15: locales[1]: language "en" is there twice`},
		{"type: system_design", "type: ''", "say which type of interview the provider is asked for"},
		{"company: company,", "company: compny,", `unknown variable "compny": there are company, pick, question; did you mean "company"?`},
		{"question: question,", "question: ask,", `provider.question: unknown variable "ask"`},
		{"wait: 8s", "wait: -8s", "provider.wait: it cannot be negative"},
		{"set: algorithm,", "set: '',", "problems.set: name the set of problems"},
		{"pick: pick,", "pick: pik,", `did you mean "pick"?`},
		{"levels: [easy]", "levels: [esy]", `unknown difficulty "esy": there are easy, medium, hard; did you mean "easy"?`},
		{"experts: [Coach]", "experts: [Coach, Coach]", `expert "Coach" is there twice`},
		{"experts: [Coach]", "experts: ['a b']", "is not a name of an expert"},
		{"responder: experts", "responder: conversational", "experts are named, but no stage has responder: experts"},
		{"responder: experts", "responder: expert", `unknown responder "expert": there are conversational, experts, scripted, report; did you mean "experts"?`},
		{"type: text,", "type: txt,", `unknown type "txt"`},
		{"from: problem.title", "from: problem.titel", `did you mean "problem.title"?`},
		{"from: var.company", "from: var.firm", `fields.place.from: unknown variable "firm"`},
		{"problems: {set: algorithm, pick: pick, levels: [easy]}", "", "problem.title needs problems"},
		{"empty: a,", "", "input.empty: with check: true, name the prompt"},
		{"off: d,", "", "input.off: with off_topic: true, name the prompt"},
		{"{any: [linear]}", "{all_of: [linear]}", "neither a language tag such as en nor any"},
		{"input: {check", "input: {help: -1, check", "input.help: it cannot be negative"},
		{"hold: 1s}", "hold: 1s, budget: -1s}", "recovery.budget: it cannot be negative"},
		{"recovery:", "budget: {session_tokens: -1}\nrecovery:", "budget.session_tokens: it cannot be negative"},

		{"to: LATER", "to: LATTER", `unknown stage "LATTER": there are HELLO, PHASES, LATER, LED, END; did you mean "LATER"?`},
		{"to: LATER", "to: PART", "PART is a group: name a stage in it, such as PHASES"},
		{"to: LATER", "to: HELLO", "an interview only goes forward"},
		{"{when: {slot: role}, to: LATER}", "{to: LATER}", "stages[1].stages[0]: stage PHASES can never be reached"},
		{"- {when: {slot: role}, to: LATER}", "- {to: LATER}\n      - {when: {slot: role}, to: PHASES}", "this way is never taken"},
		{"when: {slot: role}", "when: {slot: rol}", `has no slot "rol"; did you mean "role"?`},
		{"slots: [{id: role, ask: ask, required: true}]", "", "stage HELLO has no slots"},
		{"limits: {hard: 60s}", "limits: {turns: -1}", "no timer can leave stage HELLO"},
		{"limits: {hard: 60s}", "limits: {hard: 60s, soft: 60s}", "the soft limit must come before the hard one"},
		{"limits: {hard: 60s}", "limits: {hard: 60s}\n    single: {open: a}", "single is for a stage with expand"},

		{"limits: {hard: 20m}", "limits: {hard: 20m, soft: 1m}", "PART holds stages, so it is a group"},
		{"limits: {hard: 20m}", "prompts: {open: a}", "it has only id, title, titles, goal, limits.hard and stages"},
		{"limits: {hard: 20m}", "limits: {hard: 0s}", "no timer can leave stage PHASES"},
		{"id: PART", "id: LED", `stage id "LED" is used twice`},
		{"expand: phases", "expand: phasen", `unknown expansion "phasen": there are phases; did you mean "phases"?`},
		{"provider: {type: system_design, company: company, question: question, wait: 8s}", "", "come from a provider: say which under provider"},
		{"single: {open: open}", "single: {more: open}", "no words to open with when there are no phases"},
		{"by: provider, else", "by: providr, else", `unknown evaluator "providr": there are provider, checklist, `},
		{"else: checklist", "else: llm_rubric", `unknown evaluator by rules, which cannot fail, "llm_rubric": there are `},
		{"pass: 0.6", "pass: 60", "60 is no share between 0 and 1"},
		{"hold: 2s, budget: 8s", "hold: 9s, budget: 8s", "before the budget of 8s is used up"},
		{"rule: forward, allow: go,", "rule: forward,", "name the prompt that agrees to skip stage PHASES"},
		{"rule: forward,", "rule: forwards,", `did you mean "forward"?`},
		{"parallel: [[a, b]]", "parallel: [[a, a]]", "a pair is two different ids"},
		{"done: {decision: next_phase}", "done: {decision: next}", `unknown decision "next": there are next_phase, continue`},

		{"gate: {by: keyword_coverage}", "gate: {by: provider}", "a provider judges sub-phases: stage LATER is not expanded"},
		{"criteria: [{id: cost, phrase: cost, aliases: {zh: [成本]}}]", "", "the gate of stage LATER has nothing to judge by"},
		{"criteria: [{id: cost, phrase: cost, aliases: {zh: [成本]}}]", "", "stage LATER has no criteria to cover"},
		{"phrase: cost", "phrase: ''", "say what an answer should cover"},
		{"aliases: {zh: [成本]}", "aliases: {chinese_: [成本]}", "neither a language tag"},
		{"{coverage: 0.5}", "{coverage: 50}", "50 is no share"},
		{"{mentions: cost}", "{mentions: kost}", `unknown word list "kost": there are complexity, short, work, cost; did you mean "cost"?`},
		{"{intent: skip}", "{intent: skipp}", `did you mean "skip"?`},
		{"skip: {rule: never, refuse: no}", "skip: {rule: never}", "name the prompt that says why stage LATER cannot be skipped"},
		{"skip: {rule: never, refuse: no}", "skip: {rule: forward, allow: no}", "are about sub-phases: stage LATER is not expanded"},
		{"skip: {rule: never, refuse: no}", "expand: phases", "stage PHASES is expanded already"},

		{"fallback: back", "", "name the prompt that stands in for the expert of stage LED"},
		{"{field: approach}", "{field: aproach}", `unknown field "aproach": there are approach, place; did you mean "approach"?`},
		{"{queue_empty: approach}", "{queue_empty: issues}", `unknown field "issues"`},
		{"flag: stuck", "flag: Stuck!", "must be a lower-case name"},
		{"skip: {rule: allowed, allow: go}", "", "stage LED cannot be skipped"},
		{"{not: {flag: stuck}}", "{not: {}}", "a guard says exactly one thing, not 0"},
		{"id: END, final: true", "id: END", "must be final: true"},
		{"open: bye", "open: *bye", "*bye stands for a value that was given the name before"},
	} {
		text := strings.Replace(whole, x.old, x.new, 1)
		if text == whole {
			t.Errorf("%s: nothing was changed", x.old)
			continue
		}
		_, err := definition.Parse("whole.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s\nis told as: %v\nwant %s", x.new, err, x.want)
			continue
		}
		var bad *datafile.Error
		if errors.As(err, &bad) {
			for _, p := range bad.Findings {
				if p.Line == 0 {
					t.Errorf("%s: %s has no place", x.new, p.Text)
				}
			}
		}
	}
}

// RX-4: all of them at once, in the order of the file.
func TestManyMistakesAtOnce(t *testing.T) {
	text := whole
	for _, x := range [][2]string{
		{"company: company,", "company: compny,"}, {"to: LATER", "to: LATTER"}, {"by: provider, else", "by: me, else"},
		{"{mentions: cost}", "{mentions: kost}"}, {"fallback: back", "fallbak: back"},
	} {
		text = strings.Replace(text, x[0], x[1], 1)
	}
	d, problems := definition.Read([]byte(text))
	var told strings.Builder
	for i, p := range problems {
		fmt.Fprintln(&told, p.Text)
		if i > 0 && p.Line < problems[i-1].Line {
			t.Errorf("line %d comes after line %d", p.Line, problems[i-1].Line)
		}
	}
	for _, want := range []string{"compny", "LATTER", `evaluator "me"`, "kost", `unknown key "fallbak"; did you mean "fallback"?`, "stands in for the expert"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q is not told in\n%s", want, told.String())
		}
	}
	if d == nil || len(d.Stages) != 5 {
		t.Errorf("what can be read was not: %v", d)
	}
}

// RX-4: every stage can be reached, and left by time alone: the shipped kinds show it, as do these ways.
func TestWaysThatLeadPast(t *testing.T) {
	text := strings.Replace(whole, "{when: {slot: role}, to: LATER}", "{when: {slot: role}, to: END}\n      - {to: LATER}", 1)
	_, err := definition.Parse("whole.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "stage PHASES can never be reached") || strings.Contains(err.Error(), "LATER can never") {
		t.Errorf("got %v", err)
	}
}

func TestNamesForValues(t *testing.T) {
	d, err := definition.Parse("n.yaml", []byte(`kind: names
title: Names
locales: [en]
stages:
  - id: A
    prompts: &words {open: a, ack: ok}
    done: {turns: 1}
    limits: &limits {hard: 60s, grace: 5s}
    no_input: &ladder [{after: 10s, do: advance}]
  - id: B
    prompts: {<<: *words, open: b}
    done: {turns: 1}
    limits: {<<: *limits, hard: 90s}
    no_input: *ladder
  - {id: C, final: true, prompts: *words}
`))
	if err != nil {
		t.Fatal(err)
	}
	b := d.Stages[1]
	if b.Prompts.Open != "b" || b.Prompts.Ack != "ok" || b.Limits.Hard.Std().Seconds() != 90 || b.Limits.Grace.Std().Seconds() != 5 || len(b.NoInput) != 1 {
		t.Errorf("%+v", b)
	}
	if d.Stages[0].Prompts.Open != "a" || d.Stages[2].Prompts.Open != "a" {
		t.Error("a name changed what it stands for")
	}
}

// A small file cannot stand for a huge one, nor for itself.
func TestNamesThatNest(t *testing.T) {
	text := "kind: bomb\nstages:\n  - id: A\n    next:\n"
	guard := "{turns: 1}"
	for i := range 24 {
		text += fmt.Sprintf("      - {to: B, when: {any: [&g%d {any: [%s, %s]}]}}\n", i, guard, guard)
		guard = fmt.Sprintf("*g%d", i)
	}
	if _, err := definition.Parse("bomb.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "do not nest names") {
		t.Errorf("got %.300v", err)
	}
	if _, err := definition.Parse("self.yaml", []byte("kind: self\nstages: [{id: A, done: &g {not: *g}}]\n")); err == nil || !strings.Contains(err.Error(), "*g stands for") {
		t.Errorf("got %v", err)
	}
}
