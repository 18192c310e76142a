package debrief

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/report"
)

// ForCandidate is the report as the candidate's page gets it, beside what was already said to them: without the flags that
// tell how judges are guarded, and without texts that give away what the interview hides (RX-20). reveals reports whether a
// text does; what the candidate said themselves stays. The given report is left as it was.
func ForCandidate(r *report.Report, reveals func(text string) bool) *report.Report {
	own := *r
	own.Questions = slices.Clone(r.Questions)
	for i := range own.Questions {
		guard(&own.Questions[i].Assessment, reveals)
	}
	own.Stages = slices.Clone(r.Stages)
	for i := range own.Stages {
		guard(&own.Stages[i].Assessment, reveals)
	}
	own.Strengths, own.Improvements = guardFindings(r.Strengths, reveals), guardFindings(r.Improvements, reveals)
	own.NextSteps = slices.DeleteFunc(slices.Clone(r.NextSteps), func(s report.Step) bool { return reveals(s.Text) })
	own.Averages = slices.DeleteFunc(slices.Clone(r.Averages), func(a report.Average) bool { return reveals(a.Name) })
	own.Spoken = harmless(r.Spoken, reveals)
	return &own
}

// guard takes out of an assessment what others than the candidate wrote and the candidate must not know.
func guard(a *report.Assessment, reveals func(string) bool) {
	a.Flags = nil
	a.Feedback, a.Improved = harmless(a.Feedback, reveals), harmless(a.Improved, reveals)
	a.Hits, a.Gaps = without(a.Hits, reveals), without(a.Gaps, reveals)
	a.Marks = slices.DeleteFunc(slices.Clone(a.Marks), func(m report.Mark) bool { return reveals(m.Name) || reveals(words(m.Criterion)) })
}

func guardFindings(from []report.Finding, reveals func(string) bool) []report.Finding {
	return slices.DeleteFunc(slices.Clone(from), func(f report.Finding) bool { return reveals(f.Name) || reveals(f.Text) || reveals(words(f.Criterion)) })
}

func without(list []string, reveals func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), reveals)
}

// harmless leaves out the sentences that give something away.
func harmless(text string, reveals func(string) bool) string {
	if !reveals(text) {
		return text
	}
	var kept []string
	for sentence := range strings.SplitAfterSeq(text, ". ") {
		if s := strings.TrimSpace(sentence); s != "" && !reveals(s) {
			kept = append(kept, s)
		}
	}
	if out := strings.Join(kept, " "); !reveals(out) {
		return out
	}
	return ""
}

// words is an id as somebody would say it.
func words(id string) string { return strings.ReplaceAll(id, "_", " ") }
