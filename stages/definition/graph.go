package definition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxPhases is how many sub-phases a provider may give: what the worst case of an expanded stage without a cap counts on.
const MaxPhases = 12

// WorstCase bounds how long the interview can last with the candidate in the room: along the longest way, every stage to its
// hard limit and its grace, groups to their cap. Whoever takes a simpler problem begins anew, which is not counted. It
// reports false when a stage on that way has no limit.
func (d *Definition) WorstCase() (time.Duration, bool) {
	worst, _, bounded := d.worst()
	if !bounded {
		return 0, false
	}
	return worst[0], true
}

// Lasts bounds the top-level group that a stage lies in, or the stage itself; 0 = it has no limit.
func (d *Definition) Lasts(stage string) time.Duration {
	_, element, bounded := d.worst()
	if leaf := d.Index(stage); bounded && leaf >= 0 {
		own, _ := d.lasts(&d.Tree[element(leaf)])
		return own
	}
	return 0
}

// worst bounds the interview from each top-level element on; element returns the one that a leaf lies in.
func (d *Definition) worst() (worst []time.Duration, element func(leaf int) int, bounded bool) {
	first := make([]int, len(d.Tree)+1) // number of the first leaf of each top-level element
	for i := range d.Tree {
		first[i+1] = first[i] + len(leaves(d.Tree[i:i+1], nil, nil))
	}
	element = func(leaf int) int { return slices.IndexFunc(first, func(n int) bool { return n > leaf }) - 1 }
	worst = make([]time.Duration, len(d.Tree))
	for i := len(d.Tree) - 1; i >= 0; i-- {
		own, bounded := d.lasts(&d.Tree[i])
		if !bounded {
			return nil, nil, false
		}
		var rest time.Duration
		for leaf := first[i]; leaf < first[i+1]; leaf++ {
			for _, to := range d.ways(leaf) {
				if e := element(to.stage); e > i {
					rest = max(rest, worst[e])
				}
			}
		}
		worst[i] = own + rest
	}
	return worst, element, true
}

// lasts is the longest that one element of the tree can last. A stage in a group may overrun the cap by its grace.
func (d *Definition) lasts(s *Stage) (time.Duration, bool) {
	if len(s.Stages) == 0 {
		return d.leafLasts(s)
	}
	var sum, grace time.Duration
	bounded := true
	for i := range s.Stages {
		own, ok := d.lasts(&s.Stages[i])
		sum, bounded = sum+own, bounded && ok
		for _, leaf := range leaves(s.Stages[i:i+1], nil, nil) {
			grace = max(grace, leaf.Grace())
		}
	}
	if hard := s.Limits.Hard.Std(); hard > 0 && (!bounded || sum > hard+grace) {
		return hard + grace, true
	}
	return sum, bounded
}

// leafLasts counts the wait for a report in: it is the hard limit of a stage that tells one.
func (d *Definition) leafLasts(s *Stage) (time.Duration, bool) {
	if s.Final {
		return 0, true
	}
	hard := d.Hard(s)
	if hard == 0 {
		return 0, false
	}
	own := hard + s.Grace()
	if s.Expand != "" {
		own *= MaxPhases
	}
	return own, true
}

// Grace is how long speech may run past the stage's hard limit.
func (s *Stage) Grace() time.Duration {
	return cmp.Or(s.Limits.Grace.Std(), DefaultGrace)
}

// span writes a time span without the zeros: 1m30s, 40m, 2h.
func span(d time.Duration) string {
	return strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(d.String())
}

// headline says what the interview is and how long it can last.
func (d *Definition) headline() string {
	worst, bounded := d.WorstCase()
	if !bounded {
		return d.Title + ": no bound, a stage without a hard limit ends only by what is said or by silence"
	}
	text := d.Title + ": at most " + span(worst)
	if d.Problems != nil && slices.ContainsFunc(d.Stages, func(s Stage) bool { return s.Support != "" }) {
		text += ", and anew with a simpler problem"
	}
	return text
}

// facts are the lines of a stage's box: its title, its limits, how it is judged, what happens in silence.
func (d *Definition) facts(s *Stage) []string {
	title := cmp.Or(s.Title, s.ID)
	if title != s.ID {
		title += " (" + s.ID + ")"
	}
	if s.Expand != "" {
		title += ", once for each sub-phase"
	}
	out := []string{title}
	if text := d.limitFacts(s); text != "" {
		out = append(out, text)
	}
	if g := s.Gate; g != nil {
		out = append(out, fmt.Sprintf("judged by %s: %.0f %% passes, %d attempts", g.By, cmp.Or(g.Pass, 0.6)*100, cmp.Or(g.Attempts, 3)))
	}
	for _, on := range []string{OnAnswer, OnStage} {
		for _, a := range d.Attached(on, s) {
			out = append(out, "judged in silence by "+a.By+": "+map[string]string{OnAnswer: "each answer", OnStage: "as a whole"}[on])
		}
	}
	if s.Responder == ByReport && !s.Final {
		out = append(out, "waits for the report, "+span(d.Report.Budget())+" at most")
	}
	if s.Skip.Rule != "" {
		out = append(out, "skip: "+s.Skip.Rule)
	}
	if len(s.NoInput) > 0 {
		rungs := make([]string, len(s.NoInput))
		for i, r := range s.NoInput {
			rungs[i] = span(r.After.Std()) + " " + r.Do
		}
		out = append(out, "silence: "+strings.Join(rungs, ", "))
	}
	return out
}

func (d *Definition) limitFacts(s *Stage) string {
	var out []string
	if s.Limits.Soft > 0 {
		out = append(out, "soft "+span(s.Limits.Soft.Std()))
	}
	if hard := d.Hard(s); hard > 0 {
		out = append(out, "hard "+span(hard)+" + "+span(s.Grace()))
	} else if !s.Final {
		out = append(out, "no hard limit")
	}
	if s.Limits.Turns > 0 {
		out = append(out, "at most "+counted(s.Limits.Turns, "turn"))
	}
	return strings.Join(out, " · ")
}

// String says a guard in words.
func (g Guard) String() string {
	switch {
	case g.All != nil:
		return several(g.All, " and ")
	case g.Any != nil:
		return several(g.Any, " or ")
	case g.Not != nil:
		return "not " + g.Not.String()
	case g.Slots != "":
		return g.Slots + " slots known"
	case g.Slot != "":
		return g.Slot + " known"
	case g.Intent != "":
		return "candidate: " + g.Intent
	case g.Turns != 0:
		return counted(g.Turns, "turn")
	case g.FollowUps != 0:
		return counted(g.FollowUps, "follow-up")
	case g.Elapsed != 0:
		return span(g.Elapsed.Std()) + " passed"
	case g.Coverage != 0:
		return fmt.Sprintf("%.0f %% covered", g.Coverage*100)
	}
	return g.about()
}

// about says the leaves about judgements and the blackboard.
func (g Guard) about() string {
	switch {
	case g.Field != "":
		return g.Field + " known"
	case g.Mentions != "":
		return g.Mentions + " spoken of"
	case g.QueueEmpty != "":
		return "no question left about " + g.QueueEmpty
	case g.Flag != "":
		return g.Flag
	case g.Decision != "":
		return "judged " + g.Decision
	case g.Skipped:
		return "skipped"
	}
	return ""
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func several(list []Guard, between string) string {
	out := make([]string, len(list))
	for i, g := range list {
		out[i] = g.String()
		if len(g.All)+len(g.Any) > 1 {
			out[i] = "(" + out[i] + ")"
		}
	}
	return strings.Join(out, between)
}

// Graph draws the stages as a Mermaid flow chart: limits, guards and groups, and how long the interview can last.
func Graph(d *Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\n---\nflowchart TD\n", quoted(d.headline()))
	d.boxes(&b, d.Tree, "  ")
	for i := range d.Stages {
		s := &d.Stages[i]
		if s.Expand != "" {
			fmt.Fprintf(&b, "  s_%s -- %s --> s_%s\n", s.ID, quoted("next sub-phase"), s.ID)
		}
		for _, to := range d.ways(i) {
			fmt.Fprintf(&b, "  s_%s -- %s --> s_%s\n", s.ID, quoted(s.label(to)), d.Stages[to.stage].ID)
		}
	}
	return b.String()
}

// label says when a way out of the stage is taken.
func (s *Stage) label(w way) string {
	switch {
	case w.when != nil:
		return "if " + w.when.String()
	case s.Responder == ByReport:
		return "told"
	case s.Done.Zero():
		return "then"
	}
	return s.Done.String()
}

func (d *Definition) boxes(b *strings.Builder, tree []Stage, indent string) {
	for i := range tree {
		s := &tree[i]
		switch text := quoted(strings.Join(d.facts(s), "<br/>")); {
		case len(s.Stages) > 0:
			fmt.Fprintf(b, "%ssubgraph s_%s [%s]\n", indent, s.ID, quoted(s.groupTitle()))
			d.boxes(b, s.Stages, indent+"  ")
			fmt.Fprintf(b, "%send\n", indent)
		case s.Final:
			fmt.Fprintf(b, "%ss_%s([%s])\n", indent, s.ID, text)
		default:
			fmt.Fprintf(b, "%ss_%s[%s]\n", indent, s.ID, text)
		}
	}
}

func (s *Stage) groupTitle() string {
	title := cmp.Or(s.Title, s.ID)
	if s.Limits.Hard > 0 {
		title += ": at most " + span(s.Limits.Hard.Std())
	}
	return title
}

// quoted is a text that Mermaid takes as it is.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`"`, "#quot;", "\n", " ").Replace(text) + `"`
}
