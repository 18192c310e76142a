package report

import (
	"fmt"
	"math"
	"slices"
)

// Charts are drawn by the page's template. Positions along the time or the scale are in percent of the width, so that a
// drawing fits any width without being stretched; heights are in pixels.

// scoreRow is the mean of one criterion on its scale, and every answer beside it.
type scoreRow struct {
	Average
	Mean float64 // percent
	Dots []dot
}

// dot is one answer's mark.
type dot struct {
	At     float64 // percent
	Shift  int     // px, so that equal marks stand side by side
	Number int
	Label  string
}

// Marks of one answer are this many pixels apart.
const dotWidth = 19

func scoreRows(r *Report) []scoreRow {
	var rows []scoreRow
	for _, avg := range r.Averages {
		row := scoreRow{Average: avg, Mean: round(avg.Score.Norm * 100)}
		same := make(map[float64][]int)
		for _, q := range r.Questions {
			for _, m := range q.Marks {
				if m.Criterion == avg.Criterion && m.Score != nil {
					at := round(m.Score.Norm * 100)
					same[at] = append(same[at], len(row.Dots))
					row.Dots = append(row.Dots, dot{At: at, Number: q.Number, Label: Decimal(m.Score.Value)})
				}
			}
		}
		for at, group := range same {
			for k, i := range group {
				row.Dots[i].Shift = shift(at, k, len(group))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// shift spreads n equal marks around their place, and at the ends of the scale inwards.
func shift(at float64, k, n int) int {
	switch {
	case at > 85:
		return -(n - 1 - k) * dotWidth
	case at < 15:
		return k * dotWidth
	}
	return k*dotWidth - (n-1)*dotWidth/2
}

const (
	colours      = 6  // that the page has for stages
	longestTitle = 90 // characters of a turn
)

// signs are how moments are drawn; the page explains them.
var signs = map[string]string{
	"interruption": "✂", "timer": "◷", "silence": "…", "away": "⚠", "back": "↺", "no_words": "?", "end": "■", "handoff": "⇥",
}

// Drawn is the timeline if there is something to draw.
func (v *view) Drawn() *Timeline {
	if t := v.Timeline; t != nil && t.Duration > 0 && len(t.Stages) > 0 {
		return t
	}
	return nil
}

// x is the place of a moment in the timeline.
func (v *view) x(m Millis) float64 {
	return round(float64(min(max(m, 0), v.Timeline.Duration)) * 100 / float64(v.Timeline.Duration))
}

// width is that of a stretch of the timeline, or the least that can be seen.
func (v *view) width(from, to Millis, least float64) float64 { return max(v.x(to)-v.x(from), least) }

// axis are the times that stand under the timeline.
func (v *view) axis() (times []Millis) {
	for m := Millis(0); m < v.Timeline.Duration; m += axisStep(v.Timeline.Duration) {
		times = append(times, m)
	}
	return times
}

// beginning is that of a turn's text.
func (v *view) beginning(turn uint64) string {
	i := slices.IndexFunc(v.Transcript, func(t Turn) bool { return t.ID == turn })
	if i < 0 {
		return ""
	}
	if text := []rune(v.Transcript[i].Text); len(text) > longestTitle {
		return string(text[:longestTitle]) + "…"
	}
	return v.Transcript[i].Text
}

// axisStep gives some eight times on the axis, at whole numbers.
func axisStep(duration Millis) Millis {
	for _, s := range []Millis{15_000, 30_000, 60_000, 120_000, 300_000, 600_000} {
		if duration/s <= 9 {
			return s
		}
	}
	return 1_200_000
}

// turnAt returns the last turn that began by then.
func (v *view) turnAt(at Millis) uint64 {
	var id uint64
	for _, l := range v.Transcript {
		if id == 0 || l.At <= at {
			id = l.ID
		}
	}
	return id
}

// barChart has one bar for every spoken answer, or none where all of them would be nothing.
type barChart struct {
	ID     string
	Bars   []bar
	Marked bool
}

// bar is one answer.
type bar struct {
	Pace
	X, Width float64 // percent
	Height   int     // px
	Value    string
	Raw      float64
}

// plotHeight is the height of a chart's highest bar, in px; mostLabels is from how many bars on they have no labels.
const (
	plotHeight = 96
	mostLabels = 24
)

// delivered draws pace, response times, pauses and fillers.
func delivered(r *Report) []barChart {
	if !r.Delivery.Tells() {
		return nil
	}
	answers := r.Delivery.Answers
	seconds := func(m Millis) float64 { return math.Max(0, m.Duration().Seconds()) }
	return []barChart{
		bars("pace", answers, func(p Pace) (float64, string) { return p.WordsPerMinute, rate(p.WordsPerMinute) }),
		bars("response", answers, func(p Pace) (float64, string) { return seconds(p.Response), known(p.Response) }),
		bars("pauses", answers, func(p Pace) (float64, string) { return seconds(p.LongestPause), known(p.LongestPause) }),
		bars("fillers", answers, func(p Pace) (float64, string) { return float64(p.Fillers), number(p.Fillers) }),
	}
}

func rate(perMinute float64) string {
	if perMinute == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", perMinute)
}

func known(m Millis) string {
	if m < 0 {
		return "–"
	}
	return Decimal(m.Duration().Seconds())
}

func bars(id string, answers []Pace, of func(Pace) (float64, string)) barChart {
	c := barChart{ID: id, Marked: len(answers) <= mostLabels}
	var top float64
	for _, a := range answers {
		v, _ := of(a)
		top = max(top, v)
	}
	if top == 0 {
		return c
	}
	step := 100 / float64(len(answers))
	for i, a := range answers {
		v, text := of(a)
		c.Bars = append(c.Bars, bar{
			Pace: a, X: round(float64(i)*step + step*0.14), Width: round(step * 0.72), Height: int(v * plotHeight / top), Value: text, Raw: round(v),
		})
	}
	return c
}
