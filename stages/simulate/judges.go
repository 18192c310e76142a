package simulate

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// judges answer what is judged beside the talk, in silence: in time, late, twice or never. It depends on the seed alone.
type judges struct {
	rng    *rand.Rand
	faults bool
	mute   bool
	honest bool
	// results are what was judged, by item, for the report.
	results map[string]engine.Judged
	out     []engine.Judged // that will come after the end
}

// verdict has an item judged. What is very late comes when the talk is over.
func (w *world) verdict(e engine.Judge) {
	if w.judges.mute {
		return
	}
	if w.o.Runner != nil {
		done, after := w.o.Runner.Judge(e)
		w.after(after, func() { w.send(done) })
		return
	}
	done := engine.Judged{Item: e.Item.ID}
	wait, times := w.judges.chance()
	if ev, err := w.judges.judge(e); err != nil {
		done.Missing = "failed"
	} else {
		done.Evaluation = &ev
	}
	if times == 0 {
		return
	}
	w.judges.out, w.judges.results[done.Item] = append(w.judges.out, done), done
	for n := range times {
		w.after(wait+time.Duration(n)*15*time.Millisecond, func() { w.send(done) })
	}
}

// chance draws when a judgement comes, and how often.
func (j *judges) chance() (wait time.Duration, times int) {
	wait = time.Duration(500+j.rng.IntN(9000)) * time.Millisecond
	n := j.rng.IntN(100)
	switch {
	case j.honest:
		return wait, 1
	case n < 5:
		return 0, 0
	case n < 15:
		return wait + 45*time.Second, 1
	case n < 30:
		return wait, 2
	case n < 35 && j.faults:
		return 0, 1 // before the next frame
	}
	return wait, 1
}

// ruled is how many judgements there are for one that the evaluator's rules make: rules take their time.
const ruled = 4

// judge is what the evaluator's rules say, or somebody else, in a model's many words: none of them is for the candidate.
func (j *judges) judge(e engine.Judge) (evaluate.Evaluation, error) {
	rules := registry.Rules(e.By)
	if j.honest {
		if rules == nil {
			return evaluate.Evaluation{}, errors.New("its judge is a model")
		}
		out, err := rules.Evaluate(e.Item)
		return evaluate.Sanitize(out), err
	}
	out := evaluate.Evaluation{Status: evaluate.StatusOK, Decision: evaluate.DecisionContinue, Score: 3, Min: 1, Max: 5, By: e.By}
	if rules != nil && j.rng.IntN(ruled) == 0 {
		var err error
		if out, err = rules.Evaluate(e.Item); err != nil {
			return evaluate.Evaluation{}, err
		}
	}
	out.Feedback = "This answer to " + e.Item.ID + " stays at the surface and names no figure at all."
	out.Improved = "A better one for " + e.Item.ID + " would name the figure and what was done about it."
	return evaluate.Sanitize(out), nil
}

// report makes the report: nearly always in time.
func (t *tasks) report(a *answer) {
	a.after = time.Duration(300+t.rng.IntN(12000)) * time.Millisecond
	raw, err := json.Marshal(engine.ReportDone{Spoken: summary(t.rng), Status: "complete"})
	if err != nil {
		a.Failed = err.Error()
		return
	}
	a.Result = raw
	switch n := t.rng.IntN(100); {
	case n < 8:
		a.after += 2 * time.Minute
	case n < 14:
		a.Result, a.Failed = nil, "the disk is full"
	case n < 18:
		a.times = 0
	case n < 22:
		a.times = 2
	case n < 26:
		a.Result = json.RawMessage(`"Here it is."`)
	case n < 34:
		a.after = 0 // while its opening is said, or before
	}
}

// summaries are what a summary may hold.
var summaries = []string{
	"You answered all of the five questions.",
	"What stood out was how clearly the steps were told, one after the other.",
	"The example of the queue was concrete, and it had a result with a number in it.",
	"What to work on is to say the point of an answer in its first sentence.",
	"Name what you decided yourself, what you turned down, and why.",
	"Two answers stayed general, so an example of your own would have made them stronger.",
	"One answer was not assessed, which counts neither for nor against you.",
	"Give the second answer once more, aloud, and compare it with the stronger one.",
}

// summary is short, or as long as it may be.
func summary(rng *rand.Rand) string {
	text := "Thank you. Your overall score is 3.8 of 5."
	for _, sentence := range summaries[:rng.IntN(len(summaries)+1)] {
		text += " " + sentence
	}
	return text + " The full report is on its way."
}

func summaryOf(raw json.RawMessage) string {
	var done engine.ReportDone
	if json.Unmarshal(raw, &done) != nil {
		return ""
	}
	return strings.Join(strings.Fields(done.Spoken), " ")
}

// software names who made a report of an interview that nobody held.
const software = "viva simulate"

// buildReport makes the report of a state, with what was judged so far.
func (w *world) buildReport(u *state.UserData) *report.Report {
	src := report.Gather(w.iv, u, func(j state.Judgement) report.Judged {
		out := report.Kept(j)
		if done, is := w.judges.results[j.Item]; is {
			out.Missing = done.Missing
			if done.Evaluation != nil {
				out.Evaluation = *done.Evaluation
			}
		}
		return out
	})
	src.Journal, src.Provenance.Software = w.entries, software
	r := report.Build(src)
	report.Withhold(r, func(text string) bool { return w.iv.Reveals(u, text) })
	return r
}

// askReport has the report made while the candidate waits for it.
func (w *world) askReport(r engine.Run) {
	w.reported = r.State
	done := engine.TaskDone{Task: r.Task, Visit: r.Visit}
	own := report.Own(w.buildReport(r.State))
	var err error
	if done.Result, err = json.Marshal(engine.ReportDone{Spoken: own.Spoken, Status: own.Status}); err != nil {
		done.Failed = err.Error()
	}
	w.after(w.between(300*time.Millisecond, 3*time.Second), func() { w.send(done) })
}

// lastReport is the report of the whole interview: of the state in which it was asked for, or of the last one.
func (w *world) lastReport() *report.Report {
	if !w.o.Honest || w.iv.Def.Report == nil {
		return nil
	}
	u := w.reported
	if u == nil {
		u = w.u
	}
	return w.buildReport(u)
}
