package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
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
		if s.report == standardStream && r.Report != nil {
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
	var out []string
	stage := ""
	for i := range r.State.Turns {
		t := &r.State.Turns[i]
		if place := placeOf(r.State, t.Visit); place != stage {
			stage = place
			out = append(out, "", "-- "+stage)
		}
		who := "candidate"
		if t.Speaker == state.SpeakerAgent {
			who = "interviewer"
		}
		text := t.Text
		if t.Interrupted {
			text += " …"
		}
		out = append(out, fmt.Sprintf("%s  %-11s  %s", clock(t.At), who, text))
	}
	out = append(out, "", "STAGE\tLEFT AS\tTIME\tTURNS\tHINTS\tSKIPS\tSCORE\tCASES FOUND / ASKED")
	for i := range r.Scorecard {
		out = append(out, scoreLine(&r.Scorecard[i]))
	}
	out = append(out, "", fmt.Sprintf("%s %s, candidate %s, seed %d: ended as %s after %s, %d events", r.Kind, r.Locale, r.Candidate, r.Seed,
		r.State.Ended, r.Duration().Round(time.Second), len(r.Journal)))
	if err := tabulated(p.out, out...); err != nil {
		return err
	}
	return p.showViolations([]*simulate.Result{r})
}

func lines(w io.Writer, texts ...string) error {
	_, err := io.WriteString(w, strings.Join(texts, "\n")+"\n")
	return err
}

// tabulated writes lines whose cells are separated by tabs.
func tabulated(w io.Writer, texts ...string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	return errors.Join(lines(t, texts...), t.Flush())
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
	head := fmt.Sprintf("%s: %d interviews, ended %s; %s to %s, median %s; %d turns, %d utterances, %d barge-ins", c, s.Runs, counted(s.Ended),
		s.Shortest.Round(time.Second), s.Longest.Round(time.Second), s.Median.Round(time.Second), s.Turns, s.Utterances, s.BargeIns)
	out := []string{head, "  STAGE\tREACHED\tMEDIAN\tTURNS\tHINTS\tSKIPPED\tSCORE\tLEFT AS"}
	for i := range s.Stages {
		x := &s.Stages[i]
		score := "-"
		if x.Assessed > 0 {
			score = fmt.Sprintf("%.1f/10", x.Mean*10)
		}
		out = append(out, fmt.Sprintf("  %s\t%d\t%s\t%d\t%d\t%d\t%s\t%s", strings.TrimSpace(x.Stage+" "+x.Item), x.Reached,
			x.Median.Round(time.Second), x.Turns, x.Hints, x.Skips, score, counted(x.Reasons)))
	}
	if err := tabulated(p.out, out...); err != nil {
		return err
	}
	return p.showViolations(results)
}

// counted writes counts, the greatest first.
func counted(counts map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		out = append(out, fmt.Sprintf("%s %d", cmp.Or(k, "nothing"), counts[k]))
	}
	return strings.Join(out, ", ")
}

// maxBroken is how many broken invariants are shown.
const maxBroken = 20

// showViolations prints what was broken, and how to look at it.
func (p *program) showViolations(results []*simulate.Result) error {
	var broken []string
	for _, r := range results {
		for _, v := range r.Violations {
			broken = append(broken, fmt.Sprintf("broken: %s (look at it with --candidate %s --seed %d --trace FILE)", v, r.Candidate, r.Seed))
		}
	}
	switch n := len(broken); {
	case n == 0:
		return lines(p.out, "every invariant held")
	case n > maxBroken:
		broken = append(broken[:maxBroken], fmt.Sprintf("… and %d more", n-maxBroken))
	}
	return lines(p.errs, broken...)
}

// checkReport refuses a --report that could not be written.
func (s *simulation) checkReport() error {
	switch {
	case s.report == "":
		return nil
	case s.many():
		return errors.New("--report is that of one interview: choose one candidate, and leave --runs out")
	case s.iv.Def.Report == nil:
		return fmt.Errorf("--report: interview %s makes none: add report: {wait: 30s} to its file", s.iv.Def.Kind)
	case s.report != standardStream && reportWriters[s.reportForm()] == nil:
		return fmt.Errorf("--report %s: name a file that ends in .json, .md, .html or .pdf, or - to have it standardStream", s.report)
	}
	return nil
}

// reportForm is the form that the file's name asks for.
func (s *simulation) reportForm() string {
	if s.report == standardStream {
		return "md"
	}
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(s.report), "."))
}

// reportSimulation writes the report, as the candidate would have it. With --json a standardStream one stands in the interview's JSON.
func (p *program) reportSimulation(s *simulation, results []*simulate.Result) error {
	if s.report == "" || s.report == standardStream && s.json {
		return nil
	}
	made := results[0].Report
	if made == nil {
		return errors.New("write the report: it could not be made; the broken invariants above say why")
	}
	raw, err := json.Marshal(report.Own(made))
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	text, err := reportWriters[s.reportForm()](raw)
	if err != nil {
		return fmt.Errorf("write the report as %s: %w", s.reportForm(), err)
	}
	if s.report == standardStream {
		return lines(p.out, "", string(text))
	}
	return os.WriteFile(s.report, text, 0o600)
}
