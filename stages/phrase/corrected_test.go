package phrase

import (
	"strings"
	"testing"
)

// RM-20: what somebody took back in the same breath is not said back to them.
func TestWhatWasTakenBackIsNotSaidBack(t *testing.T) {
	for locale, c := range map[string]struct{ answer, not string }{
		"en": {"we sold a quarter more lavender in that season, no, sorry, we threw away a quarter less of the geraniums", "lavender"},
		"zh": {"我们那年多卖了四分之一的薰衣草，不对，是天竺葵的损耗少了四分之一", "薰衣草"},
		"vi": {"mùa đó tụi em bán được thêm một phần tư hoa oải hương, à không, là bỏ đi ít hơn một phần tư chậu phong lữ", "oải hương"},
	} {
		if got := For(locale).Pick(c.answer, Past{}); got == "" && locale != "zh" || strings.Contains(got, c.not) {
			t.Errorf("%s: %q", locale, got)
		}
	}
}

// What was said in the sentence before still stands.
func TestOnlyTheSentenceIsTakenBack(t *testing.T) {
	if got := For("en").Pick("the goats broke through the neighbour's hedge. It cost us forty euros, I mean fourteen", Past{}); !strings.Contains(got, "hedge") && !strings.Contains(got, "goats") {
		t.Errorf("%q", got)
	}
}

// RM-18: an answer that mocks the talk is said back to nobody, in whatever language it comes; one that tells of scorn or of a refusal is.
func TestScornIsNotSaidBack(t *testing.T) {
	for text, want := range map[string]bool{
		"You are useless, this whole interview is a joke and I will not cooperate with a machine.": true, "你真没用，我不想配合你。": true, "Bạn thật vô dụng.": true,
		"The old cache was useless, so I threw it out of the build.": false, "The vendor would not cooperate with us.": false, "我们和供应商合作了三年。": false,
	} {
		if Scorns(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
		if want && For("en").Pick(text, Past{}) != "" {
			t.Errorf("%q is said back", text)
		}
	}
}
