package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"time"
)

//go:embed page.gohtml
var pageText string

//go:embed report.css
var style string

// Page says what surrounds a report's HTML. The zero value is a file that stands for itself: it needs no other file and no
// script, and its own policy forbids the browser to load any.
type Page struct {
	// Styles and Scripts are addresses of the site that serves the page. With any, the server sends the policy, and
	// allows the inline style by StyleHash.
	Styles  []string
	Scripts []string // loaded as modules
	Home    string   // address of the list of interviews; empty = no link
	Icon    string   // address of the site's icon; empty = none
	// Recordings are all sound files of the interview in the order of the talk, where there are several; Report.Recording is
	// the first of them.
	Recordings []Recording
}

// StyleHash is the source expression that allows the page's style in a Content-Security-Policy.
func StyleHash() string {
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// view is what the template sees.
type view struct {
	*Report
	Page

	W      *Words
	CSS    template.CSS
	Policy string

	shown shown // the quotes of a section
	Rows  []scoreRow
	Plots []barChart
}

// HTML writes the report as a page in its own language. Every word of the candidate, of a model and of a definition is
// escaped by its context.
func HTML(r *Report, p Page) ([]byte, error) {
	v := &view{Report: r, Page: p, W: Speak(r.Locale), CSS: template.CSS(style)} //nolint:gosec // a constant of this package
	if len(p.Scripts) == 0 && len(p.Styles) == 0 {
		v.Policy = "default-src 'none'; style-src " + StyleHash() + "; media-src 'self'; base-uri 'none'; form-action 'none'"
	}
	v.Rows = scoreRows(r)
	v.Plots = delivered(r)
	t := template.Must(template.New("report").Funcs(v.functions()).Parse(pageText))
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return nil, fmt.Errorf("write the report's page: %w", err)
	}
	return out.Bytes(), nil
}

func (v *view) functions() template.FuncMap {
	return template.FuncMap{
		"say": v.W.Say, "score": v.W.Score, "decimal": Decimal, "clock": Clock, "n": number,
		"list": v.W.List, "at": v.at, "when": When, "percent": percent,
		"seconds": func(m Millis) string { return v.W.Say("label.seconds", "n", Decimal(m.Duration().Seconds())) },
		"retry":   v.W.retry, "part": v.W.part, "coverage": v.W.coverage, "counted": v.W.Counted, "help": v.W.Help,
		"answered": v.W.answered, "judged": v.judged, "fresh": v.shown.fresh,
		"begin": func() string { v.shown = shown{}; return "" },
		"ring":  func(norm float64) string { return fmt.Sprintf("%.1f 100", norm*100) },
		"x":     v.x, "width": v.width, "axis": v.axis, "beginning": v.beginning, "turnAt": v.turnAt,
		"colour":  func(i int) int { return i % colours },
		"sign":    func(kind string) string { return signs[kind] },
		"models":  func() []string { return Models(v.Report) },
		"refused": func() []string { return byRole(v.Provenance.Refused) },
	}
}

// Files are the recordings as the page's script reads them; empty where there is one at most.
func (v *view) Files() (string, error) {
	if len(v.Recordings) < 2 {
		return "", nil
	}
	text, err := json.Marshal(v.Recordings)
	return string(text), err
}

// at is where a link to a moment leads: into the recording, or else to the line of the transcript.
func (v *view) at(m Millis, turn uint64) string {
	if v.Recording != nil && v.Recording.URL != "" {
		rec := *v.Recording
		for _, more := range v.Recordings {
			if more.Offset <= m {
				rec = more
			}
		}
		return fmt.Sprintf("%s#t=%.1f", rec.URL, max(0, (m-rec.Offset).Duration().Seconds()))
	}
	return fmt.Sprintf("#t%d", turn)
}

// judged reports whether a stage was judged as such.
func (v *view) judged() bool {
	return slices.ContainsFunc(v.Stages, func(s Stage) bool { return s.Judged })
}

// Models lists roles and their models, in order.
func Models(r *Report) []string { return byRole(r.Provenance.Models) }

// byRole is a list of roles with what is said of them, in order.
func byRole(said map[string]string) []string {
	var out []string
	for role, what := range said {
		out = append(out, role+": "+what)
	}
	slices.Sort(out)
	return out
}

// When writes a day and a time; "" where none is known.
func When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 MST")
}
