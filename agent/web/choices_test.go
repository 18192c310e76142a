package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/web/webtest"

	"github.com/vivavoice/viva/agent"
)

// fourKinds are interviews with everything that the page lets people choose.
func fourKinds(o *Options) {
	o.Interviews = append(o.Interviews,
		agent.Kind{
			ID: "system_design", Title: "System design interview", Description: "One design question in five sub-phases.",
			Locales: []string{"en", "zh"},
			Vars: []agent.KindVar{{
				Name: "company", Description: "whose way of interviewing is used", Default: "default",
				Choices: []agent.Choice{{Value: "default", Title: "Viva"}, {Value: "acme", Title: "Acme"}},
			}},
		},
		agent.Kind{
			ID: "algorithm_coach", Title: "Algorithm coach", Description: "One coding problem in seven stages.",
			Locales: []string{"en", "zh"},
			Vars: []agent.KindVar{
				{Name: "problem", Choices: []agent.Choice{{Value: "gift_pair", Title: "A pair of gifts"}, {Value: "lamp_watch"}}},
				{Name: "difficulty", Choices: []agent.Choice{{Value: "easy"}, {Value: "medium"}, {Value: "hard"}}},
				{Name: "team_name"},
			},
		},
	)
}

func TestTokenHoldsTheInterviewToItsLanguages(t *testing.T) {
	h := newTestHandler(t, func(o *Options) { fourKinds(o); o.RatePerMinute = 100 })
	for body, want := range map[string]int{
		`{"interview":"system_design","locale":"zh"}`:    http.StatusOK,
		`{"interview":"system_design","locale":"zh-CN"}`: http.StatusOK,
		`{"interview":"system_design","locale":"EN"}`:    http.StatusOK,
		`{"interview":"system_design"}`:                  http.StatusOK,
		`{"interview":"conversation","locale":"vi"}`:     http.StatusOK, // it does not say which it has
		`{"interview":"two_stage","locale":"zh"}`:        http.StatusBadRequest,
		`{"interview":"system_design","locale":"vi"}`:    http.StatusBadRequest,
	} {
		w := postToken(h, body)
		if w.Code != want || (want != http.StatusOK && !strings.Contains(w.Body.String(), "en")) {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}

// A candidate sets what the interview leaves to the page and nothing else, whatever is posted to it.
func TestCandidatesSetOnlyWhatIsTheirs(t *testing.T) {
	h := newTestHandler(t, func(o *Options) { fourKinds(o); o.RatePerMinute = 100 })
	for body, want := range map[string]string{
		`{"interview":"system_design","vars":{"company":"acme"}}`:                                      "",
		`{"interview":"system_design","vars":{"company":""}}`:                                          "",
		`{"interview":"system_design","vars":{"company":"evil"}}`:                                      "no such choice of company",
		`{"interview":"system_design","vars":{"company":"acme","interview_question":"Say thank you"}}`: "no choice of interview_question",
		`{"interview":"algorithm_coach","vars":{"problem":"gift_pair","team_name":"any words"}}`:       "",
		`{"interview":"algorithm_coach","vars":{"company":"acme"}}`:                                    "no choice of company",
		`{"vars":{"team":"core"}}`: "no choice of team", // two_stage
	} {
		w := postToken(h, body)
		if (want == "") != (w.Code == http.StatusOK) || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %q", body, w.Code, w.Body, want)
		}
	}
}

func TestLobbyOffersLanguagesAndVars(t *testing.T) {
	b := openBrowser(t, webtest.Refused)
	origin := serveOn(t, newTestHandler(t, fourKinds))
	b.Open(origin + "?interview=algorithm_coach&difficulty=hard&typing=1")
	if got := labels(b); !cmp.Equal(got, []string{"Your name optional", "Interview", "Language", "Problem", "Difficulty", "Team name"}) {
		t.Errorf("fields %q", got)
	}
	if got := b.Text("locale"); !strings.Contains(got, "English") || !strings.Contains(got, "中文") {
		t.Errorf("languages %q", got)
	}
	if got := webtest.Eval[string](b, `document.getElementById("var-problem").selectedOptions[0].text`); got != "The interviewer chooses" {
		t.Errorf("problem %q is preselected", got)
	}
	b.Do(chromedp.SetValue(chromedp.CSS("#var-problem"), "lamp_watch"), chromedp.SendKeys(chromedp.CSS("#var-team_name"), " core "))
	choose(b, "locale", "zh")
	b.Wait(`document.documentElement.lang === "zh"`, patience)
	if got := labels(b); !cmp.Equal(got, []string{"你的名字 选填", "面试", "语言", "题目", "难度", "Team name"}) {
		t.Errorf("fields in Chinese %q", got)
	}
	if got := b.Text("start"); got != "开始面试" {
		t.Errorf("the button says %q", got)
	}
	picturesOf(t, b, "choices-zh")
	checkRequest(t, b, map[string]any{
		"name": "Jo", "interview": "algorithm_coach", "locale": "zh",
		"vars": map[string]any{"problem": "lamp_watch", "difficulty": "hard", "team_name": "core"},
	})
	expectClean(t, b, origin)
}

func TestLobbyAsksOnlyWhatTheInterviewKnows(t *testing.T) {
	b := openBrowser(t, webtest.Refused)
	origin := serveOn(t, newTestHandler(t, fourKinds))
	b.Open(origin + "?interview=system_design&locale=zh&company=acme&typing=1")
	b.Wait(`document.documentElement.lang === "zh"`, patience)
	if got := webtest.Eval[string](b, `document.getElementById("var-company").value`); got != "acme" {
		t.Errorf("company %q, want what the address says", got)
	}
	choose(b, "interview", "two_stage")
	b.Wait(`document.documentElement.lang === "en"`, patience)
	if got := labels(b); !cmp.Equal(got, []string{"Your name optional", "Interview"}) {
		t.Errorf("fields %q of an interview without choices", got)
	}
	checkRequest(t, b, map[string]any{"name": "Jo", "interview": "two_stage", "locale": "en"})
	choose(b, "interview", "conversation")
	checkRequest(t, b, map[string]any{"name": "Jo", "interview": "conversation"})
	expectClean(t, b, origin)
}

// labels are the texts of the form's labels that show, besides those of the microphone.
func labels(b *webtest.Browser) []string {
	return webtest.Eval[[]string](b, `[...document.querySelectorAll("#form label:not(.visually-hidden)")]
		.filter((l) => l.offsetParent).map((l) => l.innerText.replace(/\s+/g, " ").trim())`)
}

// choose selects an option as a person does.
func choose(b *webtest.Browser, id, value string) {
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const select = document.getElementById(%q);
		select.value = %q;
		select.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, id, value)))
}

// checkRequest presses Start and looks at what the page asks for; nothing is answered.
func checkRequest(t *testing.T, b *webtest.Browser, want map[string]any) {
	t.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`(() => {
		window.asked = null;
		window.fetch = async (_, { body }) => { window.asked = JSON.parse(body); throw new Error("nobody answers"); };
		document.getElementById("name").value = "Jo";
	})()`), chromedp.Focus(chromedp.CSS("#start")), chromedp.KeyEvent(kb.Enter))
	b.Wait(`window.asked && !document.getElementById("start").disabled`, patience)
	if diff := cmp.Diff(want, webtest.Eval[map[string]any](b, `window.asked`)); diff != "" {
		t.Errorf("the request: %s", diff)
	}
}

func picturesOf(t *testing.T, b *webtest.Browser, name string) {
	t.Helper()
	b.Resize(1280, 1100)
	b.Screenshot(name + "-1280")
	b.Resize(360, 844)
	expectFit(t, b, name+" at 360 px")
	b.Screenshot(name + "-360")
	b.Resize(1280, 844)
}
