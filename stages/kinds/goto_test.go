package kinds_test

import (
	"strings"
	"testing"
)

// RM-10: wishes to go to another part move the talk in many wordings where the definition allows it; where it does not, the reason is said.
func TestGoToInManyWordings(t *testing.T) {
	least := map[string]int{"en": 15, "zh": 4}
	for locale, texts := range map[string][]string{
		"en": {
			"Let's go to API design.", "Can we go to the API design?", "Let's do the API design.", "I'd like to move on to API design.", "Could we jump to the API design?",
			"Can we talk about the API design now?", "Take me to the API design, please.", "Let's switch to API design.", "Let us skip to the API design.",
			"Shall we continue with the API design?", "I want to do the API design first.", "Can I start with the API design?", "Let's go straight to the API design.",
			"Let's turn to API design.", "Can we move to the API design part?", "Let's go back to the API design.", "Can we look at the API design next?",
		},
		"zh": {"我们去 API design 吧。", "可以跳到 API design 吗？", "先做 API design 吧。", "我想先讲 API design。"},
	} {
		moved := 0
		for _, text := range texts {
			b := newBench(t, "system_design", locale, "requirements gathering")
			b.tell(text)
			if v := b.u.Current(); v.Item == "api_design" {
				moved++
			} else {
				t.Logf("%s: %q leaves it at %s, said %q", locale, text, v.Item, b.said[len(b.said)-1])
			}
		}
		if moved < least[locale] {
			t.Errorf("%s: %d of %d wordings move the talk", locale, moved, len(texts))
		}
	}
	for _, text := range []string{
		"Can we go back to the previous question?", "Can we return to the previous question?", "I'd like to go back to the last question.",
		"Could we go back to the question before?", "Let's return to the earlier question.",
	} {
		b := newBench(t, "persona_interview", "en", "second question")
		b.tell(text)
		if !b.issued("every.back", "every.part_done", "every.stay", "every.part_later") {
			t.Errorf("%q is met with %q", text, b.said[len(b.said)-1])
		}
	}
	for _, text := range []string{"Let's go to the pattern summary.", "Can we jump to the follow-up?", "Let's do the edge cases now."} {
		b := newBench(t, "algorithm_coach", "en", "idea (gift_pair)")
		stage := b.u.Stage
		b.tell(text)
		if b.u.Stage != stage || !b.issued("idea.skip_refuse", "every.stay", "every.part_later") {
			t.Errorf("%q leads to %s with %q", text, b.u.Stage, b.said[len(b.said)-1])
		}
	}
}

// RM-10: who goes back and says at once what was forgotten is not asked for it: it is added, and the question that waits is offered again.
func TestGoingBackWithWhatWasForgotten(t *testing.T) {
	for _, test := range []struct{ locale, text, yes string }{
		{"en", "Can I go back to the last question? I forgot the best bit. I went and counted the pots by hand for a whole Saturday.", "Yes, please."},
		{"zh", "能回到上一个问题吗？我忘了说，我后来自己一个人数了一整个星期六。", "好的"},
		{"vi", "Cho em quay lại câu trước một chút ạ. Em quên nói là em đã tự đếm cả ngày thứ bảy.", "Vâng ạ."},
	} {
		b := newBench(t, "persona_interview", test.locale, "second question")
		asked, turns := b.said[len(b.said)-1], b.u.Current().Turns
		b.tell(test.text)
		if !b.issued("every.noted") || b.issued("every.back") || b.u.Current().Turns != turns {
			t.Errorf("%s: %q", test.locale, b.said[len(b.said)-1])
		}
		b.tell(test.yes)
		if got := b.said[len(b.said)-1]; !strings.Contains(got, asked[strings.LastIndexAny(asked[:len(asked)-1], ".!。！?？")+1:]) {
			t.Errorf("%s: %q does not repeat %q", test.locale, got, asked)
		}
	}
}

// Where nothing was answered yet there is nothing to go back to: what sounds like it is the answer to the question that waits.
func TestNothingToGoBackTo(t *testing.T) {
	for _, text := range []string{"Hi, yes, sure, let's go. Before I change my mind.", "Yes, back to work."} {
		b := newBench(t, "system_design", "en", "welcome")
		b.tell(text)
		if b.issued("every.back", "every.noted") || b.u.Stage != "intro" {
			t.Errorf("%q leads to %s with %q", text, b.u.Stage, b.said[len(b.said)-1])
		}
	}
}
