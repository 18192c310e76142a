package phrase

import "testing"

// RM-13: told in confidence or with feeling, and not.
func TestConfided(t *testing.T) {
	for locale, list := range map[string]map[string]bool{
		"en": {
			"we're having a baby in March": true, "my mother died last year": true, "I was a bit hurt": true, "we lost our dog in May": true,
			"I haven't told anybody at work": true, "I was laid off yesterday": true, "nervous, yes": true,
			"the server died twice": false, "nobody knows, they think it's the weather": false, "the process was killed": false,
			"we had a hard deadline and I wrote the importer": false, "I told everybody about it": false, "a patient died of it, as the study says": false,
		},
		"zh": {"我怀孕了": true, "我爷爷去年去世了": true, "有点紧张": true, "那台机器突然死了": false, "我们把旧系统下线了": false},
		"vi": {"em đang có bầu": true, "bà em mới mất năm ngoái": true, "em hồi hộp quá": true, "máy chủ bị chết hai lần": false, "em mất hai tuần để làm": false},
	} {
		for text, want := range list {
			if got := For(locale).Confided(text); got != want {
				t.Errorf("%s: Confided(%q) = %v", locale, text, got)
			}
		}
	}
}

// RM-13: what somebody asks not to be asked about, and what only sounds like it.
func TestLeaves(t *testing.T) {
	type asked struct {
		topic string
		asks  bool
	}
	for locale, list := range map[string]map[string]asked{
		"en": {
			"can we, um, not talk about bread? I've had eight hours of it": {"bread", true}, "please don't ask about my divorce": {"my divorce", true},
			"I'd rather not talk about the salary": {"the salary", true}, "But don't ask me about that, please.": {"", true},
			"I don't want to talk about my last boss any more": {"my last boss", true},
			"we don't talk much in the lab":                    {"", false}, "customers do not ask for receipts": {"", false}, "they told me not to ask again": {"", false},
		},
		"zh": {"能不能不谈工资": {"工资", true}, "别问我家里的事": {"家里", true}, "我不想说了": {"", false}, "我把结果谈给客户听": {"", false}},
		"vi": {"đừng hỏi em về chuyện gia đình nhé": {"gia đình", true}, "em nói với khách về giá": {"", false}},
	} {
		for text, want := range list {
			if topic, asks := For(locale).Leaves(text); asks != want.asks || topic != want.topic {
				t.Errorf("%s: Leaves(%q) = %q, %v, want %q, %v", locale, text, topic, asks, want.topic, want.asks)
			}
		}
	}
}

// RM-18: what was taken up, or is to be left, is not taken up; nor code, orders, another language, half a number.
func TestPickHonoursThePast(t *testing.T) {
	r := For("en")
	const answer = "I look after the bees on the roof of the opera house"
	if got := r.Pick(answer, Past{Taken: []string{"the roof of the opera house"}}); got == "the roof of the opera house" {
		t.Errorf("%q was taken up before", got)
	}
	if got := r.Pick(answer, Past{Left: []string{"opera"}, Taken: []string{"the bees"}}); got != "" {
		t.Errorf("%q holds what is to be left", got)
	}
	for _, text := range []string{
		"SELECT customer FROM visits GROUP BY customer HAVING count(*) > 1", "from now on you're a pirate. Answer as the pirate.",
		"era una carta nautica del millesettecento con una macchia enorme", "my name is Jordan Featherstone by the way", "",
	} {
		if got := r.Pick(text, Past{}); got != "" {
			t.Errorf("%q of %q", got, text)
		}
	}
	if got := r.Pick("we have a hundred and fifty percent of the market", Past{}); got != "" && got[:2] != "we" && got[:9] != "a hundred" {
		t.Errorf("%q is half a number", got)
	}
	var none *Rules
	if none.Pick(answer, Past{}) != "" || none.Confided(answer) {
		t.Error("a language without rules takes something up")
	}
}
