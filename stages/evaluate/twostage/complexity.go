package twostage

import (
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
)

// complexity knows growth classes: "O(n log n)", "n log n", "O of n squared", "linear". Constant factors and dominated
// terms do not count, and Θ is read as O: what is compared is the class that was named. Logarithms have no base. What people say is
// read by the grammar of package conclusion.
type complexity struct{}

// Name implements Normaliser.
func (complexity) Name() string { return KindComplexity }

// Normalise implements Normaliser.
func (complexity) Normalise(value string) (string, bool) { return conclusion.Form(value) }

// Find implements Finder: the cost in time that the words conclude, or else that in memory.
func (complexity) Find(sentence string) []string {
	if form := costOf(conclusion.Read(sentence), conclusion.Time, ""); form != "" {
		return []string{form}
	}
	return nil
}

// isCost reports whether a right answer is a cost.
func (e *Evaluator) isCost(groundtruth string) bool {
	kind, _ := e.chain.read(groundtruth)
	return kind != nil && kind.Name() == KindComplexity
}

// asks returns the measure that a question with this right answer asks for: time where the right answer holds both.
func asks(question, groundtruth string) conclusion.Measure {
	if ofBoth(groundtruth) {
		return conclusion.Time
	}
	return conclusion.Asks(question)
}

// costOf returns the cost that counts of those that were concluded: that in time where the right answer holds both, else that which was
// asked for, or any. "" = none.
func costOf(r conclusion.Reading, asked conclusion.Measure, groundtruth string) string {
	list := []*conclusion.Claim{r.Of(asked), r.Time, r.Space}
	if ofBoth(groundtruth) {
		list = []*conclusion.Claim{r.Time}
	}
	for _, c := range list {
		if c != nil {
			return c.Form
		}
	}
	return ""
}

// ofBoth reports whether the right answer is a cost in time and in space, as problems have it: what is asked for is the time.
func ofBoth(groundtruth string) bool {
	value := foldText(groundtruth)
	return strings.HasPrefix(value, "time ") && strings.Contains(value, ", space ")
}

// reached counts how much of the right answer was concluded, and of how much: where it is a cost in time and in space, both are needed
// for all of it, the time alone is half, and the space alone a quarter. What passes goes by the time.
func reached(groundtruth string, costs conclusion.Reading, right bool) (level, of int) {
	_, space, both := strings.Cut(foldText(groundtruth), ", space ")
	if !both || !ofBoth(groundtruth) {
		if right {
			level = 1
		}
		return level, 1
	}
	want, known := conclusion.Form(space)
	stored := known && costs.Space != nil && conclusion.Same(want, costs.Space.Form)
	switch {
	case right && stored:
		return 4, 4
	case right:
		return 2, 4
	case stored:
		return 1, 4
	}
	return 0, 4
}
