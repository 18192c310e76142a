package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/state"
)

// sevenStages are the stages of the algorithm interview, in order.
var sevenStages = []string{
	coach.Clarification, coach.Thought, coach.Complexity, coach.Pseudocode, coach.EdgeCases, coach.FollowUp, coach.Summary,
}

// R003-2, R003-3, R003-4, R003-5, R003-6, R003-7, R003-14: the seven stages in their order, each opened by its own
// question, with the history kept.
func TestSevenStages(t *testing.T) {
	cast := newCast()
	var history []string
	was := cast["summariser"].process
	cast["summariser"].process = func(b expert.Board) (expert.Response, error) { history = b.StageHistory; return was(b) }
	c := coached(t, cast).to("DONE")
	c.hear()
	if diff := cmp.Diff(append(slices.Clone(sevenStages), "DONE"), c.visits()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sevenStages[:6], history); diff != "" {
		t.Error(diff)
	}
	for i := range sevenStages {
		open := c.iv.Def.Stages[i].Prompts.Open
		if !slices.Contains(c.u.Ledger.Asked[sevenStages[i]], open) {
			t.Errorf("%s was not opened by %s: %v", sevenStages[i], open, c.u.Ledger.Asked)
		}
	}
	if c.ended != "done" {
		t.Errorf("ended %q", c.ended)
	}
	c.whole()
}

// R003-13: a module takes part by being registered; nothing else is changed. Several or none for a stage is an error.
func TestAnotherExpert(t *testing.T) {
	text := strings.ReplaceAll(coachYAML, "KEYS", coachKeys)
	text = strings.Replace(text, "experts: [reader, coach, reviewer, asker, summariser]", "experts: [mine, coach, reviewer, asker, summariser]", 1)
	registry := newCast().registry(t)
	mine := &fake{name: "mine", leads: []string{coach.Clarification}, process: func(expert.Board) (expert.Response, error) {
		return expert.Success("Hello from mine.", ""), nil
	}}
	if err := registry.Register(mine); err != nil {
		t.Fatal(err)
	}
	c := newChat(t, compile(t, text, coachWords, engine.WithExperts(registry), engine.WithProblems(tasks(t)))).start(engine.Started{})
	if said := c.tell("Two prices are given, and a card."); said.Text != "Hello from mine." {
		t.Errorf("said %q", said.Text)
	}
	c = coached(t, newCast())
	def := *c.iv.Def
	for name, experts := range map[string][]string{
		"none": {"coach", "reviewer", "asker", "summariser"}, "several": {"mine", "reader", "coach", "reviewer", "asker", "summariser"}, "unknown": {"nobody"},
	} {
		def.Experts = experts
		if _, err := engine.New(&def, c.iv.Words, c.iv.Rules, engine.WithExperts(registry), engine.WithProblems(tasks(t))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// R003-15, R003-16, R003-17, R003-18: what an expert may read.
func TestBoard(t *testing.T) {
	var board expert.Board
	cast := newCast()
	was := cast["reviewer"].process
	cast["reviewer"].process = func(b expert.Board) (expert.Response, error) { board = b; return was(b) }
	c := coached(t, cast).to(coach.EdgeCases)
	b := board
	if b.CurrentStage != coach.Pseudocode || b.Problem.Difficulty != "medium" || !slices.Equal(b.Problem.Tags, []string{"array"}) {
		t.Errorf("%+v", b.Problem)
	}
	if !strings.HasPrefix(b.ProblemText, "Find two prices") || !strings.HasPrefix(b.Input, "for each price") || len(b.History) < 7 {
		t.Errorf("text %q, input %q, %d turns", b.ProblemText, b.Input, len(b.History))
	}
	if last := b.History[len(b.History)-1]; last.Role != "user" || last.Content != b.Input {
		t.Errorf("the talk ends with %+v", last)
	}
	if b.IdentifiedPattern() != "hash_map" || b.ComplexityExpectation() != "time O(n), space O(n)" || !strings.HasPrefix(b.UserApproach(), "I would use two loops") || b.Turns != 1 {
		t.Errorf("%+v", b)
	}
	for _, id := range []string{"identified_pattern", "complexity_expectation"} {
		if _, open := b.Fields[id]; open {
			t.Errorf("%s lies open", id)
		}
	}
	c.tell("The list may be empty, of course.")
	if got := board.Value(expert.FieldIssues); got != nil || board.Pseudocode() == "" {
		t.Errorf("issues %v, code %q", got, board.Pseudocode())
	}
	c.tell("Then it returns nothing at all.")
	if got := board.Value(expert.FieldIssues); !cmp.Equal(got, any([]any{"empty", "twice"})) {
		t.Errorf("issues %v", got)
	}
}

// R003-19, R003-21: an expert that scribbles on its board changes nothing, also when it is asked again; what no field
// takes goes to extra, and a wrong type rejects the response.
func TestNoSideDoor(t *testing.T) {
	cast := newCast()
	cast["reader"].process = func(b expert.Board) (expert.Response, error) {
		b.Fields["user_approach"], b.Secret.Fields["identified_pattern"] = "scribbled", "scribbled"
		for i := range b.History {
			b.History[i].Content = "scribbled"
		}
		for i := range b.Queue {
			b.Queue[i].Text = "scribbled"
		}
		r := expert.Success("Tell me more about it.", "", expert.Update{Field: "mood", Value: "fine"})
		return r, nil
	}
	c := coached(t, cast)
	c.tell("We look for two prices with a given sum.")
	if text := asJSON(t, c.u); strings.Contains(text, "scribbled") {
		t.Error(text)
	}
	if got := string(c.u.Fields["extra"].Value); got != `{"mood":"fine"}` {
		t.Errorf("extra is %s", got)
	}
	cast["reader"].process = func(expert.Board) (expert.Response, error) {
		return expert.Success("Now on.", coach.Thought, expert.Update{Field: "identified_pattern", Value: 7}, expert.Update{Field: "weather", Value: "dry"}), nil
	}
	c.tell("And the two prices are on the list.")
	if got := c.fact("expert.failed", "kind"); !slices.Equal(got, []any{"malformed"}) || c.u.Stage != coach.Clarification || strings.Contains(asJSON(t, c.u), "dry") {
		t.Errorf("%v, in %s", got, c.u.Stage)
	}
}

// R003-20: every change is traceable, by whom and when, from what to what, and can be undone.
func TestPatchesAndRollback(t *testing.T) {
	c := coached(t, newCast()).to(coach.Thought)
	c.tell("I would use two loops over every pair.")
	c.now += 1000
	c.send(engine.CodeChanged{Text: "for a in prices"})
	c.send(engine.CodeChanged{Text: "for a in prices:\n  for b in prices"})
	var trace []string
	for _, p := range c.u.Patches {
		trace = append(trace, p.Author+" "+p.Field)
		if p.ID == 0 || p.Visit == 0 && p.At != 0 {
			t.Errorf("%+v", p)
		}
	}
	want := []string{"engine complexity_expectation", "engine problem_text", "reader identified_pattern", "coach user_approach", "candidate pseudocode", "candidate pseudocode"}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Error(diff)
	}
	first, second := c.u.Patches[4], c.u.Patches[5]
	if first.Before != nil || string(second.Before) != string(first.After) || second.At != c.now {
		t.Errorf("%s → %s", second.Before, second.After)
	}
	before := asJSON(t, c.u)
	u, err := engine.Rollback(c.u, second.ID)
	if err != nil || string(u.Fields["pseudocode"].Value) != string(first.After) || !u.Patches[5].Undone || asJSON(t, c.u) != before {
		t.Errorf("%v: %s", err, u.Fields["pseudocode"].Value)
	}
	if u, err = engine.Rollback(c.u, first.ID); err != nil || !u.Fields["pseudocode"].Empty() || !u.Patches[4].Undone || !u.Patches[5].Undone {
		t.Errorf("%v: %+v", err, u.Fields)
	}
	for _, id := range []uint64{0, 9999, first.ID} {
		if _, err := engine.Rollback(u, id); !errors.Is(err, engine.ErrNoPatch) {
			t.Errorf("patch %d: %v", id, err)
		}
	}
	c.send(engine.Operator{Command: "rollback", Argument: "1"})
	c.whole()
}

// R003-48, R003-49, R003-50, R003-51, R003-52, R003-54: a proposal takes effect only when the stage's precondition holds.
func TestProposalNeedsThePrecondition(t *testing.T) {
	for stage, next := range map[string]string{
		coach.Clarification: coach.Thought, coach.Thought: coach.Complexity, coach.Complexity: coach.Pseudocode,
		coach.Pseudocode: coach.EdgeCases, coach.EdgeCases: coach.FollowUp, coach.FollowUp: coach.Summary,
	} {
		cast := newCast()
		c := coached(t, cast).to(stage)
		for _, f := range cast {
			if slices.Contains(f.leads, stage) {
				f.process = func(expert.Board) (expert.Response, error) { return expert.Success("Let us go on.", next), nil }
			}
		}
		c.tell("I am thinking about the two prices on the card.")
		refused := c.fact("stage.refused", "proposed")
		if c.u.Stage != stage || len(refused) == 0 || refused[len(refused)-1] != next {
			t.Errorf("%s: in %s, refused %v", stage, c.u.Stage, refused)
		}
		c.send(engine.CodeChanged{Text: "for a in prices"})
		if c.tell("It takes linear time, for all prices."); stage == coach.Complexity && c.u.Stage != next || stage == coach.Pseudocode && c.u.Stage != next {
			t.Errorf("%s: the precondition holds, and still in %s", stage, c.u.Stage)
		}
		if stage == coach.FollowUp { // two questions were asked and answered
			if c.tell("And after that I would sort the prices."); c.u.Stage != next {
				t.Errorf("in %s after %d questions", c.u.Stage, c.u.Current().FollowUp)
			}
		}
	}
}

// R003-36: the last words of an expert come before the next stage's opening; a question among them takes its place, so
// that one question is asked.
func TestLastWordsOfAnExpert(t *testing.T) {
	cast := newCast()
	cast["coach"].process = func(b expert.Board) (expert.Response, error) {
		return expert.Success("That is a good direction. What does it cost in time?", coach.Complexity, expert.Update{Field: "user_approach", Value: b.Input}), nil
	}
	c := coached(t, cast).to(coach.Thought)
	if said := c.tell("I would use a hash table for that."); said.Text != "That is a good direction. What does it cost in time?" || c.u.Stage != coach.Complexity {
		t.Errorf("said %q in %s", said.Text, c.u.Stage)
	}
	c = coached(t, newCast()).to(coach.Thought)
	if said := c.tell("I would use two loops over every pair."); said.Text != "A good start. Fine. What does it cost?" {
		t.Errorf("said %q", said.Text)
	}
}

// An expert may keep the floor although its stage could be left, but not for ever.
func TestLingering(t *testing.T) {
	cast := newCast()
	cast["coach"].process = func(b expert.Board) (expert.Response, error) {
		return expert.Success("And what else comes to mind?", "", expert.Update{Field: "user_approach", Value: b.Input}), nil
	}
	c := coached(t, cast).to(coach.Thought)
	for i, want := range []string{coach.Thought, coach.Thought, coach.Complexity} {
		if c.tell("I would use two loops, " + strings.Repeat("again and ", i) + "again."); c.u.Stage != want {
			t.Errorf("turn %d: in %s", i+1, c.u.Stage)
		}
	}
}

// R003-90: an inconsistent state is repaired where it can be, or the interview goes back to where it was consistent.
func TestInconsistentState(t *testing.T) {
	cast := newCast()
	cast["reader"].valid = func(b expert.Board) error {
		if b.Value("problem_text") == nil {
			return errors.New("no task")
		}
		return nil
	}
	c := coached(t, cast)
	c.u.Fields["problem_text"] = state.Field{}
	if c.tell("We look for two prices with a given sum."); c.u.Stage != coach.Thought || len(c.fact("state.repaired", "expert")) != 1 {
		t.Errorf("in %s: %v", c.u.Stage, c.facts)
	}

	cast = newCast()
	cast["reviewer"].valid = func(b expert.Board) error {
		if b.CurrentStage == coach.EdgeCases && b.Pseudocode() == "" {
			return errors.New("no code to look at")
		}
		return nil
	}
	c = coached(t, cast).to(coach.EdgeCases)
	c.u.Fields["pseudocode"] = state.Field{}
	said := c.tell("The list may be empty, I think.")
	if c.u.Stage != coach.Pseudocode || !strings.HasPrefix(said.Text, "I am sorry") || c.fact("expert.failed", "kind")[0] != "state" {
		t.Errorf("in %v, said %q", c.visits(), said.Text)
	}
	if c.to("DONE"); c.reasons()[4] != engine.ReasonRollback {
		t.Errorf("%v", c.reasons())
	}
}

// R003-91, R003-92, R003-93: an error of any other kind, a panic too, is logged and apologised for, and the talk goes on.
func TestBrokenExpert(t *testing.T) {
	for name, process := range map[string]func(expert.Board) (expert.Response, error){
		"error": func(expert.Board) (expert.Response, error) { return expert.Response{}, errors.New("boom") },
		"panic": func(expert.Board) (expert.Response, error) { panic("boom") },
	} {
		cast := newCast()
		was := cast["reader"].process
		cast["reader"].process = process
		c := coached(t, cast)
		said := c.tell("We look for two prices with a given sum.")
		if said.Text != "I am sorry, something went wrong. Please go on." || said.Move != engine.MoveSorry {
			t.Errorf("%s: said %q", name, said.Text)
		}
		for key, want := range map[string]any{"kind": "other", "expert": "reader", "stage": coach.Clarification} {
			if got := c.fact("expert.failed", key); !slices.Equal(got, []any{want}) {
				t.Errorf("%s: %s is %v", name, key, got)
			}
		}
		cast["reader"].process = was
		c.to(coach.Thought)
	}
}

// R003-80, R003-86, R003-88: what an expert answers goes through one wrapper; in place of what cannot be used the stage's own words are
// said, and the talk goes on.
func TestMalformedResponse(t *testing.T) {
	for name, r := range map[string]expert.Response{
		"no message": {Success: true}, "unknown stage": expert.Success("On.", "NOWHERE"),
		"wrong type": expert.Success("On.", "", expert.Update{Field: "pseudocode", Value: 7}),
	} {
		cast := newCast()
		was := cast["reader"].process
		cast["reader"].process = func(expert.Board) (expert.Response, error) { return r, nil }
		c := coached(t, cast)
		said := c.tell(understood)
		if kinds := c.fact("expert.failed", "kind"); !slices.Equal(kinds, []any{"malformed"}) || c.u.Stage != coach.Clarification || said.Text != fallbackWords {
			t.Errorf("%s: %v, in %s, said %q", name, kinds, c.u.Stage, said.Text)
		}
		cast["reader"].process = was
		c.to(coach.Thought)
	}
}

// R003-97: where it stands can be looked at at any time.
func TestInspect(t *testing.T) {
	c := coached(t, newCast()).to(coach.Complexity)
	in := c.iv.Inspect(c.u)
	want := map[string]bool{"reader": false, "coach": true, "reviewer": false, "asker": false, "summariser": false}
	if in.Stage != coach.Complexity || in.Pattern != "hash_map" || in.Messages != len(c.u.Turns) || in.Keys["interview_phase"] != coach.Complexity {
		t.Errorf("%+v", in)
	}
	if diff := cmp.Diff(want, in.Active); diff != "" {
		t.Error(diff)
	}
	if in := c.iv.Inspect(&state.UserData{}); in.Stage != "" || in.Pattern != "" {
		t.Errorf("%+v", in)
	}
}

// The problem is the one that dispatch names, or one by the session's number: the same in every replay.
func TestWhichProblem(t *testing.T) {
	iv := coaching(t, newCast())
	if c := newChat(t, iv).start(engine.Started{Vars: map[string]string{"problem": "single"}}); c.u.Problem != "single" {
		t.Errorf("took %q", c.u.Problem)
	}
	seen := make(map[string]bool)
	for _, session := range strings.Split("abcdefgh", "") {
		vars := map[string]string{"problem": "no such"}
		a := newChat(t, iv).start(engine.Started{Session: session, Vars: vars})
		b := newChat(t, iv).start(engine.Started{Session: session, Vars: vars})
		if a.u.Problem != b.u.Problem || a.u.Problem == "" {
			t.Errorf("took %q and %q", a.u.Problem, b.u.Problem)
		}
		seen[a.u.Problem] = true
	}
	if len(seen) != 2 {
		t.Errorf("took only %v", seen)
	}
}
