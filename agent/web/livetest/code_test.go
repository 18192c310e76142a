package livetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"github.com/vivavoice/viva/agent/web/webtest"
)

const task = `{"id":"gift_pair","title":"A pair of gifts","difficulty":"easy","text":"A shop lists what its gifts cost. You have a ` +
	`voucher that must be used up exactly, on two different gifts.\nTell the places in the list of two gifts that cost as much ` +
	`together as the voucher is worth, or that there are none.\n\nExample: prices 4, 9, 1, 7 and a voucher of 8 give places 2 and 3."}`

func (a *interviewer) sendTask(text string) {
	a.t.Helper()
	if err := a.room.LocalParticipant.PublishDataPacket(lksdk.UserData([]byte(text)),
		lksdk.WithDataPublishTopic("viva.problem"), lksdk.WithDataPublishReliable(true)); err != nil {
		a.t.Fatal(err)
	}
}

// expectCode waits until the interviewer has the code, whatever came before, and gives how many packets it took.
func (a *interviewer) expectCode(text, language string) int {
	a.t.Helper()
	want := `data viva.code {"text":` + quoted(a.t, text) + `,"language":` + quoted(a.t, language) + `}`
	return 1 + len(a.expect(want))
}

// quoted is a string as JSON.stringify writes it.
func quoted(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// TestCodeByEditor: in a stage that takes code the page shows the task and an editor that can be used and left by keyboard, and
// what is written reaches the interviewer (R003-42).
func TestCodeByEditor(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1")
	agent := join(t, s.srv, s.room)
	s.waitPhase("live")
	if !s.isHidden("work") {
		t.Error("there is an editor although nobody takes code")
	}
	agent.sendTask(task)
	agent.set(map[string]string{
		"lk.agent.state": "listening", "viva.stage": "PSEUDOCODE_DESIGN", "viva.stage_title": "Pseudocode", "viva.progress": "4/7",
		"viva.code": "on",
	})
	s.waitText("task-text", "a voucher of 8")
	s.waitText("task-difficulty", "Easy")
	agent.speak("SG_1", "Good. Please write the main logic in the editor, or tell it to me step by step.")

	s.Do(chromedp.Focus(chromedp.CSS("#code")), chromedp.KeyEvent("def pairs(prices):"), chromedp.KeyEvent(kb.Enter),
		chromedp.KeyEvent("seen = {}"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("x"))
	const code = "def pairs(prices):\n    seen = {}\n        x"
	if packets := agent.expectCode(code, "pseudocode"); packets > 3 {
		t.Errorf("%d packets for one burst of keys", packets)
	}
	s.waitText("code-state", "sees this")
	s.Do(chromedp.Evaluate[chromedp.Void](`document.execCommand("undo")`))
	agent.expectCode(strings.TrimSuffix(code, "x"), "pseudocode")
	codePictures(t, s)

	s.Do(chromedp.Focus(chromedp.CSS("#code")), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab))
	if got := s.Focused(); got == "code" {
		t.Error("Esc and Tab do not leave the editor")
	}
	s.tooLong(t)
	agent.set(map[string]string{"viva.stage_title": "Goodbye", "viva.code": ""})
	s.Wait(`document.getElementById("work").hidden`, patience)
	s.expectClean(t)
}

// tooLong: what the interviewer cannot read is not sent, and the page says so.
func (s *stay) tooLong(t *testing.T) {
	t.Helper()
	s.write(t, strings.Repeat("x = 1\n", 3000))
	s.waitText("code-problem", "12 KiB")
	s.Screenshot("code-long-360")
	s.write(t, "x = 1")
	s.Wait(`document.getElementById("code-problem").hidden`, patience)
}

// write replaces the code, as pasting does.
func (s *stay) write(t *testing.T, code string) {
	t.Helper()
	s.Do(chromedp.Evaluate[chromedp.Void](`(() => {
		const area = document.getElementById("code");
		area.value = ` + quoted(t, code) + `;
		area.dispatchEvent(new Event("input", { bubbles: true }));
	})()`))
}

func (s *stay) isHidden(id string) bool {
	return webtest.Eval[bool](s.Browser, `document.getElementById("`+id+`").offsetParent === null`)
}

func codePictures(t *testing.T, s *stay) {
	t.Helper()
	s.Screenshot("code-1280")
	for _, width := range []int64{900, 390, 360} {
		s.Resize(width, 844)
		if over := s.Overflow(); over > 0 {
			t.Errorf("the editor at %d px is %d px wider than the window", width, over)
		}
		if !s.isHidden("work") || s.isHidden("scroller") {
			t.Errorf("at %d px the talk does not show alone", width)
		}
		s.Do(chromedp.Click(chromedp.CSS("#pane-work")))
		if s.isHidden("work") || !s.isHidden("scroller") {
			t.Errorf("at %d px the editor does not show alone", width)
		}
		if width != 360 {
			s.Do(chromedp.Click(chromedp.CSS("#pane-talk")))
		}
	}
	s.Screenshot("code-360")
	s.Dark()
	s.Screenshot("code-dark-360")
	s.Resize(1280, 844)
	s.Screenshot("code-dark-1280")
	s.Resize(360, 844)
}

// TestCodeSurvivesAReload: what was written is there again, and told again.
func TestCodeSurvivesAReload(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1")
	agent := join(t, s.srv, s.room)
	s.waitPhase("live")
	agent.set(map[string]string{"lk.agent.state": "listening", "viva.stage_title": "Pseudocode", "viva.code": "on"})
	s.Wait(`!document.getElementById("work").hidden`, patience)
	s.Do(chromedp.SetValue(chromedp.CSS("#code-language"), "go"))
	s.write(t, "for {}")
	agent.expectCode("for {}", "go")
	s.Do(chromedp.Reload())
	s.waitPhase("live")
	agent.expectCode("for {}", "go")
	if got := webtest.Eval[string](s.Browser, `document.getElementById("code").value`); got != "for {}" {
		t.Errorf("the editor has %q after a reload", got)
	}
}

// TestTopicsOfAStage: a stage that is held as several topics shows its place and the topic; the page is in the language of the
// interview (R000-23).
func TestTopicsOfAStage(t *testing.T) {
	s := begin(t, webtest.Refused, "&typing=1&interview=system_design&locale=zh")
	agent := join(t, s.srv, s.room)
	s.waitPhase("live")
	agent.set(map[string]string{
		"lk.agent.state": "listening", "viva.stage": "design_sub_phase", "viva.stage_title": "数据设计", "viva.item": "数据设计",
		"viva.progress": "3/4", "viva.phase": "3/5", "viva.deadline": "360",
	})
	s.waitText("stage", "数据设计")
	s.waitText("progress-text", "第 3 部分，共 4 部分")
	s.waitText("topic-text", "第 3 小节，共 5 小节")
	s.waitText("remaining", "大约还剩 6 分钟")
	s.waitText("agent-state", "正在听")
	if !s.isHidden("item") {
		t.Error("the topic's name shows twice")
	}
	if got := webtest.Eval[string](s.Browser, `document.documentElement.lang`); got != "zh" {
		t.Errorf("the page is in %q", got)
	}
	agent.speak("SG_2", "我们来谈谈数据。你会存储哪些东西，存在哪里？")
	s.waitText("transcript", "存在哪里")
	s.Screenshot("topics-zh-1280")
	agent.set(map[string]string{"viva.stage_title": "设计", "viva.phase": "4/5", "viva.item": "接口设计"})
	s.waitText("item", "接口设计")
	s.waitText("topic-text", "第 4 小节")
	s.Resize(360, 740)
	if over := s.Overflow(); over > 0 {
		t.Errorf("the topics at 360 px are %d px wider than the window", over)
	}
	s.Screenshot("topics-zh-360")
	agent.set(map[string]string{"viva.stage_title": "再见", "viva.phase": "", "viva.item": ""})
	s.Wait(`document.getElementById("topics").hidden && document.getElementById("item").hidden`, patience)
	s.expectClean(t)
}
