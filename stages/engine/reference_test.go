package engine_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
)

// RX-8: a stage is gated by the two-stage evaluator, with its right answer; without a model its own rules judge, and where the
// model fails as well. What is missing is asked for, and the answer itself is not told (RX-20).
func TestTwoStageGate(t *testing.T) {
	def := strings.NewReplacer("REPORT\n", "", "done: {turns: 9}", "gate: {by: BY, pass: 0.9, continue: gap}\n    reference: O(n log n)\n    done: {decision: next_phase}",
		"criteria: [{phrase: latency}]\n", "\n").Replace(silentYAML)
	words := silentWords + "gap: {say: [\"What about {{.Gap}}?\", \"And {{.Gap}}?\", \"Also {{.Gap}}?\"]}\n"
	const good = "The input is an array of n integers. I keep a heap as the state. Each step pushes one element and pops the smallest. " +
		"There are at most ten thousand elements. Therefore the complexity is O(n log n)."
	for _, by := range []string{"two_stage", "classification"} {
		c := newChat(t, compile(t, strings.Replace(def, "BY", by, 1), words)).start(engine.Started{})
		c.hear()
		c.tell("I would sort it somehow, and that is all.")
		c.tell("Perhaps with a loop in a loop, so O(n^2).")
		if len(c.u.Evaluations) == 0 || c.u.Stage != "FIRST" {
			t.Fatalf("%s: in %s, judged %d times", by, c.u.Stage, len(c.u.Evaluations))
		}
		if e := c.u.Evaluations[0]; e.By != by || e.Decision != evaluate.DecisionContinue || e.Status != evaluate.StatusOK {
			t.Errorf("%s: %+v", by, e)
		}
		c.tell(good)
		c.tell("So that is what it takes, I think.")
		if c.u.Stage != "SECOND" {
			t.Errorf("%s: the right answer did not pass: %+v", by, c.u.Evaluations)
		}
		for _, say := range c.says {
			if strings.Contains(say.Text, "log") {
				t.Errorf("%s: said %q", by, say.Text)
			}
		}
		c.whole()
	}
	c := newChat(t, compile(t, strings.Replace(def, "BY", "two_stage", 1), words)).start(engine.Started{Model: true})
	c.hear()
	c.u.Current().Missed = 2 // it did not lead when it should have, twice: the rules lead
	c.tell("I would sort it somehow.")
	c.tell(good)
	if len(c.runs) == 0 || c.runs[0].Evaluator != "two_stage" || c.runs[0].Item.Reference != "O(n log n)" {
		t.Fatalf("%+v", c.runs)
	}
	if q, err := c.runs[0].Question(); err != nil || q.Name == "" {
		t.Errorf("nobody can be asked: %v", err)
	}
	c.send(engine.TaskDone{Task: c.runs[0].Task, Visit: c.u.Visit, Failed: "503"})
	if e := c.u.Evaluations[0]; e.By != "two_stage" || e.Status != evaluate.StatusDegraded || e.Decision != evaluate.DecisionNext {
		t.Errorf("%+v", e)
	}
}

// R004-65b: the right answer may be the problem's own complexity.
func TestReferenceOfTheProblem(t *testing.T) {
	def := strings.NewReplacer("KEYS", coachKeys, "stages:\n", "evaluations: [{id: cost, on: stage, by: classification, reference: problem.complexity}]\nstages:\n").Replace(coachYAML)
	c := newChat(t, compile(t, def, coachWords, engine.WithExperts(newCast().registry(t)), engine.WithProblems(tasks(t)))).start(engine.Started{})
	c.hear()
	c.tell(understood)
	c.send(engine.Gone{})
	p := c.iv.Problem(c.u.Problem)
	if len(c.judges) == 0 || p == nil || c.judges[0].Item.Reference != p.Complexity.String() || c.judges[0].Item.Question == "" {
		t.Errorf("%+v", c.judges)
	}
}
