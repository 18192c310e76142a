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
	return costOf(conclusion.Read(sentence), conclusion.Time)
}

func costOf(r conclusion.Reading, asked conclusion.Measure) []string {
	for _, c := range []*conclusion.Claim{r.Of(asked), r.Time, r.Space} {
		if c != nil {
			return []string{c.Form}
		}
	}
	return nil
}

// ofBoth reports whether the right answer is a cost in time and in space, as problems have it: what is asked for is the time.
func ofBoth(groundtruth string) bool {
	value := foldText(groundtruth)
	return strings.HasPrefix(value, "time ") && strings.Contains(value, ", space ")
}

// cost returns the cost that an answer to a question concludes: that in time where the right answer holds both, else that which the
// question is about. "" = none.
func cost(question, answer, groundtruth string) string {
	asked := conclusion.Asks(question)
	if ofBoth(groundtruth) {
		if c := conclusion.Read(answer).Time; c != nil {
			return c.Form
		}
		return ""
	}
	for _, form := range costOf(conclusion.About(answer, asked), asked) {
		return form
	}
	return ""
}

// reached counts how much of the right answer was concluded, and of how much: where it is a cost in time and in space, both are needed
// for all of it, the time alone is half, and the space alone a quarter. What passes goes by the time.
func reached(groundtruth, answer string, right bool) (level, of int) {
	_, space, both := strings.Cut(foldText(groundtruth), ", space ")
	if !both || !ofBoth(groundtruth) {
		if right {
			level = 1
		}
		return level, 1
	}
	said := conclusion.Read(answer).Space
	want, known := conclusion.Form(space)
	stored := known && said != nil && conclusion.Same(want, said.Form)
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

// costIn is cost for words that a model points at within a turn: what the turn as a whole says of time and memory tells which of the
// two the words are about.
func costIn(question, turn, quote, groundtruth string) string {
	from := strings.Index(strings.ToLower(turn), strings.ToLower(quote))
	asked := conclusion.Asks(question)
	if ofBoth(groundtruth) {
		asked = conclusion.Time
	}
	r := conclusion.About(turn, asked)
	if from < 0 || len(r.Claims) == 0 {
		return cost(question, quote, groundtruth)
	}
	found := ""
	for _, c := range r.Claims {
		if c.From < from+len(quote) && c.To > from && c.Of == asked {
			found = c.Form
		}
	}
	if final := r.Of(asked); final != nil && (found == "" || final.From < from+len(quote) && final.To > from) {
		return final.Form
	}
	return found
}
