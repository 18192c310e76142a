package result

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// none stands for a figure of nothing.
const none = "–"

func met(f ByInterview) string { return ratio(f.Met, f.Decided()) }

func slips(f ByInterview) string { return ratio(f.TakenUp, f.Slips) }

func ratio(x, y int) string {
	if y == 0 {
		return none
	}
	return fmt.Sprintf("%d/%d", x, y)
}

func rated(mean float64, n int) string {
	if n == 0 {
		return none
	}
	return fmt.Sprintf("%.2f", mean)
}

func lows(f ByInterview) string { return percent(f.LowShare(), f.Reactions) }

func preferred(f ByInterview) string { return percent(f.Preference(), f.Compared) }

func percent(share float64, n int) string {
	if n == 0 {
		return none
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// place names a line of a talk, with its time where the talk has it.
func place(t *talk.Talk, line int) string {
	if l := lineOf(t, line); l != nil {
		return fmt.Sprintf("line %d, %s", line, talk.Clock(l.At))
	}
	return "the whole talk"
}

func lineOf(t *talk.Talk, n int) *talk.Line {
	if t == nil || n == 0 {
		return nil
	}
	for i := range t.Lines {
		if t.Lines[i].N == n {
			return &t.Lines[i]
		}
	}
	return nil
}

// plain is a text on one line of a terminal: without what would move its cursor or colour it.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)), " ")
}
