package result

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// conversation is one talk as the page shows it.
type conversation struct {
	Side, Name, Locale string
	Mean               string
	Chart              *chart
	Bubbles            []bubble
	End, Voice, Checks string
	Report             string
}

// bubble is a line of a talk with all that was found about it.
type bubble struct {
	ID, Class, Who, Source, Time, Code string
	Words                              []segment
	Cut                                bool
	Rating                             *talk.Rating
	Notes                              []note
}

// note is something that was found, about a line or about the whole talk.
type note struct {
	Class, Sign, Word string
	Text              string // what was expected, or the words it is about
	Why               string
	Place, Href       string

	line     int
	quote    string
	expected bool
}

func newConversation(id, side, name string, t *talk.Talk, g *talk.Grade) conversation {
	c := conversation{Side: side, Name: name, Locale: t.Locale, Report: t.Report, Voice: voice(t.Voice), Checks: checks(t)}
	all := notes(id, t, g)
	var ratings []talk.Rating
	if g != nil {
		ratings = g.Reactions
		n, _, mean := rate(ratings)
		if n > 0 {
			c.Mean = rated(mean, n)
		}
		c.Chart = newChart(id, t, ratings)
	}
	for _, l := range t.Lines {
		c.Bubbles = append(c.Bubbles, newBubble(id, l, ratings, all))
	}
	c.End = "Ended after " + talk.Clock(t.Took)
	if t.Ended != "" {
		c.End += ": " + t.Ended
	}
	return c
}

func anchor(id string, line int) string { return fmt.Sprintf("%s-l%d", id, line) }

func newBubble(id string, l talk.Line, ratings []talk.Rating, all []note) bubble {
	b := bubble{
		ID: anchor(id, l.N), Class: string(talk.Happening), Who: "Happening", Time: talk.Clock(l.At), Code: l.Code, Cut: l.Cut,
		Words: segments(l, all),
	}
	switch l.Speaker {
	case talk.Interviewer:
		b.Class, b.Who, b.Source = string(l.Speaker), "Interviewer", source(l)
	case talk.Candidate:
		b.Class, b.Who = string(l.Speaker), "Candidate"
	}
	if i := slices.IndexFunc(ratings, func(r talk.Rating) bool { return r.Line == l.N }); i >= 0 {
		b.Rating = &ratings[i]
	}
	for _, n := range all {
		if n.line == l.N {
			if !n.expected {
				n.Text = n.Why // the words stand beside it
			}
			b.Notes = append(b.Notes, n)
		}
	}
	return b
}

// source says that a script found the words, and why, where a model might have.
func source(l talk.Line) string {
	switch {
	case l.Degraded != "":
		return "script: " + l.Degraded
	case l.By == "script":
		return "script"
	}
	return ""
}

// notes are all verdicts, findings and failed checks of a talk, in this order.
func notes(id string, t *talk.Talk, g *talk.Grade) []note {
	var out []note
	add := func(n note, line int) {
		if n.line = line; lineOf(t, line) != nil {
			n.Href = "#" + anchor(id, line)
		}
		n.Place = place(t, line)
		out = append(out, n)
	}
	if g != nil {
		for _, e := range g.Expectations {
			n := note{Class: "not-shown", Sign: "·", Word: verdicts[talk.NotShown], Text: e.Text, Why: e.Why, quote: e.Quote, expected: true}
			switch e.Verdict {
			case talk.Pass:
				n.Class, n.Sign, n.Word = "pass", "✓", verdicts[talk.Pass]
			case talk.Fail:
				n.Class, n.Sign, n.Word = "fail", "✗", verdicts[talk.Fail]
			}
			add(n, e.Line)
		}
		for _, f := range g.Untrue {
			add(note{Class: "untrue", Sign: "!", Word: "untrue", Text: f.Quote, Why: f.Why, quote: f.Quote}, f.Line)
		}
		for _, f := range g.Slips {
			n := note{Class: "slip", Sign: "?", Word: "slip, not taken up", Text: f.Quote, Why: f.Why, quote: f.Quote}
			if f.TakenUp {
				n.Class, n.Word = "slip taken", "slip, taken up"
			}
			add(n, f.Line)
		}
	}
	for _, c := range failedChecks(t) {
		add(note{Class: "fail", Sign: "✗", Word: "check " + c.Name, Why: c.Detail}, c.Line)
	}
	return out
}

// segment is a piece of a line; one with a class is what something was found about.
type segment struct{ Text, Class string }

// segments cuts a line's text at the quotes about it. Where two overlap, the one that begins first is marked.
func segments(l talk.Line, all []note) []segment {
	type span struct {
		from, to int
		class    string
	}
	var spans []span
	for _, n := range all {
		if n.line != l.N || n.quote == "" {
			continue
		}
		for _, piece := range strings.Split(n.quote, " … ") { // words were left out
			if i := strings.Index(l.Text, piece); i >= 0 && piece != "" {
				spans = append(spans, span{i, i + len(piece), n.Class})
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.from - b.from })
	var out []segment
	end := 0
	for _, s := range spans {
		if s.from < end {
			continue
		}
		if s.from > end {
			out = append(out, segment{Text: l.Text[end:s.from]})
		}
		out = append(out, segment{l.Text[s.from:s.to], s.class})
		end = s.to
	}
	if end < len(l.Text) {
		out = append(out, segment{Text: l.Text[end:]})
	}
	return out
}

func voice(v *talk.Voice) string {
	if v == nil {
		return ""
	}
	text := "Aloud: "
	if n := len(v.Responses); n > 0 {
		sorted := slices.Sorted(slices.Values(v.Responses))
		text += fmt.Sprintf("half of %d answers began within %s, the slowest after %s; ", n, short(sorted[(n-1)/2]), short(sorted[n-1]))
	}
	return text + fmt.Sprintf("both audible at once: %d (%s in all); turns without an answer: %d.", v.Overlaps, short(v.Overlapped), v.Missing)
}

func short(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func checks(t *talk.Talk) string {
	if len(t.Checks) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d checks passed.", len(t.Checks)-len(failedChecks(t)), len(t.Checks))
}

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
