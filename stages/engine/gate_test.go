package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
)

// judging is the run of a company that judges by itself.
func judging(c *chat) engine.Run {
	c.t.Helper()
	for i := len(c.runs) - 1; i >= 0; i-- {
		if c.runs[i].Kind == engine.TaskEvaluate {
			return c.runs[i]
		}
	}
	c.t.Fatalf("nobody was asked to judge: %+v", c.runs)
	return engine.Run{}
}

// remote is a talk with a company that judges by itself, which has just been asked.
func remote(t *testing.T) *chat {
	t.Helper()
	c := inDesign(t, design(t, "", ""), false, false)
	c.tell(vague)
	c.tell("Users and cars.")
	return c
}

// R000-42, R000-43, R000-44: the judge gets the sub-phase's id and what both sides said since it was entered, in order,
// and nothing of the sub-phases before.
func TestJudgeGetsThisSubPhaseOnly(t *testing.T) {
	c := remote(t)
	done := c.done(judging(c), evaluation(evaluate.DecisionNext, 9))
	c.send(done)
	c.tell("A table, I suppose.")
	c.tell("And an index.")
	r := judging(c)
	it := r.Item
	if it.PhaseID != "data" || it.PhaseName != "Data" || r.Evaluator != "provider" || r.Company != "acme" || r.InterviewType != "system_design" {
		t.Errorf("%+v", r)
	}
	var said []string
	for _, turn := range it.Turns {
		said = append(said, turn.Role+": "+turn.Content)
	}
	want := []string{
		"agent: That covers Scope. Next is Data. What about Data?", "user: A table, I suppose.",
		"agent: I see. Why that?", "user: And an index.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	it.Criteria[0].Phrase = "scribbled"
	if c.u.SubPhases.Items[1].Keywords[0].Phrase != "table" {
		t.Error("the judge shares memory with the state")
	}
}

// R000-24, R000-45, R000-46, R000-47, R000-49, R000-50: a pass finishes the sub-phase once, and goes on by exactly one.
func TestPass(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	for i, step := range []struct{ words, next string }{
		{scopeWords, "data"}, {"A table and an index, no more.", "shape"}, {shapeWords, ""},
	} {
		c.tell("I would think about part " + string(rune('a'+i)) + " of it.")
		c.tell(step.words)
		if c.u.Current().Item != step.next || c.u.SubPhases.Complete != (step.next == "") {
			t.Errorf("in %v, complete %v", c.visits(), c.u.SubPhases.Complete)
		}
	}
	if c.u.Stage != "closing" || engine.Keys(c.u)["interview_phase"] != "closing" {
		t.Errorf("in %s", c.u.Stage)
	}
	for i, r := range c.u.Evaluations {
		if r.Stage != "part" || r.Item != three()[i].ID || r.Attempt != 1 || r.Decision != "next_phase" || r.Evaluation == nil {
			t.Errorf("kept %+v", r)
		}
	}
	c.whole()
}

// R000-51, R000-52: a refusal changes no phase, and the gaps are asked for next.
func TestRefusal(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	before := c.u.SubPhases
	c.tell(vague)
	if said := c.tell("Users and cars, of course."); said.Text != "I see. Good so far. What about payment?" {
		t.Errorf("asked %q", said.Text)
	}
	if diff := cmp.Diff(before, c.u.SubPhases); diff != "" || c.u.Current().Item != "scope" {
		t.Error(c.visits(), diff)
	}
	c.whole()
}

// R000-53: the same answer of a judge twice, and the deadline at the same moment, in any order.
func TestJudgementAndDeadlineRace(t *testing.T) {
	pass := evaluation(evaluate.DecisionNext, 8)
	for name, order := range map[string][]string{
		"twice": {"pass", "pass"}, "timer first": {"timer", "pass"}, "timer last": {"pass", "timer"}, "all": {"pass", "timer", "pass"},
	} {
		c := remote(t)
		done := c.done(judging(c), pass)
		timer := c.u.Timers[engine.TimerDeadline]
		for _, what := range order {
			switch what {
			case "pass":
				c.send(done)
			case "timer":
				c.send(engine.TimerFired{Name: engine.TimerDeadline, ID: timer.ID, Visit: timer.Visit})
			}
		}
		e := c.u.SubPhases
		if e.Index != 1 || len(e.Completed)+len(e.Unfinished) != 1 || c.u.Current().Item != "data" {
			t.Errorf("%s: in %v: %+v", name, c.visits(), e)
		}
		c.hear().whole()
	}
}

// R000-54: what a judge says outside its scale is clamped and flagged, an unknown decision means to go on.
func TestOddJudgement(t *testing.T) {
	c := remote(t)
	raw := json.RawMessage(`{"decision":"promote","score":42}`)
	c.send(engine.TaskDone{Task: judging(c).Task, Visit: c.u.Visit, Result: raw})
	r := c.u.Evaluations[0]
	var kept evaluate.Evaluation
	if err := json.Unmarshal(r.Evaluation, &kept); err != nil {
		t.Fatal(err)
	}
	if r.Decision != "continue" || r.Score != 10 || len(kept.Flags) != 2 || kept.Gaps == nil || c.u.Current().Item != "scope" {
		t.Errorf("kept %+v", kept)
	}
}

// R000-55, R000-69, R003-84: after two seconds the candidate hears a word, after eight the rules decide, marked as degraded; the
// judge's own answer is then too late.
func TestSlowJudge(t *testing.T) {
	c := remote(t)
	r := judging(c)
	if r.Budget != 8*time.Second {
		t.Errorf("budget %s", r.Budget)
	}
	said := len(c.says)
	c.pass(1900 * time.Millisecond)
	if len(c.says) != said {
		t.Errorf("said %q too early", c.last().Text)
	}
	c.pass(200 * time.Millisecond)
	if c.last().Move != engine.MoveHold || c.last().Text != "One moment, I am thinking about it." {
		t.Errorf("said %+v", c.last())
	}
	c.pass(6 * time.Second)
	e := c.u.Evaluations[0]
	if e.Status != evaluate.StatusDegraded || e.By != evaluate.KeywordCoverage || e.Decision != "continue" {
		t.Errorf("judged %+v", e)
	}
	if len(c.cancels) != 1 || c.cancels[0].Task != r.Task || !strings.Contains(c.last().Text, "Good so far. What about") {
		t.Errorf("cancelled %v, said %q", c.cancels, c.last().Text)
	}
	before := asJSON(t, c.u)
	c.send(c.done(r, evaluation(evaluate.DecisionNext, 10)))
	if asJSON(t, c.u) != before {
		t.Error("a late judgement changed the interview")
	}
	c.whole()
}

// R000-69: failure and nonsense of a remote company are replaced by the rules' judgement.
func TestFailedJudge(t *testing.T) {
	for name, done := range map[string]engine.TaskDone{
		"failed": {Failed: "503"}, "nonsense": {Result: json.RawMessage(`"yes"`)}, "failed inside": {Result: json.RawMessage(`{"status":"failed"}`)},
	} {
		c := remote(t)
		done.Task, done.Visit = judging(c).Task, c.u.Visit
		c.send(done)
		if e := c.u.Evaluations[0]; e.Status != evaluate.StatusDegraded || e.By != evaluate.KeywordCoverage || c.u.Floor.Utterance == 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	c := remote(t)
	done := c.done(judging(c), evaluation(evaluate.DecisionNext, 7))
	done.Degraded = "another company answered"
	c.send(done)
	if e := c.u.Evaluations[0]; e.Status != evaluate.StatusDegraded || c.u.Current().Item != "data" {
		t.Errorf("%+v", e)
	}
}

// R003-84: who speaks on while a judgement is made has it made anew, of all that was said; a cough has it made anew, too.
func TestSpeechCancelsTheJudgement(t *testing.T) {
	c := remote(t)
	first := judging(c)
	c.send(engine.SpeechStarted{})
	c.send(engine.SpeechStopped{})
	c.send(engine.NoWords{})
	second := judging(c)
	if len(c.cancels) != 1 || second.Task == first.Task {
		t.Fatalf("cancelled %v, asked %+v", c.cancels, second)
	}
	c.tell("And gates, and payment.")
	third := judging(c)
	if last := third.Item.Turns[len(third.Item.Turns)-1].Content; third.Task == second.Task || last != "And gates, and payment." {
		t.Errorf("judged up to %q", last)
	}
	c.send(c.done(third, evaluation(evaluate.DecisionNext, 8)))
	if c.u.Current().Item != "data" || len(c.u.Evaluations) != 1 {
		t.Errorf("in %v: %+v", c.visits(), c.u.Evaluations)
	}
	c.whole()
}

// A judgement that comes while the candidate is being asked for patience waits for the end of that sentence.
func TestJudgementWaitsForTheHoldPhrase(t *testing.T) {
	c := remote(t)
	hold := c.u.Timers[engine.TimerHold]
	c.send(engine.TimerFired{Name: engine.TimerHold, ID: hold.ID, Visit: hold.Visit})
	c.send(engine.VoiceStarted{Utterance: c.u.Floor.Utterance})
	c.send(c.done(judging(c), evaluation(evaluate.DecisionNext, 8)))
	if c.u.Current().Item != "scope" {
		t.Error("cut in on itself")
	}
	c.hear()
	if c.u.Current().Item != "data" {
		t.Errorf("in %v", c.visits())
	}
	c.whole()
}

// R000-87: the third failed judgement goes on. The one that comes by itself after two turns is no
// attempt yet: nobody is rushed through.
func TestAttemptsExhausted(t *testing.T) {
	c := remote(t)
	for i, score := range []float64{2, 3, 5, 4} {
		c.send(c.done(judging(c), evaluation(evaluate.DecisionContinue, score, "gates")))
		if v := c.u.Current(); score != 4 && v.Attempts != i {
			t.Errorf("%d turns, %d attempts", v.Turns, v.Attempts)
		}
		if score != 4 {
			c.tell("Hm, perhaps more of that.")
			c.tell("Or perhaps a little of both.")
		}
	}
	v := c.u.Visits[2]
	if v.Reason != engine.ReasonAttempts || v.Attempts != 3 {
		t.Errorf("left by %q after %d attempts", v.Reason, v.Attempts)
	}
	if e := c.u.SubPhases; e.Index != 1 || !slices.Equal(e.Unfinished, []string{"scope"}) || len(e.Completed) != 0 {
		t.Errorf("%+v", e)
	}
	var attempts []int
	for _, r := range c.u.Evaluations {
		attempts = append(attempts, r.Attempt)
	}
	if !slices.Equal(attempts, []int{1, 2, 3, 4}) {
		t.Errorf("kept %v", attempts)
	}
	c.hear().whole()
}

// R000-87: judgements that come on their own use up attempts too, but not at once: a weak candidate is not kept until the time is up.
func TestJudgementsThatNobodyAskedFor(t *testing.T) {
	c, first := inDesign(t, design(t, "", ""), true, false), 0
	for c.u.Current().Item == "scope" && len(c.u.Turns) < 60 {
		v := c.u.Current()
		if c.tell("I would think about part " + string(rune('a'+v.Turns)) + " of it."); first == 0 && c.u.Current().Attempts > 0 {
			first = c.u.Current().Turns
		}
	}
	if v := c.u.Visits[2]; v.Item != "scope" || v.Reason != engine.ReasonAttempts || v.Attempts != 3 || first != 4 || v.Turns != 8 {
		t.Errorf("left by %q after %d attempts from turn %d to %d", v.Reason, v.Attempts, first, v.Turns)
	}
	if at := c.now.Duration(); at > 5*time.Minute {
		t.Errorf("it took %v", at)
	}
}
