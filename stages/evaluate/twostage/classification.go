package twostage

import (
	"fmt"

	"github.com/vivavoice/viva/stages/evaluate"
)

// ClassificationName is the name of the plain evaluator.
const ClassificationName = "classification"

// Classification judges whether the answer is right, and nothing else: by the normalised values, as the second stage
// does, with the kinds of values of the evaluator's rubric.
type Classification struct{ Evaluator *Evaluator }

var _ evaluate.Evaluator = Classification{}

// Name implements evaluate.Evaluator.
func (Classification) Name() string { return ClassificationName }

// Evaluate implements evaluate.Evaluator: the conclusion that the candidate stated is compared with the reference.
func (c Classification) Evaluate(it evaluate.Item) (evaluate.Evaluation, error) {
	t, err := c.Evaluator.talk(it)
	if err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("%s: %w", ClassificationName, err)
	}
	if blank(t.answer) && blank(it.Vars[ColumnPrediction]) {
		out := t.nothing(c.Evaluator)
		out.By = ClassificationName
		return out, nil
	}
	prediction := it.Vars[ColumnPrediction]
	if blank(prediction) {
		prediction = c.Evaluator.Frame(it.Question, t.answer, it.Reference).Conclusion
	}
	out := evaluate.Unassessed(ClassificationName, "")
	out.Status, out.Feedback, out.Gaps = evaluate.StatusOK, t.words.say("missed"), []string{t.words.ConclusionName}
	switch {
	case blank(prediction):
		out.Feedback = t.words.say("open")
	case c.Evaluator.EvaluateReasoning(prediction, it.Reference, "").Correct:
		out.Decision, out.Score, out.Gaps = evaluate.DecisionNext, evaluate.ScaleMax, nil
		out.Hits, out.Feedback = []string{t.words.ConclusionName}, t.words.say("reached")
	}
	return evaluate.Sanitize(out), nil
}
