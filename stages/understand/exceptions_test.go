package understand_test

import (
	"slices"
	"testing"

	"github.com/vivavoice/viva/stages/understand"
)

func rules(t *testing.T, locale string) *understand.Rules {
	t.Helper()
	r, err := understand.Load(understand.Shipped(), locale)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// R003-64, R003-68, RX-17: the trigger words work in short turns of either language, and harmless sentences that hold them
// do not. Rules of one language hear the other too.
func TestFrustration(t *testing.T) {
	distress := []string{
		"too hard", "This is too hard for me", "I give up", "I don't know", "I really don't know how to do this",
		"I have no idea what to do", "I'm completely lost", "honestly I just can't do this", "it's just way too difficult, sorry",
		"太难", "太难了", "放弃", "我想放弃了", "不会", "我不会做", "这道题我真的不会", "做不出来", "完全没有思路", "不知道",
		"I don't know if that matters, but this is too hard",
	}
	harmless := []string{
		"不会越界", "这样就不会越界了", "应该不会", "指针不会超过右边界", "会不会有重复的元素", "不会有重复", "我不会放弃的", "这个不太难",
		"I don't know if it matters, but I would sort it first", "not too hard", "it isn't too hard to see that the sum grows",
		"I won't give up", "we give up some memory for speed", "we don't know the length in advance",
		"I don't know the length of the input", "I would store the index", "不知道是不是有序的", "放弃一些空间换时间",
	}
	for _, locale := range []string{"en", "zh"} {
		r := rules(t, locale)
		for _, text := range distress {
			if !slices.Contains(r.Intents(text), understand.Frustrated) {
				t.Errorf("%s: %q shows no frustration: %v", locale, text, r.Intents(text))
			}
		}
		for _, text := range harmless {
			if slices.Contains(r.Intents(text), understand.Frustrated) {
				t.Errorf("%s: %q shows frustration", locale, text)
			}
		}
	}
}

// R003-47 (the rules' side), R003-96, RX-17: requests in English, Chinese and Vietnamese.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		locale, text string
		want         understand.Intent
	}{
		{"en", "skip", understand.Skip},
		{"en", "Can we skip this part?", understand.Skip},
		{"en", "let's move on please", understand.Skip},
		{"en", "next question please", understand.Skip},
		{"en", "hint", understand.Hint},
		{"en", "could you give me a small hint", understand.Hint},
		{"en", "I'm a bit stuck here", understand.Hint},
		{"en", "just tell me the answer", understand.Answer},
		{"en", "what is the optimal solution?", understand.Answer},
		{"en", "yes please", understand.Yes},
		{"en", "no thanks", understand.No},
		{"en", "跳过", understand.Skip},
		{"zh", "可以跳过这一步吗", understand.Skip},
		{"zh", "下一题吧", understand.Skip},
		{"zh", "给我一个提示", understand.Hint},
		{"zh", "提示", understand.Hint},
		{"zh", "直接告诉我答案吧", understand.Answer},
		{"zh", "答案是什么", understand.Answer},
		{"zh", "好的", understand.Yes},
		{"zh", "不用了", understand.No},
		{"zh", "让我想一想", understand.Think},
		{"zh", "能再说一遍吗", understand.Repeat},
		{"zh", "没听懂", understand.Repeat},
		{"zh", "我不想回答", understand.Refuse},
		{"zh", "就这些了", understand.Done},
		{"zh", "我想结束面试", understand.End},
		{"zh", "skip this please", understand.Skip},
		{"vi", "khó quá", understand.Frustrated},
		{"vi", "cho tôi một gợi ý", understand.Hint},
		{"vi", "bỏ qua câu này", understand.Skip},
		{"vi", "cho tôi đáp án", understand.Answer},
		{"vi", "nhắc lại câu hỏi giúp tôi", understand.Repeat},
		{"vi", "để tôi suy nghĩ", understand.Think},
		{"vi", "vâng", understand.Yes},
	} {
		if got := rules(t, c.locale).Intents(c.text); !slices.Contains(got, c.want) {
			t.Errorf("%s %q: %v lacks %s", c.locale, c.text, got, c.want)
		}
	}
}

// What somebody says about an algorithm is no request.
func TestTalkAboutCodeIsNoRequest(t *testing.T) {
	control := []understand.Intent{
		understand.Skip, understand.Hint, understand.Answer, understand.End, understand.Repeat, understand.Think, understand.Frustrated,
	}
	for _, text := range []string{
		"skip duplicates", "if it was seen before then skip it", "I would skip the first element and compare the rest",
		"return the answer at the end", "the answer is the largest window", "stop when the left index passes the right one",
		"跳过重复的元素", "如果重复就跳过", "再遍历一遍数组", "返回答案", "等于目标就返回", "最后没有的话返回空",
		"bỏ qua phần tử trùng",
	} {
		for _, locale := range []string{"en", "zh", "vi"} {
			for _, got := range rules(t, locale).Intents(text) {
				if slices.Contains(control, got) {
					t.Errorf("%s %q: %s", locale, text, got)
				}
			}
		}
	}
}

func TestChineseFacts(t *testing.T) {
	r := rules(t, "zh-CN")
	for _, c := range []struct{ fact, text, want string }{
		{"name", "你好，我叫王小明，今年三十岁", "王小明"},
		{"role", "我现在是一名后端工程师", "后端工程师"},
		{"years", "我有五年的工作经验", "五年"},
		{"target_role", "我想应聘数据分析师", "数据分析师"},
		{"result", "最后延迟降低了百分之四十", "降低了百分之四十"},
		{"role", "今天天气不错", ""},
	} {
		if got, ok := r.Fact(c.fact, c.text); got != c.want || ok != (c.want != "") {
			t.Errorf("%s in %q: got %q, want %q", c.fact, c.text, got, c.want)
		}
	}
}

// R003-71 (empty), R003-72 (too short), R003-73 (five letters pass), R003-74 (short answers), R003-75 (repeated), R003-76 (off topic).
func TestValidity(t *testing.T) {
	r := rules(t, "en")
	recent := []string{"I would sort the list", "first compare all pairs", "then walk through it once", "and keep the sums"}
	for _, c := range []struct {
		text string
		want understand.Verdict
	}{
		{"", understand.Empty},
		{" … ?! ", understand.Empty},
		{"abc", understand.Short},
		{"abcd", understand.Short},
		{"abcde", understand.Valid},
		{"好吃", understand.Short},
		{"我想先排序", understand.Valid},
		{"O(n)", understand.Valid},
		{"n²", understand.Valid},
		{"yes", understand.Valid},
		{"No.", understand.Valid},
		{"hash", understand.Valid},
		{"42", understand.Valid},
		{"哈希", understand.Valid},
		{"双指针", understand.Valid},
		{"水桶", understand.Valid}, // of the stage
		{"桶", understand.Short},
		{"First, compare all pairs!", understand.Repeated},
		{"AND keep the sums", understand.Repeated},
		{"I would sort the list", understand.Valid}, // four turns ago
		{"My dog likes rain and long holidays", understand.OffTopic},
		{"My dog likes buckets and long holidays", understand.Valid}, // of the topic
		{"I keep what I saw in a table", understand.Valid},
		{"我今天中午吃的是红烧牛肉面", understand.OffTopic},
		{"我想遍历一次然后把结果存起来", understand.Valid},
	} {
		got := r.Validity(c.text, recent, understand.Bounds{OffTopic: true, Topic: []string{"bucket"}, Lexicon: []string{"水桶"}})
		if got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
}

// R003-78 (what counts is decided here, without memory): the same turn is judged by what was said before, not by a counter.
func TestValidityHasNoMemory(t *testing.T) {
	r := rules(t, "zh")
	for range 3 {
		if got := r.Validity("用一个表记住见过的数", nil, understand.Bounds{}); got != understand.Valid {
			t.Fatal(got)
		}
	}
	if got := r.Validity("用一个表记住见过的数", []string{"用一个表，记住见过的数。"}, understand.Bounds{}); got != understand.Repeated {
		t.Error(got)
	}
}

// R003-55: a cost in spoken and mixed forms.
func TestComplexityIsHeard(t *testing.T) {
	said := []string{
		"big O of n", "it's linear", "O n squared", "复杂度是平方级的", "n log n", "O(1) space", "quadratic I think", "时间是 O(n)",
		"order of n", "it runs in constant time", "two to the n", "độ phức tạp là O(n)", "Ｏ（ｎ）", "that would be n²", "时间复杂度是 O n squared",
	}
	for _, locale := range []string{"en", "zh"} {
		r := rules(t, locale)
		for _, text := range said {
			if !r.Mentions(understand.LexiconComplexity, text) {
				t.Errorf("%s: %q speaks of no cost", locale, text)
			}
		}
		for _, text := range []string{"I would go over the list", "one of the numbers", "我会用一个表", "so on and so on"} {
			if r.Mentions(understand.LexiconComplexity, text) {
				t.Errorf("%s: %q speaks of a cost", locale, text)
			}
		}
	}
}

// R003-96: the reply's language follows the candidate's.
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ text, fallback, want string }{
		{"我觉得用 hash map 就可以", "en", "zh"},
		{"用 two pointers 从两边开始", "en", "zh"},
		{"我用hash table吧", "zh-CN", "zh-CN"},
		{"I think 哈希表 would work for this", "zh", "en"},
		{"I would use a table", "zh", "en"},
		{"O(n)", "zh", "zh"},
		{"O(n)", "en", "en"},
		{"hash map", "zh", "zh"},
		{"ich würde die Liste in einem Durchlauf lesen", "de", "de"},
		{"tôi nghĩ là dùng một bảng để nhớ các số", "en", "vi"},
		{"", "vi", "vi"},
	} {
		if got := understand.Language(c.text, c.fallback); got != c.want {
			t.Errorf("Language(%q, %q) = %q, want %q", c.text, c.fallback, got, c.want)
		}
	}
}

// R003-30 (the check): a name is found in any spelling, and not inside other words.
func TestReveals(t *testing.T) {
	secrets := []string{"hash map", "two pointers", "哈希表", "双指针", "trie"}
	for text, want := range map[string]bool{
		"Have you thought of a HashMap?":        true,
		"hash-maps are quick":                   true,
		"use a h-a-s-h m a p":                   true,
		"a two-pointer walk":                    true,
		"twopointers":                           true,
		"可以用哈希表吗":                               true,
		"哈 希 表":                                 true,
		"ｈａｓｈ ｍａｐ":                              true,
		"ha\u200bsh map":                        true,
		"he tried the map":                      false,
		"what would you have to remember?":      false,
		"the rash mapping of two points, error": false,
		"两个指针变量":                                false,
	} {
		if got := understand.Reveals(text, secrets); got != want {
			t.Errorf("Reveals(%q) = %v", text, got)
		}
	}
}
