package report_test

import (
	"fmt"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// long is an interview of 60 turns with a judged answer for every second one, and its journal.
func long(t testing.TB) report.Source {
	t.Helper()
	src := report.Source{
		Definition: define(t), Expected: 30,
		State: &state.UserData{Session: "s", Locale: "en", Ended: "done", Now: 60 * 20_000, Candidate: state.Candidate{Name: "Ada"}},
	}
	entry := func(at state.Millis, ev engine.Event) {
		e, err := engine.Encode(uint64(len(src.Journal)+1), at, ev)
		if err != nil {
			t.Fatal(err)
		}
		src.Journal = append(src.Journal, e)
	}
	for n := 1; n <= 30; n++ {
		at, id := state.Millis(n*40_000), uint64(2*n)
		words := fmt.Sprintf("In project %d I decided to measure first, and then I rewrote the slow part so that its latency fell by half, which took us two weeks.", n)
		entry(at-30_000, engine.VoiceStarted{Utterance: id})
		entry(at-25_000, engine.VoiceEnded{Utterance: id, Heard: "Tell me more."})
		entry(at-20_000, engine.SpeechStarted{})
		entry(at-1000, engine.SpeechStopped{})
		entry(at, engine.UserTurn{Text: words, Confidence: 0.9})
		src.State.Turns = append(src.State.Turns,
			state.Turn{ID: id - 1, Speaker: state.SpeakerAgent, Stage: "QUESTIONS", Visit: 2, At: at - 25_000, Text: "Tell me more."},
			state.Turn{ID: id, Speaker: state.SpeakerCandidate, Stage: "QUESTIONS", Visit: 2, At: at, Text: words, Confidence: 0.9})
		item, quote := fmt.Sprint("q", n), evaluate.Quote{Turn: id, Text: "I decided to measure first"}
		src.Asked = append(src.Asked, report.Asked{Text: "What did you do?", Turns: []uint64{id}, Judged: report.Judged{Item: item, Evaluation: evaluate.Evaluation{
			Status: evaluate.StatusOK, Min: 1, Max: 5, By: "llm_rubric", Rubric: "csc@1", Feedback: "Clear.", Improved: "Name the project.",
			Marks: []evaluate.Mark{mark("clarity", 1+n%5, quote), mark("specificity", 1+n%4, quote), mark("confidence", 3, quote)},
		}}})
	}
	return src
}

// BenchmarkReport is what a finished interview costs a worker that holds others: the report, and its page.
func BenchmarkReport(b *testing.B) {
	src := long(b)
	b.Run("build", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			report.Build(src)
		}
	})
	b.Run("build and page", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := report.HTML(report.Build(src), report.Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The benchmark measures a whole report: every answer is assessed.
func TestLongReportIsWhole(t *testing.T) {
	r := build(t, long(t))
	if r.Status != report.Complete || len(r.Transcript) != 60 || r.Coverage.Assessed != 30 || r.Timeline == nil || r.Delivery == nil {
		t.Errorf("%s, %d turns, %+v", r.Status, len(r.Transcript), r.Coverage)
	}
}
