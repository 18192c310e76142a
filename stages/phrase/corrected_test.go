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
