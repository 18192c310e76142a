package engine_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
)

const bothYAML = `
kind: both
title: Both
locales: [en, zh]
stages:
  - {id: TALK, title: Talk, prompts: {open: open, more: more, ack: ack}, done: {turns: 20}, limits: {hard: 60m, followups: 30}, no_input: [{after: 10s, do: reprompt}, {after: 20s, do: advance}]}
  - {id: DONE, title: Goodbye, final: true, prompts: {open: bye}}
`

const (
	bothEnglish = `
open: {say: ["What do you do?"]}
more:
  say: ["Tell me more, first?", "And more, second?", "What else, third?", "Which is the fourth?", "Why the fifth?", "How come, sixth?", "Who is seventh?", "Where is eighth?", "When is ninth?", "Anything tenth?"]
  reprompt: ["Still there?"]
ack: {say: ["Good."]}
bye: {say: ["Goodbye."]}
`
	bothChinese = `
open: {say: ["你做什么工作？"]}
more:
  say: ["请多说一点，一？", "还有什么，二？", "为什么，三？", "怎么做，四？", "在哪里，五？", "什么时候，六？", "和谁，七？", "后来呢，八？", "结果呢，九？", "还有吗，十？"]
  reprompt: ["还在吗？"]
ack: {say: ["好的。"]}
bye: {say: ["再见。"]}
`
)

// both is one interview in English and Chinese; the one returned is in English.
func both(t *testing.T, joined bool) *engine.Interview {
	t.Helper()
	def, err := definition.Parse("both.yaml", []byte(bothYAML))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"both/en.yaml": {Data: []byte(bothEnglish)}, "both/zh.yaml": {Data: []byte(bothChinese)}}
	var all []*engine.Interview
	for _, locale := range def.Locales {
		words, err := prompts.Load(files, "both", locale)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := understand.Load(understand.Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		iv, err := engine.New(def, words, rules)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, iv)
	}
	if joined {
		engine.Together(all...)
	}
	return all[0]
}

func chinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff })
}

// R003-96: a candidate who goes over to another language of the interview is answered there from the second turn on, and a
// model is told so; what tells no language, and a single sentence, changes nothing; and the way back is the same.
func TestWordsFollowTheCandidate(t *testing.T) {
	c := newChat(t, both(t, true)).start(engine.Started{Locale: "en"}).hear()
	l := led{newChat(t, both(t, true)).start(engine.Started{Locale: "en", Model: true})}
	for i, x := range []struct {
		says string
		zh   bool
	}{
		{"I build things for a living, and I like it.", false}, {"我想每天都写后端的代码。", false}, {"O(n log n)", false}, {"我每天写后端的代码。", true},
		{"Redis.", true}, {"然后用 Redis 做缓存。", true}, {"And then there is a queue for the two of us.", true},
		{"Let us go on in English, as we did at first.", false},
	} {
		say := c.tell(x.says)
		offered := strings.Contains(say.Text, "要改用中文") || strings.Contains(say.Text, "go on in English") // in the language it is about
		if chinese(say.Text) != x.zh && !offered {
			t.Errorf("%q is answered with %q", x.says, say.Text)
		}
		lines, err := l.says(x.says, "And number "+strconv.Itoa(i)+"?", answer(x.says, "ask")).Lead.Request(false)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(lines[0].Text, "in Chinese; what") != x.zh {
			t.Errorf("%q: the model is told %q", x.says, lines[0].Text)
		}
	}
	c.tell("我们还是说中文吧，谢谢你。")
	c.tell("我已经没有什么要说的了。")
	n := len(c.says)
	if c.pass(11 * time.Second); len(c.says) == n || c.last().Text != "还在吗？" {
		t.Errorf("after silence: %q", c.last().Text)
	}
	c.whole()
}

// An interview in one language stays in it, and says so once, in the candidate's (RM-12).
func TestWordsStayWhereThereIsOneLanguage(t *testing.T) {
	c := newChat(t, both(t, false)).start(engine.Started{Locale: "en"}).hear()
	for i, text := range []string{"我想用中文来说，可以吗？", "我每天写后端的代码。", "我也喜欢数据库。"} {
		say := c.tell(text)
		told := strings.HasPrefix(say.Text, "你在说中文，但这次面试用的是英文。")
		if told != (i == 0) || chinese(say.Text) != told || i > 0 && !strings.HasSuffix(say.Text, "?") {
			t.Errorf("%q is answered with %q", text, say.Text)
		}
	}
}
