package result

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Way says what became of something between two runs.
type Way string

// The ways.
const (
	Better Way = "better"
	Worse  Way = "worse"
	New    Way = "new"  // it was not in the old run, and fails
	Gone   Way = "gone" // a scenario that is not in the new run
)

// Change is one thing that is not as it was.
type Change struct {
	Way      Way
	Scenario string
	What     string // an expectation, a check, or "" for the whole scenario
	Was, Is  string
}

// Changes lists what is better and what is worse in a run than in an older one, by scenario and in its order. Something is worse
// if it went wrong and did not before: a failed expectation that was met or not shown, a check, an error.
func Changes(old, run talk.Run) []Change {
	before := make(map[string]map[string]state, len(old.Outcomes))
	for _, o := range old.Outcomes {
		before[o.Scenario] = make(map[string]state)
		for _, s := range states(o) {
			before[o.Scenario][s.key] = s
		}
	}
	var out []Change
	seen := make(map[string]bool, len(run.Outcomes))
	for _, o := range run.Outcomes {
		seen[o.Scenario] = true
		for _, s := range states(o) {
			was, known := before[o.Scenario][s.key]
			if way := way(was, s, known); way != "" {
				out = append(out, Change{Way: way, Scenario: o.Scenario, What: s.what, Was: was.is, Is: s.is})
			}
		}
	}
	for _, o := range old.Outcomes {
		if !seen[o.Scenario] {
			out = append(out, Change{Way: Gone, Scenario: o.Scenario})
		}
	}
	return out
}

// state is how one thing in an outcome stands.
type state struct {
	key, what, is string
	wrong, right  bool
}

// states are all things of an outcome that can go wrong. An expectation is known by its text, and a check by its name.
func states(o talk.Outcome) []state {
	out := []state{{key: "error", what: "error", is: "held", right: o.Error == ""}}
	if o.Error != "" {
		out[0].is, out[0].wrong = o.Error, true
	}
	times := make(map[string]int)
	add := func(s state) {
		times[s.key]++
		s.key = fmt.Sprint(s.key, "#", times[s.key])
		out = append(out, s)
	}
	if o.Grade != nil {
		for _, e := range o.Grade.Expectations {
			add(state{key: "expect " + e.Text, what: e.Text, is: verdicts[e.Verdict], wrong: e.Verdict == talk.Fail, right: e.Verdict == talk.Pass})
		}
	}
	if o.Talk != nil {
		for _, c := range o.Talk.Checks {
			s := state{key: "check " + c.Name, what: "check " + c.Name, is: "passed", right: c.Passed, wrong: !c.Passed}
			if s.wrong {
				s.is = "failed"
			}
			add(s)
		}
	}
	return out
}

var verdicts = map[talk.Verdict]string{talk.Pass: "met", talk.Fail: "failed", talk.NotShown: "not shown"}

func way(was, is state, known bool) Way {
	switch {
	case !known && is.wrong:
		return New
	case !known:
		return ""
	case is.wrong && !was.wrong:
		return Worse
	case is.right && !was.right:
		return Better
	}
	return ""
}

// Failed reports whether a run is one to stop for: an expectation or a check failed, or an error occurred; with an older run given,
// only if one of these was not so before. What the older run did not have makes nothing worse.
func Failed(run talk.Run, old *talk.Run) bool {
	if old == nil {
		for _, o := range run.Outcomes {
			if failed(o) {
				return true
			}
		}
		return false
	}
	for _, c := range Changes(*old, run) {
		if c.Way == Worse {
			return true
		}
	}
	return false
}

// Compare tells what became better and worse since an older run, by scenario and expectation, and in the figures of each interview.
func Compare(old, run talk.Run) string {
	var b strings.Builder
	changes := Changes(old, run)
	for _, part := range []struct {
		way   Way
		title string
	}{{Worse, "Worse"}, {Better, "Better"}, {New, "New, and failing"}, {Gone, "No longer there"}} {
		first := true
		for _, c := range changes {
			if c.Way != part.way {
				continue
			}
			if first {
				fmt.Fprintf(&b, "%s:\n", part.title)
				first = false
			}
			b.WriteString("  " + plain(c.line()) + "\n")
		}
	}
	if len(changes) == 0 {
		b.WriteString("Every expectation, check and scenario stands as it did.\n")
	}
	b.WriteString(compareFigures(Figures(old), Figures(run)))
	return b.String()
}

func (c Change) line() string {
	switch c.Way {
	case Gone:
		return c.Scenario
	case New:
		return fmt.Sprintf("%s: %s: %s", c.Scenario, c.What, c.Is)
	}
	return fmt.Sprintf("%s: %s: %s, was %s", c.Scenario, c.What, c.Is, c.Was)
}

// compareFigures tells the figures of each interview that both runs have and that differ.
func compareFigures(old, run []ByInterview) string {
	var b strings.Builder
	for _, is := range run {
		for _, was := range old {
			if was.Interview != is.Interview {
				continue
			}
			if list := differences(was, is); len(list) > 0 {
				fmt.Fprintf(&b, "%s: %s\n", plain(is.Interview), strings.Join(list, "; "))
			}
		}
	}
	return b.String()
}

func differences(was, is ByInterview) []string {
	var out []string
	tell := func(name, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s %s → %s", name, a, b))
		}
	}
	tell("expectations met", met(was), met(is))
	if was.Reactions > 0 && is.Reactions > 0 && math.Abs(was.Rating-is.Rating) >= 0.005 {
		out = append(out, fmt.Sprintf("rating %.2f → %.2f (%+.2f)", was.Rating, is.Rating, is.Rating-was.Rating))
	}
	tell("ratings of 2 and less", lows(was), lows(is))
	tell("untrue statements", fmt.Sprint(was.Untrue), fmt.Sprint(is.Untrue))
	tell("slips taken up", slips(was), slips(is))
	tell("preferred", preferred(was), preferred(is))
	tell("failed checks", fmt.Sprint(was.ChecksFailed), fmt.Sprint(is.ChecksFailed))
	tell("errors", fmt.Sprint(was.Errors), fmt.Sprint(is.Errors))
	return out
}

// JSON writes a run for programs, and for a later eval to compare with: the same run always in the same bytes.
func JSON(w io.Writer, r talk.Run) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // it is read by people too
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// Read reads what JSON wrote.
func Read(r io.Reader) (talk.Run, error) {
	var run talk.Run
	if err := json.NewDecoder(r).Decode(&run); err != nil {
		return talk.Run{}, fmt.Errorf("read the run; give a file that an eval wrote as JSON: %w", err)
	}
	return run, nil
}
