package livetest

import (
	"net"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/agent/web/webtest"
)

const patience = 30 * time.Second

// stay is one page in one room.
type stay struct {
	*webtest.Browser
	srv       *devserver.Server
	origin    string
	room      string
	candidate string // identity
}

func startServer(t *testing.T, opts devserver.Options) *devserver.Server {
	t.Helper()
	opts.APIKey, opts.APISecret = "live-test", "a secret of at least thirty-two bytes"
	srv, err := devserver.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("close LiveKit server: %v", err)
		}
	})
	return srv
}

// begin opens the page and starts an interview with the microphone, up to waiting for the interviewer.
func begin(t *testing.T, microphone webtest.Microphone, query string) *stay {
	t.Helper()
	b := webtest.Open(t, webtest.Options{Microphone: microphone})
	srv := startServer(t, devserver.Options{})
	page, err := web.New(web.Options{
		LiveKitURL: srv.URL(), APIKey: srv.APIKey(), APISecret: srv.APISecret(), AgentName: "nobody", LocalTokens: true,
		Interviews: []agent.Kind{
			{ID: "two_stage", Title: "Introduction and experience"},
			{ID: "system_design", Title: "System design interview", Locales: []string{"en", "zh"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(page)
	t.Cleanup(site.Close)
	s := &stay{Browser: b, srv: srv, origin: site.URL}
	s.Resize(1280, 844)
	s.Open(site.URL + "?name=Jordan" + query)
	s.Do(chromedp.Click(chromedp.CSS("#start")))
	s.Wait(`["waiting", "live"].includes(document.body.dataset.phase) || document.getElementById("form-error").innerText`, patience)
	if said := webtest.Eval[string](b, `document.getElementById("form-error").textContent`); said != "" {
		t.Fatalf("the page did not start: %s", said)
	}
	s.room = webtest.Eval[string](b, `JSON.parse(sessionStorage.getItem("viva.ticket")).room`)
	s.candidate = webtest.Eval[string](b, `JSON.parse(sessionStorage.getItem("viva.ticket")).identity`)
	return s
}

func (s *stay) waitPhase(phase string) {
	s.Wait(`document.body.dataset.phase === "`+phase+`"`, patience)
}

func (s *stay) waitText(id, text string) {
	s.Wait(`document.getElementById("`+id+`").innerText.includes("`+text+`")`, patience)
}

func TestInterviewOnThePage(t *testing.T) {
	s := begin(t, webtest.Allowed, "")
	agent := join(t, s.srv, s.room)
	agent.expect("published")
	s.waitPhase("live")

	agent.set(map[string]string{
		"lk.agent.state": "speaking", "viva.stage": "past", "viva.stage_title": "Past experience", "viva.progress": "2/3",
		"viva.deadline": "240",
	})
	s.waitText("stage", "Past experience")
	s.waitText("progress-text", "Part 2 of 3")
	s.waitText("remaining", "4 minutes")
	s.waitText("agent-state", "Speaking")

	agent.speak("SG_1", "Thank you, Jordan. ", "Tell me about a project ", "you are proud of.")
	s.waitText("transcript", "you are proud of.")
	agent.hear(s.candidate, "SG_2", "I worked on a pay", false)
	s.waitText("transcript-now", "I worked on a pay")
	agent.hear(s.candidate, "SG_2", "I worked on a payment system at a small bank.", true)
	s.waitText("transcript", "a small bank.")
	if now := s.Text("transcript-now"); strings.Contains(now, "pay") {
		t.Errorf("the interim text stayed: %q", now)
	}
	agent.set(map[string]string{"lk.agent.state": "listening"})
	agent.hear(s.candidate, "SG_3", "We moved it from nightly batches to", false)
	s.waitText("transcript-now", "nightly batches")
	pictures(t, s)

	s.Do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.KeyEvent("m"))
	agent.expect("muted")
	s.waitText("mute", "Unmute")
	s.Do(chromedp.Click(chromedp.CSS("#mute")))
	agent.expect("unmuted")

	s.Do(chromedp.SendKeys(chromedp.CSS("#chat-input"), "mostly in Go"), chromedp.Click(chromedp.CSS("#chat-send")))
	select {
	case got := <-agent.typed:
		if got != "mostly in Go" {
			t.Errorf("typed text arrived as %q", got)
		}
	case <-time.After(patience):
		t.Fatal("the typed text did not arrive")
	}
	s.waitText("transcript", "mostly in Go")

	// RM-5: code that is pasted keeps its lines, and is one message.
	const code = "for x in days:\n    return x"
	s.Do(chromedp.SetValue(chromedp.CSS("#chat-input"), code), chromedp.SendKeys(chromedp.CSS("#chat-input"), kb.Enter))
	select {
	case got := <-agent.typed:
		if got != code {
			t.Errorf("pasted code arrived as %q", got)
		}
	case <-time.After(patience):
		t.Fatal("the pasted code did not arrive")
	}

	agent.set(map[string]string{"lk.agent.state": "listening", "viva.state": "done"})
	s.waitPhase("finished")
	agent.expect("left CLIENT_INITIATED")
	if title := s.Text("after-title"); title != "Thank you" {
		t.Errorf("title %q", title)
	}
	s.Screenshot("finished-390")
	s.expectClean(t)
}

func pictures(t *testing.T, s *stay) {
	t.Helper()
	s.Screenshot("interview-1280")
	for _, width := range []int64{390, 360} {
		s.Resize(width, 844)
		if over := s.Overflow(); over > 0 {
			t.Errorf("the interview at %d px is %d px wider than the window", width, over)
		}
	}
	s.Screenshot("interview-360")
	s.Dark()
	s.Resize(1280, 844)
	s.Screenshot("interview-dark-1280")
	s.Resize(390, 844)
}

func (s *stay) expectClean(t *testing.T) {
	t.Helper()
	for _, c := range s.Complaints() {
		t.Errorf("the browser complained: %s", c)
	}
	ws := s.srv.URL()
	for _, url := range s.ForeignRequests(s.origin, ws, strings.Replace(ws, "ws", "http", 1)) {
		t.Errorf("external request: %s", url)
	}
}

// TestReloadResumes: the same identity comes back to the same room, and the interviewer is never told that the candidate
// left on purpose.
func TestReloadResumes(t *testing.T) {
	s := begin(t, webtest.Allowed, "")
	agent := join(t, s.srv, s.room)
	agent.expect("published")
	s.waitPhase("live")

	s.Do(chromedp.Reload())
	s.waitPhase("live")
	if before := agent.expect("published"); slices.Contains(before, "left CLIENT_INITIATED") {
		t.Errorf("a reload looked like leaving: %q", before)
	}
	if again := webtest.Eval[string](s.Browser, `JSON.parse(sessionStorage.getItem("viva.ticket")).identity`); again != s.candidate {
		t.Errorf("identity %q after a reload, want %q", again, s.candidate)
	}
}

func TestEndAsksFirst(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1")
	agent := join(t, s.srv, s.room)
	s.waitPhase("live")
	s.Do(chromedp.Click(chromedp.CSS("#end")), chromedp.WaitVisible(chromedp.CSS("#confirm")),
		chromedp.Click(chromedp.CSS("#confirm-no")))
	s.Wait(`!document.getElementById("confirm").open`, patience)
	if phase := webtest.Eval[string](s.Browser, `document.body.dataset.phase`); phase != "live" {
		t.Fatalf("phase %q after declining", phase)
	}
	s.Do(chromedp.Click(chromedp.CSS("#end")), chromedp.WaitVisible(chromedp.CSS("#confirm-yes")))
	s.Screenshot("confirm-1280")
	s.Do(chromedp.Click(chromedp.CSS("#confirm-yes")))
	s.waitPhase("finished")
	agent.expect("left CLIENT_INITIATED")
	s.expectClean(t)
}

func TestInterviewerThatLeavesIsReported(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1")
	agent := join(t, s.srv, s.room)
	s.waitPhase("live")
	agent.room.Disconnect()
	s.waitText("banner-text", "left unexpectedly")
	s.Screenshot("left-1280")
}

// TestLostServer: the page says that it reconnects, gives up after 25 s, and rejoins by itself when asked to.
func TestLostServer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the page gives up")
	}
	s := begin(t, webtest.Refused, "&typing=1")
	s.waitPhase("waiting")
	if err := s.srv.Close(); err != nil {
		t.Fatal(err)
	}
	s.waitText("banner-text", "Reconnecting")
	s.Screenshot("reconnecting-1280")
	s.Wait(`document.body.dataset.phase === "lost"`, time.Minute)
	s.Screenshot("lost-1280")

	s.restartServer(t)
	s.Do(chromedp.Click(chromedp.CSS("#rejoin")))
	s.waitPhase("waiting")
	if again := webtest.Eval[string](s.Browser, `JSON.parse(sessionStorage.getItem("viva.ticket")).room`); again != s.room {
		t.Errorf("room %q after rejoining, want %q", again, s.room)
	}
}

func (s *stay) restartServer(t *testing.T) {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.srv.URL(), "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	s.srv = startServer(t, devserver.Options{SignalPort: number})
}
