package e2e

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/agent/web/webtest"
	"github.com/vivavoice/viva/pipeline/audio"
)

// TestInterviewOnThePage: a person with a browser gets from the form to stage 2 by voice alone. Chromium plays a WAV file as
// the microphone: long enough a silence to be greeted in, an introduction, and over again. The recogniser is told the words, and has to
// get the sound of them: a local one falls behind on a busy machine, and the turns end without what it had still to say.
//
// It does not run beside the others: a browser without a graphics card is the heaviest of them.
func TestInterviewOnThePage(t *testing.T) {
	microphone := filepath.Join(t.TempDir(), "microphone.wav")
	introduction := resampled(t, synthesized(t, answers[0]+" That is all."), audio.RTPRate)
	pcm := slices.Concat(make([]int16, 14*audio.RTPRate), introduction, make([]int16, 4*audio.RTPRate))
	writeWAV(t, microphone, pcm, audio.RTPRate)
	b := webtest.Open(t, webtest.Options{Microphone: webtest.Allowed, Voice: microphone})
	engines, service := cloudEngines(t)
	engines.LLM = nil
	service.hears(answers[0])
	o := open(t, plan{engines: engines})
	site := servePage(t, o)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page shows:\n%s\n%s", b.Text("transcript"), b.Text("stage"))
			b.Screenshot("voice-failed")
		}
	})

	b.Resize(1280, 844)
	begun := time.Now()
	b.Open(site.URL + "?name=Jordan")
	b.Do(chromedp.Click(chromedp.CSS("#start")))
	b.Wait(`document.body.dataset.phase === "live"`, patience)
	t.Logf("live after %v", time.Since(begun).Round(time.Millisecond))
	b.Wait(shows("stage", "Self-introduction"), patience)
	b.Screenshot("voice-stage-1")
	b.Wait(shows("stage", "Past experience"), patience)
	t.Logf("stage 2 after %v", time.Since(begun).Round(time.Millisecond))
	b.Wait(shows("transcript", "one project"), patience)
	b.Wait(`/^You$/m.test(document.getElementById("transcript").innerText)`, patience)
	b.Screenshot("voice-stage-2")
	if got, want := time.Duration(service.sound.Load()), time.Duration(len(introduction))*time.Second/audio.RTPRate/2; got < want {
		t.Errorf("of the introduction %v were heard in one piece, want %v or more", got, want)
	}

	b.Do(chromedp.SendKeys(chromedp.CSS("#chat-input"), "Goodbye"), chromedp.Click(chromedp.CSS("#chat-send")))
	b.Wait(`document.body.dataset.phase === "finished"`, patience)
	b.Screenshot("voice-finished")
	for _, complaint := range b.Complaints() {
		t.Errorf("the browser complained: %s", complaint)
	}
	ws := o.server.URL()
	for _, url := range b.ForeignRequests(site.URL, ws, strings.Replace(ws, "ws", "http", 1)) {
		t.Errorf("external request: %s", url)
	}
	if end := o.await("job.ended", nil); end.text("result") != "success" {
		t.Errorf("the job ended with %v", end.Fields)
	}
}

func servePage(t *testing.T, o *office) *httptest.Server {
	t.Helper()
	page, err := web.New(web.Options{
		LiveKitURL: o.server.URL(), APIKey: apiKey, APISecret: apiSecret, AgentName: o.name, LocalTokens: true,
		Interviews: []agent.Kind{{ID: "two_stage", Title: "Two-stage mock interview"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(page)
	t.Cleanup(site.Close)
	return site
}

// shows is the JavaScript for: the element with that id shows the text.
func shows(id, text string) string {
	return `document.getElementById("` + id + `").innerText.includes("` + text + `")`
}
