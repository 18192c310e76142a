package coach_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// R003-28, R003-29: the seed's example, without a problem file: terms, candidates, expected cost, written to the board.
func TestRecogniserDerives(t *testing.T) {
	b := mockBoard("Given a list of integers and a target, return the positions of two numbers that add up to the target.")
	b.Input = "we get a list and a target and have to find two numbers that add up to it"
	r := turn(t, b)
	if p := r.Updates[expert.FieldPattern]; p != "hash_map" {
		t.Errorf("pattern %v", p)
	}
	if c, _ := r.Updates[expert.FieldComplexity].(string); !strings.Contains(c, "O(n)") {
		t.Errorf("complexity %v", c)
	}
	candidates, _ := r.Metadata["candidates"].([]string)
	terms, _ := r.Metadata["terms"].([]string)
	if !slices.Contains(candidates, "hash_map") || !slices.Contains(candidates, "two_pointers") || len(terms) < 2 {
		t.Errorf("candidates %v, terms %v", candidates, terms)
	}
	if c, _ := r.Metadata["confidence"].(float64); c <= 0 || c >= 1 {
		t.Errorf("confidence %v", c)
	}
}

// R003-28: the problem file's word stands; what the board knows already is not written again.
func TestRecogniserWritesOnce(t *testing.T) {
	b := board(t, "lamp_watch", coach.Clarification, "en", "I get pairs of start and end and have to merge the times that overlap")
	r := turn(t, b)
	want := map[string]any{expert.FieldPattern: "intervals", expert.FieldComplexity: "time O(n log n), space O(n)"}
	if diff := cmp.Diff(want, r.Updates); diff != "" || r.NextStage != coach.Thought {
		t.Error(diff, r.NextStage)
	}
	b.Secret.Fields = map[string]any{expert.FieldPattern: "intervals", expert.FieldComplexity: "x"}
	if r := turn(t, b); r.Updates != nil {
		t.Errorf("written again: %v", r.Updates)
	}
}

// R003-30: the message is a clue in the form of a question, and no synonym of the pattern is in it; an unclear picture of the
// task is asked about first.
func TestRecogniserClue(t *testing.T) {
	for _, p := range problems(t) {
		for _, locale := range []string{"en", "zh"} {
			b := board(t, p.ID, coach.Clarification, locale, problem.In(p.Text, locale))
			r := turn(t, b)
			if !coach.Asks(r.Message) || understand.Reveals(r.Message, p.Secrets()) || r.NextStage != coach.Thought {
				t.Errorf("%s %s: %q → %s", p.ID, locale, r.Message, r.NextStage)
			}
		}
	}
	b := board(t, "gift_pair", coach.Clarification, "en", "it is about shopping")
	if r := turn(t, b); r.NextStage != "" || !coach.Asks(r.Message) {
		t.Errorf("%q → %q", r.Message, r.NextStage)
	}
	b.Turns = 3
	if r := turn(t, b); r.NextStage != coach.Thought {
		t.Error("it never ends")
	}
}

// R003-32: the seed's example, two nested loops: workable, O(n²), improvable, not rejected.
func TestBruteForce(t *testing.T) {
	for input, locale := range map[string]string{"I would use two nested loops": "en", "用两层循环": "zh", "compare every pair": "en"} {
		r := turn(t, board(t, "gift_pair", coach.Thought, locale, input))
		if r.NextStage != "" || r.Updates != nil || !r.Hint || !coach.Asks(r.Message) {
			t.Errorf("%q: %+v", input, r)
		}
		if r.Metadata["cost"] != "O(n^2)" || r.Metadata["workable"] != true {
			t.Errorf("%q: %v", input, r.Metadata)
		}
	}
	b := mockBoard("Find two numbers that add up to a target.")
	b.CurrentStage, b.Input = coach.Thought, "brute force with two nested loops"
	if r := turn(t, b); r.Metadata["cost"] != "O(n^2)" || r.NextStage != "" {
		t.Errorf("%+v", r)
	}
}

// R003-33, R003-34: three levels, each once, none skipped; an answer that helps ends them.
func TestHintLadder(t *testing.T) {
	p := problems(t)[slices.IndexFunc(problems(t), func(p *problem.Problem) bool { return p.ID == "gift_pair" })]
	b := board(t, "gift_pair", coach.Thought, "en", "give me a hint")
	for level := range 3 {
		b.HintLevel, b.Turns = level, level+1
		r := turn(t, b)
		if !r.Hint || r.Message != p.Hints["en"][level] || r.Metadata["hint_level"] != level+1 {
			t.Errorf("level %d: %+v", level, r)
		}
	}
	b.HintLevel = 3
	if r := turn(t, b); r.Hint || !coach.Asks(r.Message) || slices.Contains(p.Hints["en"], r.Message) {
		t.Errorf("beyond the last: %+v", r)
	}
	b.HintLevel, b.Input, b.Intents = 1, "then I could remember the prices in a hash table", nil
	if r := turn(t, b); r.Hint || r.NextStage != coach.Complexity {
		t.Errorf("it helped: %+v", r)
	}
	// Help mode puts a framework before the hint.
	b.HintLevel, b.Input, b.Help, b.Intents = 1, "hm", true, []understand.Intent{understand.Hint}
	if r := turn(t, b); !strings.HasSuffix(r.Message, p.Hints["en"][1]) || r.Message == p.Hints["en"][1] {
		t.Errorf("no fuller help: %q", r.Message)
	}
}

// R003-36: the seed's example: "hash table" is praised and leads to its cost.
func TestApproachIsRecorded(t *testing.T) {
	for input, want := range map[string]string{
		"I could use a hash table to look up the rest": "hash table",
		"用哈希表":                               "哈希",
		"sort it and then go from both ends": "sort",
	} {
		locale := understand.Language(input, "en")
		r := turn(t, board(t, "gift_pair", coach.Thought, locale, input))
		if r.Updates[expert.FieldApproach] != want || r.NextStage != coach.Complexity || !coach.Asks(r.Message) {
			t.Errorf("%q: %+v", input, r)
		}
	}
	b := mockBoard("Find two numbers that add up to a target.")
	b.CurrentStage, b.Input = coach.Thought, "a hash table"
	if r := turn(t, b); r.Updates[expert.FieldApproach] != "hash table" || r.NextStage != coach.Complexity {
		t.Errorf("%+v", r)
	}
}

// An idea that no rule knows is accepted once every hint was given: nobody is held up for ever.
func TestUnknownIdeaIsAccepted(t *testing.T) {
	b := board(t, "market_stalls", coach.Thought, "en", "I would paint them in my mind and see how it looks")
	if r := turn(t, b); r.NextStage != "" || !coach.Asks(r.Message) {
		t.Errorf("%+v", r)
	}
	b.HintLevel, b.Turns = 3, 5
	if r := turn(t, b); r.NextStage != coach.Complexity || r.Updates[expert.FieldApproach] != b.Input {
		t.Errorf("%+v", r)
	}
	b.Input, b.HintLevel = "I stay with comparing every pair", 3
	if r := turn(t, b); r.NextStage != coach.Complexity || r.Updates[expert.FieldApproach] != "every pair" {
		t.Errorf("%+v", r)
	}
}

// The cost: a claim that fits the candidate's own approach, one that does not, and none.
func TestComplexity(t *testing.T) {
	for _, c := range []struct {
		approach, input string
		turns           int
		next            string
		flag            bool
	}{
		{"hash table", "linear time and linear space", 1, coach.Pseudocode, true},
		{"hash table", "O of n", 1, "", true}, // asks for the memory
		{"hash table", "O of n", 3, coach.Pseudocode, true},
		{"hash table", "n squared", 1, "", true}, // counts again
		{"hash table", "n squared", 3, coach.Pseudocode, true},
		{"every pair", "n squared, with constant space", 1, coach.Pseudocode, true},
		{"hash table", "I would say it is quite fast", 1, "", false},
		{"hash table", "I would say it is quite fast", 4, coach.Pseudocode, true},
		{"my own way", "O(n), and constant memory", 1, coach.Pseudocode, true},
		{"哈希", "时间复杂度是线性的，空间也是线性", 1, coach.Pseudocode, true},
	} {
		b := board(t, "gift_pair", coach.Complexity, "en", c.input)
		b.Fields, b.Turns = map[string]any{expert.FieldApproach: c.approach}, c.turns
		r := turn(t, b)
		if r.NextStage != c.next || slices.Contains(r.Flags, coach.FlagComplexity) != c.flag || (c.next == "") != coach.Asks(r.Message) {
			t.Errorf("%s, %q: %q → %q %v", c.approach, c.input, r.Message, r.NextStage, r.Flags)
		}
		if settled := c.input == "n squared" && c.next != ""; slices.Contains(r.Flags, coach.FlagDisputed) != settled {
			t.Errorf("%s, %q: %v", c.approach, c.input, r.Flags)
		}
	}
}

// RM-19: who names an approach that fails hears an input on which it does, as a question, and no praise.
func TestWrongApproachMeetsItsCounterExample(t *testing.T) {
	b := board(t, "step_counter", coach.Thought, "en", "I would grow the window when the sum is too small and shrink it when it is too big.")
	r := turn(t, b)
	if r.Metadata["wrong"] != "grow_shrink" || !coach.Asks(r.Message) || r.NextStage != "" {
		t.Errorf("%+v", r)
	}
}
