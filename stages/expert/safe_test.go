package expert_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
)

// fake is an expert of a test's making.
type fake struct {
	name    string
	stage   string
	invalid error
	process func(expert.Board) (expert.Response, error)
}

func (f fake) Name() string                                    { return f.name }
func (f fake) ShouldActivate(b expert.Board) bool              { return b.CurrentStage == f.stage }
func (f fake) ValidateContext(expert.Board) error              { return f.invalid }
func (f fake) Process(b expert.Board) (expert.Response, error) { return f.process(b) }
func answering(r expert.Response) fake {
	return fake{name: "fake", process: func(expert.Board) (expert.Response, error) { return r, nil }}
}

// coached are the experts of the algorithm interview.
func coached(t *testing.T) *expert.Registry {
	t.Helper()
	experts, err := coach.Experts()
	if err != nil {
		t.Fatal(err)
	}
	r, err := expert.NewRegistry(experts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sevenStages are the stages of the algorithm interview, in order.
var sevenStages = []string{
	coach.Clarification, coach.Thought, coach.Complexity, coach.Pseudocode, coach.EdgeCases, coach.FollowUp, coach.Summary,
}

// mockBoard is a problem that only just began, without a problem file (R003-26).
func mockBoard(problem string) expert.Board {
	return expert.Board{CurrentStage: coach.Clarification, ProblemText: problem, Locale: "en", Turns: 1}
}

// R003-12: an expert can be tested alone, with a board and nothing else. R003-26: that board comes from a helper.
func TestMockBoard(t *testing.T) {
	b := mockBoard("Sort three numbers.")
	if b.ProblemText != "Sort three numbers." || b.CurrentStage != coach.Clarification {
		t.Errorf("%+v", b)
	}
	if _, err := coached(t).For(b); err != nil {
		t.Error(err)
	}
}

// R003-11 (the experts' side), R003-13, R003-23: a new expert implements the interface and is registered; it takes its stage, and nothing else changes.
func TestAnotherExpert(t *testing.T) {
	r := coached(t)
	if err := r.Register(fake{name: "Warmup", stage: "WARM_UP"}); err != nil {
		t.Fatal(err)
	}
	if e, err := r.For(expert.Board{CurrentStage: "WARM_UP"}); err != nil || e.Name() != "Warmup" {
		t.Errorf("%v %v", e, err)
	}
	if err := r.Check(append(slices.Clone(sevenStages), "WARM_UP")); err != nil {
		t.Error(err)
	}
	if err := r.Register(fake{name: "Warmup"}); err == nil {
		t.Error("the name was taken twice")
	}
	if err := r.Register(fake{}); err == nil {
		t.Error("an expert without a name")
	}
}

// R003-10: no expert, or several, is an error at load time, all stages at once.
func TestExactlyOneIsActive(t *testing.T) {
	r := coached(t)
	if err := r.Register(fake{name: "Rival", stage: coach.Thought}); err != nil {
		t.Fatal(err)
	}
	err := r.Check([]string{coach.Thought, "NOBODY"})
	if !errors.Is(err, expert.ErrSeveral) || !errors.Is(err, expert.ErrNone) || !strings.Contains(err.Error(), "Rival") {
		t.Errorf("%v", err)
	}
	some, err := r.Only([]string{coach.NameCoach, coach.NameReviewer})
	if err != nil || !slices.Equal(some.Names(), []string{coach.NameCoach, coach.NameReviewer}) {
		t.Errorf("%v %v", some.Names(), err)
	}
	if _, err := r.Only([]string{"Coach", "Judge"}); err == nil || !strings.Contains(err.Error(), "Judge") || !strings.Contains(err.Error(), "Coach") {
		t.Errorf("%v", err)
	}
	if all, err := r.Only(nil); err != nil || all != r {
		t.Errorf("%v", err)
	}
}

// R003-22, R003-25, R003-27 (metadata is a field of its own): the helper fills a response.
func TestSuccess(t *testing.T) {
	got := expert.Success("Well done.", coach.Complexity, expert.Update{Field: expert.FieldApproach, Value: "a heap"})
	want := expert.Response{
		Success: true, Message: "Well done.", NextStage: coach.Complexity, Updates: map[string]any{expert.FieldApproach: "a heap"},
		Metadata: map[string]any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// R003-86, R003-87, R003-88, R003-91, R003-92: every failure comes out of the wrapper as one of three kinds.
// R003-93: with stage, expert and kind.
func TestFailuresAreClassed(t *testing.T) {
	failing := func(err error) fake {
		return fake{name: "fake", process: func(expert.Board) (expert.Response, error) { return expert.Success("x", ""), err }}
	}
	for name, c := range map[string]struct {
		expert expert.Expert
		kind   error
		word   string
	}{
		"context":       {fake{name: "fake", invalid: errors.New("no task")}, expert.ErrState, "state"},
		"no message":    {answering(expert.Response{Success: true}), expert.ErrMalformed, "malformed"},
		"unknown stage": {answering(expert.Success("x", "NOWHERE")), expert.ErrMalformed, "malformed"},
		"wrong type":    {answering(expert.Success("x", "", expert.Update{Field: expert.FieldIssues, Value: "a"})), expert.ErrMalformed, "malformed"},
		"number":        {answering(expert.Success("x", "", expert.Update{Field: expert.FieldCode, Value: 3})), expert.ErrMalformed, "malformed"},
		"other":         {failing(errors.New("broken")), expert.ErrOther, "other"},
		"no success":    {answering(expert.Response{Message: "x"}), expert.ErrOther, "other"},
		"panic":         {fake{name: "fake", process: func(expert.Board) (expert.Response, error) { panic("oops") }}, expert.ErrOther, "other"},
		"nil":           {nil, expert.ErrOther, "other"},
	} {
		r, err := expert.Safe(c.expert, expert.Board{CurrentStage: coach.Thought}, sevenStages)
		var failed *expert.Error
		if !errors.As(err, &failed) || !errors.Is(err, c.kind) || expert.Kind(err) != c.word || failed.Stage != coach.Thought {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.expert != nil && failed.Expert != "fake" {
			t.Errorf("%s: who failed is %q", name, failed.Expert)
		}
		if diff := cmp.Diff(expert.Response{}, r); diff != "" {
			t.Errorf("%s: a response all the same: %s", name, diff)
		}
	}
}

// R003-24: the context is validated before an expert works with it, the shipped ones too.
func TestContextIsValidated(t *testing.T) {
	for _, stage := range sevenStages {
		e, err := coached(t).For(expert.Board{CurrentStage: stage})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := expert.Safe(e, expert.Board{CurrentStage: stage}, sevenStages); !errors.Is(err, expert.ErrState) {
			t.Errorf("%s works without a task: %v", stage, err)
		}
	}
}

// R003-21: what no field takes goes to the extra field; the rest is checked against the fields there are.
func TestUnknownFieldsGoToExtra(t *testing.T) {
	b := mockBoard("x")
	b.Types = map[string]string{"mood": "text", "tries": "number", "sure": "flag", "list": "list"}
	r, err := expert.Safe(answering(expert.Success("x", "",
		expert.Update{Field: "mood", Value: "calm"}, expert.Update{Field: "tries", Value: 2}, expert.Update{Field: "sure", Value: true},
		expert.Update{Field: "list", Value: []string{"a"}}, expert.Update{Field: "colour", Value: "red"})), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"mood": "calm", "tries": 2, "sure": true, "list": []string{"a"}, expert.FieldExtra: map[string]any{"colour": "red"},
	}
	if diff := cmp.Diff(want, r.Updates); diff != "" {
		t.Error(diff)
	}
	for field, value := range map[string]any{"mood": 1, "tries": "two", "sure": "yes"} {
		_, err := expert.Safe(answering(expert.Success("x", "", expert.Update{Field: field, Value: value})), b, nil)
		if !errors.Is(err, expert.ErrMalformed) {
			t.Errorf("%s = %v: %v", field, value, err)
		}
	}
}
