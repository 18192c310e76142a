package batch

import (
	"fmt"
	"io"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// Summary is what a table says as a whole. Rows that could not be judged are counted and are in no mean.
type Summary struct {
	Rubric string `json:"rubric"`
	Rows   int    `json:"rows"`
	Failed int    `json:"failed"`
	// GoodEnough is the mark for pass rates of construction and overall score, inclusive.
	GoodEnough   float64 `json:"good_enough"`
	Construction Stage   `json:"construction"`
	Reasoning    Stage   `json:"reasoning"`
	Overall      Stage   `json:"overall"`
	// Accuracy is the share of right predictions.
	Accuracy float64 `json:"accuracy"`
	// Missing counts the rows that lack a section; nil where the table has no metadata.
	Missing map[string]int `json:"missing_sections,omitempty"`
}

// Stage is one score over all judged rows; 0 where there are none.
type Stage struct {
	Mean     float64 `json:"mean"`
	PassRate float64 `json:"pass_rate"`
}

// tally adds up rows in their order, so that sums do not depend on who judged them.
type tally struct {
	rubric       string
	goodEnough   float64
	rows, failed int
	correct      int
	sums         [3]float64
	passed       [3]int
	missing      map[string]int
}

func newTally(o Options) *tally {
	t := &tally{rubric: o.Evaluator.Pin(), goodEnough: o.Evaluator.GoodEnough()}
	if !o.Bare {
		t.missing = make(map[string]int)
	}
	return t
}

func (t *tally) add(r twostage.Result) {
	t.rows++
	if r.Status == twostage.StatusFailed {
		t.failed++
		return
	}
	if r.OverallCorrect {
		t.correct++
	}
	for i, score := range []float64{r.ConstructionScore, r.ReasoningScore, r.OverallScore} {
		t.sums[i] += score
		if score >= t.goodEnough-1e-9 {
			t.passed[i]++
		}
	}
	if t.missing != nil {
		for _, id := range r.Metadata.Missing {
			t.missing[id]++
		}
	}
}

func (t *tally) summary() Summary {
	s := Summary{Rubric: t.rubric, Rows: t.rows, Failed: t.failed, GoodEnough: t.goodEnough, Missing: t.missing}
	judged := float64(t.rows - t.failed)
	if judged == 0 {
		return s
	}
	for i, stage := range []*Stage{&s.Construction, &s.Reasoning, &s.Overall} {
		*stage = Stage{Mean: t.sums[i] / judged, PassRate: float64(t.passed[i]) / judged}
	}
	s.Accuracy = float64(t.correct) / judged
	return s
}

// WriteTo prints the summary for people; each stage has a line of its own (R004-46, R004-59).
func (s Summary) WriteTo(w io.Writer) (int64, error) {
	text := fmt.Sprintf("rubric        %s\nrows          %d judged, %d not\n", s.Rubric, s.Rows-s.Failed, s.Failed)
	for _, stage := range []struct {
		name string
		Stage
	}{{"construction", s.Construction}, {"reasoning", s.Reasoning}, {"overall", s.Overall}} {
		text += fmt.Sprintf("%-13s mean %.3f, %.1f %% at %.2f or above\n", stage.name, stage.Mean, 100*stage.PassRate, s.GoodEnough)
	}
	text += fmt.Sprintf("accuracy      %.1f %%\n", 100*s.Accuracy)
	if len(s.Missing) > 0 {
		text += "missing      "
		for _, id := range twostage.Sections() {
			text += fmt.Sprintf(" %s %d", id, s.Missing[id])
		}
		text += "\n"
	}
	n, err := io.WriteString(w, text)
	return int64(n), err
}
