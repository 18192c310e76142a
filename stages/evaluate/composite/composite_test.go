package composite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/composite"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// fixed is an evaluator that always says the same.
type fixed struct {
	name string
	says evaluate.Evaluation
	err  error
}

func (f fixed) Name() string { return f.name }

func (f fixed) Evaluate(evaluate.Item) (evaluate.Evaluation, error) { return f.says, f.err }

// model is a judge without rules: its answer is a number on its own scale, 1 to 5.
type model struct{ fails error }

func (model) Name() string { return "model" }

func (m model) Ask(it evaluate.Item) (structured.Question, error) {
	if m.fails != nil {
		return structured.Question{}, m.fails
	}
	return structured.Question{
		Role: "model", System: "How well?", User: structured.Fence(it.Answer), Name: "level", MaxTokens: 50,
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["level"],"properties":{"level":{"type":"integer"}}}`),
	}, nil
}

func (model) Read(_ evaluate.Item, raw json.RawMessage) (evaluate.Evaluation, error) {
	var a struct{ Level int }
	if err := json.Unmarshal(raw, &a); err != nil || a.Level < 1 || a.Level > 5 {
		return evaluate.Evaluation{}, fmt.Errorf("level must lie between 1 and 5: %w", errors.Join(err))
	}
	return ok(float64(a.Level), 1, 5), nil
}

func ok(score, least, most float64) evaluate.Evaluation {
	return evaluate.Evaluation{Status: evaluate.StatusOK, Decision: evaluate.DecisionContinue, Score: score, Min: least, Max: most, Feedback: "Fine.", Confidence: 0.8}
}

// made is a composite of evaluators with the given names, each with a weight.
func made(t *testing.T, known map[string]any, parts ...string) *composite.Composite {
	t.Helper()
	c, err := load(known, parts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(known map[string]any, parts ...string) (*composite.Composite, error) {
	text := "evaluator: composite\nrubric: mine\nversion: \"2\"\nassessed: 0.5\nparts:\n"
	for _, p := range parts {
		text += "  - {" + p + "}\n"
	}
	return composite.New([]byte(text), func(name string) any {
		if x, there := known[name]; there {
			return x
		}
		if rules := registry.Rules(name); rules != nil {
			return rules
		}
		return nil
	})
}

var item = evaluate.Item{ID: "x", Rubric: "mine", Answer: "I keep a counter."}

// RX-13, RX-14: the score is the weighted mean of what was assessed, each part keeps its own scale, and what was not assessed is
// excluded and named, never a zero in the mean.
func TestWeightedMeanOfWhatWasAssessed(t *testing.T) {
	nothing := evaluate.Evaluation{Status: evaluate.StatusNotAssessed, Max: 10}
	known := map[string]any{"a": fixed{name: "a", says: ok(8, 0, 10)}, "b": fixed{name: "b", says: ok(2, 1, 5)}, "c": fixed{name: "c", says: nothing}, "d": fixed{name: "d", err: errors.New("no reference")}}
	c := made(t, known, "id: a, name: {en: speed}, by: a, weight: 3", "id: b, name: {en: care}, by: b, weight: 1", "id: c, name: {en: depth}, by: c, weight: 1", "id: d, name: {en: result}, by: d, weight: 1")
	e, err := c.Evaluate(item)
	if err != nil {
		t.Fatal(err)
	}
	if want := (3*0.8 + 1*0.25) / 4; math.Abs(e.Norm-want) > 1e-9 || math.Abs(e.Score-10*want) > 1e-9 || e.Status != evaluate.StatusOK || e.Decision != evaluate.DecisionNext {
		t.Errorf("%v (%v) %s %s", e.Score, e.Norm, e.Status, e.Decision)
	}
	if e.Feedback != "speed: 8 of 10. Fine. care: 2 of 5. Fine. Not assessed: depth, result." || e.Degraded != "" {
		t.Errorf("%q, degraded %q", e.Feedback, e.Degraded)
	}
	want := []evaluate.Part{
		{ID: "a", By: "a", Weight: 3, Status: "ok", Score: 8, Max: 10, Norm: 0.8, Feedback: "Fine."},
		{ID: "b", By: "b", Weight: 1, Status: "ok", Score: 2, Min: 1, Max: 5, Norm: 0.25, Feedback: "Fine."},
		{ID: "c", By: "c", Weight: 1, Status: "not_assessed", Max: 10, Missing: "there was nothing to judge"},
		{ID: "d", By: "d", Weight: 1, Status: "not_assessed", Max: 10, Missing: "no reference"},
	}
	if diff := cmp.Diff(want, e.Parts); diff != "" {
		t.Error(diff)
	}
	if len(e.Marks) > 0 {
		t.Errorf("marks %+v: their plain mean would lose the weights", e.Marks)
	}
}

// RX-14: with too little assessed nothing is passed; with nothing assessed there is no score.
func TestTooLittleAssessed(t *testing.T) {
	nothing := evaluate.Evaluation{Status: evaluate.StatusNotAssessed}
	known := map[string]any{"a": fixed{name: "a", says: ok(10, 0, 10)}, "b": fixed{name: "b", says: nothing}}
	e, err := made(t, known, "id: a, name: {en: a}, by: a, weight: 1", "id: b, name: {en: b}, by: b, weight: 2").Evaluate(item)
	if err != nil || e.Score != 10 || e.Decision != evaluate.DecisionContinue {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = made(t, known, "id: a, name: {en: a}, by: b", "id: b, name: {en: b}, by: b").Evaluate(item)
	if err != nil || e.Status != evaluate.StatusNotAssessed || e.Score != 0 || e.Feedback != "There is nothing to judge yet." {
		t.Errorf("%+v, %v", e, err)
	}
}

// A model is asked about all its parts in one question; a part that cannot do without a model is excluded and said without one.
func TestOneQuestionForAllParts(t *testing.T) {
	known := map[string]any{"model": model{}, "a": fixed{name: "a", says: ok(10, 0, 10)}}
	c := made(t, known, "id: depth, name: {en: depth}, by: model, weight: 1", "id: care, name: {en: care}, by: model, weight: 1", "id: a, name: {en: a}, by: a, weight: 2")
	q, err := c.Ask(item)
	if err != nil {
		t.Fatal(err)
	}
	if q.MaxTokens != 100 || strings.Count(q.User, structured.Fence(item.Answer)) != 2 || !strings.Contains(q.System, "Question care:\nHow well?") {
		t.Errorf("%+v", q)
	}
	for answer, fine := range map[string]bool{
		`{"depth":{"level":5},"care":{"level":1}}`: true, `{"depth":{"level":5}}`: false, `{"depth":{"level":5},"care":{"level":1},"a":{}}`: false,
		`{"depth":{"level":"high"},"care":{"level":1}}`: false,
	} {
		if err := structured.Check(q.Schema, json.RawMessage(answer)); (err == nil) != fine {
			t.Errorf("%s: %v", answer, err)
		}
	}
	e, err := c.Read(item, json.RawMessage(`{"depth":{"level":5},"care":{"level":1}}`))
	if err != nil || e.Norm != 0.75 || e.Status != evaluate.StatusOK || e.Parts[0].Score != 5 || e.Parts[0].Min != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := c.Read(item, json.RawMessage(`{"depth":{"level":9},"care":{"level":1}}`)); err == nil || !strings.HasPrefix(err.Error(), "depth: level must lie between 1 and 5") {
		t.Errorf("an answer off the scale: %v", err)
	}
	e, err = c.Evaluate(item)
	if err != nil || e.Status != evaluate.StatusDegraded || e.Score != 10 || !strings.Contains(e.Degraded, "depth: there is no model to ask") {
		t.Errorf("without a model: %+v, %v", e, err)
	}
}

// What nobody asks a model about is judged by rules; what does not apply to an item is excluded, and no failure.
func TestNothingForAModel(t *testing.T) {
	known := map[string]any{"model": model{fails: errors.New("it needs a reference")}, "a": fixed{name: "a", says: ok(5, 0, 10)}}
	c := made(t, known, "id: depth, name: {en: depth}, by: model", "id: check, name: {en: list}, by: checklist, by_rules: true", "id: a, name: {en: a}, by: a")
	if _, err := c.Ask(item); !errors.Is(err, evaluate.ErrByRules) {
		t.Errorf("asked all the same: %v", err)
	}
	e, err := c.Evaluate(item)
	if err != nil || e.Status != evaluate.StatusOK || e.Parts[0].Missing != "it needs a reference" || e.Degraded != "" {
		t.Errorf("%+v, %v", e, err)
	}
}

// A composite is of evaluators that there are, and judges by no other rubric.
func TestUnknownParts(t *testing.T) {
	if _, err := load(nil, "id: a, name: {en: a}, by: nobody"); err == nil || !strings.Contains(err.Error(), `no evaluator "nobody"`) {
		t.Errorf("%v", err)
	}
	c := made(t, nil, "id: a, name: {en: a}, by: checklist", "id: b, name: {en: b}, by: two_stage")
	if _, err := c.Evaluate(evaluate.Item{Rubric: "wine"}); err == nil || !strings.Contains(err.Error(), "known are mine") {
		t.Errorf("%v", err)
	}
}

// R004-65, RX-16, RX-17: the shipped composite judges a spoken solution in every language; its quotes were said.
func TestShippedComposite(t *testing.T) {
	judge := registry.Rules(composite.Name)
	for locale, want := range map[string]string{"en": "Not assessed: depth and reasons.", "vi-VN": "Chưa đánh giá: chiều sâu và lý do.", "zh": "未评估：深度与理由。"} {
		it := evaluate.Item{
			ID: "cost", Locale: locale, Question: "Two numbers that add up to a target", Reference: "O(n)", Criteria: []state.Keyword{{Phrase: "hash map"}, {Phrase: "recursion"}},
			Turns: []evaluate.Turn{{ID: 4, Role: evaluate.RoleUser, Content: "We're given an array. I keep a hash map. For each number I look up the rest. I must not use one twice. So it is linear."}},
		}
		e, err := judge.Evaluate(it)
		if err != nil || e.Status != evaluate.StatusDegraded || !strings.HasSuffix(e.Feedback, want) {
			t.Fatalf("%s: %+v, %v", locale, e, err)
		}
		if want := (0.5*1 + 0.2*0.5) / 0.7; math.Abs(e.Norm-want) > 1e-9 {
			t.Errorf("%s: norm %v, want %v", locale, e.Norm, want)
		}
		if got := evaluate.Verify(e.Evidence, it.Turns); len(got) != len(e.Evidence) || len(got) < 4 {
			t.Errorf("%s: evidence %v", locale, e.Evidence)
		}
		if strings.Contains(e.Feedback, it.Reference) {
			t.Errorf("%s: the feedback tells the reference: %s", locale, e.Feedback)
		}
	}
}
