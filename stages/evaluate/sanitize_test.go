package evaluate_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate"
)

// R000-45, R000-54, RX-13: clamp and flag, unknown decisions continue, no gaps are an empty list, two scales.
func TestSanitize(t *testing.T) {
	for _, c := range []struct {
		name, in       string
		score, norm    float64
		decision, flag string
	}{
		{"seed's own example", `{"decision":"next_phase","score":7.5,"feedback":"Good coverage","gaps":["latency requirements"]}`, 7.5, 0.75, "next_phase", ""},
		{"too high", `{"decision":"next_phase","score":11}`, 10, 1, "next_phase", evaluate.FlagClamped},
		{"too low", `{"decision":"continue","score":-3}`, 0, 0, "continue", evaluate.FlagClamped},
		{"unknown decision", `{"decision":"hire","score":5}`, 5, 0.5, "continue", evaluate.FlagUnknownDecision},
		{"nothing", `{}`, 0, 0, "continue", evaluate.FlagUnknownDecision},
		{"levels 1 to 5", `{"decision":"continue","score":3,"min":1,"max":5}`, 3, 0.5, "continue", ""},
		{"an own norm is not believed", `{"decision":"continue","score":2,"norm":0.9}`, 2, 0.2, "continue", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e evaluate.Evaluation
			if err := json.Unmarshal([]byte(c.in), &e); err != nil {
				t.Fatal(err)
			}
			got := evaluate.Sanitize(e)
			if got.Score != c.score || got.Norm != c.norm || got.Decision != c.decision || got.Gaps == nil {
				t.Errorf("got %+v", got)
			}
			if c.flag != "" && !slices.Contains(got.Flags, c.flag) || c.flag == "" && len(got.Flags) > 0 {
				t.Errorf("flags are %v, want %q", got.Flags, c.flag)
			}
		})
	}
}

// RX-14: what was not assessed passes nothing and has no score, whatever it claims.
func TestNotAssessedPassesNothing(t *testing.T) {
	for _, status := range []string{evaluate.StatusNotAssessed, evaluate.StatusFailed} {
		e := evaluate.Sanitize(evaluate.Evaluation{Status: status, Decision: evaluate.DecisionNext, Score: 9})
		if e.Decision != evaluate.DecisionContinue || e.Norm != 0 || e.Assessed() {
			t.Errorf("%s gives %+v", status, e)
		}
		if d := evaluate.Degrade(e, "timeout"); d.Status != status {
			t.Errorf("degrading made %s of %s", d.Status, status)
		}
	}
}

// R000-54: anything at all comes out within bounds, and a second time as it is.
func TestSanitizeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 10}))
		texts := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("长", 5000)))
		e := evaluate.Sanitize(evaluate.Evaluation{
			Status: texts.Draw(t, "status"), Decision: texts.Draw(t, "decision"), Feedback: texts.Draw(t, "feedback"),
			Score: numbers.Draw(t, "score"), Min: numbers.Draw(t, "min"), Max: numbers.Draw(t, "max"), Confidence: numbers.Draw(t, "confidence"),
			Gaps: rapid.SliceOfN(texts, 0, 40).Draw(t, "gaps"),
		})
		if !(e.Score >= e.Min && e.Score <= e.Max && e.Norm >= 0 && e.Norm <= 1 && e.Confidence >= 0 && e.Confidence <= 1) {
			t.Fatalf("out of bounds: %+v", e)
		}
		if e.Gaps == nil || len(e.Gaps) > 24 || len([]rune(e.Feedback)) > 2000 {
			t.Fatalf("unbounded: %d gaps, %d letters", len(e.Gaps), len([]rune(e.Feedback)))
		}
		again := evaluate.Sanitize(e)
		if again.Score != e.Score || again.Decision != e.Decision || len(again.Flags) != len(e.Flags) || again.Feedback != e.Feedback {
			t.Fatalf("a second time it gives %+v instead of %+v", again, e)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	})
}
