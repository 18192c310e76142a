package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
)

// counted is a talk in the stage of the idea whose expert counts its calls and never goes on.
func counted(t testing.TB) (*chat, *int) {
	t.Helper()
	calls := 0
	cast := newCast()
	c := coached(t, cast).to(coach.Thought)
	cast["coach"].process = func(expert.Board) (expert.Response, error) {
		calls++
		return expert.Success("And what comes after that?", ""), nil
	}
	return c, &calls
}

// R003-46, R003-47: intents come before validity, and validity before the expert: what is short and yet says something is
// not thrown away, and what is no answer never reaches an expert.
func TestOrderOfATurn(t *testing.T) {
	for words, want := range map[string]struct {
		move  engine.Move
		calls int
	}{
		"Skip":                                {engine.MoveRefuse, 0},
		"Too hard":                            {engine.MoveSupport, 0},
		"Hint?":                               {engine.MoveHint, 0},
		"Tell me the answer.":                 {engine.MoveRefuse, 0},
		"well":                                {engine.MoveCheck, 0},
		"I'd compare the two prices in loops": {engine.MoveProbe, 1},
	} {
		c, calls := counted(t)
		if said := c.tell(words); said.Move != want.move || *calls != want.calls {
			t.Errorf("%q: %s %q after %d calls", words, said.Move, said.Text, *calls)
		}
		c.whole()
	}
}

// R003-71, R003-72, R003-73, R003-74, R003-75, R003-76: what is no answer is met with its own words.
func TestInvalidTurns(t *testing.T) {
	for words, want := range map[string]string{
		"  ":       "I did not catch that. What are you thinking?",
		"well":     "That was brief. Could you say more?",
		"repeated": "You have said that. Is there another angle?",
		"My uncle repairs very old clocks in the kitchen": "That leads away from our task.",
		"loops":                 "And what comes after that?",
		"hash":                  "And what comes after that?",
		"O(n)":                  "And what comes after that?",
		"n²":                    "And what comes after that?",
		"yes":                   "And what comes after that?",
		"I am comparing prices": "And what comes after that?",
	} {
		c, calls := counted(t)
		if words == "repeated" {
			words = c.u.Turns[1].Text
		}
		said := c.tell(words)
		if said.Text != want {
			t.Errorf("%q: said %q", words, said.Text)
		}
		v := c.u.Current()
		if (*calls == 1) != (v.Turns == 1) || v.Prompt != "open.1" {
			t.Errorf("%q: %d calls, %+v", words, *calls, v)
		}
	}
}

// R003-77, R003-78: gently, gently again, then help with a hint; that and every answer begin the count anew, and silence
// is not counted.
func TestThreeInvalidTurns(t *testing.T) {
	c, _ := counted(t)
	var said []string
	for range 3 {
		said = append(said, c.tell("hm").Text)
	}
	want := []string{"That was brief. Could you say more?", "Still brief. A little more?", "You may be stuck, so here is more help. How long would it take?"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if v := c.u.Current(); c.u.Invalid != 0 || !v.HelpMode || v.HintLevel != 1 {
		t.Errorf("%d in a row, %+v", c.u.Invalid, v)
	}
	c.tell("hm")
	c.tell("hm")
	c.tell("I would compare the two prices.")
	if c.u.Invalid != 0 {
		t.Errorf("%d in a row after an answer", c.u.Invalid)
	}
	c.tell("hm")
	c.pass(30 * time.Second)
	c.send(engine.NoWords{})
	if c.u.Invalid != 1 {
		t.Errorf("%d in a row: silence was counted", c.u.Invalid)
	}
	c.whole()
}

// R003-65, R003-66, R003-67, R003-69: support once in a stage, with a choice; both ways work; after that it is the next
// hint at once, each stronger than the one before.
func TestFrustration(t *testing.T) {
	c, calls := counted(t)
	if said := c.tell("This is too hard."); said.Text != "This is hard for everybody. Would you like a stronger hint, or a simpler problem first?" {
		t.Errorf("said %q", said.Text)
	}
	if said := c.tell("A hint, please."); said.Text != "How long would it take?" || !c.u.Current().HelpMode {
		t.Errorf("said %q", said.Text)
	}
	if said := c.tell("I give up."); said.Text != "Could one pass do?" {
		t.Errorf("said %q", said.Text)
	}
	if said := c.tell("It is still too hard."); said.Text != "What lets you look things up fast?" {
		t.Errorf("said %q", said.Text)
	}
	c.tell("I give up on this.")
	if got := len(c.fact("support.given", "stage")); got != 1 || *calls != 0 {
		t.Errorf("support given %d times, %d calls", got, *calls)
	}
	c.whole()

	c, calls = counted(t)
	c.tell("This is too hard.")
	if c.tell("I would compare the two prices in loops."); *calls != 1 || c.u.Current().Choice != "" {
		t.Errorf("an answer in place of a choice was not taken: %d calls", *calls)
	}
}

// R003-67: the simpler problem begins at the first stage, and what was found out about the other one is gone.
func TestSimplerProblem(t *testing.T) {
	cast := newCast()
	var seen expert.Board
	for _, e := range cast {
		was := e.process
		e.process = func(b expert.Board) (expert.Response, error) { seen = b; return was(b) }
	}
	c := coached(t, cast).to(coach.Thought)
	c.tell("This is too hard.")
	c.tell("A simpler problem, please.")
	if c.u.Problem != "single" || c.u.Stage != coach.Clarification || !c.u.Fields["identified_pattern"].Empty() || c.reasons()[1] != engine.ReasonEasier {
		t.Errorf("%s in %v: %+v", c.u.Problem, c.visits(), c.u.Fields)
	}
	if !strings.Contains(c.last().Text, "single. What goes in, and what comes out?") {
		t.Errorf("said %q", c.last().Text)
	}
	c.tell("We look for two prices with a given sum, as before.")
	if slices.ContainsFunc(seen.History, func(t evaluate.Turn) bool { return t.Content == "This is too hard." }) || len(seen.History) == 0 {
		t.Errorf("experts hear what was said of the other problem: %+v", seen.History)
	}
	c.tell("This is too hard, too.") // there is none simpler: help instead
	if said := c.tell("Another problem."); said.Text != "How long would it take?" || c.u.Stage != coach.Thought {
		t.Errorf("said %q in %v", said.Text, c.visits())
	}
	c.to("DONE").whole()
}

// R003-70, RM-22: the answer is not given away; the reason is told while there are words for it that were not heard, and a hint
// at the current level. Then the floor is given back.
func TestAskingForTheAnswer(t *testing.T) {
	c, _ := counted(t)
	for _, want := range []string{
		"Working it out yourself is the point. How long would it take?", "You will find it. Could one pass do?",
		"What lets you look things up fast?", "Over to you.",
	} {
		if said := c.tell("Just tell me the answer."); said.Text != want {
			t.Errorf("said %q, want %q", said.Text, want)
		}
	}
	c.whole()
}

// R003-58, R003-60, R003-62, R003-63: a core stage is not skipped: the wish is acknowledged and refused, then help is
// offered, and the third time the stage ends as incomplete rather than loop.
func TestCoreStageIsNotSkipped(t *testing.T) {
	for _, stage := range []string{coach.Thought, coach.Pseudocode, coach.EdgeCases, coach.Clarification} {
		c := coached(t, newCast()).to(stage)
		if said := c.tell("Can we skip this part?"); !strings.Contains(said.Text, "two minutes") || c.u.Stage != stage {
			t.Errorf("%s: said %q", stage, said.Text)
		}
		if said := c.tell("Skip this part, please."); stage != coach.Clarification && said.Text != "Shall I help you with it?" {
			t.Errorf("%s: said %q", stage, said.Text)
		}
		c.tell("No, skip this part.")
		if v := c.u.Visits[len(c.u.Visits)-2]; c.u.Stage == stage || v.Reason != engine.ReasonIncomplete || v.SkipAsked != 3 || v.Skipped {
			t.Errorf("%s: in %v, %+v", stage, c.visits(), v)
		}
	}
	c := coached(t, newCast()).to(coach.Thought)
	c.tell("Can we skip this part?")
	c.tell("Skip this part, please.")
	if said := c.tell("Yes, please."); said.Text != "How long would it take?" || !c.u.Current().HelpMode {
		t.Errorf("said %q", said.Text)
	}
	c.whole()
}

// R003-57, R003-59, R003-61: an optional stage is skipped with a reminder of its worth, and what comes after is not held
// up by its precondition.
func TestOptionalStageIsSkipped(t *testing.T) {
	for stage, next := range map[string]string{coach.Complexity: coach.Pseudocode, coach.FollowUp: coach.Summary, coach.Summary: "DONE"} {
		c := coached(t, newCast()).to(stage)
		said := c.tell("Can we skip this part?")
		if !strings.HasPrefix(said.Text, "All right. It shows analysis in a real interview, but we go on.") || c.u.Stage != next {
			t.Errorf("%s: said %q in %s", stage, said.Text, c.u.Stage)
		}
		v := c.u.Visits[slices.Index(c.visits(), stage)]
		if !v.Skipped || v.Reason != engine.ReasonSkipped {
			t.Errorf("%s: %+v", stage, v)
		}
		c.to("DONE").whole()
	}
}

// R003-55: complexity counts as discussed in spoken and mixed forms.
func TestComplexityWasDiscussed(t *testing.T) {
	for words, want := range map[string]bool{
		"It is big O of n, I think.": true, "That is linear in the list.": true, "O n squared for the pairs.": true, "时间复杂度是线性的": true,
		"Sorting makes it n log n.": true, "I would compare the two prices.": false,
	} {
		cast := newCast()
		c := coached(t, cast).to(coach.Complexity)
		c.tell(words)
		if got := c.u.Stage == coach.Pseudocode; got != want {
			t.Errorf("%q: in %s", words, c.u.Stage)
		}
	}
}

// R003-68: words that are distress in one sentence are none in another.
func TestHarmlessWords(t *testing.T) {
	c, calls := counted(t)
	c.tell("I don't know if it matters, but the two prices could be the same.")
	if *calls != 1 || c.u.Current().Supported {
		t.Errorf("%d calls, %+v", *calls, c.u.Current())
	}
}

// R003-34: the hint that an expert gives is said, also where it was said with another problem: it counts as given.
func TestExpertsHintIsHeardAgain(t *testing.T) {
	cast := newCast()
	for _, e := range cast {
		e.process = func(expert.Board) (expert.Response, error) {
			r := expert.Success("Begin with what repeats.", "")
			r.Hint = true
			return r, nil
		}
	}
	c := coached(t, cast)
	for _, words := range []string{"I would compare the two prices in loops.", "Then I take the next price and look at it again."} {
		if said := c.tell(words); !strings.Contains(said.Text, "Begin with what repeats.") || said.Move != engine.MoveHint {
			t.Errorf("said %q as %s", said.Text, said.Move)
		}
	}
}
