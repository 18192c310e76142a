package simulate

import (
	"encoding/json"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// software names who made a report of an interview that nobody held.
const software = "viva simulate"

// buildReport makes the report of a state, with what was judged so far.
func (w *world) buildReport(u *state.UserData) (*report.Report, error) {
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
	r, err := report.Build(src)
	if err != nil {
		return nil, err
	}
	report.Withhold(r, func(text string) bool { return w.iv.Reveals(u, text) })
	return r, nil
}

// askReport has the report made while the candidate waits for it.
func (w *world) askReport(r engine.Run) {
	w.reported = r.State
	done := engine.TaskDone{Task: r.Task, Visit: r.Visit}
	made, err := w.buildReport(r.State)
	if err == nil {
		own := report.Own(made)
		done.Result, err = json.Marshal(engine.ReportDone{Spoken: own.Spoken, Status: own.Status})
	}
	if err != nil {
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
	r, err := w.buildReport(u)
	if err != nil {
		w.check.report(Evaluation, w.u, "the report cannot be made: %v", err)
	}
	return r
}
