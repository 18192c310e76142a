package understand

import "testing"

// RM-14: who says that their words were no distress is believed; whose words only sound so is not.
func TestWell(t *testing.T) {
	for locale, list := range map[string]map[string]bool{
		"en": {
			"No, not me! That's a figure of speech.": true, "I'm fine, really.": true, "You misheard, I meant the report.": true, "Please go on.": true,
			"I'd like to continue with the interview.": true, "Don't end it, I was only joking.": true,
			"I'm good for nothing.": false, "I'm well aware that nobody cares.": false, "I'm not fine.": false, "I've always been misunderstood.": false,
			"I can't, go on without me.": false, "Please go on without me.": false, "I don't want to go on.": false, "Don't stop me.": false,
			"I got it wrong my whole life.": false, "I'm fine with dying.": false, "It's all too much.": false,
		},
		"zh": {
			"啊？不是我，口头话，不用结束，接着来。": true, "我好好的啊，你听错了吧。": true, "我没事！": true, "我要继续面试。": true,
			"大家都误会我。": false, "我不想继续面试了。": false, "我继续不下去了。": false, "我很好奇死了会怎样。": false, "这种痛苦不结束。": false, "没事干，也没人管。": false,
		},
		"vi": {
			"Dạ không, em nói đùa thôi, em muốn tiếp tục.": true, "Chị nghe nhầm rồi ạ.": true, "Em ổn mà.": true, "Đừng dừng, hỏi tiếp đi ạ.": true,
			"Em không ổn.": false, "Mọi người hiểu lầm em.": false, "Em không thể tiếp tục.": false, "Em nghĩ hoài không dừng được.": false,
			"Em không muốn tiếp tục nữa.": false,
		},
	} {
		rules, err := Load(Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range list {
			if got := rules.Well(text); got != want {
				t.Errorf("%s %q: %v", locale, text, got)
			}
		}
	}
}
