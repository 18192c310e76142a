package result

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Table writes the figures of a run by interview, and then what failed in it: expectations with the words that decided them, checks
// and errors. It is meant for a terminal.
func Table(w io.Writer, r talk.Run) error {
	var b bytes.Buffer
	figures(&b, r)
	failures(&b, r)
	_, err := w.Write(b.Bytes())
	return err
}

func figures(b *bytes.Buffer, r talk.Run) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "interview\tscenarios\tmet\tnot shown\trating\t≤ 2\tuntrue\tslips taken up\tover plain\tplain's rating") // into memory
	all := Figures(r)
	for _, f := range all {
		_, _ = fmt.Fprintln(t, row(plain(f.Interview), f))
	}
	if len(all) > 1 {
		_, _ = fmt.Fprintln(t, row("all", Total(all)))
	}
	_ = t.Flush()
	aloud(b, all)
}

// aloud adds what was measured where talks were held in real rooms.
func aloud(b *bytes.Buffer, all []ByInterview) {
	for _, f := range all {
		if f.Aloud() {
			_, _ = fmt.Fprintf(b, "%s aloud: %d answers, half of them within %d ms, 95 %% within %d ms; both audible at once: %d; turns without an answer: %d\n",
				plain(f.Interview), len(f.Responses), f.Response(0.5).Milliseconds(), f.Response(0.95).Milliseconds(), f.Overlaps, f.Missing)
		}
	}
}

func row(name string, f ByInterview) string {
	notShown, untrue := none, none
	if f.Decided()+f.NotShown > 0 {
		notShown = fmt.Sprint(f.NotShown)
	}
	if f.Reactions > 0 || f.Untrue > 0 {
		untrue = fmt.Sprint(f.Untrue)
	}
	return strings.Join([]string{
		name, fmt.Sprint(f.Scenarios), met(f), notShown, rated(f.Rating, f.Reactions), lows(f), untrue, slips(f), preferred(f),
		rated(f.PlainRating, f.PlainReactions),
	}, "\t")
}

func failures(b *bytes.Buffer, r talk.Run) {
	for _, o := range r.Outcomes {
		if !failed(o) {
			continue
		}
		fmt.Fprintf(b, "\n%s\n", plain(o.Scenario))
		if o.Error != "" {
			fmt.Fprintf(b, "  error: %s\n", plain(o.Error))
		}
		for _, c := range failedChecks(o.Talk) {
			fmt.Fprintf(b, "  check %s, %s: %s\n", plain(c.Name), place(o.Talk, c.Line), plain(c.Detail))
		}
		if o.Grade == nil {
			continue
		}
		for _, e := range o.Grade.Expectations {
			if e.Verdict == talk.Fail {
				fmt.Fprintf(b, "  failed: %s\n    %s\n", plain(e.Text), plain(decided(o.Talk, e)))
			}
		}
	}
}

// decided says what decided a verdict: where, by which words, and why.
func decided(t *talk.Talk, e talk.Expectation) string {
	words := place(t, e.Line)
	if e.Quote != "" {
		words += ": “" + e.Quote + "”"
	}
	return words + ". " + e.Why
}
