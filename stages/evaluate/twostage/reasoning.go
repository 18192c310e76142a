package twostage

import (
	"slices"
	"strconv"
	"strings"
)

// Reasoning is the judgement of the second stage.
type Reasoning struct {
	Score    float64 // 1 correct, 0 not
	Correct  bool
	Feedback string
	// Kind is the kind of value that was compared; Predicted and Expected are the two in their one form.
	Kind                string
	Predicted, Expected string
	// Conclusions are what the reasoning states in its most explicit words. Ambiguous: none or several; Conflict: one, and
	// it is not the prediction, which decides all the same (R004-27, R004-28).
	Conclusions         []string
	Ambiguous, Conflict bool
	// Steps counts numbered steps; Final says that a conclusion is announced; Skipped is the first number left out, or 0.
	Steps   int
	Final   bool
	Skipped int
	// Confidence, 0 to 1, is how sure the comparison is. It changes no score (R004-62).
	Confidence float64
}

// Structured reports whether the reasoning goes step by step.
func (r Reasoning) Structured() bool { return r.Steps >= 2 }

// EvaluateReasoning compares prediction and ground truth, and looks whether the reasoning, which may be blank, arrives
// there.
func (e *Evaluator) EvaluateReasoning(prediction, groundtruth, reasoning string) Reasoning {
	var r Reasoning
	kind, predicted, expected, equal := e.chain.pair(prediction, groundtruth)
	r.Predicted, r.Expected, r.Correct = predicted, expected, equal
	if kind == nil {
		kind = plain{}
	}
	r.Kind = kind.Name()
	if equal {
		r.Score = 1
	}
	r.Confidence = certainty(kind, equal)
	r.Feedback = e.words.say(map[bool]string{true: "correct", false: "incorrect"}[equal],
		"predicted", shorten(prediction), "expected", shorten(groundtruth))
	if blank(reasoning) {
		return r
	}
	if said := e.flow(&r, readThought(reasoning), kind, prediction); len(said) > 0 {
		r.Feedback += ". " + strings.Join(said, " ")
	}
	return r
}

// certainty is lower for text: two texts that differ may mean the same.
func certainty(kind Normaliser, equal bool) float64 {
	switch {
	case kind.Name() != KindText:
		return 1
	case equal:
		return 0.95
	}
	return 0.6
}

// lessSure is what an ambiguity or a conflict takes from the confidence.
const lessSure = 0.3

// flow looks at the reasoning itself and returns what is to be said about it.
func (e *Evaluator) flow(r *Reasoning, t thought, kind Normaliser, prediction string) []string {
	var said []string
	r.Conclusions = stated(t, kind, prediction)
	predicted, readable := kind.Normalise(prediction)
	if !readable {
		predicted = foldText(prediction)
	}
	switch {
	case len(r.Conclusions) == 0:
		r.Ambiguous = true
		said = append(said, e.words.say("ambiguous"))
	case len(r.Conclusions) > 1:
		r.Ambiguous = true
		said = append(said, e.words.say("several", "conclusions", shorten(strings.Join(r.Conclusions, e.words.And))))
	case r.Conclusions[0] != predicted:
		r.Conflict = true
		said = append(said, e.words.say("conflict", "conclusion", shorten(r.Conclusions[0]), "predicted", shorten(prediction)))
	}
	if r.Ambiguous || r.Conflict {
		r.Confidence = max(0, r.Confidence-lessSure)
	}
	t.structure(r)
	if r.Structured() {
		id := map[bool]string{true: "structured", false: "steps"}[r.Final]
		said = append(said, e.words.say(id, "steps", strconv.Itoa(r.Steps)))
	}
	if r.Skipped > 0 {
		said = append(said, e.words.say("skipped", "step", strconv.Itoa(r.Skipped)))
	}
	return said
}

// structure finds Step 1, Step 2 … and Final (R004-26).
func (t thought) structure(r *Reasoning) {
	var numbers []int
	r.Final = len(t.explicit) > 0
	for _, text := range t.sentences {
		s := newSentence(text)
		for _, w := range shipped().all {
			for _, p := range w.Step {
				for _, m := range p.allGroups(s) {
					if n := stepNumber(m[1]); n > 0 && n <= maxSteps && !slices.Contains(numbers, n) {
						numbers = append(numbers, n)
					}
				}
			}
			for _, p := range w.FinalStep {
				r.Final = r.Final || p.match(s)
			}
		}
	}
	r.Steps = max(len(numbers), t.steps)
	if len(numbers) == 0 || t.steps > len(numbers) {
		return
	}
	for n := 1; n < slices.Max(numbers); n++ {
		if !slices.Contains(numbers, n) {
			r.Skipped = n
			return
		}
	}
}

// maxSteps bounds what is taken for the number of a step.
const maxSteps = 50

func stepNumber(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return int(spokenForms().numbers[strings.ToLower(text)])
}
