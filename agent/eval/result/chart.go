package result

import (
	"fmt"
	"math"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// chart is the ratings of a talk over its time. Positions along the time are in percent of the width, so that it fits any; heights
// are in pixels.
type chart struct {
	Grid  []gridLine
	Steps []step
	Dots  []dot
}

type gridLine struct{ Level, Y int }

// step joins two ratings that follow each other.
type step struct {
	X1, X2 float64
	Y1, Y2 int
}

// dot is one rating.
type dot struct {
	X           float64
	Y, Level    int
	Label, Href string
}

// Margins in percent keep the levels' numbers and half a dot free.
const (
	chartLeft  = 4.0
	chartWidth = 95.0
)

// height is where a level stands: 5 at the top.
func height(level int) int { return 8 + (5-level)*16 }

// newChart is nil where nothing was rated.
func newChart(id string, t *talk.Talk, ratings []talk.Rating) *chart {
	c := &chart{Grid: []gridLine{{5, height(5)}, {3, height(3)}, {1, height(1)}}}
	length := t.Took
	for _, l := range t.Lines {
		length = max(length, l.At)
	}
	for _, r := range ratings {
		l := lineOf(t, r.Line)
		if l == nil {
			continue
		}
		d := dot{
			X: chartLeft, Y: height(r.Level), Level: r.Level, Href: "#" + anchor(id, r.Line),
			Label: fmt.Sprintf("%s: %d of 5. %s", talk.Clock(l.At), r.Level, r.Why),
		}
		if length > 0 {
			d.X += math.Round(float64(l.At)/float64(length)*chartWidth*10) / 10
		}
		if n := len(c.Dots); n > 0 {
			c.Steps = append(c.Steps, step{X1: c.Dots[n-1].X, Y1: c.Dots[n-1].Y, X2: d.X, Y2: d.Y})
		}
		c.Dots = append(c.Dots, d)
	}
	if len(c.Dots) == 0 {
		return nil
	}
	return c
}
