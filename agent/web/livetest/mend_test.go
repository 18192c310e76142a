package livetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vivavoice/viva/agent/web/webtest"
)

// TestMendOnThePage: words that the recogniser was not sure of are marked, and the candidate can put the latest ones right as long as they
// have said nothing after them; the interviewer gets what they write, and the transcript shows it.
func TestMendOnThePage(t *testing.T) {
	s := begin(t, webtest.Allowed, "")
	agent := join(t, s.srv, s.room)
	agent.expect("published")
	agent.set(map[string]string{"lk.agent.state": "listening", "viva.state": "active"})
	agent.doubt(s.candidate, "SG_1", "I worked on the male server.")
	s.waitText("transcript", "I worked on the male server.")
	s.waitText("transcript", "I may have misheard")
	s.Screenshot("mend-1280")

	s.click(".mend button")
	s.Wait(`document.activeElement.matches(".mend textarea")`, patience)
	s.Screenshot("mend-open-1280")
	s.Resize(360, 740)
	if over := s.Overflow(); over > 0 {
		t.Errorf("at 360 px the page is %d px wider than the window", over)
	}
	s.Screenshot("mend-open-360")
	s.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".mend textarea").value = "I worked on the mail server."`))
	s.click(".mend button[type=submit]")
	agent.expect(`data viva.mend {"segment":"SG_1","text":"I worked on the mail server."}`)
	s.waitText("transcript", "I worked on the mail server.")
	if text := s.Text("transcript"); strings.Contains(text, "male") || !strings.Contains(text, "You, put right") || s.count(".mend") != 0 {
		t.Errorf("the transcript shows %q", text)
	}

	agent.hear(s.candidate, "SG_2", "It was fast.", true)
	s.waitText("transcript", "It was fast.")
	if strings.Contains(s.Text("transcript"), "misheard") || s.count(".mend") != 1 {
		t.Errorf("words that were understood: %q", s.Text("transcript"))
	}
	s.click(".mend button")
	agent.hear(s.candidate, "SG_3", "And then", false)
	s.Wait(`document.querySelectorAll(".mend").length === 0`, patience)
	s.expectClean(t)
}

func (s *stay) click(selector string) {
	s.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).click()`, selector)))
}

func (s *stay) count(selector string) int {
	return webtest.Eval[int](s.Browser, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}
