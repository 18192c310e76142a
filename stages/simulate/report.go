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
