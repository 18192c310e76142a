package evaluate

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Bounds of what others say in an evaluation, in characters and entries.
const (
	maxText    = 2000
	maxEntry   = 160
	maxEntries = 24
)

// Sanitize makes an evaluation safe to act on and to keep: a score outside its scale is clamped and flagged, an unknown
// decision is read as continue, missing gaps are an empty list (R000-54), texts are bounded, and Norm is computed anew.
// The given evaluation is left as it was.
func Sanitize(e Evaluation) Evaluation {
	e.Flags = slices.Clone(e.Flags[:min(len(e.Flags), maxMarks)])
	e.scale()
	e.decide()
	e.Feedback, e.Improved = Line(e.Feedback, maxText), Line(e.Improved, maxText)
	e.Degraded, e.By, e.Rubric = Line(e.Degraded, maxEntry), Line(e.By, maxEntry), Line(e.Rubric, maxEntry)
	e.Gaps, e.Hits = cleanAll(e.Gaps), cleanAll(e.Hits)
	if !(e.Confidence >= 0 && e.Confidence <= 1) { // also no number
		e.Confidence = 0
	}
	e.Parts = slices.Clone(e.Parts[:min(len(e.Parts), maxEntries)])
	for i := range e.Parts {
		e.Parts[i].clean()
	}
	return e
}

// clean bounds a part's texts, and keeps its score on its scale. What is not assessed has no score (RX-14).
func (p *Part) clean() {
	p.ID, p.By, p.Rubric = Line(p.ID, maxEntry), Line(p.By, maxEntry), Line(p.Rubric, maxEntry)
	p.Feedback, p.Missing = Line(p.Feedback, maxText), Line(p.Missing, maxEntry)
	s := Evaluation{Status: p.Status, Decision: DecisionContinue, Score: p.Score, Min: p.Min, Max: p.Max}
	s.scale()
	s.decide()
	p.Status, p.Score, p.Min, p.Max, p.Norm = s.Status, s.Score, s.Min, s.Max, s.Norm
}

func (e *Evaluation) scale() {
	if span := e.Max - e.Min; !finite(span) || span <= 0 {
		e.Min, e.Max = ScaleMin, ScaleMax
	}
	switch {
	case math.IsNaN(e.Score) || e.Score < e.Min:
		e.Score = e.Min
		e.flag(FlagClamped)
	case e.Score > e.Max:
		e.Score = e.Max
		e.flag(FlagClamped)
	}
	e.Norm = (e.Score - e.Min) / (e.Max - e.Min)
}

func (e *Evaluation) decide() {
	if e.Decision != DecisionNext && e.Decision != DecisionContinue {
		e.Decision = DecisionContinue
		e.flag(FlagUnknownDecision)
	}
	switch e.Status {
	case StatusOK, StatusDegraded:
	case StatusFailed, StatusNotAssessed: // what was not judged was not passed either
		e.Decision = DecisionContinue
		e.Score, e.Norm = e.Min, 0
	default:
		e.Status = StatusOK
	}
}

func (e *Evaluation) flag(name string) {
	if !slices.Contains(e.Flags, name) {
		e.Flags = append(e.Flags, name)
	}
}

// Assessed reports whether there is a score: only such evaluations may be averaged (RX-14).
func (e Evaluation) Assessed() bool { return e.Status == StatusOK || e.Status == StatusDegraded }

// Degrade marks an evaluation as not made by whom it should have been, and why. What could not be assessed stays so.
func Degrade(e Evaluation, why string) Evaluation {
	if e.Status == StatusOK {
		e.Status = StatusDegraded
	}
	e.Degraded = Line(why, maxEntry)
	return e
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Line makes one line of a text from elsewhere: no control characters, no more than n characters.
func Line(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(runes[:min(n, len(runes))]))
}

func cleanAll(list []string) []string {
	out := make([]string, 0, min(len(list), maxEntries))
	for _, entry := range list {
		if entry = Line(entry, maxEntry); entry != "" && len(out) < maxEntries {
			out = append(out, entry)
		}
	}
	return out
}
