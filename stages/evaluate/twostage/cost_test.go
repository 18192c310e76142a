package twostage_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
)

// versions is a candidate's talk about the first version that fails.
func versions(said ...string) evaluate.Item {
	it := evaluate.Item{ID: "PROBLEM#1", Question: "Return the first version that fails, with as few runs as you can.", Reference: "time O(log n), space O(1)"}
	for i, text := range said {
		it.Turns = append(it.Turns, evaluate.Turn{ID: uint64(i + 1), Role: evaluate.RoleUser, Content: text})
	}
	return it
}

var search = []string{
	"So what I've got is the versions, in order, and a test that says good or bad. Once it's bad it stays bad.",
	"What I keep is two ends, the last one I know is good and the first one I know is bad. And what I do is test the one in the middle and move one of the ends.",
	"I stop when the two are next to each other. The bad one's the answer.",
}

// A right method with a right cost is not drowned by words that were not heard, however the cost is said (RM-30).
func TestRightCostsOfASearch(t *testing.T) {
	for _, said := range []string{
		"Time complexity is log n and space complexity is constant.",
		"for a thousand versions that's ten tests, because each halves it. One after the other would be a thousand in the worst case. I keep nothing but two numbers.",
		"Time is O(log n), space is O(1).", "When the list doubles it's one more test, so logarithmic, and only two variables.",
	} {
		got := judge(t, versions(append(search[:3:3], said)...))
		if got.Score < 7.5 || got.Marks[1].Level < 2 {
			t.Errorf("%q: %v of %v, %s", said, got.Score, got.Max, got.Feedback)
		}
	}
	for _, said := range []string{"Time is linear, space is log n.", "it takes n log n with log n memory", "is it log n?", "it's not log n", "If I halved it every time it would be log n, but I go one by one, so n."} {
		if got := judge(t, versions(append(search[:3:3], said)...)); got.Marks[1].Level >= 2 {
			t.Errorf("%q: %v, %s", said, got.Score, got.Feedback)
		}
	}
}

// Time and memory are both needed for all of a conclusion about both.
func TestHalfAConclusion(t *testing.T) {
	for said, want := range map[string]int{
		"Time is log n, memory is constant.": 4, "It's log n.": 2, "It's log n, with linear memory.": 2, "Linear time, constant space.": 1, "It's linear.": 0,
	} {
		if got := judge(t, versions(said)).Marks[1]; got.Level != want || got.Norm != float64(want)/4 {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// cost is a cost as a model writes it down.
func cost(of, form, text string) map[string]any {
	return map[string]any{"turn": 1, "text": text, "of": of, "condition": "none", "form": form}
}

func under(condition string, c map[string]any) map[string]any {
	c["condition"] = condition
	return c
}

// R004-61: the forms that a model wrote down count, by the same rules as those that the grammar reads; one whose words nobody said, or that is
// no expression, does not, and the grammar reads that measure.
func TestModelReadsCosts(t *testing.T) {
	type costs = []map[string]any
	for _, c := range []struct {
		name, said  string
		costs       costs
		time, space string
		level       int
		unverified  bool
	}{
		{"plain words", "a haystack of twice the size is one more look, and I carry a pair of fences", costs{cost("time", "log n", "one more look"), cost("space", "1", "a pair of fences")}, "log n", "1", 4, false},
		{"as it is written", "O(n)", costs{cost("time", "O(n)", "O(n)")}, "n", "", 0, false},
		{"another order and scale", "time log n, memory is fixed", costs{cost("space", "O(1)", "memory is fixed"), cost("time", "3 log2(n) + 1", "time log n")}, "log n", "1", 4, false},
		{"the last one", "It's log n, and with the copy that I make it's n", costs{cost("time", "log n", "It's log n"), cost("time", "n", "it's n")}, "n", "", 0, false},
		{"a condition", "on average log n, at worst it's n", costs{under("average", cost("time", "log n", "on average log n")), under("worst", cost("time", "n", "at worst it's n"))}, "log n", "", 2, false},
		{"nothing", "Would log n be good, or is that n?", costs{}, "", "", 0, false},
		{"invented words", "Time is n, space is constant.", costs{cost("time", "log n", "Time is log n"), cost("space", "1", "space is constant")}, "n", "1", 1, true},
		{"invented words behind others", "Time is n, space is constant.", costs{cost("time", "log n", "Time"), cost("time", "log n", "Time is log n")}, "n", "", 0, true},
		{"no expression", "Time is log n.", costs{cost("time", "quick", "Time is log n")}, "log n", "", 2, false},
	} {
		raw, err := json.Marshal(map[string]any{"sections": []any{}, "costs": c.costs, "confidence": 1})
		if err != nil {
			t.Fatal(err)
		}
		it := versions(c.said)
		e, err := evaluator(t).Read(it, raw)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		forms := make(map[string]string)
		for _, x := range evaluate.Verified(e, it).Costs {
			forms[x.Of] = x.Form
		}
		if forms["time"] != c.time || forms["space"] != c.space || e.Marks[1].Level != c.level || slices.Contains(e.Flags, evaluate.FlagUnverified) != c.unverified {
			t.Errorf("%s: %+v, %+v, %v; want time %q, space %q, level %d", c.name, e.Costs, e.Marks[1], e.Flags, c.time, c.space, c.level)
		}
	}
}

// A model that points at what the interviewer said, or at another turn, has not read it from the candidate.
func TestCostsOfTheInterviewer(t *testing.T) {
	it := versions("I open it in the middle.")
	it.Turns = append(it.Turns, evaluate.Turn{ID: 2, Role: evaluate.RoleAgent, Content: "So that is log n."})
	c := cost("time", "log n", "that is log n")
	for _, turn := range []int{1, 2, 3} {
		c["turn"] = turn
		raw, err := json.Marshal(map[string]any{"sections": []any{}, "costs": []any{c}, "confidence": 1})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := evaluator(t).Read(it, raw); err != nil || len(e.Costs) > 0 || e.Marks[1].Level > 0 {
			t.Errorf("turn %d: %+v, %v", turn, e, err)
		}
	}
}

// A question about memory is answered by a cost in memory.
func TestCostInMemory(t *testing.T) {
	for said, want := range map[string]int{"It's constant.": 1, "Linear time, but only two pointers, so constant space.": 1, "Constant time and linear memory.": 0} {
		it := evaluate.Item{ID: "x", Question: "How much extra memory does it take?", Answer: said, Reference: "O(1)"}
		if got := judge(t, it); got.Marks[1].Level != want {
			t.Errorf("%q: %s", said, got.Feedback)
		}
	}
}
