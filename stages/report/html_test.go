package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/report"
)

const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)> [a](javascript:alert(3)) |*x*|`

// Whatever people or models say stays text, in HTML and in Markdown.
func TestEscaping(t *testing.T) {
	src := persona(t)
	src.State.Candidate.Name, src.State.Vars["role"] = attack, attack
	src.Asked[0].Text = attack
	for i := range src.State.Turns {
		src.State.Turns[i].Text = attack + src.State.Turns[i].Text
	}
	e := &src.Asked[0].Evaluation
	e.Feedback, e.Improved, e.Gaps, e.By, e.Marks[0].Criterion = attack, attack, []string{attack}, attack, attack
	src.Recording = &report.Recording{URL: "javascript:alert(4)"}
	r := build(t, src)
	html, err := report.HTML(r, report.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", `href="javascript:`, `src="javascript:`} {
		if strings.Contains(string(html), bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "[a](", " |*x*|"} {
		if strings.Contains(string(md), bad) {
			t.Errorf("the Markdown contains %s", bad)
		}
	}
}

// A page that stands for itself loads nothing; one with scripts leaves the policy to its server.
func TestPageLoadsNothing(t *testing.T) {
	r := build(t, persona(t))
	html, err := report.HTML(r, report.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"http://", "https://", "<script", "<link", "@import", "url(", "style="} {
		if strings.Contains(string(html), bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if !strings.Contains(string(html), "default-src &#39;none&#39;") {
		t.Error("the page has no policy")
	}
	html, err = report.HTML(r, report.Page{Scripts: []string{"/static/report/report.mjs"}, Styles: []string{"/x.css"}, Home: "/reports"})
	if err != nil || strings.Contains(string(html), "Content-Security-Policy") || !strings.Contains(string(html), `src="/static/report/report.mjs"`) {
		t.Errorf("%v", err)
	}
}

// A quote leads to its second in the recording, or to its line where there is none; only a recording of the same site is
// ever offered.
func TestMomentsLead(t *testing.T) {
	src := persona(t)
	page := func(rec *report.Recording) string {
		src.Recording = rec
		html, err := report.HTML(build(t, src), report.Page{})
		if err != nil {
			t.Fatal(err)
		}
		return string(html)
	}
	if html := page(nil); !strings.Contains(html, `href="#t8" data-at="66599"`) || strings.Contains(html, "<audio") {
		t.Error("no line to go to")
	}
	if html := page(&report.Recording{URL: "talk.ogg", Offset: 1500}); !strings.Contains(html, `href="talk.ogg#t=65.1" data-at="66599"`) || !strings.Contains(html, `src="talk.ogg"`) {
		t.Error("no second to go to")
	}
	for _, foreign := range []string{"https://elsewhere.example/a.ogg", "//elsewhere.example/a.ogg", "javascript:alert(1)", "a\x00b"} {
		if strings.Contains(page(&report.Recording{URL: foreign}), "<audio") {
			t.Errorf("%q is offered", foreign)
		}
	}
}

// R002-63: coverage is told as a sentence.
func TestCoverageIsTold(t *testing.T) {
	early := small(t, csc(4, 3, 2), csc(4, 3, 2))
	early.Expected = 5
	for want, src := range map[string]report.Source{
		"All 5 questions were asked, answered and assessed.":     persona(t),
		"The one question was asked, answered and assessed.":     small(t, csc(4, 3, 2)),
		"Questions: 5 planned, 2 asked, 2 answered, 2 assessed.": early,
	} {
		if html := page(t, src); !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
}

// R002-45: where nothing was noticed in any answer a line of text says so, in place of an empty chart.
func TestNothingToDraw(t *testing.T) {
	src := persona(t)
	r := build(t, src)
	if r.Delivery == nil || len(r.Delivery.Answers) == 0 {
		t.Fatal("nobody spoke")
	}
	quiet := func(html, id string) bool {
		_, rest, _ := strings.Cut(html, `data-plot="`+id+`"`)
		figure, _, _ := strings.Cut(rest, "</figure>")
		return figure != "" && !strings.Contains(figure, "<svg")
	}
	for i := range r.Delivery.Answers {
		r.Delivery.Answers[i].Fillers, r.Delivery.Answers[i].LongestPause = 0, 0
	}
	html := written(t, r)
	if !quiet(html, "fillers") || !quiet(html, "pauses") || !strings.Contains(html, "No fillers were recognised") || !strings.Contains(html, "pause of a second") {
		t.Error("empty charts are drawn")
	}
	if quiet(html, "pace") {
		t.Error("the chart of the pace is missing")
	}
	r.Delivery.Answers[0].Fillers = 1
	if quiet(written(t, r), "fillers") {
		t.Error("one filler is not drawn")
	}
}

func page(t testing.TB, src report.Source) string { return written(t, build(t, src)) }

func written(t testing.TB, r *report.Report) string {
	t.Helper()
	html, err := report.HTML(r, report.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func TestMarkdown(t *testing.T) {
	md, err := report.Markdown(build(t, persona(t)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "testdata/persona.md", md)
}

// TestKeepPages writes the pages of the fixtures for people to look at, if VIVA_ARTIFACTS names a folder.
func TestKeepPages(t *testing.T) {
	dir := os.Getenv("VIVA_ARTIFACTS")
	if dir == "" {
		t.Skip("VIVA_ARTIFACTS is not set")
	}
	for _, language := range languages {
		for name, src := range map[string]report.Source{"persona": persona(t), "design": design(t)} {
			src.State.Locale = language
			html, err := report.HTML(build(t, src), report.Page{})
			if err == nil {
				err = os.WriteFile(dir+"/report-"+name+"-"+language+".html", html, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
