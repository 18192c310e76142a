package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// simulated is one interview as JSON.
type simulated struct {
	Kind       string                `json:"kind"`
	Locale     string                `json:"locale"`
	Session    string                `json:"session"`
	Candidate  simulate.Candidate    `json:"candidate"`
	Seed       uint64                `json:"seed"`
	Ended      string                `json:"ended"`
	Duration   state.Millis          `json:"duration_ms"`
	Problem    string                `json:"problem,omitempty"`
	Heard      simulate.Heard        `json:"heard"`
	Transcript []state.Turn          `json:"transcript"`
	Scorecard  []simulate.StageScore `json:"scorecard"`
	Violations []simulate.Violation  `json:"violations"`
	Report     *report.Report        `json:"report,omitempty"`
}

func (p *program) showSimulation(s *simulation, c simulate.Candidate, results []*simulate.Result) error {
	switch {
	case s.json && s.many():
		return writeJSON(p.out, struct {
			Candidate simulate.Candidate `json:"candidate"`
			simulate.Summary
		}{c, simulate.Summarise(results)})
	case s.json:
		r := results[0]
		var own *report.Report
		if s.report == printed && r.Report != nil {
			own = report.Own(r.Report)
		}
		return writeJSON(p.out, simulated{
			Kind: r.Kind, Locale: r.Locale, Session: r.Session, Candidate: r.Candidate, Seed: r.Seed, Ended: r.State.Ended, Duration: r.State.Now,
			Problem: r.State.Problem, Heard: r.Heard, Transcript: r.State.Turns, Scorecard: r.Scorecard, Violations: r.Violations,
			Report: own,
		})
	case s.many():
		return p.showMany(c, results)
	}
	return p.showOne(results[0])
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// showOne prints a transcript, a scorecard and what was wrong.
func (p *program) showOne(r *simulate.Result) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	stage := ""
	for i := range r.State.Turns {
		t := &r.State.Turns[i]
		if place := placeOf(r.State, t.Visit); place != stage {
			stage = place
			if err := lines(w, "", "-- "+stage); err != nil {
				return err
			}
		}
		who := "candidate"
		if t.Speaker == state.SpeakerAgent {
			who = "interviewer"
		}
		text := t.Text
		if t.Interrupted {
			text += " …"
		}
		if err := lines(w, fmt.Sprintf("%s  %-11s  %s", clock(t.At), who, text)); err != nil {
			return err
		}
	}
	if err := lines(w, "", "STAGE\tLEFT AS\tTIME\tTURNS\tHINTS\tSKIPS\tSCORE\tCASES FOUND / ASKED"); err != nil {
		return err
	}
	for i := range r.Scorecard {
		if err := lines(w, scoreLine(&r.Scorecard[i])); err != nil {
			return err
		}
	}
	if err := lines(w, "", fmt.Sprintf("%s %s, candidate %s, seed %d: ended as %s after %s, %d events", r.Kind, r.Locale, r.Candidate, r.Seed,
		r.State.Ended, r.Duration().Round(time.Second), len(r.Journal))); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.showViolations([]*simulate.Result{r})
}

func lines(w io.Writer, texts ...string) error {
	_, err := io.WriteString(w, strings.Join(texts, "\n")+"\n")
	return err
}

// clock writes a moment of the interview as minutes and seconds.
func clock(at state.Millis) string {
	return fmt.Sprintf("%3d:%04.1f", at/60_000, float64(at%60_000)/1000)
}

func placeOf(u *state.UserData, visit uint64) string {
	for i := range u.Visits {
		if v := &u.Visits[i]; v.Visit == visit {
			return strings.TrimSpace(v.Stage + " " + v.Item)
		}
	}
	return ""
}

func scoreLine(s *simulate.StageScore) string {
	reason, score := s.Reason, "-"
	switch {
	case !s.Reached && s.Skipped:
		reason = "skipped"
	case !s.Reached:
		reason = "not reached"
	}
	if s.Norm != nil {
		score = fmt.Sprintf("%.1f/10", *s.Norm*10)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s\t%d / %d", strings.TrimSpace(s.Stage+" "+s.Item), reason, s.Spent.Round(time.Second), s.Turns,
		s.Hints, s.SkipAsked, score, len(s.IssuesFound), len(s.IssuesPrompted))
}

// showMany prints statistics.
func (p *program) showMany(c simulate.Candidate, results []*simulate.Result) error {
	s := simulate.Summarise(results)
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	head := fmt.Sprintf("%s: %d interviews, ended %s; %s to %s, median %s; %d turns, %d utterances, %d barge-ins", c, s.Runs, counted(s.Ended),
		s.Shortest.Round(time.Second), s.Longest.Round(time.Second), s.Median.Round(time.Second), s.Turns, s.Utterances, s.BargeIns)
	if err := lines(w, head, "  STAGE\tREACHED\tMEDIAN\tTURNS\tHINTS\tSKIPPED\tSCORE\tLEFT AS"); err != nil {
		return err
	}
	for i := range s.Stages {
		x := &s.Stages[i]
		score := "-"
		if x.Assessed > 0 {
			score = fmt.Sprintf("%.1f/10", x.Mean*10)
		}
		if err := lines(w, fmt.Sprintf("  %s\t%d\t%s\t%d\t%d\t%d\t%s\t%s", strings.TrimSpace(x.Stage+" "+x.Item), x.Reached,
			x.Median.Round(time.Second), x.Turns, x.Hints, x.Skips, score, counted(x.Reasons))); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.showViolations(results)
}

// counted writes counts, the greatest first.
func counted(counts map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		name := k
		if name == "" {
			name = "nothing"
		}
		out = append(out, fmt.Sprintf("%s %d", name, counts[k]))
	}
	return strings.Join(out, ", ")
}

// showViolations prints what was broken, and how to look at it.
func (p *program) showViolations(results []*simulate.Result) error {
	total := 0
	for _, r := range results {
		total += len(r.Violations)
	}
	if total == 0 {
		return lines(p.out, "every invariant held")
	}
	shown := 0
	for _, r := range results {
		for _, v := range r.Violations {
			if shown++; shown > 20 {
				return lines(p.errs, fmt.Sprintf("… and %d more", total-20))
			}
			if err := lines(p.errs, fmt.Sprintf("broken: %s (seed %d; look at it with --seed %d --trace FILE)", v, r.Seed, r.Seed)); err != nil {
				return err
			}
		}
	}
	return nil
}
