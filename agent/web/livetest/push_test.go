package livetest

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vivavoice/viva/agent/web/webtest"
)

// held is longer than a tap.
const held = 400 * time.Millisecond

// TestPushToTalk: in a stage of push to talk the page has a button, and what mouse, finger, space bar and assistive technology do
// to it reaches the interviewer; the microphone stays published.
func TestPushToTalk(t *testing.T) {
	s := begin(t, webtest.Allowed, "")
	agent := join(t, s.srv, s.room)
	agent.expect("published")
	agent.set(map[string]string{"lk.agent.state": "listening", "viva.stage_title": "In your own time", "viva.turn": "auto"})
	s.waitText("stage", "In your own time")
	if !webtest.Eval[bool](s.Browser, `document.getElementById("push").hidden`) {
		t.Error("there is a button to talk although nobody waits for it")
	}
	agent.set(map[string]string{"viva.turn": "manual"})
	s.Wait(`!document.getElementById("push").hidden`, patience)
	agent.speak("SG_1", "Tell me about a project you are proud of. Hold the button while you speak.")
	s.waitText("transcript", "while you speak.")
	s.Screenshot("push-1280")

	for name, press := range map[string]struct{ down, up func() }{
		"mouse": {func() { s.MouseDown(s.Centre("push-button")) }, func() { s.MouseUp(webtest.Point{X: 5, Y: 5}) }},
		"space": {s.SpaceDown, s.SpaceUp},
		"touch": {func() { s.TouchDown(s.Centre("push-button")) }, s.TouchUp},
	} {
		s.Do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
		press.down()
		agent.expect(`data viva.turn {"type":"press"}`)
		s.waitPressed("true")
		if name == "mouse" {
			s.Screenshot("push-held-1280")
		}
		s.Pass(held)
		press.up()
		before := agent.expect(`data viva.turn {"type":"release"}`)
		s.waitPressed("false")
		if len(before) > 0 {
			t.Errorf("%s: between press and release came %q", name, before)
		}
	}

	s.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("push-button").click()`))
	agent.expect(`data viva.turn {"type":"press"}`)
	s.waitText("push-hint", "Press again")
	pushPictures(t, s)

	agent.set(map[string]string{"viva.turn": "auto"}) // the next stage does without
	agent.expect(`data viva.turn {"type":"release"}`)
	s.Wait(`document.getElementById("push").hidden`, patience)
	s.expectClean(t)
}

// TestPushToTalkWithoutAMicrophone: the button says what it lacks.
func TestPushToTalkWithoutAMicrophone(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1")
	agent := join(t, s.srv, s.room)
	agent.set(map[string]string{"viva.turn": "manual"})
	s.waitText("push-hint", "unmute it")
	if !webtest.Eval[bool](s.Browser, `document.getElementById("push-button").disabled`) {
		t.Error("the button can be pressed")
	}
}

func (s *stay) waitPressed(pressed string) {
	s.Wait(`document.getElementById("push-button").getAttribute("aria-pressed") === "`+pressed+`"`, patience)
}

func pushPictures(t *testing.T, s *stay) {
	t.Helper()
	for _, width := range []int64{390, 360} {
		s.Resize(width, 740)
		if over := s.Overflow(); over > 0 {
			t.Errorf("push to talk at %d px is %d px wider than the window", width, over)
		}
	}
	s.Screenshot("push-kept-360")
	s.Dark()
	s.Screenshot("push-kept-dark-360")
}
