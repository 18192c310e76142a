package report_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// persona is a finished interview of five questions, with its journal and evaluations.
func persona(t testing.TB) report.Source {
	t.Helper()
	raw, err := os.ReadFile("testdata/persona.json")
	if err != nil {
		t.Fatal(err)
	}
	var src report.Source
	if err := json.Unmarshal(raw, &src); err != nil {
		t.Fatal(err)
	}
	src.Definition = define(t)
	return src
}

func define(t testing.TB) *definition.Definition {
	t.Helper()
	const file = "testdata/persona.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := definition.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func build(t testing.TB, src report.Source) *report.Report {
	t.Helper()
	return report.Build(src)
}

// mark gives a level from 1 to 5.
func mark(criterion string, level int, quotes ...evaluate.Quote) evaluate.Mark {
	return evaluate.Mark{Criterion: criterion, Status: evaluate.StatusOK, Level: level, Min: 1, Max: 5, Evidence: quotes}
}

// small is an interview with one answer per list of marks; each answer says "answer number N is long enough".
func small(t testing.TB, answers ...[]evaluate.Mark) report.Source {
	t.Helper()
	src := report.Source{
		Definition: define(t), Expected: len(answers),
		State: &state.UserData{Session: "s", Locale: "en", Ended: "done", Now: 60_000},
	}
	if len(answers) > 0 {
		src.State.Visits = []state.StageVisit{{Stage: "QUESTIONS", Visit: 2, Turns: len(answers)}}
	}
	for i, marks := range answers {
		id := uint64(i + 1)
		src.State.Turns = append(src.State.Turns, state.Turn{
			ID: id, Speaker: state.SpeakerCandidate, Stage: "QUESTIONS", Visit: 2, At: state.Millis(1000 * id), Text: said(i + 1), Confidence: 0.9,
		})
		item := "q" + string(rune('0'+id))
		src.Asked = append(src.Asked, report.Asked{Text: "Question?", Turns: []uint64{id}, Judged: report.Judged{Item: item, Evaluation: evaluate.Evaluation{
			Status: evaluate.StatusOK, Marks: marks, Min: 1, Max: 5, By: "llm_rubric", Rubric: "csc@1",
		}}})
	}
	return src
}

func said(n int) string { return "answer number " + string(rune('0'+n)) + " is long enough" }

func quote(n int) evaluate.Quote { return evaluate.Quote{Turn: uint64(n), Text: said(n)} }

func csc(clarity, specificity, confidence int) []evaluate.Mark {
	return []evaluate.Mark{mark("clarity", clarity), mark("specificity", specificity), mark("confidence", confidence)}
}
