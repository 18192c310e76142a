package engine_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// designYAML is a small system-design interview; the placeholders take more keys of the design stage and of its gate.
const designYAML = `
kind: design_test
title: Design
locales: [en]
vars:
  company: {default: ""}
  interview_question: {default: Design a parking garage.}
provider: {type: system_design, company: company, question: interview_question, wait: 8s}
recovery: {hold: 1500ms, hold_prompt: wait, sorry: sorry}
stages:
  - id: routing
    title: Welcome
    prompts: {open: routing.open}
    done: {turns: 1}
    limits: {hard: 60s}
  - id: intro
    title: Introduction
    prompts: {open: intro.open, bridge: intro.bridge}
    done: {turns: 1}
    limits: {hard: 60s}
  - id: design
    title: Design
    limits: {hard: 40m}
    stages:
      - id: part
        title: Design
        expand: phases
        prompts: {open: design.open, bridge: design.bridge, forced: design.forced, more: design.more, ack: ack}
        single: {open: single.open, more: design.more}
        hints: [hint.1, hint.2]
        gate: {by: provider, hold_prompt: gate.hold, passed: gate.passed, continue: gate.continue, GATE}
        skip: {rule: forward, refuse: skip.refuse, allow: skip.allow, SKIP}
        done: {decision: next_phase}
        limits: {soft: 6m, hard: 9m, followups: 40}
        no_input: [{after: 20s, do: reprompt}, {after: 40s, do: simplify}, {after: 10m, do: advance}]
  - id: closing
    title: Closing
    prompts: {open: closing.open, bridge: closing.bridge}
    done: {turns: 1}
    limits: {hard: 60s}
  - id: done
    title: Goodbye
    final: true
    prompts: {open: bye}
`

const designWords = `
routing.open: {say: ["Welcome. Shall we start?"]}
intro.bridge: {say: ["Fine."]}
intro.open: {say: ["What do you build?"]}
design.bridge: {say: ["Now to {{.Phase.Name}}.", "Next is {{.Phase.Name}}."]}
design.forced: {say: ["Time is up, on to {{.Phase.Name}}."]}
design.open: {say: ["{{if .Phase.First}}{{.Question}} {{end}}What about {{.Phase.Name}}?"], reprompt: ["Any thought on {{.Phase.Name}}?"], simple: ["One small thing about {{.Phase.Name}}?"]}
single.open: {say: ["{{.Question}} How would you go about it?"]}
design.more: {say: ["What else?", "Why that?", "What comes next?", "Any risk?", "How large?", "What would fail?", "Who uses it?", "What is missing?", "And then?"]}
ack: {say: ["I see."]}
hint.1: {say: ["Think of the busiest minute."]}
hint.2: {say: ["What about {{.Gap}}?"]}
gate.hold: {say: ["One moment, I am thinking about it."]}
gate.passed: {say: ["That covers {{.Phase.Name}}."]}
gate.continue: {say: ["Good so far. What about {{.Gap}}?"]}
skip.refuse: {say: ["This part matters. Let us spend two minutes on it."]}
skip.allow: {say: ["All right, we leave that out."]}
wait: {say: ["Just a second."]}
sorry: {say: ["I lost my thread. Please go on."]}
closing.bridge: {say: ["Thank you for the design."]}
closing.open: {say: ["What would you improve?"]}
bye: {say: ["Goodbye."]}
`

// design compiles the interview with more keys for its gate and its skip rule.
func design(t testing.TB, gate, skip string) *engine.Interview {
	t.Helper()
	text := strings.NewReplacer(", GATE", comma(gate), ", SKIP", comma(skip)).Replace(designYAML)
	return compile(t, text, designWords)
}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

func words(phrases ...string) []state.Keyword {
	var out []state.Keyword
	for _, p := range phrases {
		out = append(out, state.Keyword{Phrase: p})
	}
	return out
}

// three are sub-phases of a company of ours: nothing in the engine assumes five, or certain ids (R000-66).
func three() []state.Phase {
	return []state.Phase{
		{ID: "scope", Name: "Scope", Description: "What it is for.", Keywords: words("users", "cars", "gates", "payment", "reservations")},
		{ID: "data", Name: "Data", Description: "What is stored.", Keywords: words("table", "index", "replica")},
		{ID: "shape", Name: "Shape", Description: "What it is made of.", Keywords: words("cache", "queue", "service")},
	}
}

// provide serves the sub-phases and the question, as a company that judges by the engine's rules, or by itself.
func provide(t testing.TB, phases []state.Phase, local bool) func(engine.Run) (engine.TaskDone, bool) {
	return func(r engine.Run) (engine.TaskDone, bool) {
		switch r.Kind {
		case engine.TaskPhases:
			return (&chat{t: t}).done(r, engine.Phases{Phases: phases, Source: "acme", Local: local}), true
		case engine.TaskQuestion:
			return (&chat{t: t}).done(r, engine.Question{Question: "Design a car park."}), true
		}
		return engine.TaskDone{}, false
	}
}

// inDesign is a talk that has reached the first sub-phase.
func inDesign(t testing.TB, iv *engine.Interview, local, model bool) *chat {
	t.Helper()
	c := newChat(t, iv)
	c.serve = provide(t, three(), local)
	c.start(engine.Started{Model: model, Candidate: state.Candidate{Name: "Ada Lovelace"}, Vars: map[string]string{"company": "acme"}})
	c.tell("Yes, please.")
	c.tell("I build billing systems.")
	if c.u.Stage != "part" || c.u.Current().Item != "scope" {
		t.Fatalf("in %v", c.visits())
	}
	return c
}

const (
	scopeWords = "Ten thousand users with cars at four gates, payment by card, and reservations ahead."
	dataWords  = "One table for spots, an index on the plate, and a replica for reports."
	shapeWords = "A cache before it, a queue for payments, and one service per floor."
	vague      = "I would think about it for a while and then decide."
)

func evaluation(decision string, score float64, gaps ...string) evaluate.Evaluation {
	return evaluate.Evaluation{Status: evaluate.StatusOK, Decision: decision, Score: score, Min: 0, Max: 10, Gaps: gaps, By: "acme"}
}
