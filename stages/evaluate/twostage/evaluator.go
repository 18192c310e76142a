package twostage

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vivavoice/viva/prompts"
)

// Evaluator judges samples and interviews by one rubric.
type Evaluator struct {
	rubric Rubric // with defaults
	chain  chain
	words  *words
	pin    string
}

// New makes an evaluator. extra are normalisers that the rubric may name besides the built-in ones.
func New(r Rubric, extra ...Normaliser) (*Evaluator, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("rubric %s: %w", r.ID, err)
	}
	r = r.withDefaults()
	c, err := newChain(r.Normaliser, extra)
	if err != nil {
		return nil, err
	}
	return &Evaluator{rubric: r, chain: c, words: prompts.In(shipped().words, r.Locale), pin: r.Pin()}, nil
}

// Default returns the evaluator of the shipped rubric. It is made once: an evaluator does not change.
var Default = sync.OnceValues(func() (*Evaluator, error) {
	text, err := files.ReadFile("rubrics/" + Name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the shipped rubric: %w", err)
	}
	r, err := ParseRubric(text)
	if err != nil {
		return nil, err
	}
	return New(r)
})

// Pin names the rubric with its version.
func (e *Evaluator) Pin() string { return e.pin }

// GoodEnough is the construction score from which on a construction is good enough, inclusive.
func (e *Evaluator) GoodEnough() float64 { return *e.rubric.GoodEnough }

// Normalise returns a value in its one form: by the first of the rubric's kinds that knows it (R004-23).
func (e *Evaluator) Normalise(value string) string {
	_, canonical := e.chain.read(value)
	return canonical
}

// Score judges a sample in both stages. The error is a *ValidationError: the sample cannot be judged (R004-10). If
// judging itself breaks, the result says so and the error is nil (R004-39).
func (e *Evaluator) Score(s Sample) (result Result, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			result, err = e.Failed(fmt.Errorf("the evaluation broke: %v", broken)), nil
		}
	}()
	if err := e.Validate(s); err != nil {
		return Result{}, err
	}
	var spoken *Construction
	if !blank(s.Answer) {
		s, spoken = e.fill(s, e.Frame(s.InputText, s.Answer, s.Groundtruth))
	}
	return e.score(s, spoken), nil
}

// score judges what was validated; framed is the construction where it was spoken.
func (e *Evaluator) score(s Sample, framed *Construction) Result {
	r := e.EvaluateReasoning(s.Prediction, s.Groundtruth, s.Reasoning)
	if blank(s.Prediction) {
		r.Feedback = e.words.say("silent", "expected", shorten(s.Groundtruth))
		r.Ambiguous, r.Conflict = true, false
	}
	var c Construction
	switch {
	case framed != nil:
		c = *framed
	case e.follows(s):
		c = Construction{
			Score: r.Score, Feedback: e.words.say("follows"), Read: readFallback, Confidence: fallbackConfidence,
			GoodEnough: r.Score >= *e.rubric.GoodEnough,
		}
	case blank(s.Construction):
		c = e.EvaluateConstruction("")
		c.Score = e.rubric.Missing.Construction
		c.GoodEnough = c.Score >= *e.rubric.GoodEnough
	default:
		c = e.EvaluateConstruction(s.Construction)
	}
	out := Result{
		ConstructionScore: c.Score, ConstructionFeedback: c.Feedback, ReasoningScore: r.Score, ReasoningFeedback: r.Feedback,
		OverallScore:   e.rubric.Weights.Construction*c.Score + e.rubric.Weights.Reasoning*r.Score,
		OverallCorrect: r.Correct, Status: StatusOK, Metadata: metadata(c, r, e.pin),
	}
	out.TwoStageFeedback = CombinedFeedback(out)
	return out
}

// fallbackConfidence is the confidence in a construction score that only follows the answer.
const fallbackConfidence = 0.3

// follows reports whether both scores follow correctness: neither construction nor reasoning was given, and the rubric
// expects neither (R004-41).
func (e *Evaluator) follows(s Sample) bool {
	return blank(s.Construction) && blank(s.Reasoning) && e.rubric.Missing.Both == BothCorrectness &&
		!slices.Contains(e.rubric.Expects, ColumnConstruction) && !slices.Contains(e.rubric.Expects, ColumnReasoning)
}
