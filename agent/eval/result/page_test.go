package result_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/eval/result"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/web/webtest"
)

func html(t *testing.T, r talk.Run) string {
	t.Helper()
	var b strings.Builder
	if err := result.Page(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageShowsEverything(t *testing.T) {
	page := html(t, run())
	text := regexp.MustCompile(`\s+`).ReplaceAllString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "), " ")
	for _, o := range run().Outcomes {
		var words []string
		for _, t := range []*talk.Talk{o.Talk, o.Plain} {
			if t != nil {
				words = append(words, t.Lines[len(t.Lines)-1].Text)
			}
		}
		for _, g := range []*talk.Grade{o.Grade, o.PlainGrade} {
			if g == nil {
				continue
			}
			for _, r := range g.Reactions {
				words = append(words, r.Why)
			}
		}
		if o.Grade != nil {
			for _, e := range o.Grade.Expectations {
				words = append(words, e.Text, e.Why)
			}
		}
		if o.Preference != nil {
			words = append(words, o.Preference.Why)
		}
		for _, want := range append(words, o.Label, o.Error) {
			if !strings.Contains(text, strings.NewReplacer("'", "&#39;").Replace(want)) {
				t.Errorf("%s: the page does not say %q", o.Scenario, want)
			}
		}
	}
	for _, want := range []string{
		`<mark class="pass">Up to a hundred thousand days</mark>`, `<mark class="fail">Great, quadratic it is</mark>`,
		`<mark class="slip">that is O of n squared</mark>`, `<mark class="slip taken">grow when it&#39;s too small</mark>`,
		`<a href="#s1-viva-l6">line 6, 0:34</a>`, `id="s1-viva-l6"`, `<span class="level l2" aria-label="rated 2 of 5">`, "script: late",
		"half of 3 answers began within 0.7 s", "You reached the linear solution", "2 of 3 checks passed", "seen.get(total - k, 0)",
		"Undecided: Viva&#39;s talk was preferred with Viva&#39;s shown first, the plain talk with the plain one",
		"Preferred, whichever was shown first: Viva&#39;s talk.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Whatever is said or judged stays text.
func TestPageIsSafe(t *testing.T) {
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)></pre></details> [a](javascript:alert(3)) {{.}}`
	r := run()
	o := &r.Outcomes[0]
	r.Version, r.Judge, o.Scenario, o.Label, o.Interview, o.Locale, o.Error = attack, attack, attack, attack, attack, attack, attack
	o.Tags = map[string]string{attack: attack}
	o.Talk.Locale, o.Talk.Report, o.Talk.Ended, o.Talk.Checks[2].Name, o.Talk.Checks[2].Detail = attack, attack, attack, attack, attack
	for i := range o.Talk.Lines {
		l := &o.Talk.Lines[i]
		l.Text += attack
		l.Code, l.Degraded, l.Speaker = attack, attack, talk.Speaker(strings.Replace(string(l.Speaker), "happening", attack, 1))
	}
	g := o.Grade
	g.Summary, g.Expectations[1].Text, g.Expectations[1].Why, g.Expectations[1].Quote, g.Expectations[1].Verdict = attack, attack, attack, attack, attack
	g.Reactions[0].Why, g.Untrue[0].Quote, g.Untrue[0].Why, g.Slips[0].Why, o.Preference.Why = attack, attack, attack, attack, attack
	page := html(t, r)
	for _, bad := range []string{"<script>alert", "<img", `href="javascript:`, `"><script`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if strings.Count(page, "<script") != 1 {
		t.Error("there is another script than the page's own")
	}
}

// The page stands for itself: nothing is loaded, and the policy allows nothing but its own style and script.
func TestPageLoadsNothing(t *testing.T) {
	page := html(t, run())
	for _, bad := range []string{"http://", "https://", "<link", "@import", "url(", "style=", " src=", "onclick"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Error("the page has no policy")
	}
	if empty := html(t, talk.Run{}); !strings.Contains(empty, "no scenarios in this run") {
		t.Error("an empty run is an empty page")
	}
}

// A person finds what failed, by mouse or keyboard, on a wide screen and on a telephone.
func TestPageInBrowser(t *testing.T) {
	dir := t.TempDir()
	if kept := os.Getenv(webtest.ArtifactsVar); kept != "" {
		dir = kept
	}
	file := filepath.Join(dir, "eval.html")
	if err := os.WriteFile(file, []byte(html(t, run())), 0o600); err != nil {
		t.Fatal(err)
	}
	b := webtest.Open(t, webtest.Options{})
	b.Resize(1280, 1000)
	b.Open("file://" + file)
	shown := func() string {
		return webtest.Eval[string](b, `[...document.querySelectorAll(".scenario")].filter(s => s.checkVisibility()).map(s => s.id).join(" ")`)
	}
	set := func(id, what string) {
		webtest.Eval[bool](b, fmt.Sprintf(`(e => { e.%s; e.dispatchEvent(new Event("change")); return true })(document.getElementById(%q))`, what, id))
	}
	for _, c := range []struct{ id, what, want string }{
		{"failing", "checked = true", "s1 s3"},
		{"by-interview", `value = "persona_interview"`, "s3"},
		{"failing", "checked = false", "s2 s3 s4"},
		{"by-tag", `value = "mood: curious"`, "s2"},
		{"by-interview", `value = "algorithm_coach"`, ""},
		{"by-tag", `value = ""`, "s1"},
		{"by-interview", `value = ""`, "s1 s2 s3 s4"},
	} {
		if set(c.id, c.what); shown() != c.want {
			t.Errorf("%s %s: %q is shown, want %q", c.id, c.what, shown(), c.want)
		}
	}
	// A link into a folded talk opens it, on the side it is on.
	webtest.Eval[bool](b, `(location.hash = "s1-plain-l3", true)`)
	b.Wait(`document.getElementById("s1").open`, 10*time.Second)
	b.Screenshot("eval-wide")
	sides := `[...document.querySelectorAll("#s1 .side")].filter(s => s.checkVisibility()).length`
	if n := webtest.Eval[int](b, sides); n != 2 {
		t.Errorf("%d talks stand beside each other on a wide screen", n)
	}
	b.Resize(390, 844)
	if n := webtest.Eval[int](b, sides+` + 10 * document.querySelector("#s1 .plain").checkVisibility()`); n != 11 {
		t.Errorf("on a narrow screen %d", n)
	}
	webtest.Eval[bool](b, `(document.querySelector("#s1 [data-show=viva]").click(), document.getElementById("open").click(), true)`)
	b.Wait(`document.getElementById("open").textContent === "Close all"`, 10*time.Second)
	if over := b.Overflow(); over > 0 {
		t.Errorf("the page is %d px too wide", over)
	}
	b.Screenshot("eval-narrow")
	b.Dark()
	b.Screenshot("eval-narrow-dark")
	b.Resize(1280, 1000)
	b.Screenshot("eval-wide-dark")
	// Nothing that can be clicked is out of the keyboard's reach.
	if lost := webtest.Eval[[]string](b, `[...document.querySelectorAll("button, a, select, input, summary")].filter(e => e.tabIndex < 0).map(e => e.outerHTML)`); len(lost) > 0 {
		t.Errorf("out of reach: %v", lost)
	}
	if bad := b.Complaints(); len(bad) > 0 {
		t.Errorf("the browser complains: %q", bad)
	}
	if bad := slices.DeleteFunc(b.ForeignRequests(), func(url string) bool { return strings.HasPrefix(url, "file://") }); len(bad) > 0 {
		t.Errorf("the page asks for %q", bad)
	}
}
