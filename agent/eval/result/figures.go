// Package result shows what came of an eval: to programs as JSON and JUnit XML, on a terminal as lines while it runs and a table
// at its end, as a page that stands for itself, and beside an older run. All of them take their numbers from Figures.
//
// Everything but Progress is a pure function of its arguments. What was said in talks is data: nothing of it is ever markup.
package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// low is the level at and below which a reaction cost the candidate something.
const low = 2

// ByInterview is what an eval counted in all scenarios of one interview. Shares and means of nothing are 0; the counts beside
// them say so.
type ByInterview struct {
	Interview string // "" = all interviews together
	Scenarios int
	Errors    int // scenarios without a talk, or whose judge failed

	Met, Failed, NotShown int // expectations; those not shown count neither way
	Checks, ChecksFailed  int
	Invalid               int // verdicts that rested on nothing

	Reactions, Low int     // rated; and those of 2 and less
	Rating         float64 // mean, 1 to 5

	PlainReactions, PlainLow int // of the plain talks, where there are any
	PlainRating              float64

	Untrue         int // false statements of the interviewer
	Slips, TakenUp int // of the candidate

	Compared int
	Wins     float64 // of those compared; a draw is a half

	// Of talks that were held aloud: from the end of the candidate's speech to the first voice, how often both were audible at once,
	// and turns without an answer.
	Responses         []time.Duration
	Overlaps, Missing int
}

// Response is the time within which this share of the answers began, 0.5 being the middle; 0 where none was measured.
func (f ByInterview) Response(share float64) time.Duration {
	if len(f.Responses) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(f.Responses))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// Aloud reports whether talks were held aloud.
func (f ByInterview) Aloud() bool { return len(f.Responses)+f.Overlaps+f.Missing > 0 }

// LowShare is the share of reactions that cost the candidate something.
func (f ByInterview) LowShare() float64 { return share(float64(f.Low), f.Reactions) }

// Preference is Viva's share of the talks that were compared.
func (f ByInterview) Preference() float64 { return share(f.Wins, f.Compared) }

// Decided is how many expectations passed or failed.
func (f ByInterview) Decided() int { return f.Met + f.Failed }

func share(of float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return of / float64(n)
}

// Figures counts a run by interview, in the order in which they first come.
func Figures(r talk.Run) []ByInterview {
	var all []ByInterview
	for _, o := range r.Outcomes {
		i := slices.IndexFunc(all, func(f ByInterview) bool { return f.Interview == o.Interview })
		if i < 0 {
			i = len(all)
			all = append(all, ByInterview{Interview: o.Interview})
		}
		all[i].add(of(o))
	}
	return all
}

// Total is all figures together.
func Total(all []ByInterview) ByInterview {
	var sum ByInterview
	for _, f := range all {
		sum.add(f)
	}
	return sum
}

// of counts one outcome.
func of(o talk.Outcome) ByInterview {
	f := ByInterview{Interview: o.Interview, Scenarios: 1}
	if o.Error != "" {
		f.Errors = 1
	}
	if o.Talk != nil {
		f.Checks = len(o.Talk.Checks)
		f.ChecksFailed = len(failedChecks(o.Talk))
		if v := o.Talk.Voice; v != nil {
			f.Responses, f.Overlaps, f.Missing = v.Responses, v.Overlaps, v.Missing
		}
	}
	if g := o.Grade; g != nil {
		f.expect(g.Expectations)
		f.Invalid, f.Untrue, f.Slips = g.Invalid, len(g.Untrue), len(g.Slips)
		for _, s := range g.Slips {
			if s.TakenUp {
				f.TakenUp++
			}
		}
		f.Reactions, f.Low, f.Rating = rate(g.Reactions)
	}
	if g := o.PlainGrade; g != nil {
		f.PlainReactions, f.PlainLow, f.PlainRating = rate(g.Reactions)
	}
	if o.Preference != nil {
		f.Compared, f.Wins = 1, o.Preference.Wins()
	}
	return f
}

func (f *ByInterview) expect(list []talk.Expectation) {
	for _, e := range list {
		switch e.Verdict {
		case talk.Pass:
			f.Met++
		case talk.Fail:
			f.Failed++
		default:
			f.NotShown++
		}
	}
}

func rate(list []talk.Rating) (n, lows int, mean float64) {
	for _, r := range list {
		mean += float64(r.Level)
		if r.Level <= low {
			lows++
		}
	}
	return len(list), lows, share(mean, len(list))
}

// add joins figures: counts are added up, and each reaction weighs the same in the mean.
func (f *ByInterview) add(g ByInterview) {
	f.Rating = share(f.Rating*float64(f.Reactions)+g.Rating*float64(g.Reactions), f.Reactions+g.Reactions)
	f.PlainRating = share(f.PlainRating*float64(f.PlainReactions)+g.PlainRating*float64(g.PlainReactions), f.PlainReactions+g.PlainReactions)
	for _, c := range []struct {
		to *int
		n  int
	}{
		{&f.Scenarios, g.Scenarios}, {&f.Errors, g.Errors}, {&f.Met, g.Met}, {&f.Failed, g.Failed}, {&f.NotShown, g.NotShown},
		{&f.Checks, g.Checks}, {&f.ChecksFailed, g.ChecksFailed}, {&f.Invalid, g.Invalid}, {&f.Reactions, g.Reactions}, {&f.Low, g.Low},
		{&f.PlainReactions, g.PlainReactions}, {&f.PlainLow, g.PlainLow}, {&f.Untrue, g.Untrue}, {&f.Slips, g.Slips},
		{&f.TakenUp, g.TakenUp}, {&f.Compared, g.Compared}, {&f.Overlaps, g.Overlaps}, {&f.Missing, g.Missing},
	} {
		*c.to += c.n
	}
	f.Wins += g.Wins
	f.Responses = slices.Concat(f.Responses, g.Responses)
}

func failedChecks(t *talk.Talk) []talk.Check {
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Checks), func(c talk.Check) bool { return c.Passed })
}

// failed reports whether anything went wrong in an outcome.
func failed(o talk.Outcome) bool {
	f := of(o)
	return f.Failed+f.ChecksFailed+f.Errors > 0
}

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
