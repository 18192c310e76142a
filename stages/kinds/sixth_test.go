package kinds_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/lint"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

const sixth = "testdata/reference_check"

func sixthText(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sixth, "reference_check.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// RX-3: a sixth kind is data in files: it has no findings, loads, and is held to its end with every candidate, without any
// change of code. RX-17: in English, Chinese and Vietnamese. RX-6: the ladders and limits that every kind has apply to it.
func TestASixthKindIsData(t *testing.T) {
	words := os.DirFS(filepath.Join(sixth, "prompts"))
	for _, f := range lint.Interview("reference_check.yaml", sixthText(t), lint.World{Words: append(lint.World{}.Words, words)}) {
		t.Error(f)
	}
	for _, locale := range []string{"en", "zh", "vi"} {
		iv := joined(t, "reference_check.yaml", sixthText(t), locale, words)
		for _, c := range simulate.Candidates() {
			for seed := range uint64(2) {
				r := simulate.Run(iv, simulate.Options{Candidate: c, Seed: seed, Replay: seed == 0, Probe: seed == 0})
				for _, v := range r.Violations {
					t.Errorf("%s, %s, seed %d: %s", locale, c, seed, v)
				}
				if r.State.Ended == "" || r.Duration() > 12*time.Minute {
					t.Errorf("%s, %s, seed %d: ended %q after %s", locale, c, seed, r.State.Ended, r.Duration())
				}
			}
		}
	}
}

// answers holds the sixth kind with somebody who says these things, one after the other, and then nothing.
func answers(t *testing.T, locale string, says ...string) *state.UserData {
	t.Helper()
	iv := joined(t, "reference_check.yaml", sixthText(t), locale, os.DirFS(filepath.Join(sixth, "prompts")))
	u, effects := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s", Locale: locale})
	at := state.Millis(0)
	var say *engine.Say
	note := func(effects []engine.Effect) {
		for _, e := range effects {
			if s, ok := e.(engine.Say); ok {
				say = &s
			}
		}
	}
	note(effects)
	for step := 0; step < 60 && u.Ended == ""; step++ {
		at += 1000
		if say != nil {
			now := *say
			say = nil
			u, effects = iv.Step(u, at, engine.VoiceStarted{Utterance: now.Utterance})
			note(effects)
			u, effects = iv.Step(u, at+500, engine.VoiceEnded{Utterance: now.Utterance, Visit: now.Visit, Heard: now.Text})
			note(effects)
			continue
		}
		if len(says) == 0 {
			break
		}
		u, effects = iv.Step(u, at, engine.UserTurn{Text: says[0], Began: at - 500})
		says = says[1:]
		note(effects)
	}
	return u
}

// RX-3, RX-8, RX-17: consent is asked for and respected; four facts are learnt; the checklist lets the call go, and asks
// once more where an answer has no substance.
func TestTheReferenceCall(t *testing.T) {
	for _, x := range []struct {
		locale string
		says   []string
		stages string
	}{
		{"en", []string{"No thank you, I would rather not."}, "CONSENT GOODBYE"},
		{"en", []string{"Hm, who is there?", "I am in a car."}, "CONSENT GOODBYE"},
		{"zh", []string{"不好意思，我不方便。"}, "CONSENT GOODBYE"},
		{"vi", []string{"Tôi không đồng ý."}, "CONSENT GOODBYE"},
		{"en", []string{"Yes, sure.", "We were in the same team at the bank.", "From 2019 to 2023, four years.",
			"They led the payments project and shipped it on time.", "I would hire them again at once."}, "CONSENT REFERENCE GOODBYE"},
		{"zh", []string{"可以，没问题。", "我们在银行的同一个团队一起工作。", "从二零一九年到二零二三年。", "比如支付项目就是对方负责的，按时上线。", "我会再次推荐，非常可靠。"}, "CONSENT REFERENCE GOODBYE"},
		{"vi", []string{"Vâng, được ạ.", "Chúng tôi làm cùng một nhóm ở ngân hàng.", "Từ năm 2019 đến năm 2023.", "Ví dụ họ đã phụ trách dự án thanh toán rất tốt.",
			"Tôi sẽ làm việc với họ lại ngay."}, "CONSENT REFERENCE GOODBYE"},
	} {
		u := answers(t, x.locale, x.says...)
		var stages []string
		for i := range u.Visits {
			stages = append(stages, u.Visits[i].Stage)
		}
		if got := strings.Join(stages, " "); got != x.stages || u.Ended != "done" {
			t.Errorf("%s, %q: %s, ended %q\n%s", x.locale, x.says, got, u.Ended, transcript(u))
		}
		if strings.Contains(x.stages, "REFERENCE") {
			for _, slot := range []string{"relation", "period", "strength", "rehire"} {
				if u.Slots[slot].Status != state.SlotFilled {
					t.Errorf("%s: %s is not known\n%s", x.locale, slot, transcript(u))
				}
			}
			if len(u.Evaluations) == 0 || u.Evaluations[0].By != "checklist" {
				t.Errorf("%s: judged %+v", x.locale, u.Evaluations)
			}
		}
	}
	vague := answers(t, "en", "Yes.", "We sat in one room.", "That was years and years.", "They talked to customers.", "I am not so sure there.")
	if v := vague.Current(); v.Stage != "REFERENCE" || len(vague.Evaluations) != 1 || vague.Evaluations[0].Decision != "continue" {
		t.Errorf("an answer without substance is let through:\n%s%+v", transcript(vague), vague.Evaluations)
	}
}

func transcript(u *state.UserData) string {
	var b strings.Builder
	for _, turn := range u.Turns {
		fmt.Fprintf(&b, "%s %s: %s\n", turn.Stage, turn.Speaker, turn.Text)
	}
	return b.String()
}
