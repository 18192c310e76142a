package report

import (
	"slices"
	"strings"
)

// ForCandidate is the report as its candidate may see it, beside what was already said to them: without the flags that tell
// how judges are guarded, without what services said to the operator, and without texts that give away what the interview hides
// (RX-20). reveals reports whether a text does; what the candidate said themselves stays. The given report is left as it was.
func ForCandidate(r *Report, reveals func(text string) bool) *Report {
	own := *r
	own.Withheld, own.Provenance.Refused = nil, nil
	own.Questions = slices.Clone(r.Questions)
	for i := range own.Questions {
		guard(&own.Questions[i].Assessment, reveals)
	}
	own.Stages = slices.Clone(r.Stages)
	for i := range own.Stages {
		guard(&own.Stages[i].Assessment, reveals)
		own.Stages[i].Points = without(own.Stages[i].Points, func(p Point) bool { return reveals(p.Text) })
	}
	finding := func(f Finding) bool { return reveals(f.Name) || reveals(f.Text) || reveals(spaced(f.Criterion)) }
	own.Strengths, own.Improvements = without(r.Strengths, finding), without(r.Improvements, finding)
	own.NextSteps = without(r.NextSteps, func(s Step) bool { return reveals(s.Text) })
	own.Averages = without(r.Averages, func(a Average) bool { return reveals(a.Name) })
	own.Spoken = harmless(r.Spoken, reveals)
	return &own
}

// Withhold notes in the report which of its texts are not for the candidate, so that Own needs nothing but the report.
func Withhold(r *Report, reveals func(text string) bool) {
	var withheld []string
	ForCandidate(r, func(text string) bool {
		is := reveals(text)
		if is {
			withheld = add(withheld, text)
		}
		return is
	})
	r.Withheld = withheld
}

// Own is the candidate's version of a report that was kept: ForCandidate by what Withhold noted.
func Own(r *Report) *Report {
	return ForCandidate(r, func(text string) bool { return slices.Contains(r.Withheld, text) })
}

// guard takes out of an assessment what others than the candidate wrote and the candidate must not know.
func guard(a *Assessment, reveals func(string) bool) {
	a.Flags = nil
	a.Feedback, a.Improved = harmless(a.Feedback, reveals), harmless(a.Improved, reveals)
	a.Hits, a.Gaps = without(a.Hits, reveals), without(a.Gaps, reveals)
	mark := func(m Mark) bool { return reveals(m.Name) || reveals(spaced(m.Criterion)) }
	a.Marks = without(a.Marks, mark)
	a.Parts = without(a.Parts, func(p Part) bool { return reveals(p.Name) || reveals(spaced(p.ID)) })
	for i := range a.Parts {
		a.Parts[i].Marks = without(a.Parts[i].Marks, mark)
	}
}

// without is a list of its own that lacks what is hidden.
func without[T any](list []T, hidden func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), hidden)
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

// spaced is an id as somebody would say it.
func spaced(id string) string { return strings.ReplaceAll(id, "_", " ") }
