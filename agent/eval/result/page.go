package result

import (
	"crypto/sha256"
	_ "embed" // the page, its style and its script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

var (
	//go:embed page.gohtml
	pageText string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// page is what the template sees.
type page struct {
	talk.Run
	CSS        template.CSS
	Script     template.JS
	Policy     string
	Rows       []ByInterview
	Interviews []string
	Tags       []string
	Scenarios  []scenario
}

// Page writes a run as one HTML file that stands for itself: it needs no other file, and its own policy forbids the browser to
// load any. Without scripts all is shown, and only the filter is missing. Every word of a talk or a model is escaped.
func Page(w io.Writer, r talk.Run) error {
	p := page{
		Run: r, Rows: Figures(r),
		CSS:    template.CSS(style), //nolint:gosec // a constant of this package
		Script: template.JS(script), //nolint:gosec // a constant of this package
		Policy: "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'",
	}
	for _, f := range p.Rows {
		p.Interviews = append(p.Interviews, f.Interview)
	}
	if len(p.Rows) > 1 {
		p.Rows = append(p.Rows, Total(p.Rows))
	}
	tags := make(map[string]bool)
	for i, o := range r.Outcomes {
		s := newScenario(fmt.Sprintf("s%d", i+1), o)
		for _, t := range s.TagList {
			tags[t] = true
		}
		p.Scenarios = append(p.Scenarios, s)
	}
	p.Tags = slices.Sorted(maps.Keys(tags))
	t, err := template.New("eval").Funcs(template.FuncMap{
		"met": met, "rated": rated, "lows": lows, "slips": slips, "preferred": preferred, "prefers": prefers, "began": began,
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("read the page of an eval: %w", err)
	}
	return t.Execute(w, p)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func began(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2 January 2006, 15:04 UTC")
}

// prefers tells a preference in a sentence.
func prefers(p *talk.Preference) string {
	name := func(c talk.Choice) string {
		switch c {
		case talk.PrefersViva:
			return "Viva's talk"
		case talk.PrefersPlain:
			return "the plain talk"
		}
		return "neither"
	}
	if p.First == p.Second {
		return "Preferred, whichever was shown first: " + name(p.First) + "."
	}
	return fmt.Sprintf("Undecided: %s was preferred with Viva's shown first, %s with the plain one shown first.", name(p.First), name(p.Second))
}

// scenario is an outcome as the page shows it.
type scenario struct {
	talk.Outcome
	ID        string
	Failed    bool
	F         ByInterview
	TagList   []string
	Summary   string
	Verdicts  []note
	Findings  []note
	Preferred string
	Talks     []conversation
}

func newScenario(id string, o talk.Outcome) scenario {
	s := scenario{Outcome: o, ID: id, Failed: failed(o), F: of(o)}
	for _, key := range slices.Sorted(maps.Keys(o.Tags)) {
		s.TagList = append(s.TagList, key+": "+o.Tags[key])
	}
	if o.Talk != nil {
		s.Talks = append(s.Talks, newConversation(id+"-viva", "viva", "Viva", o.Talk, o.Grade))
	}
	if o.Plain != nil {
		s.Talks = append(s.Talks, newConversation(id+"-plain", "plain", "Plain", o.Plain, o.PlainGrade))
	}
	if o.Grade != nil {
		s.Summary = o.Grade.Summary
	}
	if len(s.Talks) > 0 && o.Talk != nil {
		all := notes(id+"-viva", o.Talk, o.Grade)
		s.Verdicts = slices.DeleteFunc(slices.Clone(all), func(n note) bool { return !n.expected })
		s.Findings = slices.DeleteFunc(all, func(n note) bool { return n.expected })
	}
	if p := o.Preference; p != nil {
		s.Preferred = map[float64]string{1: "preferred over plain", 0: "plain preferred"}[p.Wins()]
		if s.Preferred == "" {
			s.Preferred = "undecided with plain"
		}
	}
	return s
}

// TagLines are the tags for the page's script, one a line.
func (s scenario) TagLines() string { return strings.Join(s.TagList, "\n") }

// Both reports whether there is a plain talk beside Viva's.
func (s scenario) Both() bool { return len(s.Talks) == 2 }
