package calibration

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// Conclusion is what somebody says, and what a careful reader takes as the costs that it concludes; "" = none.
type Conclusion struct {
	Locale   string `json:"locale"`
	Question string `json:"question,omitempty"` // that it answers; empty = what the solution costs
	Text     string `json:"text"`
	Time     string `json:"time"`
	Space    string `json:"space"`
}

// questions ask for both costs.
var questions = map[string]string{
	"en": "What does your solution cost in time and in memory?", "vi": "Lời giải của bạn tốn bao nhiêu thời gian và bộ nhớ?", "zh": "你的解法时间和空间复杂度是多少？",
}

// item is the conclusion as it is judged. Its right answer is a cost in both, whichever: no judge is told.
func (c *Conclusion) item(n int) evaluate.Item {
	return evaluate.Item{
		ID: fmt.Sprintf("conclusion-%d", n+1), Rubric: twostage.Name, Locale: c.Locale, Question: cmp.Or(c.Question, questions[c.Locale]), Answer: c.Text,
		Reference: "time O(n), space O(n)",
	}
}

// claims reports whether it concludes anything.
func (c *Conclusion) claims() bool { return c.Time != "" || c.Space != "" }

// ReadConclusions reads conclusions in JSON Lines. All that is wrong is told at once, each with its line.
func ReadConclusions(r io.Reader) ([]Conclusion, error) {
	var out []Conclusion
	var problems []error
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var c Conclusion
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			problems = append(problems, fmt.Errorf("line %d: %s", n, strings.TrimPrefix(err.Error(), "json: ")))
			continue
		}
		if strings.TrimSpace(c.Text) == "" {
			problems = append(problems, fmt.Errorf("line %d: text is missing", n))
		}
		if !slices.Contains(languages, c.Locale) {
			problems = append(problems, fmt.Errorf("line %d: locale %q: known are %s", n, c.Locale, strings.Join(languages, ", ")))
		}
		for name, form := range map[string]*string{"time": &c.Time, "space": &c.Space} {
			if one, ok := conclusion.Form(*form); ok {
				*form = one
			} else if *form != "" {
				problems = append(problems, fmt.Errorf("line %d: %s %q is no expression such as n log n", n, name, *form))
			}
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		problems = append(problems, fmt.Errorf("read the conclusions: %w", err))
	}
	if len(out) == 0 && len(problems) == 0 {
		problems = append(problems, errors.New("it holds no conclusion"))
	}
	return out, errors.Join(problems...)
}

// Heard is what a grader read from conclusions. It holds none of their words, so that a set stays held out whoever looks at a run.
type Heard struct {
	Grader string     `json:"grader"`
	Rows   []HeardRow `json:"rows"`
	Counts []Count    `json:"counts"` // of all, then by language
}

// HeardRow is what was read from one conclusion.
type HeardRow struct {
	Line     int    `json:"line"`
	Language string `json:"language"`
	Time     string `json:"time,omitempty"`
	Space    string `json:"space,omitempty"`
	Claims   bool   `json:"claims,omitempty"` // it concludes a cost
	Right    bool   `json:"right,omitempty"`  // time and space are read as they were meant, or nothing where nothing was
	False    bool   `json:"false,omitempty"`  // a cost was read that it does not conclude: it would pass where that is the right answer
	Unsaid   bool   `json:"unsaid,omitempty"` // the grader quoted words that nobody said
	Why      string `json:"why,omitempty"`    // it could not be judged at all
}

// Count counts rows.
type Count struct {
	Language  string `json:"language"` // "all" for all
	Claims    int    `json:"claims"`
	Right     int    `json:"right"` // of them
	None      int    `json:"none"`
	Silent    int    `json:"silent"` // of them
	False     int    `json:"false"`  // of both
	Unsaid    int    `json:"unsaid"`
	NotJudged int    `json:"not_judged"`
}

// Hear has conclusions judged as the two-stage evaluator judges them in an interview, one by one, some at a time, and counts.
func Hear(ctx context.Context, list []Conclusion, grader string, atOnce int, judge Judge) (*Heard, error) {
	h := &Heard{Grader: grader, Rows: make([]HeardRow, len(list))}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(atOnce)
	for i := range list {
		work.Go(func() error {
			it := list[i].item(i)
			e, err := judge(ctx, twostage.Name, it)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			h.Rows[i] = list[i].heard(i, evaluate.Verified(e, it), err)
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, fmt.Errorf("judge the conclusions: %w", err)
	}
	h.count()
	return h, nil
}

func (c *Conclusion) heard(n int, e evaluate.Evaluation, err error) HeardRow {
	r := HeardRow{Line: n + 1, Language: c.Locale, Claims: c.claims(), Unsaid: slices.Contains(e.Flags, evaluate.FlagUnverified)}
	if err != nil {
		r.Why = err.Error()
		return r
	}
	for _, cost := range e.Costs {
		if cost.Of == string(conclusion.Time) {
			r.Time = cost.Form
		} else {
			r.Space = cost.Form
		}
	}
	time, space := alike(c.Time, r.Time), alike(c.Space, r.Space)
	r.Right = time && space
	r.False = r.Time != "" && !time || r.Space != "" && !space
	return r
}

// alike reports whether a form was read as it was meant.
func alike(meant, read string) bool {
	return meant == read || meant != "" && read != "" && conclusion.Same(meant, read)
}

func (h *Heard) count() {
	h.Counts = []Count{{Language: HalfAll}}
	for _, l := range languages {
		if slices.ContainsFunc(h.Rows, func(r HeardRow) bool { return r.Language == l }) {
			h.Counts = append(h.Counts, Count{Language: l})
		}
	}
	one := func(n *int, counts bool) {
		if counts {
			*n++
		}
	}
	for _, r := range h.Rows {
		for i := range h.Counts {
			c := &h.Counts[i]
			if c.Language != HalfAll && c.Language != r.Language {
				continue
			}
			one(&c.Claims, r.Claims)
			one(&c.Right, r.Claims && r.Right)
			one(&c.None, !r.Claims)
			one(&c.Silent, !r.Claims && r.Right)
			one(&c.False, r.False)
			one(&c.Unsaid, r.Unsaid)
			one(&c.NotJudged, r.Why != "")
		}
	}
}

// WriteTo prints the counts as a table.
func (h *Heard) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "grader: %s; conclusions: %d\n\n", h.Grader, len(h.Rows))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "language\tread right\tnothing heard in nothing\twrongly taken as right\tinvented quotes\tnot judged")
	for _, c := range h.Counts {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\n", c.Language, share(c.Right, c.Claims), share(c.Silent, c.None), share(c.False, c.Claims+c.None), c.Unsaid, c.NotJudged)
	}
	_ = t.Flush() // into a builder
	if i := slices.IndexFunc(h.Rows, func(r HeardRow) bool { return r.Why != "" }); i >= 0 {
		fmt.Fprintf(&b, "\nline %d was not judged: %s\n", h.Rows[i].Line, h.Rows[i].Why)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*float64(n)/float64(of))
}
