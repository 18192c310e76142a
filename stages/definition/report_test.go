package definition_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
)

// judged is an interview with everything that is judged, reported, recorded and chosen.
const judged = `kind: judged
title: Judged
locales: [en]
vars:
  answer: {default: O(n)}
problems: {set: algorithm}
experts: [Menu, Asker]
fields: {persona: {type: text}}
evaluations:
  - {id: answers, by: llm_rubric, rubric: star, stages: [ASK], pass: 0.6, budget: 20s, attempts: 2}
  - {id: parts, on: stage, by: two_stage, stages: [COST]}
  - {id: right, on: stage, by: classification, reference: var.answer}
report: {wait: 20s, spoken: false, sections: [averages, provenance], questions: 5}
recording: {stage: COST, slot: consent, value: "yes", notice: rec}
personas: {menu: MENU, questions: ASK, count: 5}
stages:
  - id: MENU
    responder: experts
    prompts: {open: open}
    fallback: back
    done: {field: persona}
    limits: {hard: 60s}
  - id: ASK
    responder: experts
    prompts: {open: open}
    fallback: back
    done: {flag: asked}
    limits: {hard: 60s}
  - id: GROUP
    stages:
      - id: COST
        prompts: {open: open}
        reference: problem.complexity
        slots: [{id: consent, ask: ask}]
        gate: {by: two_stage, else: classification}
        done: {turns: 1}
        limits: {hard: 60s}
  - id: TELL
    responder: report
    prompts: {open: tell}
    fallback: late
  - {id: END, final: true, prompts: {open: bye}}
`

func problemsOf(t *testing.T, text string) string {
	t.Helper()
	_, err := definition.Parse("judged.yaml", []byte(text))
	var e *datafile.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// RX-7, RX-8, R002-48, R004-65b: what is judged and reported is checked before any call, with its place, and with what was meant.
func TestMistakesInWhatIsJudgedAndReported(t *testing.T) {
	if got := problemsOf(t, judged); got != "" {
		t.Fatal(got)
	}
	for _, x := range []struct{ old, new, want string }{
		{"id: answers,", "id: 'An swers',", `10:6: evaluations[0].id: "An swers" must be a lower-case name`},
		{"id: parts,", "id: answers,", `11:6: evaluations[1].id: the id "answers" is there twice`},
		{"on: stage, by: two_stage", "on: stages, by: two_stage", `unknown occasion "stages": there are answer, stage; did you mean "stage"?`},
		{"by: llm_rubric,", "by: llm_rubrik,", `evaluations[0].by: unknown evaluator "llm_rubrik": there are checklist, `},
		{"by: llm_rubric,", "by: llm_rubrik,", `did you mean "llm_rubric"?`},
		{"by: llm_rubric,", "by: provider,", `evaluations[0].by: unknown evaluator "provider": there are checklist, `},
		{"pass: 0.6,", "pass: 6,", "evaluations[0].pass: 6 is no share between 0 and 1"},
		{"budget: 20s,", "budget: -20s,", "evaluations[0].budget: it cannot be negative"},
		{"attempts: 2", "attempts: 11", "evaluations[0].attempts: between 1 and 10; left out, it is 3"},
		{"stages: [ASK]", "stages: [ASC]", `10:58: evaluations[0].stages[0]: unknown stage "ASC": there are MENU, ASK, COST, TELL, END; did you mean "ASK"?`},
		{"stages: [ASK]", "stages: [GROUP]", "GROUP is a group: name a stage in it, such as COST"},
		{"stages: [ASK]", "stages: [ASK, ASK]", `evaluations[0].stages[1]: stage "ASK" is there twice`},
		{"stages: [ASK]", "stages: [END]", "there is nothing to judge in stage END"},
		{"stages: [ASK]", "stages: [TELL]", "there is nothing to judge in stage TELL"},
		{"stages: [COST]", "stages: [COST, ASK]", "evaluations[1].stages[1]: two_stage compares with a right answer: give stage ASK a reference"},
		{"reference: var.answer", "reference: var.anser", `evaluations[2].reference: unknown variable "anser": there are answer; did you mean "answer"?`},
		{"        reference: problem.complexity\n", "", "the gate of stage COST compares with a right answer: give the stage a reference"},
		{"        reference: problem.complexity\n", "", "two_stage compares with a right answer: give stage COST a reference"},
		{"problem.complexity", "problem.pattern", `stages[2].stages[0].reference: "problem.pattern" is no right answer of a problem: there is problem.complexity`},
		{"problems: {set: algorithm}", "", "problem.complexity needs problems: name a set of them"},
		{"wait: 20s", "wait: -20s", "report.wait: it cannot be negative"},
		{"wait: 20s", "wait: 11m", "report.wait: nobody waits longer than 10m for a report"},
		{"sections: [averages,", "sections: [average,", `report.sections[0]: unknown section "average"`},
		{"[averages, provenance]", "[averages, averages]", `report.sections[1]: section "averages" is there twice`},
		{"questions: 5}", "questions: -5}", "report.questions: it cannot be negative"},
		{"report: {wait: 20s, spoken: false, sections: [averages, provenance], questions: 5}", "", "stages[3].responder: stage TELL tells the report, but none is made: say how under report"},
		{"prompts: {open: tell}", "turn: brisk", "stage TELL has no words to open with"},
		{"    fallback: late\n", "", "stages[3].fallback: name the prompt that says that the report will follow"},
		{"fallback: late\n", "fallback: late\n  - {id: AGAIN, responder: report, prompts: {open: tell}, fallback: late}\n", "stages[4].responder: stage TELL tells the report already: there is one report"},
		{"  - {id: END, final: true, prompts: {open: bye}}\n", "", "the last stage, TELL, must be final: true"},
		{"id: END, final: true,", "id: END, final: true, responder: report,", "the goodbye cannot wait for the report"},
		{"fallback: late", "fallback: late\n    limits: {hard: 20s}", "stages[3].limits.hard: the wait for the report alone is 25s"},
		{"fallback: late", "fallback: late\n    done: {turns: 1}", "stages[3].done: stage TELL waits for the report and asks nothing: leave done out"},
		{"fallback: late", "fallback: late\n    no_input: [{after: 9s, do: advance}]", "leave no_input out"},
		{"fallback: late", "fallback: late\n    gate: {by: keyword_coverage}", "leave gate out"},
		{"slot: consent", "slot: consnt", `recording.slot: stage COST has no slot "consnt"; did you mean "consent"?`},
		{"stage: COST, slot", "stage: COTS, slot", `recording.stage: unknown stage "COTS"`},
		{"stage: COST, slot: consent,", "stage: COST,", "say which slot of stage COST holds the consent"},
		{"stage: COST, slot: consent,", "slot: consent,", "say in which stage the slot consent asks for consent"},
		{"menu: MENU", "menu: MENUE", `personas.menu: unknown stage "MENUE"`},
		{"menu: MENU, questions: ASK", "menu: ASK, questions: MENU", "the persona is chosen before it asks: stage ASK does not come before MENU"},
		{"questions: ASK, count: 5", "questions: COST, count: 5", "personas.questions: personas are experts: give stage COST responder: experts"},
		{"questions: ASK, count: 5", "count: 5", "name the stage in which the persona asks"},
		{"count: 5", "count: -1", "personas.count: it cannot be negative"},
	} {
		text := strings.Replace(judged, x.old, x.new, 1)
		if text == judged {
			t.Fatalf("nothing to replace: %s", x.old)
		}
		if got := problemsOf(t, text); !strings.Contains(got, x.want) {
			t.Errorf("%s\nis told as: %s\nwant %s", x.new, got, x.want)
		}
	}
	all := problemsOf(t, strings.NewReplacer("id: parts", "id: answers", "stages: [ASK]", "stages: [ASC]", "sections: [averages,", "sections: [x,", "menu: MENU", "menu: X").Replace(judged))
	for _, want := range []string{"10:58: ", "11:6: ", "report.sections[0]", "personas.menu"} {
		if !strings.Contains(all, want) {
			t.Errorf("not all is told at once: %s lacks %s", all, want)
		}
	}
}

// RX-8: any stage may be gated by any evaluator that there is.
func TestAnyEvaluatorGates(t *testing.T) {
	for _, by := range definition.Evaluators {
		if by == definition.ByProvider {
			continue
		}
		text := strings.Replace(judged, "gate: {by: two_stage, else: classification}", "criteria: [{phrase: cost}]\n        gate: {by: "+by+"}", 1)
		if got := problemsOf(t, text); got != "" {
			t.Errorf("%s: %s", by, got)
		}
	}
}

func TestWhatAppliesWhere(t *testing.T) {
	d := parsed(t, judged)
	ids := func(on, stage string) string {
		var out []string
		for _, a := range d.Attached(on, d.Stage(stage)) {
			out = append(out, a.ID)
		}
		return strings.Join(out, " ")
	}
	for _, x := range []struct{ on, stage, want string }{
		{definition.OnAnswer, "ASK", "answers"}, {definition.OnAnswer, "MENU", ""}, {definition.OnStage, "ASK", "right"},
		{definition.OnStage, "COST", "parts right"}, {definition.OnStage, "TELL", ""}, {definition.OnStage, "END", ""},
	} {
		if got := ids(x.on, x.stage); got != x.want {
			t.Errorf("%s in %s: %q, want %q", x.on, x.stage, got, x.want)
		}
	}
	a, b := d.Evaluations[0], d.Evaluations[1]
	if a.Timeout() != 20*time.Second || a.Tries() != 2 || b.Timeout() != 30*time.Second || b.Tries() != 3 || b.From(d.Stage("COST")) != "problem.complexity" {
		t.Errorf("%+v, %+v", a, b)
	}
	if !slices.Contains(d.PromptIDs(), "rec") {
		t.Error("the notice of a recording is no prompt")
	}
	// A comparing evaluator without stages of its own applies where there is a right answer.
	loose := parsed(t, strings.Replace(judged, "by: two_stage, stages: [COST]", "by: two_stage", 1))
	if n := len(loose.Attached(definition.OnStage, loose.Stage("ASK"))); n != 1 {
		t.Errorf("%d attachments in a stage without a reference", n)
	}
}

// R002-48, R002-63: the wait for the report is part of how long the interview can last, and is drawn.
func TestWorstCaseCountsTheReport(t *testing.T) {
	d := parsed(t, judged)
	worst, bounded := d.WorstCase()
	// three stages of 60 s and 10 s grace; the report: 20 s wait, 5 s to make it, 60 s to tell it, 10 s grace
	if want := 3*70*time.Second + 95*time.Second; worst != want || !bounded {
		t.Errorf("%s, want %s", worst, want)
	}
	var none *definition.Report
	if none.Budget() != 35*time.Second || !none.Tells() || d.Report.Tells() {
		t.Errorf("%s", none.Budget())
	}
	longer := parsed(t, strings.Replace(judged, "wait: 20s", "wait: 30s", 1))
	if more, _ := longer.WorstCase(); more-worst != 10*time.Second {
		t.Errorf("a longer wait makes it %s", more)
	}
	own := parsed(t, strings.Replace(judged, "fallback: late", "fallback: late\n    limits: {hard: 40s, grace: 5s}", 1))
	if limited, _ := own.WorstCase(); limited != 3*70*time.Second+45*time.Second {
		t.Errorf("with a limit of its own: %s", limited)
	}
	graph := definition.Graph(d)
	for _, want := range []string{
		"at most 5m5s", "waits for the report, 25s at most", "judged in silence by llm_rubric: each answer", "judged in silence by two_stage: as a whole",
		`s_TELL -- "told" --> s_END`, "hard 1m25s + 10s",
	} {
		if !strings.Contains(graph, want) {
			t.Errorf("%q is not in\n%s", want, graph)
		}
	}
	if !strings.Contains(string(definition.SVG(d)), "waits for the report") {
		t.Error("the drawing does not show it")
	}
}
