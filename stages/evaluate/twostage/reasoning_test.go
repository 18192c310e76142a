package twostage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// R004-23, R004-53: the ways to say true and false, and all else trimmed and case-folded.
func TestNormalise(t *testing.T) {
	e := evaluator(t)
	for want, values := range map[string][]string{
		"true":             {"True", "true", "TRUE", "yes", "Yes", "1", " true\n", "True."},
		"false":            {"False", "false", "no", "NO", "0", "\tFalse "},
		"maybe":            {"Maybe", "  MAYBE "},
		"touch down":       {"Touch  Down", "touch down."},
		"strasse":          {"Straße", "STRASSE"},
		"1200":             {"1,200", "1200.0", "1.2e3", "twelve hundred", "one thousand two hundred"},
		"-0.5":             {"-0.50", "-.5"},
		"25%":              {"25 %", "25 percent", "twenty-five per cent"},
		"n log n":          {"O(n log n)", "n log n", "O(n·log(n))", "Θ(N lg N)", "O of n log n", "big O of n times log n", "3n log n + 2n", "linearithmic"},
		"n^2":              {"O(n²)", "n^2", "n squared", "O(n*n)", "quadratic time", "O(n^2 + n log n)", "n 平方"},
		"e + v":            {"O(V+E)", "O(|V| + |E|)", "e plus v", "O(E + V)"},
		"e log v":          {"O(E log V)", "e log v", "O(log V * E)"},
		"2^(n)":            {"O(2^n)", "exponential", "two to the n", "2 to the power of n"},
		"m n":              {"O(mn)", "O(n*m)", "m times n"},
		"log n":            {"O(log n)", "O(log n^2)", "logarithmic", "log base two of n"},
		"9007199254740993": {"9007199254740993"},
	} {
		for _, v := range values {
			if got := e.Normalise(v); got != want {
				t.Errorf("Normalise(%q) = %q, want %q", v, got, want)
			}
		}
	}
}

// R004-66: classes that differ stay apart, and what only looks like one is text.
func TestValuesThatDiffer(t *testing.T) {
	e := evaluator(t)
	for _, c := range [][2]string{
		{"O(n)", "O(n log n)"}, {"O(2^n)", "O(3^n)"}, {"O(n)", "O(m)"}, {"O(1)", "5"}, {"1", "0"}, {"10%", "10"}, {"a", "b"}, {"V", "E"},
		{"O(n!)", "O(n^2)"}, {"log n", "log log n"}, {"9007199254740993", "9007199254740992"}, {"hash map", "hash set"}, {"O(n) +", "O(n)"},
		{"1e999", "2e999"}, {"NaN", "nan b"},
	} {
		if r := e.EvaluateReasoning(c[0], c[1], ""); r.Correct {
			t.Errorf("%q equals %q as %s", c[0], c[1], r.Kind)
		}
	}
	for _, c := range [][3]string{
		{"yes", "1", "boolean"}, {"1.0", "1", "number"}, {"O(n)", "linear", "complexity_class"}, {"Two  Pointers", "two pointers", "text"}, {"1", "O(1)", "complexity_class"},
	} {
		if r := e.EvaluateReasoning(c[0], c[1], ""); !r.Correct || r.Kind != c[2] {
			t.Errorf("%q and %q: correct %v as %s, want %s", c[0], c[1], r.Correct, r.Kind, c[2])
		}
	}
}

// R004-22, R004-25: right or wrong, with both values.
func TestReasoningFollowsThePrediction(t *testing.T) {
	e := evaluator(t)
	right := e.EvaluateReasoning("True", "yes", "")
	if right.Score != 1 || !right.Correct || right.Feedback != "Reasoning correct. Predicted: True, Expected: yes" {
		t.Errorf("%+v", right)
	}
	wrong := e.EvaluateReasoning("False", "True", "")
	if wrong.Score != 0 || wrong.Correct || wrong.Feedback != "Reasoning incorrect. Predicted: False, Expected: True" {
		t.Errorf("%+v", wrong)
	}
}

// R004-24, R004-52, R004-9: the conclusion is taken from the reasoning, XML or text, where it is most explicit.
func TestConclusionsOfReasoning(t *testing.T) {
	e := evaluator(t)
	for _, c := range []struct {
		prediction, reasoning string
		want                  []string
	}{
		{"True", "The pass was longer. Final answer: True", []string{"true"}},
		{"True", "Conclusion: yes, because 45 yards are more than 30.", []string{"true"}},
		{"True", "<r><step>45 against 30</step><conclusion>True</conclusion></r>", []string{"true"}},
		{"True", "<r><step>45 < 30?</step><conclusion>True", []string{"true"}},
		{"True", "The answer might be false at first sight. Therefore, it is not false.", []string{"true"}},
		{"True", "Maybe the answer is no. In conclusion, the answer is yes.", []string{"true"}},
		{"n", "The complexity is O(n), with O(1) extra space.", []string{"n"}},
		{"n", "It goes from n squared to linear, so the running time is linear.", []string{"n"}},
		{"10", "864,000 / 86,400. So the answer is 10 per second, or 600 a minute.", []string{"10"}},
		{"two pointers", "Final answer: two pointers, because the list is sorted", []string{"two pointers"}},
		{"hash map", "The answer is a hash map with counts", []string{"hash map"}},
		{"是", "比较之后，最终答案是：是。", []string{"true"}},
		{"đúng", "Bước 1: so sánh. Kết luận: đúng", []string{"true"}},
	} {
		if got := e.EvaluateReasoning(c.prediction, c.prediction, c.reasoning); cmp.Diff(c.want, got.Conclusions) != "" || got.Ambiguous || got.Conflict {
			t.Errorf("%q: %+v", c.reasoning, got)
		}
	}
}

// Reasoning of any size and form is read in time that grows with its length only, and its end is.
func TestHugeReasoning(t *testing.T) {
	e := evaluator(t)
	for _, filler := range []string{"so the answer is, therefore ", "o of n log n plus ", "twenty one thousand ", "<step>", "Step 1. ", "第一步因此", "<<&"} {
		for _, truth := range []string{"True", "O(n)", "21", "hash map"} {
			got := e.EvaluateReasoning(truth, truth, strings.Repeat(filler, 50_000/len(filler))+"\nFinal answer: "+truth+"\n")
			if !got.Correct || filler != "so the answer is, therefore " && len(got.Conclusions) == 0 {
				t.Errorf("%q, %s: %+v", filler, truth, got.Ambiguous)
			}
		}
	}
}

// R004-26: a structured flow is noticed, and so is a step that is left out.
func TestStructuredFlow(t *testing.T) {
	e := evaluator(t)
	for _, c := range []struct {
		reasoning  string
		steps      int
		structured bool
		feedback   string
	}{
		{"Step 1: read.\nStep 2: compare.\nFinal: True", 2, true, "Structured flow: 2 steps and a final conclusion."},
		{"<r><step>a</step><step>b</step><step>c</step><conclusion>True</conclusion></r>", 3, true, "Structured flow: 3 steps and a final conclusion."},
		{"Step 1: read. Step 3: compare. Final: True", 2, true, "Logical gap: step 2 is missing."},
		{"第一步：比较。第二步：选择。最终答案是：是", 2, true, "2 steps"},
		{"Step 1: read. The answer is True.", 1, false, ""},
		{"It just is. The answer is True.", 0, false, ""},
	} {
		got := e.EvaluateReasoning("True", "True", c.reasoning)
		if got.Steps != c.steps || got.Structured() != c.structured || !strings.Contains(got.Feedback, c.feedback) {
			t.Errorf("%q: %+v", c.reasoning, got)
		}
	}
}

// R004-27: none or two conclusions: the prediction counts, and the ambiguity is noted. R004-62: it costs confidence.
func TestAmbiguousReasoning(t *testing.T) {
	e := evaluator(t)
	sure := e.EvaluateReasoning("True", "True", "Final answer: True")
	for _, c := range []struct{ reasoning, says string }{
		{"Both passes were long.", "states no conclusion"},
		{"Final answer: True. Final answer: False.", "several conclusions (true, false)"},
		{"<r><answer>yes</answer><answer>no</answer></r>", "several conclusions"},
	} {
		got := e.EvaluateReasoning("True", "True", c.reasoning)
		if got.Score != 1 || !got.Ambiguous || !strings.Contains(got.Feedback, c.says) || got.Confidence >= sure.Confidence {
			t.Errorf("%q: %+v", c.reasoning, got)
		}
	}
}

// R004-28: a conclusion that is not the prediction is a logical gap; the score follows the prediction.
func TestConflictingConclusion(t *testing.T) {
	e := evaluator(t)
	for prediction, want := range map[string]float64{"True": 1, "False": 0} {
		conclusion := map[string]string{"True": "False", "False": "True"}[prediction]
		got := e.EvaluateReasoning(prediction, "True", "Final answer: "+conclusion)
		if got.Score != want || !got.Conflict || !strings.Contains(got.Feedback, "Logical gap: the reasoning concludes "+strings.ToLower(conclusion)) {
			t.Errorf("%+v", got)
		}
	}
	if r := score(t, e, sample(func(s *twostage.Sample) { s.Reasoning = "Final answer: False" })); r.Metadata.Gaps[0].Code != twostage.GapConflict {
		t.Errorf("gaps %v", r.Metadata.Gaps)
	}
}

// upside is a normaliser of somebody else.
type upside struct{}

func (upside) Name() string { return "upside" }

func (upside) Normalise(value string) (string, bool) {
	return strings.ToLower(strings.TrimPrefix(value, "^")), strings.HasPrefix(value, "^")
}

// R004-66: kinds of values can be added, chosen and ordered by the rubric; R004-7: with a closed set of kinds, a ground
// truth of no kind cannot be judged.
func TestNormalisersArePluggable(t *testing.T) {
	e := with(t, "normaliser: [upside, number]\n", upside{})
	if r := e.EvaluateReasoning("^A", "^a", ""); !r.Correct || r.Kind != "upside" {
		t.Errorf("%+v", r)
	}
	if r := e.EvaluateReasoning("1", "true", ""); r.Correct {
		t.Errorf("1 is true without the boolean kind: %+v", r)
	}
	_, err := e.Score(sample(func(s *twostage.Sample) { s.Groundtruth = "perhaps" }))
	if err == nil || err.Error() != `groundtruth "perhaps" is not in an expected format (upside, number)` {
		t.Errorf("error %v", err)
	}
}
