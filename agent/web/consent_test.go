package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"

	"github.com/vivavoice/viva/agent/web/webtest"

	"github.com/vivavoice/viva/agent"
)

// recorded adds an interview that may be recorded.
func recorded(o *Options) {
	o.Interviews = append(o.Interviews, agent.Kind{ID: "recorded", Title: "Recorded interview", Recorded: true})
	o.RatePerMinute = 100
}

// dispatched is the job metadata in the token of a reply.
func dispatched(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var reply tokenResponse
	if err := json.Unmarshal(body, &reply); err != nil {
		t.Fatal(err)
	}
	verifier, err := auth.ParseAPIToken(reply.Token)
	if err != nil {
		t.Fatal(err)
	}
	_, grants, err := verifier.Verify(testOptions().APISecret)
	if err != nil {
		t.Fatal(err)
	}
	var meta map[string]any
	if err := json.Unmarshal([]byte(grants.RoomConfig.Agents[0].Metadata), &meta); err != nil {
		t.Fatal(err)
	}
	return meta
}

// Issue 5: consent to a recording reaches the interviewer with the dispatch, only when it was given and only for an
// interview that may be recorded; who asked is not for the caller to say.
func TestTokenCarriesConsent(t *testing.T) {
	h := newTestHandler(t, recorded)
	for body, want := range map[string]string{
		`{"interview":"recorded","consent":{"recording":true}}`:                "map[by:page recording:true]",
		`{"interview":"recorded","consent":{"recording":true,"by":"spoken"}}`:  "map[by:page recording:true]",
		`{"interview":"recorded","consent":{"recording":false}}`:               "<nil>",
		`{"interview":"recorded","consent":{"recording":false,"by":"spoken"}}`: "<nil>",
		`{"interview":"recorded"}`:                                             "<nil>",
		`{"interview":"two_stage","consent":{"recording":false}}`:              "<nil>",
	} {
		w := postToken(h, body)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
			continue
		}
		if got := fmt.Sprint(dispatched(t, w.Body.Bytes())["consent"]); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	for body, want := range map[string]string{
		`{"interview":"two_stage","consent":{"recording":true}}`:  "not recorded",
		`{"interview":"recorded","consent":{"recording":"yes"}}`:  "not as expected",
		`{"interview":"recorded","consent":{"everything":true}}`:  "not as expected",
		`{"interview":"recorded","consent":{"recording":"true"}}`: "not as expected",
	} {
		if w := postToken(h, body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// The page asks for consent where an interview may be recorded, never presumes it, and asks anew for another interview; the
// mark of a recording has a button to take it back.
func TestPageAsksForConsent(t *testing.T) {
	b := openBrowser(t, webtest.Refused)
	h := newTestHandler(t, recorded)
	asked := make(chan string, 4)
	origin := serveOn(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/token" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			asked <- string(body)
			w.WriteHeader(http.StatusTeapot) // the test ends before the room
			return
		}
		h.ServeHTTP(w, r)
	}))
	b.Open(origin + "/?typing=1")
	choose := func(id string) {
		webtest.Eval[any](b, fmt.Sprintf(`{ const s = document.getElementById("interview"); s.value = %q; s.dispatchEvent(new Event("change")); }`, id))
	}
	visible := func() bool { return webtest.Eval[bool](b, `!document.getElementById("record-field").hidden`) }
	checked := func() bool { return webtest.Eval[bool](b, `document.getElementById("record").checked`) }
	if visible() {
		t.Error("an interview that is not recorded asks for consent")
	}
	choose("recorded")
	if !visible() || checked() {
		t.Errorf("visible %v, checked %v", visible(), checked())
	}
	for _, width := range []int64{1280, 390} {
		b.Resize(width, 844)
		expectFit(t, b, fmt.Sprintf("the question for consent at %d px", width))
		b.Screenshot(fmt.Sprintf("consent-%d", width))
	}
	start := func() string {
		webtest.Eval[any](b, `document.getElementById("start").disabled = false; document.getElementById("start").click()`)
		select {
		case body := <-asked:
			b.Wait(`!document.getElementById("start").disabled`, patience)
			return body
		case <-time.After(patience):
			t.Fatal("no token was asked for")
			return ""
		}
	}
	if body := start(); strings.Contains(body, "consent") {
		t.Errorf("nothing was agreed to: %s", body)
	}
	webtest.Eval[any](b, `document.querySelector("label.check span").click()`)
	if body := start(); !strings.Contains(body, `"consent":{"recording":true}`) {
		t.Errorf("consent is not told: %s", body)
	}
	choose("two_stage")
	choose("recorded")
	if checked() {
		t.Error("consent to one interview is taken for another")
	}
	webtest.Eval[any](b, `document.getElementById("lobby").hidden = true; document.getElementById("call").hidden = false;
		document.getElementById("recording").hidden = false`)
	for _, width := range []int64{1280, 390} {
		b.Resize(width, 844)
		expectFit(t, b, fmt.Sprintf("the mark of a recording at %d px", width))
		b.Screenshot(fmt.Sprintf("recording-%d", width))
	}
	if text := b.Text("recording"); !strings.Contains(text, "being recorded") || !strings.Contains(text, "Stop and delete") {
		t.Errorf("the mark says %q", text)
	}
}
