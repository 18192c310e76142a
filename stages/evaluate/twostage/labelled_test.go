package twostage_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// labelled is an answer of testdata/answers.jsonl; answers.md says who labelled it, and how.
type labelled struct {
	ID    string  `json:"id"`
	Label float64 `json:"label"`
	twostage.Sample
}

func labelledAnswers(t *testing.T) []labelled {
	t.Helper()
	f, err := os.Open("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []labelled
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// R004-58: scores order interview answers as their labels do, and better than right or wrong alone would.
func TestScoresTrackQuality(t *testing.T) {
	e := evaluator(t)
	answers := labelledAnswers(t)
	if len(answers) < 60 {
		t.Fatalf("only %d labelled answers", len(answers))
	}
	var overall, construction, reasoning, labels []float64
	for _, l := range answers {
		r, err := e.Score(l.Sample)
		if err != nil {
			t.Fatalf("%s: %v", l.ID, err)
		}
		t.Logf("%-18s label %v overall %.3f construction %.2f correct %v predicted %q missing %v", l.ID, l.Label, r.OverallScore,
			r.ConstructionScore, r.OverallCorrect, r.Metadata.Predicted, r.Metadata.Missing)
		overall, construction = append(overall, r.OverallScore), append(construction, r.ConstructionScore)
		reasoning, labels = append(reasoning, r.ReasoningScore), append(labels, l.Label)
	}
	rho := spearman(overall, labels)
	t.Logf("Spearman over %d answers: overall %.3f, construction %.3f, reasoning %.3f", len(labels), rho,
		spearman(construction, labels), spearman(reasoning, labels))
	if rho < 0.6 || rho <= spearman(reasoning, labels) {
		t.Errorf("Spearman %.3f, want at least 0.6 and more than right or wrong alone", rho)
	}
}

// spearman is the correlation of ranks; equal values share the mean of their ranks.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(x)+1) / 2
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mean) * (y[i] - mean)
		xx += (x[i] - mean) * (x[i] - mean)
		yy += (y[i] - mean) * (y[i] - mean)
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	out := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last < len(sorted) && sorted[last] == v {
			last++
		}
		out[i] = float64(first+last+1) / 2
	}
	return out
}

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 90}, 1},
		{[]float64{1, 2, 3}, []float64{9, 5, 1}, -1},
		{[]float64{1, 2, 2, 4}, []float64{1, 2, 3, 4}, 0.9486832980505138}, // ties: 4.5/√(4.5·5)
	} {
		if got := spearman(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("spearman(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
