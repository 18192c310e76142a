package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// R000-1, R000-4, R000-6, R000-16, R000-17, R000-18, R000-19, R000-20, R000-46, R000-47, R000-49, R000-75, R000-76: the
// whole way through routing, introduction, every sub-phase and closing, with the state at each step.
func TestDesignFromRoutingToDone(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	at := func(phase, sub string, idx int, completed []string, complete bool) {
		t.Helper()
		keys := engine.Keys(c.u)
		got := []any{keys["interview_phase"], keys["design_sub_phase"], keys["design_sub_phase_idx"], keys["design_phases_completed"], keys["design_complete"]}
		if diff := cmp.Diff([]any{phase, sub, idx, completed, complete}, got); diff != "" {
			t.Error(diff)
		}
	}
	at("design", "scope", 0, []string{}, false)
	c.tell(vague)
	c.tell(scopeWords)
	at("design", "data", 1, []string{"scope"}, false)
	c.tell(vague)
	c.tell(dataWords)
	at("design", "shape", 2, []string{"scope", "data"}, false)
	c.tell(vague)
	c.tell(shapeWords)
	at("closing", "shape", 2, []string{"scope", "data", "shape"}, true)
	c.tell("I would improve the payments.")
	c.hear()
	if c.ended != "done" {
		t.Errorf("ended %q", c.ended)
	}
	if diff := cmp.Diff([]string{"routing", "intro", "part/scope", "part/data", "part/shape", "closing", "done"}, c.visits()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(three(), engine.Keys(c.u)["design_phases"]); diff != "" {
		t.Errorf("the list is not as received: %s", diff)
	}
	c.whole()
}

// R000-2, R000-3, R000-21, R000-71: what is read before anything is known.
func TestKeysBeforeTheStart(t *testing.T) {
	want := map[string]any{
		"interview_phase": "routing", "company": "default", "routing_decision": map[string]any{"company": "default"},
		"candidate_name": "", "interview_question": "", "design_complete": false,
		"design_sub_phase": "problem_clarification", "design_sub_phase_idx": 0, "design_phases_completed": []string{},
	}
	if diff := cmp.Diff(want, engine.Keys(&state.UserData{})); diff != "" {
		t.Error(diff)
	}
	c := inDesign(t, design(t, "", ""), true, false)
	keys := engine.Keys(c.u)
	if keys["company"] != "acme" || keys["candidate_name"] != "Ada Lovelace" || keys["interview_question"] != "Design a car park." {
		t.Errorf("%v", keys)
	}
	list, _ := keys["design_phases"].([]state.Phase)
	list[0].Keywords[0].Phrase = "scribbled"
	if c.u.SubPhases.Items[0].Keywords[0].Phrase != "users" {
		t.Error("the keys share memory with the state")
	}
}

// R000-5, R000-37, R000-38, R000-39: phases and question are asked for by themselves, from the start, of the company and for the
// interview's type; until they are known nobody tells how long it takes.
func TestPhasesAreLoadedBeforeTheyAreNeeded(t *testing.T) {
	c := newChat(t, design(t, "", ""))
	c.start(engine.Started{})
	if len(c.runs) != 2 {
		t.Fatalf("asked %+v", c.runs)
	}
	if now := c.iv.Now(c.u); now.Minutes != 0 || now.Left != 0 {
		t.Errorf("%d minutes, %d left, before the parts are known", now.Minutes, now.Left)
	}
	for _, r := range c.runs {
		if r.Company != engine.DefaultCompany || r.InterviewType != "system_design" || r.Budget != 8*time.Second || r.Attempt != 1 {
			t.Errorf("%+v", r)
		}
		done, _ := provide(t, three(), true)(r)
		c.send(done)
	}
	c.tell("Yes, please.")
	c.tell("I build billing systems.")
	if said := c.last().Text; said != "Now to Scope. Design a car park. What about Scope?" {
		t.Errorf("said %q", said)
	}
	if diff := cmp.Diff(&state.SubPhases{Stage: "part", Items: three(), Company: "default", Source: "acme", Local: true}, c.u.SubPhases); diff != "" {
		t.Error(diff)
	}
	if got := c.fact("phases.loaded", "phases"); !slices.Equal(got, []any{3}) {
		t.Errorf("reported %v", got)
	}
	last := c.stages[len(c.stages)-1]
	if last.Item != "scope" || last.Title != "Scope" || last.Phase != 1 || last.Phases != 3 || last.Left != 9*time.Minute {
		t.Errorf("published %+v", last)
	}
}

// The company that the candidate names counts, and what was asked of another one before is forgotten.
func TestAnotherCompanyAsksAnew(t *testing.T) {
	text := strings.Replace(designYAML, "prompts: {open: intro.open, bridge: intro.bridge}",
		"prompts: {open: intro.open, bridge: intro.bridge}\n    slots: [{id: company, opening: true, opening_words: 1}]", 1)
	c := newChat(t, compile(t, strings.NewReplacer(", GATE", "", ", SKIP", "").Replace(text), designWords))
	c.serve = provide(t, three(), true)
	c.start(engine.Started{})
	c.tell("Yes, please.")
	c.tell("Big Corp")
	var asked []string
	for _, r := range c.runs {
		if r.Kind == engine.TaskPhases {
			asked = append(asked, r.Company)
		}
	}
	if !slices.Equal(asked, []string{"default", "big_corp"}) || c.u.SubPhases.Company != "big_corp" || c.u.Current().Item != "scope" {
		t.Errorf("asked %v, in %v", asked, c.visits())
	}
}

// A provider that is slow is waited for with a word, and at most for its time; then the design is held as one talk.
func TestSlowProvider(t *testing.T) {
	begin := func() *chat {
		c := newChat(t, design(t, "", ""))
		c.start(engine.Started{})
		c.tell("Yes, please.")
		c.tell("I build billing systems.")
		if c.u.Stage != "part" || c.u.Current().Opened {
			t.Fatalf("%+v", c.u.Current())
		}
		return c
	}
	c := begin()
	c.pass(2 * time.Second)
	if c.last().Move != engine.MoveHold {
		t.Errorf("said %+v", c.last())
	}
	if said := c.tell("Hello?"); said.Text != "" {
		t.Errorf("answered %q before it knew what to ask", said.Text)
	}
	for _, r := range c.runs {
		done, _ := provide(t, three(), true)(r)
		c.send(done)
	}
	c.hear()
	if c.u.Current().Item != "scope" || !strings.Contains(c.last().Text, "What about Scope?") {
		t.Errorf("in %v, said %q", c.visits(), c.last().Text)
	}
	c.whole()

	c = begin()
	c.pass(9 * time.Second)
	if !c.u.Current().Single || c.last().Text != "Design a parking garage. How would you go about it?" || len(c.cancels) != 2 {
		t.Errorf("said %q, cancelled %v", c.last().Text, c.cancels)
	}
	for _, r := range c.runs { // too late
		before := asJSON(t, c.u)
		done, _ := provide(t, three(), true)(r)
		c.send(done)
		if asJSON(t, c.u) != before {
			t.Error("a late answer changed the interview")
		}
	}
}

// R000-5, R000-27, R000-40, R000-70, R000-71: without sub-phases the design is one talk with its own words.
func TestSinglePhase(t *testing.T) {
	for name, phases := range map[string][]state.Phase{"none": nil, "without ids": {{Name: "Nameless"}}} {
		c := newChat(t, design(t, "", ""))
		c.serve = provide(t, phases, true)
		c.start(engine.Started{})
		c.tell("Yes, please.")
		c.tell("I build billing systems.")
		if c.last().Text != "Design a car park. How would you go about it?" || c.u.SubPhases != nil {
			t.Fatalf("%s: %q", name, c.last().Text)
		}
		if _, there := engine.Keys(c.u)["design_phases"]; there {
			t.Errorf("%s: there are sub-phases", name)
		}
		c.whole()
	}
}

// R000-25, R000-26, R000-28, R000-30: what a model is told is made anew from the state: of the sub-phase on the floor, of the first one where
// the id is unknown, and of the stage elsewhere.
func TestTheBriefFollowsTheState(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	told := func(stage, item, want string) {
		t.Helper()
		u := c.u.Clone()
		u.Stage, u.Current().Stage, u.Current().Item = stage, stage, item
		lines, err := engine.Lead{}.As(c.iv, u).Request(false)
		if err != nil {
			t.Fatal(err)
		}
		last := lines[len(lines)-1].Text
		for _, want := range []string{want, "modelled on acme"} {
			if !strings.Contains(last, want) {
				t.Errorf("in %s %s it is not told %q:\n%s", stage, item, want, last)
			}
		}
	}
	told("part", "scope", "Now: scope \"Scope\"")
	told("part", "data", "Now: data \"Data\"")
	told("part", "nowhere", "Now: scope \"Scope\"")
	told("closing", "", "Now: closing \"Closing\"")
}

// R000-22, R000-74: another session begins at the first sub-phase with nothing of the one before, and a journal brings a
// session back to where it was.
func TestSessionsDoNotLeak(t *testing.T) {
	iv := design(t, "", "")
	c := inDesign(t, iv, true, false)
	c.tell(vague)
	c.tell(scopeWords)
	back, err := iv.Fold(c.entries)
	if err != nil {
		t.Fatal(err)
	}
	if back.SubPhases.Index != 1 || !slices.Equal(back.SubPhases.Completed, []string{"scope"}) || len(back.Evaluations) != 1 {
		t.Errorf("came back as %+v", back.SubPhases)
	}
	other := inDesign(t, iv, true, false)
	if e := other.u.SubPhases; e.Index != 0 || len(e.Completed)+len(e.Skipped)+len(e.Unfinished) != 0 || len(other.u.Evaluations) != 0 {
		t.Errorf("leaked %+v", e)
	}
}

// R000-23: the model that leads is told at any time which sub-phases are done, which is on, and which are to come.
func TestProgress(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	told := func(want ...string) {
		t.Helper()
		lines, err := engine.Lead{}.As(c.iv, c.u).Request(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if last := lines[len(lines)-1].Text; !strings.Contains(last, part) {
				t.Errorf("it is not told %q:\n%s", part, last)
			}
		}
	}
	told(`scope "Scope": now`, `data "Data": to come`, `shape "Shape": to come`)
	c.tell(vague)
	c.tell(scopeWords)
	told(`scope "Scope": done`, `data "Data": now`, `shape "Shape": to come`)
}

// R000-79: a sub-phase that the question does not need is left out by itself, and recorded as skipped.
func TestIrrelevantSubPhase(t *testing.T) {
	phases := three()
	phases[1].Irrelevant = true
	c := newChat(t, design(t, "", ""))
	c.serve = provide(t, phases, true)
	c.start(engine.Started{})
	c.tell("Yes, please.")
	c.tell("I build billing systems.")
	c.tell(vague)
	c.tell(scopeWords)
	c.tell(vague)
	c.tell(shapeWords)
	e := c.u.SubPhases
	if c.u.Stage != "closing" || !slices.Equal(e.Completed, []string{"scope", "shape"}) || !slices.Equal(e.Skipped, []string{"data"}) || !e.Complete {
		t.Errorf("in %v: %+v", c.visits(), e)
	}
	skipped := slices.IndexFunc(c.u.Evaluations, func(r state.EvaluationRecord) bool { return r.Item == "data" })
	if skipped < 0 || c.u.Evaluations[skipped].Status != "not_assessed" {
		t.Errorf("recorded %+v", c.u.Evaluations)
	}
	c.whole()
}

// R000-80: two sub-phases may be open together, each with its own coverage; both must pass.
func TestParallelSubPhases(t *testing.T) {
	c := inDesign(t, design(t, "", "parallel: [[scope, data]]"), true, false)
	c.tell(vague)
	c.tell(scopeWords + " " + dataWords)
	if diff := cmp.Diff([]string{"scope", "data"}, sorted(c.u.SubPhases.Completed)); diff != "" || c.u.Current().Item != "shape" {
		t.Errorf("in %v: %s", c.visits(), diff)
	}
	c = inDesign(t, design(t, "", "parallel: [[scope, data]]"), true, false)
	c.tell("One table for it, to begin with.")
	c.tell(scopeWords)
	if c.u.Current().Item != "data" || !slices.Equal(c.u.SubPhases.Completed, []string{"scope"}) {
		t.Fatalf("in %v", c.visits())
	}
	c.tell("And a replica.") // what was said about it before counts
	c.tell("That would be it for the data.")
	if c.u.Current().Item != "shape" {
		t.Errorf("in %v: %+v", c.visits(), c.u.Evaluations)
	}
	c.whole()
}

// R000-80: both are judged by the same gate: by its threshold, and, where a company judges by itself, the other one by the
// gate's stand-in, marked as such.
func TestParallelSubPhaseIsJudgedByTheGate(t *testing.T) {
	c := inDesign(t, design(t, "pass: 1", "parallel: [[scope, data]]"), true, false)
	c.tell(vague)
	c.tell(scopeWords + " One table and an index.") // two of three
	if !slices.Equal(c.u.SubPhases.Completed, []string{"scope"}) || c.u.Current().Item != "data" {
		t.Errorf("in %v: %v", c.visits(), c.u.SubPhases.Completed)
	}
	c = inDesign(t, design(t, "", "parallel: [[scope, data]]"), false, false)
	c.tell(vague)
	c.tell(scopeWords + " " + dataWords)
	c.send(c.done(judging(c), evaluation(evaluate.DecisionNext, 9)))
	last := c.u.Evaluations[len(c.u.Evaluations)-1]
	if c.u.Current().Item != "shape" || last.Item != "data" || last.Status != evaluate.StatusDegraded || last.By != evaluate.KeywordCoverage {
		t.Errorf("in %v: %+v", c.visits(), last)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	slices.Reverse(list)
	return list
}
