package twostage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/evaluate"
)

// ErrNoReference says that an item has no reference answer, so there is nothing to compare a conclusion with.
var ErrNoReference = errors.New("two_stage needs a reference answer")

var (
	_ evaluate.Evaluator = (*Evaluator)(nil)
	_ evaluate.Judge     = (*Evaluator)(nil)
)

// Name implements evaluate.Evaluator and evaluate.Judge.
func (e *Evaluator) Name() string { return Name }

// Evaluate implements evaluate.Evaluator for the gate or the report of a stage with a reference answer (R004-65): the
// candidate's turns are framed by rules, the conclusion is compared with the reference, and the overall score is the
// evaluation's. Without words of the candidate there is nothing to assess.
func (e *Evaluator) Evaluate(it evaluate.Item) (evaluate.Evaluation, error) {
	t, err := e.talk(it)
	if err != nil {
		return evaluate.Evaluation{}, err
	}
	if blank(t.answer) && blank(it.Vars[ColumnPrediction]) {
		return t.nothing(e), nil
	}
	s := t.sample()
	f := Framing{}
	if !blank(t.answer) {
		f = e.Frame(it.Question, t.answer, s.Groundtruth)
	}
	quotes := make(map[string][]evaluate.Quote, len(f.Sections))
	for id, list := range f.Sections {
		for _, sentence := range list {
			quotes[id] = append(quotes[id], t.quote(sentence)...)
		}
	}
	return t.judged(e, s, f, quotes)
}

// talk is an item as this package sees it.
type talk struct {
	item   evaluate.Item
	turns  []evaluate.Turn    // of both sides, numbered
	answer string             // all that the candidate said
	costs  conclusion.Reading // what it concludes, where the right answer is a cost
	words  *words
	// instructs: words that instruct the judge were left out
	instructs bool
}

func (e *Evaluator) talk(it evaluate.Item) (*talk, error) {
	if blank(it.Reference) {
		return nil, fmt.Errorf("item %s: %w", it.ID, ErrNoReference)
	}
	if it.Rubric != "" && it.Rubric != e.rubric.ID {
		return nil, fmt.Errorf("there is no two-stage rubric %q; known is %s", it.Rubric, e.rubric.ID)
	}
	t := &talk{item: it, words: prompts.In(shipped().words, it.Locale)}
	t.turns, t.instructs = evaluate.Screen(it.Conversation())
	var said []string
	for _, turn := range t.turns {
		if turn.Role == evaluate.RoleUser {
			said = append(said, turn.Content)
		}
	}
	t.answer = strings.Join(said, "\n")
	if e.isCost(it.Reference) {
		t.costs = conclusion.About(t.answer, asks(it.Question, it.Reference))
	}
	return t, nil
}

// sample is the item with what was given beside the talk: variables by the name of a column stand in for what would be found in it.
func (t *talk) sample() Sample {
	it := t.item
	s := Sample{
		InputText: it.Question, Prediction: it.Vars[ColumnPrediction], Groundtruth: it.Reference,
		Construction: it.Vars[ColumnConstruction], Reasoning: it.Vars[ColumnReasoning], Answer: t.answer,
	}
	if blank(s.InputText) {
		s.InputText = cmp.Or(strings.TrimSpace(it.PhaseName), strings.TrimSpace(it.ID), Name)
	}
	return s
}

// quote returns the turn that holds a sentence, as evidence.
func (t *talk) quote(sentence string) []evaluate.Quote {
	for _, turn := range t.turns {
		if turn.Role == evaluate.RoleUser && strings.Contains(turn.Content, sentence) {
			return []evaluate.Quote{{Turn: turn.ID, Text: sentence}}
		}
	}
	return nil
}

// said quotes a claim from the last turn that holds its words; nil where none does.
func (t *talk) said(c *conclusion.Claim) *evaluate.Quote {
	for _, turn := range slices.Backward(t.turns) {
		if c != nil {
			if q := (evaluate.Quote{Turn: turn.ID, Text: c.Quote}); q.Said(t.turns) {
				return &q
			}
		}
	}
	return nil
}

func (t *talk) nothing(e *Evaluator) evaluate.Evaluation {
	out := evaluate.Unassessed(Name, e.pin)
	out.Feedback = t.words.say("nothing")
	return evaluate.Sanitize(out)
}

// judged scores a framing, by whomever it was found, and makes an evaluation of it.
func (t *talk) judged(e *Evaluator, s Sample, f Framing, quotes map[string][]evaluate.Quote) (evaluate.Evaluation, error) {
	s, spoken := e.fill(s, f)
	if err := e.Validate(s); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("item %s: %w", t.item.ID, err)
	}
	return t.evaluation(e, s, e.score(s, spoken), quotes), nil
}

func (t *talk) evaluation(e *Evaluator, s Sample, r Result, quotes map[string][]evaluate.Quote) evaluate.Evaluation {
	out := evaluate.Unassessed(Name, e.pin)
	level, of := reached(t.item.Reference, t.costs, r.OverallCorrect)
	share := float64(level) / float64(of)
	out.Status = evaluate.StatusOK
	out.Score = (e.rubric.Weights.Construction*r.ConstructionScore + e.rubric.Weights.Reasoning*share) * evaluate.ScaleMax
	out.Confidence = min(r.Metadata.ConstructionConfidence, r.Metadata.ReasoningConfidence)
	present := slices.DeleteFunc(slices.Clone(e.rubric.Sections), func(id string) bool { return slices.Contains(r.Metadata.Missing, id) })
	out.Hits, out.Gaps = t.words.plain(present), t.words.plain(r.Metadata.Missing)
	for _, id := range present {
		out.Evidence = append(out.Evidence, quotes[id][:min(1, len(quotes[id]))]...)
	}
	framed, concluded := out.Evidence, []evaluate.Quote(nil)
	if r.OverallCorrect {
		out.Hits = append(out.Hits, t.words.ConclusionName)
	} else {
		out.Gaps = append(out.Gaps, t.words.ConclusionName)
	}
	for _, c := range []*conclusion.Claim{t.costs.Time, t.costs.Space} {
		if q := t.said(c); q != nil {
			concluded = append(concluded, *q)
			out.Costs = append(out.Costs, evaluate.Cost{Of: string(c.Of), Form: c.Form, Condition: c.Condition, Quote: *q})
		}
	}
	halfway := r.OverallCorrect && level < of
	if halfway {
		out.Gaps = append(out.Gaps, t.words.MemoryName)
	}
	out.Marks = []evaluate.Mark{
		{Criterion: ColumnConstruction, Status: evaluate.StatusOK, Level: len(present), Max: len(e.rubric.Sections), Norm: r.ConstructionScore, Evidence: framed},
		{Criterion: ColumnReasoning, Status: evaluate.StatusOK, Level: level, Max: of, Norm: share, Evidence: concluded},
	}
	if t.item.Passes(r.OverallScore) {
		out.Decision = evaluate.DecisionNext
	}
	if t.instructs {
		out.Flags = append(out.Flags, evaluate.FlagInstructs)
	}
	out.Feedback = t.feedback(s, r, present, halfway)
	return evaluate.Sanitize(out)
}

// feedback is for people, so it does not tell the reference answer.
func (t *talk) feedback(s Sample, r Result, present []string, halfway bool) string {
	w := t.words
	framing := w.say("framed")
	switch heard, missing := strings.Join(w.plain(present), w.And), strings.Join(w.plain(r.Metadata.Missing), w.And); {
	case missing == "":
	case heard == "":
		framing = w.say("unframed", "missing", missing)
	default:
		framing = w.say("framing", "present", heard, "missing", missing)
	}
	id := "missed"
	switch {
	case blank(s.Prediction):
		id = "open"
	case halfway:
		id = "halfway"
	case r.OverallCorrect:
		id = "reached"
	}
	return framing + " " + w.say(id)
}
