package understand_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/understand"
)

func brief(acts []understand.Act) string {
	var out []string
	for _, a := range acts {
		name := string(a.Kind)
		if a.Asks != "" {
			name = string(a.Asks)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// RM-1, RM-3: a turn is read as one or more acts, and what is only mentioned, denied or asked about is no claim.
func TestActs(t *testing.T) {
	for lang, cases := range map[string]map[string]string{
		"en": {
			"I'd take a map; how big can n get?":                          "answer question",
			"I'd take a map, how big can n get?":                          "answer question",
			"Is this being recorded?":                                     "question",
			"How big can n get?":                                          "question",
			"how many questions are there":                                "question",
			"Let's go to API design":                                      "go_to",
			"I give up":                                                   "emotion",
			"I would buy a bigger computer":                               "answer",
			"what is a hash map?":                                         "question",
			"I would not use a hash map":                                  "answer",
			"Could I use a sliding window? Like grow when it's small?":    "answer",
			"I want to kill myself":                                       "distress",
			"She's expecting in March. A child. I told nobody at work.":   "answer",
			"We had to kill the process because the thread wanted to die": "answer",
			"I'm so nervous, sorry":                                       "emotion",
			"Can I talk to a real person?":                                "human",
			"Please stop recording me":                                    "no_recording",
			"Could you say that in other words?":                          "rephrase",
			"Sorry, can you repeat the question?":                         "repeat",
			"Let me think for a second":                                   "think",
			"Can we take a short break?":                                  "pause",
			"can i have a hint":                                           "hint",
			"I'm stuck":                                                   "hint",
			"do you have something easier":                                "easier",
			"Can we skip this one?":                                       "skip",
			"Next question please":                                        "go_on",
			"Can we go back to the previous question?":                    "back",
			"I want to stop the interview":                                "end",
			"Just tell me the answer":                                     "solution",
			"Can we do this in Chinese?":                                  "language",
			"I already told you that":                                     "objection",
			"Actually, a colleague did that":                              "correction",
			"Thanks":                                                      "remark",
			"um, uh":                                                      "nothing",
			"Yes":                                                         "answer",
			"I work as a nurse in a hospital and I like it":               "answer",
			"Is that correct?":                                            "verdict",
			"I led the migration. Let me think. We moved forty services in two months to AWS.": "answer",
			"The customers were really frustrated and wanted to quit":                          "answer",
		},
		"zh": {
			"我会用哈希表，数组最多有多大？": "answer question",
			"这个会录音吗？":         "question",
			"请再说一遍":           "repeat",
			"什么意思？":           "rephrase",
			"给我一个提示":          "hint",
			"我好紧张":            "emotion",
			"我不想活了":           "distress",
			"累死我了":            "emotion",
			"可以跳过这个问题吗？":      "skip",
			"能不能休息一下？":        "pause",
			"我想找真人":           "human",
			"用双指针从两边往中间走":     "answer",
			"我们当时用了缓存":        "answer",
		},
		"vi": {
			"Buổi này có ghi âm không?":          "question",
			"Anh nhắc lại câu hỏi được không?":   "repeat",
			"Tôi hồi hộp quá":                    "emotion",
			"Tôi muốn chết":                      "distress",
			"Cho tôi xin một gợi ý":              "hint",
			"Tôi làm kỹ sư phần mềm ở Hà Nội":    "answer",
			"Tôi muốn nói chuyện với người thật": "human",
		},
	} {
		rules, err := understand.Load(understand.Shipped(), lang)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range cases {
			if got := brief(rules.Acts(text)); got != want {
				t.Errorf("%s: %q = %s, want %s", lang, text, got, want)
			}
		}
	}
}

func BenchmarkActs(b *testing.B) {
	sentence := "We led the migration of forty services to another provider, and the team was happy with it. "
	for words, text := range map[string]string{
		"40 words":  strings.Repeat(sentence, 2) + "but what happens after this part",
		"128 words": strings.Repeat(sentence, 7) + "and could you tell me how much time we have left for this",
	} {
		b.Run(words, func(b *testing.B) {
			rules, err := understand.Load(understand.Shipped(), "en")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				rules.Acts(text)
			}
		})
	}
}

// RM-2, RM-11: who says which one the answer is asks for no solution, and gets no hint.
func TestSayingTheAnswer(t *testing.T) {
	for locale, said := range map[string][]string{
		"en": {"I stop when the two are next to each other. The bad one's the answer.", "then the left end is the answer", "the answer is the left one", "so whatever is left is the answer"},
		"zh": {"左边那个就是答案。"},
		"vi": {"phiên bản bên phải là đáp án"},
	} {
		for _, text := range said {
			for _, a := range rules(t, locale).Acts(text) {
				if a.Kind != understand.ActAnswer {
					t.Errorf("%q: %+v", text, a)
				}
			}
		}
	}
	for _, text := range []string{"so what's the answer then", "just tell me the answer", "the answer please", "what is the answer"} {
		if acts := rules(t, "en").Acts(text); len(acts) != 1 || acts[0].Asks != understand.AskSolution {
			t.Errorf("%q: %+v", text, acts)
		}
	}
}

// RM-1: a goodbye before an answer was misheard; one after it, or alone, is meant.
func TestABareGoodbyeBeforeAnAnswerIsNone(t *testing.T) {
	for _, text := range []string{
		"bye i am a back end engineer in an entertainment company and i am proud of putting our response time down",
		"Bye. I work for a large bakery, and I plan which of our vans goes where every morning.",
	} {
		if got := brief(rules(t, "en").Acts(text)); got != "answer" {
			t.Errorf("%q = %s", text, got)
		}
	}
	for _, text := range []string{"bye", "bye then, it was nice to meet you", "I planned which of our vans goes where, every morning, for three years. Bye."} {
		acts := rules(t, "en").Acts(text)
		if !slices.ContainsFunc(acts, func(a understand.Act) bool { return a.Asks == understand.AskEnd || a.Kind == understand.ActRemark }) {
			t.Errorf("%q = %s", text, brief(acts))
		}
	}
}
