package twostage_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// R004-1, R004-34, R004-54, R004-29: the seed's worked example.
func TestWorkedExample(t *testing.T) {
	r := score(t, evaluator(t), sample(func(s *twostage.Sample) {
		s.Construction = build("entities", "state_variables", "actions")
		s.Reasoning = ""
	}))
	want := twostage.Result{
		ConstructionScore: 0.75, ConstructionFeedback: "Construction incomplete. Missing: constraints",
		ReasoningScore: 1, ReasoningFeedback: "Reasoning correct. Predicted: True, Expected: True",
		OverallScore: 0.875, OverallCorrect: true, Status: "ok",
		TwoStageFeedback: "Overall Score: 0.88 | Construction: 0.75 - Construction incomplete. Missing: constraints" +
			" | Reasoning: 1.00 - Reasoning correct. Predicted: True, Expected: True",
		Metadata: twostage.Metadata{
			EntitiesFound: 1, StateVariablesFound: 1, ActionsFound: 1, Missing: []string{"constraints"}, GoodEnough: true, Read: "xml",
			ConstructionConfidence: 0.9, ReasoningConfidence: 1, Kind: "boolean", Predicted: "true", Expected: "true",
			Gaps: []twostage.Gap{{Stage: "construction", Code: "missing_section", Subject: "constraints"}}, Rubric: evaluator(t).Pin(),
		},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

// R004-47, R004-48, R004-33: correctness does not depend on the construction, nor the other way round.
func TestRightAndWrong(t *testing.T) {
	e := evaluator(t)
	for _, c := range []struct {
		name, prediction, construction string
		constructed, reasoned, overall float64
		correct                        bool
	}{
		{"correct and complete", "True", build(twostage.Sections()...), 1, 1, 1, true},
		{"wrong and complete", "False", build(twostage.Sections()...), 1, 0, 0.5, false},
		{"correct without a construction", "yes", "", 0, 1, 0.5, true},
		{"correct with half of one", "1", build("entities", "actions"), 0.5, 1, 0.75, true},
		{"wrong with three quarters", "0", build("entities", "actions", "constraints"), 0.75, 0, 0.375, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := score(t, e, sample(func(s *twostage.Sample) { s.Prediction, s.Construction = c.prediction, c.construction }))
			got := []any{r.ConstructionScore, r.ReasoningScore, r.OverallScore, r.OverallCorrect, r.Status}
			if diff := cmp.Diff([]any{c.constructed, c.reasoned, c.overall, c.correct, "ok"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R004-5, R004-6, R004-7, R004-10, R004-12: what is required and blank is an error that names the column.
func TestRequiredColumns(t *testing.T) {
	for column, empty := range map[string]func(*twostage.Sample){
		"input_text":  func(s *twostage.Sample) { s.InputText = "" },
		"prediction":  func(s *twostage.Sample) { s.Prediction = " \n" },
		"groundtruth": func(s *twostage.Sample) { s.Groundtruth = "\t" },
	} {
		r, err := evaluator(t).Score(sample(empty))
		var invalid *twostage.ValidationError
		if !errors.As(err, &invalid) || invalid.Column != column || err.Error() != column+" must not be empty" {
			t.Errorf("%s: error %v", column, err)
		}
		if diff := cmp.Diff(twostage.Result{}, r); diff != "" {
			t.Error(diff)
		}
	}
}

// R004-8, R004-42: the optional columns may be left out. R004-41: with neither, both scores follow correctness; with
// one, or where the rubric expects one, a missing construction is 0.
func TestOptionalColumns(t *testing.T) {
	plain, expecting := evaluator(t), with(t, "expects: [construction]\n")
	separate := with(t, "missing: {both: separate, construction: 0.25}\n")
	full := build(twostage.Sections()...)
	for _, c := range []struct {
		name                                string
		e                                   *twostage.Evaluator
		prediction, construction, reasoning string
		want                                [3]float64
	}{
		{"neither, right", plain, "True", "", "", [3]float64{1, 1, 1}},
		{"neither, wrong", plain, "False", "", " ", [3]float64{0, 0, 0}},
		{"reasoning only", plain, "True", "", "Final: True", [3]float64{0, 1, 0.5}},
		{"construction only", plain, "True", full, "", [3]float64{1, 1, 1}},
		{"neither, expected", expecting, "True", "", "", [3]float64{0, 1, 0.5}},
		{"neither, separate", separate, "True", "", "", [3]float64{0.25, 1, 0.625}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := score(t, c.e, sample(func(s *twostage.Sample) {
				s.Prediction, s.Construction, s.Reasoning = c.prediction, c.construction, c.reasoning
			}))
			if got := [3]float64{r.ConstructionScore, r.ReasoningScore, r.OverallScore}; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// R004-30, R004-31, R004-55, R004-63: weights are the rubric's, and are scaled to a sum of 1.
func TestWeights(t *testing.T) {
	for yaml, construction := range map[string]float64{
		"": 0.5,
		"weights: {construction: 3, reasoning: 1}":     0.75,
		"weights: {construction: 0, reasoning: 0.1}":   0,
		"weights: {construction: 0.2, reasoning: 0.2}": 0.5,
	} {
		r := score(t, with(t, yaml), sample(func(s *twostage.Sample) { s.Prediction = "False" }))
		if r.OverallScore != construction {
			t.Errorf("%s: overall %v, want %v", yaml, r.OverallScore, construction)
		}
	}
}

// R004-32: and everything else that is wrong with a rubric, all at once.
func TestBadRubrics(t *testing.T) {
	for yaml, wants := range map[string][]string{
		"evaluator: two_stage\nweights: {construction: -1, reasoning: 2}": {"weights must not be negative"},
		"evaluator: two_stage\nweights: {construction: 0, reasoning: 0}":  {"weights: one of construction and reasoning must be above 0"},
		"evaluator: two_stage\nweights: {construction: .nan}":             {"weights must be finite"},
		"evaluator: two_stage\nweight: {construction: 1}":                 {"weight"},
		"evaluator: three_stage\nsections: [actions, actions, verbs]\ngood_enough: 2\nexpects: [tea]\nmissing: {both: maybe, construction: 3}\nlocale: xx": {
			`"three_stage"`, "sections[1]", "sections[2]", "good_enough", "expects[0]", "missing.both", "missing.construction", `"xx"`,
		},
	} {
		_, err := twostage.ParseRubric([]byte(yaml))
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s\nerror %v, want %s", yaml, err, want)
			}
		}
	}
	if _, err := twostage.New(twostage.Rubric{Evaluator: twostage.Name, Weights: &twostage.Weights{Construction: -1}}); err == nil {
		t.Error("negative weights in code are accepted")
	}
	if _, err := twostage.New(twostage.Rubric{Evaluator: twostage.Name, Normaliser: []string{"colour"}}); err == nil || !strings.Contains(err.Error(), `"colour"`) {
		t.Errorf("an unknown normaliser: %v", err)
	}
}

// R004-35, R004-36, R004-56: seven columns, each one a field of the result; R004-38: and the metadata object beside them.
func TestSevenColumns(t *testing.T) {
	want := []string{
		"construction_score", "construction_feedback", "reasoning_score", "reasoning_feedback", "overall_score", "overall_correct", "two_stage_feedback",
	}
	if diff := cmp.Diff(want, twostage.FeedbackColumns()); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(score(t, evaluator(t), sample(nil)))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(want, "status", "metadata") {
		if _, there := object[name]; !there {
			t.Errorf("no %s in %s", name, text)
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata["entities_found"] != 1.0 || metadata["constraints_found"] != 1.0 {
		t.Errorf("metadata %v", metadata)
	}
}

// R004-37: always three parts, whatever the values hold; two decimals, half rounded up.
func TestCombinedFeedback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sample(func(s *twostage.Sample) {
			s.Prediction = "x" + rapid.StringOf(rapid.SampledFrom([]rune("ab|\n\r\t |é"))).Draw(t, "prediction")
			s.Reasoning = "Final: y" + rapid.StringOf(rapid.SampledFrom([]rune("ab| "))).Draw(t, "conclusion")
		})
		r, err := evaluatorOf(t).Score(s)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(r.TwoStageFeedback, " | ")
		if len(parts) != 3 || strings.Count(r.TwoStageFeedback, "|") != 2 || strings.ContainsAny(r.TwoStageFeedback, "\n\r\t") {
			t.Fatalf("%q", r.TwoStageFeedback)
		}
	})
	for overall, want := range map[float64]string{0.875: "0.88", 0.125: "0.13", 1: "1.00", 0: "0.00", 1.0 / 3: "0.33"} {
		if got := twostage.CombinedFeedback(twostage.Result{OverallScore: overall}); !strings.HasPrefix(got, "Overall Score: "+want+" | Construction: 0.00 - ") {
			t.Errorf("%v: %q", overall, got)
		}
	}
}

func evaluatorOf(t *rapid.T) *twostage.Evaluator {
	e, err := twostage.Default()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// breaks is a normaliser with a fault.
type breaks struct{}

func (breaks) Name() string { return "breaks" }

func (breaks) Normalise(value string) (string, bool) {
	if value == "True" {
		panic("out of order")
	}
	return value, true
}

// R004-39, R004-40: when judging breaks, scores are 0, marked as failed, with the reason; a 0 by merit is ok.
func TestBrokenEvaluation(t *testing.T) {
	r := score(t, with(t, "normaliser: [breaks]\n", breaks{}), sample(nil))
	if r.OverallScore != 0 || r.ConstructionScore != 0 || r.ReasoningScore != 0 || r.OverallCorrect || r.Status != twostage.StatusFailed ||
		r.Error != "the evaluation broke: out of order" || !strings.Contains(r.TwoStageFeedback, "Not evaluated: the evaluation broke") {
		t.Errorf("%+v", r)
	}
	merit := score(t, evaluator(t), sample(func(s *twostage.Sample) { s.Prediction, s.Construction = "False", "<c/>" }))
	if merit.OverallScore != 0 || merit.Status != twostage.StatusOK || merit.Error != "" {
		t.Errorf("%+v", merit)
	}
}

// R004-3: each stage can be judged alone. Many samples in order are package batch's (R004-11, R004-57).
func TestStagesAlone(t *testing.T) {
	e := evaluator(t)
	single := score(t, e, sample(nil))
	if c, r := e.EvaluateConstruction(sample(nil).Construction), e.EvaluateReasoning("True", "True", sample(nil).Reasoning); c.Score != single.ConstructionScore ||
		r.Score != single.ReasoningScore || c.Feedback != single.ConstructionFeedback || r.Feedback != single.ReasoningFeedback {
		t.Error("the stages alone judge otherwise than both together")
	}
}

// R004-60, R004-62: gaps have codes, and each stage has a confidence.
func TestFeedbackForPrograms(t *testing.T) {
	r := score(t, evaluator(t), sample(func(s *twostage.Sample) {
		s.Prediction, s.Construction, s.Reasoning = "False", "<entities>a<actions>b<constraints>c", "Step 1. Step 3. Final: True"
	}))
	want := []twostage.Gap{
		{Stage: "construction", Code: "missing_section", Subject: "state_variables"},
		{Stage: "reasoning", Code: "wrong_conclusion"},
		{Stage: "reasoning", Code: "conflicting_conclusion", Subject: "true"},
		{Stage: "reasoning", Code: "skipped_step", Subject: "2"},
	}
	if diff := cmp.Diff(want, r.Metadata.Gaps); diff != "" {
		t.Error(diff)
	}
	if r.Metadata.ConstructionConfidence != 0.6 || r.Metadata.ReasoningConfidence != 0.7 {
		t.Errorf("confidence %v, %v", r.Metadata.ConstructionConfidence, r.Metadata.ReasoningConfidence)
	}
}

// Feedback in tables is in the rubric's language.
func TestFeedbackLanguages(t *testing.T) {
	for locale, want := range map[string]string{"zh": "缺少：约束", "vi": "Thiếu: ràng buộc", "en-GB": "Missing: constraints"} {
		e := with(t, "locale: "+locale+"\n")
		if got := e.EvaluateConstruction(build("entities", "state_variables", "actions")); !strings.Contains(got.Feedback, want) {
			t.Errorf("%s: %q", locale, got.Feedback)
		}
	}
}
