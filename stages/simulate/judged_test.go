package simulate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
)

// tally counts what came of judgements and reports over many interviews.
type tally struct{ sent, judged, missing, ignored, told, late, refused, after int }

func (y *tally) step(s simulate.Step, ended bool) {
	for _, n := range s.Effects {
		if n.Name == "judge" {
			y.sent++
		}
	}
	for _, n := range s.Facts {
		switch n.Name {
		case "evaluation.done":
			if n.Value("missing") == "" && n.Value("by") != nil {
				y.judged++
			} else if _, beside := n.Value("attachment").(string); beside {
				y.missing++
			}
			if ended {
				y.after++
			}
		case "evaluation.ignored":
			y.ignored++
		case "evaluation.refused":
			y.refused++
		case "report.done":
			if n.Value("failed") == "" {
				y.told++
			} else {
				y.late++
			}
		}
	}
}

// RX-7, R002-42, R002-44, R002-46, R002-49, R002-60, RX-20: silent judgements and a report attached to any kind, with every
// candidate, with and without a model: judgements come late, twice or never, reports late or not at all. The interview ends
// all the same, every invariant holds, a judgement changes nothing but what is known of it, and nobody hears a word of it.
func TestJudgementsAndReportAttachedToAnyKind(t *testing.T) {
	t.Parallel()
	var sum tally
	runs := min(seeds(), 6)
	for _, kind := range []string{"two_stage", "system_design", "algorithm_coach", "conversation"} {
		iv := simulate.AttachedTo(t, kind)
		for _, c := range simulate.Candidates() {
			for seed := range runs {
				var y tally
				ended := false
				r := simulate.Run(iv, simulate.Options{
					Candidate: c, Seed: seed, Model: seed%3 == 1, Probe: seed%4 == 0, Replay: seed%4 == 1,
					Observe: func(s simulate.Step) { y.step(s, ended); ended = ended || hasEffect(s, "end") },
				})
				for _, v := range r.Violations {
					t.Errorf("%s, %s, seed %d: %s", kind, c, seed, v)
				}
				if c == simulate.Silent && (y.sent > 0) != (r.State.Turns != nil && said(r)) {
					t.Errorf("%s, seed %d: %d judgements of a candidate who said nothing", kind, seed, y.sent)
				}
				sum = sum.plus(y)
			}
		}
	}
	t.Logf("%+v", sum)
	n := int(runs)
	if sum.sent < 80*n || sum.judged < 50*n || sum.ignored < 20*n || sum.told < 7*n || sum.late < n || sum.after < n {
		t.Errorf("hardly anything was tried: %+v", sum)
	}
}

func (y tally) plus(o tally) tally {
	return tally{y.sent + o.sent, y.judged + o.judged, y.missing + o.missing, y.ignored + o.ignored, y.told + o.told, y.late + o.late, y.refused + o.refused, y.after + o.after}
}

func hasEffect(s simulate.Step, name string) bool {
	for _, n := range s.Effects {
		if n.Name == name {
			return true
		}
	}
	return false
}

func said(r *simulate.Result) bool {
	for _, turn := range r.State.Turns {
		if turn.Speaker == "candidate" {
			return true
		}
	}
	return false
}

// RX-7: 001 attaches none: no kind without evaluations has anything judged beside the talk, or asks for a report.
func TestNothingIsJudgedWhereNothingIsAttached(t *testing.T) {
	for _, kind := range []string{"two_stage", "system_design", "algorithm_coach", "conversation"} {
		iv := shipped(t, kind, "en")
		for seed := range uint64(4) {
			held(t, iv, simulate.Options{Seed: seed, Observe: func(s simulate.Step) {
				for _, n := range s.Effects {
					if n.Name == "judge" || n.Name == "run" && n.Value("kind") == engine.TaskReport {
						t.Errorf("%s: %s", kind, n)
					}
				}
			}})
		}
	}
}

// The wait for the report, and telling it, take as long as the definition says at most.
func TestReportTakesItsTimeAndNoMore(t *testing.T) {
	iv := simulate.AttachedTo(t, "two_stage")
	longest := time.Duration(0)
	for seed := range uint64(40) {
		r := held(t, iv, simulate.Options{Seed: seed, Candidate: simulate.Hostile})
		for _, v := range r.State.Visits {
			if v.Stage == "REPORT" && v.Left > 0 {
				longest = max(longest, (v.Left - v.Entered - v.Absent).Duration())
			}
		}
	}
	if most := iv.Def.Hard(iv.Def.Stage("REPORT")) + definition.DefaultGrace; longest > most || longest == 0 {
		t.Errorf("the longest took %s, at most %s", longest, most)
	}
}

// What is judged is written into the state as it came, so that a report can be made of the state alone.
func TestJudgementsAreInTheState(t *testing.T) {
	r := held(t, simulate.AttachedTo(t, "two_stage"), simulate.Options{Seed: 1})
	if len(r.State.Judgements) < 4 {
		t.Fatalf("%+v", r.State.Judgements)
	}
	for _, j := range r.State.Judgements {
		var e struct{ Feedback string }
		if len(j.Turns) == 0 || j.Number == 0 || (j.Attachment == "answers") != (j.Question != "") {
			t.Errorf("%+v", j)
		}
		if len(j.Evaluation) > 0 && (json.Unmarshal(j.Evaluation, &e) != nil || !strings.Contains(e.Feedback, j.Item)) {
			t.Errorf("%s: %s", j.Item, j.Evaluation)
		}
	}
}
