package twostage_test

import (
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

func evaluator(t testing.TB) *twostage.Evaluator {
	t.Helper()
	e, err := twostage.Default()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// with makes an evaluator of the given rubric in YAML, less its first line.
func with(t testing.TB, yaml string, extra ...twostage.Normaliser) *twostage.Evaluator {
	t.Helper()
	r, err := twostage.ParseRubric([]byte("evaluator: two_stage\n" + yaml))
	if err != nil {
		t.Fatal(err)
	}
	e, err := twostage.New(r, extra...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func score(t testing.TB, e *twostage.Evaluator, s twostage.Sample) twostage.Result {
	t.Helper()
	r, err := e.Score(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sample is a correct one with a complete construction; change alters it.
func sample(change func(*twostage.Sample)) twostage.Sample {
	s := twostage.Sample{
		InputText: "Crosby scores the longest touchdown of the first quarter.", Prediction: "True", Groundtruth: "True",
		Construction: build(twostage.Sections()...), Reasoning: "Step 1: read. Step 2: compare. Final: True",
	}
	if change != nil {
		change(&s)
	}
	return s
}

// build writes a construction with one item in each of the given sections, and the others present but empty.
func build(sections ...string) string {
	text := "<construction>"
	for _, id := range twostage.Sections() {
		text += "<" + id + ">"
		if slices.Contains(sections, id) {
			text += "<item>something</item>"
		}
		text += "</" + id + ">"
	}
	return text + "</construction>"
}
