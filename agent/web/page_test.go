package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/vivavoice/viva/agent/web/webtest"
)

const patience = 20 * time.Second

func openBrowser(t *testing.T, microphone webtest.Microphone) *webtest.Browser {
	t.Helper()
	if !embedded(t).has(clientBundle) {
		t.Skip("the client bundle is missing: run `make setup`")
	}
	return webtest.Open(t, webtest.Options{Microphone: microphone})
}

func embedded(t *testing.T) *assets {
	t.Helper()
	a, err := newAssets(staticFiles)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func serveOn(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// expectClean reports what no page may do.
func expectClean(t *testing.T, b *webtest.Browser, origin string) {
	t.Helper()
	for _, c := range b.Complaints() {
		t.Errorf("the browser complained: %s", c)
	}
	for _, url := range b.ForeignRequests(origin) {
		t.Errorf("external request: %s", url)
	}
}

func expectFit(t *testing.T, b *webtest.Browser, what string) {
	t.Helper()
	if over := b.Overflow(); over > 0 {
		t.Errorf("%s is %d px wider than the window", what, over)
	}
}

func TestPageRendersAtAllWidths(t *testing.T) {
	b := openBrowser(t, webtest.Allowed)
	origin := serveOn(t, newTestHandler(t, nil))
	b.Open(origin)
	if got := webtest.Eval[int](b, `document.querySelectorAll("#interview option").length`); got != 2 {
		t.Errorf("%d interviews to choose from, want 2", got)
	}
	for _, width := range []int64{1280, 390, 360} {
		b.Resize(width, 844)
		expectFit(t, b, fmt.Sprintf("the start page at %d px", width))
		b.Screenshot(fmt.Sprintf("start-%d", width))
	}
	b.Dark()
	b.Screenshot("start-dark-360")
	expectClean(t, b, origin)
}

func TestMicrophoneLevelShowsBeforeTheStart(t *testing.T) {
	b := openBrowser(t, webtest.Allowed)
	origin := serveOn(t, newTestHandler(t, nil))
	b.Open(origin)
	if webtest.Eval[bool](b, `!document.getElementById("mic-check").hidden`) {
		b.Do(chromedp.Click(chromedp.CSS("#mic-check")))
	}
	b.Wait(`Number(document.getElementById("level").getAttribute("aria-valuenow")) > 0`, patience)
	b.Wait(`document.querySelectorAll("#device option").length > 0`, patience) // the browser lists them after the first level
	b.Resize(1280, 844)
	b.Screenshot("microphone-1280")
	expectClean(t, b, origin)
}

// TestKeyboardAndRefusedMicrophone: Start is reached and pressed by keyboard, the browser refuses the microphone, the page
// explains and offers typing, and typing is chosen by keyboard.
func TestKeyboardAndRefusedMicrophone(t *testing.T) {
	b := openBrowser(t, webtest.Refused)
	origin := serveOn(t, newTestHandler(t, nil))
	b.Resize(390, 844)
	b.Open(origin)
	passed := tabTo(t, b, "start")
	for _, id := range []string{"name", "interview", "mic-check"} {
		if !slices.Contains(passed, id) {
			t.Errorf("Tab passed %v, not %s", passed, id)
		}
	}
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS("#mic-problem")))
	title, text := b.Text("mic-problem-title"), b.Text("mic-problem-text")
	if !strings.Contains(title, "does not let this page use the microphone") || !strings.Contains(text, "Allow") {
		t.Errorf("the refusal is explained by %q, %q", title, text)
	}
	expectFit(t, b, "the refusal")
	b.Screenshot("refused-390")
	b.Wait(`document.activeElement.id === "mic-typing"`, patience)
	b.Do(chromedp.KeyEvent(" "), chromedp.WaitVisible(chromedp.CSS("#mic-off")))
	if got := b.Focused(); got != "start" {
		t.Errorf("focus is on %q, want start", got)
	}
	b.Screenshot("typing-390")
	expectClean(t, b, origin)
}

// tabTo presses Tab until id has the focus and gives the ids passed.
func tabTo(t *testing.T, b *webtest.Browser, id string) []string {
	t.Helper()
	var passed []string
	for range 20 {
		b.Do(chromedp.KeyEvent(kb.Tab))
		now := b.Focused()
		if now == id {
			return passed
		}
		passed = append(passed, now)
	}
	t.Fatalf("Tab never reached #%s, only %v", id, passed)
	return nil
}

func TestFailuresToStartAreShown(t *testing.T) {
	nobody := httptest.NewServer(nil)
	nobody.Close()
	b := openBrowser(t, webtest.Refused)
	origin := serveOn(t, newTestHandler(t, func(o *Options) {
		o.RatePerMinute, o.LiveKitURL = 1, strings.Replace(nobody.URL, "http", "ws", 1)
	}))
	for _, want := range []string{"could not be reached", "Too many interviews"} {
		b.Open(origin + "?typing=1&name=Jo")
		b.Do(chromedp.Click(chromedp.CSS("#start")))
		b.Wait(`document.getElementById("form-error").innerText`, patience)
		if said := b.Text("form-error"); !strings.Contains(said, want) {
			t.Errorf("the page says %q, want %q", said, want)
		}
		if got := webtest.Eval[string](b, `document.body.dataset.phase`); got != "lobby" {
			t.Errorf("phase %q, want to be back at the form", got)
		}
	}
}

// A link fills the form and starts nothing: who follows it has agreed to neither a microphone nor an interview.
func TestLinksStartNoInterviews(t *testing.T) {
	b := openBrowser(t, webtest.Allowed)
	h := newTestHandler(t, nil)
	var asked atomic.Int32
	origin := serveOn(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/token" {
			asked.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	b.Open(origin + "?autostart=1&typing=1&name=Jo&interview=conversation")
	if name := webtest.Eval[string](b, `document.getElementById("name").value`); name != "Jo" {
		t.Errorf("the name is %q", name)
	}
	// What the page does by itself it has done when a picture is taken.
	b.Screenshot("link")
	if phase := webtest.Eval[string](b, `document.body.dataset.phase`); phase != "lobby" || asked.Load() != 0 {
		t.Errorf("phase %q, %d tokens asked for", phase, asked.Load())
	}
}

func TestPageWithoutClientBundleSaysWhatToDo(t *testing.T) {
	tree := fstest.MapFS{}
	for name, file := range embedded(t).files {
		if name != clientBundle {
			tree[name] = &fstest.MapFile{Data: file.content}
		}
	}
	h, err := newHandler(testOptions(), tree)
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.Open(t, webtest.Options{})
	b.Do(chromedp.Navigate(serveOn(t, h)), chromedp.WaitVisible(chromedp.CSS("#form-error")))
	if said := b.Text("form-error"); !strings.Contains(said, "make setup") {
		t.Errorf("the page says %q", said)
	}
	if len(b.Complaints()) == 0 { // the missing file is one; so the other tests' silence means something
		t.Error("the browser's complaints are not recorded")
	}
}
