package definition

import (
	"cmp"
	"slices"
	"time"
)

// The time that a stage with responder: report takes beside the wait for judgements.
const (
	ReportBuild = 5 * time.Second  // to make the report, once all judgements are there
	ReportTold  = 60 * time.Second // to tell it in short, which takes 45 s at most, with what stands around it
)

// Waits is how long a finished interview waits for judgements that are still out (R002-48). A nil Report waits as long as one
// that says nothing about it.
func (r *Report) Waits() time.Duration {
	if r == nil {
		return DefaultReportWait
	}
	return cmp.Or(r.Wait.Std(), DefaultReportWait)
}

// Budget is how long the interview waits for the report itself: for the judgements, and for it to be made.
func (r *Report) Budget() time.Duration { return r.Waits() + ReportBuild }

// Tells reports whether the candidate is told the report in short.
func (r *Report) Tells() bool { return r == nil || r.Spoken == nil || *r.Spoken }

// Hard is the hard limit of a stage; 0 = none. One that waits for the report always has one.
func (d *Definition) Hard(s *Stage) time.Duration {
	if s.Limits.Hard == 0 && s.Responder == ByReport && !s.Final {
		return d.Report.Budget() + ReportTold
	}
	return s.Limits.Hard.Std()
}

// Attached returns what is judged in silence in a stage: on each answer, or when it is left.
func (d *Definition) Attached(on string, s *Stage) []*Attachment {
	var out []*Attachment
	if s.Final || s.Responder == ByReport {
		return nil
	}
	for i := range d.Evaluations {
		a := &d.Evaluations[i]
		if a.Occasion() == on && (len(a.Stages) == 0 || slices.Contains(a.Stages, s.ID)) && (a.From(s) != "" || !slices.Contains(Comparing, a.By)) {
			out = append(out, a)
		}
	}
	return out
}

// Occasion is when something is judged: OnAnswer or OnStage.
func (a *Attachment) Occasion() string { return cmp.Or(a.On, OnAnswer) }

// From is where the right answer for a stage comes from: the attachment's own reference, or the stage's.
func (a *Attachment) From(s *Stage) string { return cmp.Or(a.Reference, s.Reference) }

// Timeout is how long one attempt to judge may take.
func (a *Attachment) Timeout() time.Duration { return cmp.Or(a.Budget.Std(), DefaultJudgeBudget) }

// Tries is how often judging is attempted at most.
func (a *Attachment) Tries() int { return cmp.Or(a.Attempts, DefaultJudgeAttempts) }
