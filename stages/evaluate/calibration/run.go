package calibration

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/vivavoice/viva/stages/evaluate"
)

// Judge judges an item by the evaluator of this name, as in an interview.
type Judge func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error)

// Run is what a grader made of a set of labels.
type Run struct {
	Grader string   `json:"grader"` // Rules, or the model's name
	Half   string   `json:"half"`
	Rows   []Judged `json:"rows"`
	Groups []Group  `json:"groups"`
}

// Judged are the levels that a grader gave an answer; what is not in them it did not assess.
type Judged struct {
	ID     string         `json:"id"`
	Rubric string         `json:"rubric"` // with its version, where there is one
	Levels map[string]int `json:"levels,omitempty"`
	Why    string         `json:"why,omitempty"` // it could not be judged at all
}

// Group is the agreement over some of the levels.
type Group struct {
	By       string    `json:"by"`
	Name     string    `json:"name"`
	Answers  int       `json:"answers"`
	Levels   int       `json:"levels"`   // that two raters gave
	Assessed int       `json:"assessed"` // of them, by the grader
	Raters   Agreement `json:"raters"`
	Grader   Agreement `json:"grader"`
}

// Grade has the labels of a half judged, some at a time, and measures.
func Grade(ctx context.Context, labels []Label, half, grader string, atOnce int, judge Judge) (*Run, error) {
	if half != HalfAll {
		labels = slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return Half(l.ID) != half })
	}
	r := &Run{Grader: grader, Half: half, Rows: make([]Judged, len(labels))}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(atOnce)
	for i := range labels {
		work.Go(func() error {
			e, err := judge(ctx, labels[i].judge(), labels[i].item())
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Rows[i] = judged(&labels[i], e, err)
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, fmt.Errorf("judge the answers: %w", err)
	}
	r.measure(labels)
	return r, nil
}

func judged(l *Label, e evaluate.Evaluation, err error) Judged {
	j := Judged{ID: l.ID, Rubric: cmp.Or(e.Rubric, l.Rubric), Levels: make(map[string]int)}
	if err != nil {
		j.Why = err.Error()
	}
	for _, m := range e.Marks {
		if m.Status == evaluate.StatusOK {
			j.Levels[m.Criterion] = 1 + int(math.Round(m.Norm*(Levels-1)))
		}
	}
	return j
}

// measure groups the levels.
func (r *Run) measure(labels []Label) {
	type sides struct {
		group          Group
		raters, grader [][]pair // by answer
		last           string   // the answer that was added last
	}
	var order []string
	groups := make(map[string]*sides)
	for i := range labels {
		l := &labels[i]
		for _, c := range criteria(l.Rubric) {
			levels := l.rated(c)
			if levels == nil {
				continue
			}
			var raters, grader []pair
			level, assessed := r.Rows[i].Levels[c]
			for k, x := range levels {
				for _, y := range levels[k+1:] {
					raters = append(raters, pair{x, y})
				}
				if assessed {
					grader = append(grader, pair{level, x})
				}
			}
			for _, g := range []Group{
				{By: "all", Name: "all"}, {By: "rubric", Name: l.Rubric}, {By: "criterion", Name: l.Rubric + "." + c}, {By: "language", Name: l.Language},
				{By: "rubric and language", Name: l.Rubric + "." + l.Language}, {By: "length", Name: l.length()}, {By: "manner", Name: cmp.Or(l.Manner, "–")},
			} {
				key := g.By + "\x00" + g.Name
				s := groups[key]
				if s == nil {
					s = &sides{group: g}
					groups[key], order = s, append(order, key)
				}
				if s.last != l.ID {
					s.group.Answers, s.last = s.group.Answers+1, l.ID
					s.raters, s.grader = append(s.raters, nil), append(s.grader, nil)
				}
				s.group.Levels++
				if assessed {
					s.group.Assessed++
				}
				n := len(s.raters) - 1
				s.raters[n], s.grader[n] = append(s.raters[n], raters...), append(s.grader[n], grader...)
			}
		}
	}
	for _, key := range order {
		s := groups[key]
		s.group.Raters, s.group.Grader = agree(s.raters), agree(s.grader)
		r.Groups = append(r.Groups, s.group)
	}
	kinds := []string{"all", "rubric", "criterion", "language", "rubric and language", "length", "manner"}
	slices.SortStableFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.By), slices.Index(kinds, b.By)), strings.Compare(a.Name, b.Name))
	})
}

// WriteTo prints the run as a table.
func (r *Run) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "grader: %s; %s answers: %d\n", r.Grader, r.Half, len(r.Rows))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	by := ""
	for _, g := range r.Groups {
		if g.By != by {
			by = g.By
			_, _ = fmt.Fprintf(t, "\nby %s\tanswers\tlevels\tassessed\traters' kappa\tgrader's kappa\tmean error\toff by\n", by)
		}
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%+.2f\t%.2f\n", g.Name, g.Answers, g.Levels, g.Assessed, g.Raters.kappa(), g.Grader.kappa(), g.Grader.Error, g.Grader.Off)
	}
	_ = t.Flush() // into a builder
	for _, g := range r.Groups {
		if g.By != "rubric" || g.Grader.Pairs == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s: grader's levels 1 to %d down, raters' across\n", g.Name, Levels)
		for _, row := range g.Grader.Confusion {
			for _, n := range row {
				fmt.Fprintf(&b, "%5d", n)
			}
			b.WriteByte('\n')
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// kappa is the figure with its interval.
func (a Agreement) kappa() string {
	if a.Kappa == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", *a.Kappa, *a.Low, *a.High)
}

// ReadRun reads a run that was kept as JSON.
func ReadRun(text []byte) (*Run, error) {
	r := &Run{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("it is no run of viva calibrate --json: %w", err)
	}
	for _, row := range r.Rows {
		for c, level := range row.Levels {
			if level < 1 || level > Levels {
				return nil, fmt.Errorf("%s: %s is %d, which is no level from 1 to %d", row.ID, c, level, Levels)
			}
		}
	}
	return r, nil
}

// Drift tells how the levels of this run differ from those of an older one, by rubric.
func (r *Run) Drift(old *Run) string {
	type drift struct {
		pairs        [][]pair
		gained, lost int
	}
	before := make(map[string]map[string]int, len(old.Rows))
	for _, row := range old.Rows {
		before[row.ID] = row.Levels
	}
	by := make(map[string]*drift)
	var order []string
	for _, row := range r.Rows {
		was, there := before[row.ID]
		if !there {
			continue
		}
		rubric, _, _ := strings.Cut(row.Rubric, "@")
		d := by[rubric]
		if d == nil {
			d = &drift{}
			by[rubric], order = d, append(order, rubric)
		}
		var pairs []pair
		for _, c := range criteria(rubric) {
			a, now := row.Levels[c]
			b, then := was[c]
			switch {
			case now && then:
				pairs = append(pairs, pair{a, b})
			case now:
				d.gained++
			case then:
				d.lost++
			}
		}
		d.pairs = append(d.pairs, pairs)
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "%s against %s\tlevels of both\tthe same\tkappa\tmean shift\tnewly assessed\tno longer\n", r.Grader, old.Grader)
	for _, rubric := range order {
		d := by[rubric]
		a, same := agree(d.pairs), 0
		for i := range a.Confusion {
			same += a.Confusion[i][i]
		}
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%+.2f\t%d\t%d\n", rubric, a.Pairs, same, a.kappa(), a.Error, d.gained, d.lost)
	}
	_ = t.Flush() // into a builder
	return b.String()
}
