package calibration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// Kappas that others published. With two levels the weights change nothing.
func TestKappa(t *testing.T) {
	for name, c := range map[string]struct {
		counts Confusion
		want   float64
	}{
		"Cohen's form, .4":             {Confusion{{20, 5}, {10, 15}}, 0.4},
		"the same share, .1304":        {Confusion{{45, 15}, {25, 15}}, 0.1304},
		"the same share, .2593":        {Confusion{{25, 35}, {5, 35}}, 0.2593},
		"scikit-learn, quadratic":      {Confusion{{46}, {4, 40}, {0, 0, 10}}, 0.9541},
		"the same levels":              {Confusion{{3}, {0, 4}, {0, 0, 5}}, 1},
		"opposite levels":              {Confusion{{0, 0, 0, 0, 5}, {}, {}, {}, {5}}, -1},
		"chance":                       {Confusion{{4, 4}, {4, 4}}, 0},
		"one level each, not the same": {Confusion{{0, 0, 7}}, 0},
	} {
		if got, known := c.counts.kappa(); !known || math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%s: %v %v, want %v", name, got, known, c.want)
		}
	}
	if k, known := (&Confusion{{7}}).kappa(); known {
		t.Errorf("levels that never vary have kappa %v", k)
	}
}

// Fleiss and Cohen (1973): with quadratic weights kappa is twice the covariance over the variances and the square of the shift.
func TestKappaIsConcordance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var c Confusion
		var n, x, y, xx, yy, xy float64
		for range 40 {
			a, b := random.IntN(Levels), random.IntN(Levels)
			c[a][b]++
			n, x, y, xx, yy, xy = n+1, x+float64(a), y+float64(b), xx+float64(a*a), yy+float64(b*b), xy+float64(a*b)
		}
		x, y = x/n, y/n
		want := 2 * (xy/n - x*y) / (xx/n - x*x + yy/n - y*y + (x-y)*(x-y))
		if got, _ := c.kappa(); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: %v, want %v", c, got, want)
		}
	}
}

// The interval holds the figure, is the same each time, and is narrower with more answers.
func TestInterval(t *testing.T) {
	some := [][]pair{{{1, 1}}, {{2, 3}}, {{5, 4}}, {{3, 3}}, {{4, 5}}, {{1, 2}}, nil}
	few, again, many := agree(some), agree(some), agree(slices.Concat(some, some, some, some, some, some))
	if *few.Low > *few.Kappa || *few.High < *few.Kappa || *few.Low != *again.Low || *few.High != *again.High {
		t.Errorf("%v, then %v", few.kappa(), again.kappa())
	}
	if *many.High-*many.Low >= *few.High-*few.Low || few.Pairs != 6 || few.Off != 4.0/6 {
		t.Errorf("few %v, many %v, %+v", few.kappa(), many.kappa(), few)
	}
}

const row = `{"id":"x","rubric":"star","language":"en","question":"q","answer":"a","levels":{"a":{"task":1},"b":{"task":2}}}`

// All that is wrong with a file is told at once, with its lines.
func TestEveryFault(t *testing.T) {
	lines := []string{
		row, "", "{", row,
		`{"id":"y","rubric":"wine","language":"fr","question":"","answer":" ","levels":{}}`,
		`{"id":"z","rubric":"star","language":"en","question":"q","answer":"a","levels":{"a":{"taste":1,"task":6},"b":{"task":2.5,"result":null}}}`,
		`{"id":"w","rubric":"two_stage","language":"vi","question":"q","answer":"a","levels":{"a":{"construction":1}},"x":1}`,
		`{"id":"v","rubric":"two_stage","language":"vi","question":"q","answer":"a","levels":{"a":{"construction":1}}}`,
		row + row,
	}
	_, err := Read(strings.NewReader(strings.Join(lines, "\n")))
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	want := []string{
		"line 3: unexpected EOF", `line 4: id "x" is that of line 1`, "line 5: answer is missing", `line 5: language "fr": known are en, vi, zh`,
		"line 5: question is missing", `line 5: rubric "wine": known are`, `line 6: rater a: star has no criterion "taste"`, "line 6: rater a: task is 6",
		"line 6: rater b: task is 2.5", `line 7: unknown field "x"`, "line 8: levels are of 1 raters", "line 9: there is more than one object",
	}
	got := strings.Split(err.Error(), "\n")
	for _, w := range want {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, w) }) {
			t.Errorf("%q is not told in\n%s", w, err)
		}
	}
	if _, err := Read(strings.NewReader("\n")); err == nil {
		t.Error("an empty file is taken")
	}
}

// A run: what is not assessed is counted and in no kappa, who cannot judge says why, and a run read again has not drifted.
func TestGrade(t *testing.T) {
	labels, err := Read(bytes.NewReader(Shipped))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(_ context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
		if it.Rubric != "star" {
			return evaluate.Evaluation{}, errors.New("no")
		}
		return evaluate.Evaluation{Rubric: "star@1", Marks: []evaluate.Mark{
			{Criterion: "task", Status: evaluate.StatusOK, Norm: 0.5}, {Criterion: "action", Status: evaluate.StatusNotAssessed},
		}}, nil
	}
	all, err := Grade(t.Context(), labels, HalfAll, "me", 2, judge)
	if err != nil {
		t.Fatal(err)
	}
	half, err := Grade(t.Context(), labels, HalfTuning, "me", 2, judge)
	held, errHeld := Grade(t.Context(), labels, HalfHeldOut, "me", 2, judge)
	if err = errors.Join(err, errHeld); err != nil || len(half.Rows)+len(held.Rows) != len(all.Rows) || len(half.Rows) < len(all.Rows)/3 || len(held.Rows) < len(all.Rows)/3 {
		t.Fatalf("halves of %d: %d and %d, %v", len(all.Rows), len(half.Rows), len(held.Rows), err)
	}
	for _, g := range all.Groups {
		switch {
		case g.Name == "star.task" && (g.Assessed != g.Levels || g.Grader.Pairs != 2*g.Levels || *g.Grader.Kappa != 0):
			t.Errorf("%+v", g)
		case g.Name == "star.action" && (g.Assessed > 0 || g.Grader.Kappa != nil || g.Levels < 40):
			t.Errorf("%+v", g)
		}
	}
	if i := slices.IndexFunc(all.Rows, func(j Judged) bool { return j.Why == "no" && len(j.Levels) == 0 }); i < 0 {
		t.Error("nobody says why")
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	old, err := ReadRun(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range old.Rows {
		delete(old.Rows[i].Levels, "task")
		break
	}
	if d := all.Drift(old); !strings.Contains(d, "star") || strings.Contains(d, "NaN") {
		t.Error(d)
	}
	if _, err := ReadRun([]byte(`{"rows":[{"id":"x","levels":{"task":9}}]}`)); err == nil || !strings.Contains(err.Error(), "x: task is 9") {
		t.Error(err)
	}
}

// The set that comes with Viva has every rubric and language in both halves, rated by two.
func TestShippedSet(t *testing.T) {
	labels, err := Read(bytes.NewReader(Shipped))
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for i := range labels {
		if l := &labels[i]; slices.ContainsFunc(criteria(l.Rubric), func(c string) bool { return l.rated(c) != nil }) {
			count[l.Rubric+" "+l.Language+" "+Half(l.ID)]++
		}
	}
	if len(count) != 5*3*2 || len(labels) < 240 {
		t.Errorf("%d answers: %v", len(labels), count)
	}
}

// What is claimed of the rules is what is measured on the held-out half; a change of rules or answers changes calibrations.yaml.
func TestKnownCalibrations(t *testing.T) {
	labels, err := Read(bytes.NewReader(Shipped))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Grade(t.Context(), labels, HalfHeldOut, Rules, 2, func(_ context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
		return registry.Rules(by).Evaluate(it)
	})
	if err != nil {
		t.Fatal(err)
	}
	two := func(v *float64) float64 { return math.Round(*v*100) / 100 }
	var got []Calibration
	for _, g := range run.Groups {
		if g.By != "rubric" || g.Grader.Kappa == nil {
			continue
		}
		row := run.Rows[slices.IndexFunc(run.Rows, func(j Judged) bool { return strings.HasPrefix(j.Rubric, g.Name+"@") })]
		got = append(got, Calibration{
			Rubric: row.Rubric, By: Rules, Answers: g.Answers, Levels: g.Levels, Assessed: g.Assessed,
			Kappa: two(g.Grader.Kappa), Low: two(g.Grader.Low), High: two(g.Grader.High),
		})
	}
	known := slices.DeleteFunc(shipped(), func(c Calibration) bool { return c.By != Rules })
	for i := range known {
		if _, err := time.Parse(time.DateOnly, known[i].On); err != nil {
			t.Error(err)
		}
		known[i].On = ""
	}
	if diff := cmp.Diff(known, got); diff != "" {
		t.Errorf("calibrations.yaml says otherwise than was measured (-says, +measured):\n%s", diff)
	}
	if Reached("star@0", Rules) || Reached(known[0].Rubric, "a model") || !Reached(known[0].Rubric, Rules) {
		t.Error("a calibration is of one version and one grader")
	}
}

// The same answer in other words of the same content: what a recogniser leaves out and what people put in between.
func TestReworded(t *testing.T) {
	labels := []Label{
		{ID: "1", Language: "en", Answer: "I cut the run, from 2.5 hours to a third. It took a day."},
		{ID: "2", Language: "zh", Answer: "我改了表，从八秒到两秒。"},
		{ID: "3", Language: "vi", Answer: "Em sửa, rồi chạy."},
	}
	want := map[string][]string{
		"without signs":    {"i cut the run from 2.5 hours to a third it took a day", "我改了表 从八秒到两秒", "em sửa rồi chạy"},
		"with fillers":     {"I cut the run, um, from 2.5 hours to a third. It took a day.", "我改了表，嗯，从八秒到两秒。", "Em sửa, ờ, rồi chạy."},
		"without articles": {"I cut run, from 2.5 hours to third. It took day."},
	}
	for _, w := range Reworded(labels) {
		var got []string
		for _, l := range w.Labels {
			got = append(got, l.Answer)
		}
		if diff := cmp.Diff(want[w.Name], got); diff != "" {
			t.Errorf("%s: %s", w.Name, diff)
		}
	}
	if labels[0].Answer[0] != 'I' {
		t.Error("the labels themselves were changed")
	}
}
