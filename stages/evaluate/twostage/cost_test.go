package twostage_test

import (
	"encoding/json"
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

// R004-61: the words that a model points at are read as the turn means them.
func TestModelPointsAtACost(t *testing.T) {
	it := versions("Time complexity is log n and space complexity is constant.")
	for quote, want := range map[string]int{
		"Time complexity is log n":                                  4,
		"Time complexity is log n and space complexity is constant": 4,
		"log n":                        4,
		"space complexity is constant": 4, // of the same conclusion
	} {
		raw, err := json.Marshal(map[string]any{"sections": []any{}, "conclusion": map[string]any{"turn": 1, "text": quote}, "confidence": 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := evaluator(t).Read(it, raw)
		if err != nil || got.Marks[1].Level != want {
			t.Errorf("%q: %+v, %v", quote, got.Marks, err)
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
