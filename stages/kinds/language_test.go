package kinds_test

import (
	"slices"
	"testing"
)

// RM-12: in every kind somebody who speaks another of our languages is told so in that language; where the kind has it, that is an offer.
func TestEveryKindTellsOfAnotherLanguage(t *testing.T) {
	speaks := map[string]string{
		"en": "I have been working on the search team for about three years now.", "zh": "我在搜索团队已经工作三年了。",
		"vi": "Tôi đã làm việc ở nhóm tìm kiếm được ba năm rồi.",
	}
	for kind, locales := range map[string][]string{
		"algorithm_coach": {"en", "zh"}, "conversation": {"en"}, "evaluation": {"en", "vi"}, "persona_interview": {"en", "zh", "vi"},
		"system_design": {"en", "zh"}, "two_stage": {"en"},
	} {
		for _, locale := range locales {
			for language, text := range speaks {
				if language == locale {
					continue
				}
				b := newBench(t, kind, locale, "the usual point")
				b.tell(text)
				id := "every.other_language"
				if slices.Contains(locales, language) {
					id = "every.own_language"
				}
				if !b.issued(id + "." + language) {
					t.Errorf("%s in %s says to somebody who speaks %s: %q", kind, locale, language, b.said[len(b.said)-1])
				}
			}
		}
	}
}
