package engine_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
)

const (
	spokenChinese = "我每天写后端的代码。"
	offersChinese = "你在说中文。要改用中文继续吗？"
)

// RM-12: who speaks another language of the interview is told so in it, and offered to switch. A yes, in either language, goes over; the
// words that waited are answered then, and count once. A no stays, and so does the talk.
func TestAnotherLanguageIsOffered(t *testing.T) {
	for text, over := range map[string]bool{
		"好的，谢谢。": true, "Yes, please.": true, "我想用中文。": true, "No, let's stay with English.": false, "不用了。": false,
	} {
		c := newChat(t, both(t, true)).start(engine.Started{Locale: "en"}).hear()
		if said := c.tell(spokenChinese); said.Text != offersChinese {
			t.Fatalf("in another language: %q", said.Text)
		}
		if v := c.u.Current(); v.Turns != 0 || v.Choice == "" {
			t.Errorf("while the choice is open: %+v", v)
		}
		said := c.tell(text)
		if chinese(said.Text) != over || !strings.ContainsAny(said.Text, "?？") || c.u.Current().Turns != 1 {
			t.Errorf("%q is answered with %q, after %d turns", text, said.Text, c.u.Current().Turns)
		}
		if over {
			if said := c.tell("O(n)"); !chinese(said.Text) {
				t.Errorf("after %q the talk goes back: %q", text, said.Text)
			}
			c.tell("And then there is a queue for the two of us.")
			if said := c.tell("Let us go on in English, as we did at first."); chinese(said.Text) {
				t.Errorf("there is no way back: %q", said.Text)
			}
		} else {
			c.tell("I like to talk to the people who use it.")
			if said := c.tell("我也喜欢数据库。"); chinese(said.Text) {
				t.Errorf("it is told twice in a stage: %q", said.Text)
			}
		}
		c.whole()
	}
}

// RM-12: whoever goes on in the other language has chosen it, and nothing that was said is lost.
func TestAnotherLanguageIsTaken(t *testing.T) {
	c := newChat(t, both(t, true)).start(engine.Started{Locale: "en"}).hear()
	c.tell(spokenChinese)
	if said := c.tell("我也喜欢数据库。"); !chinese(said.Text) || said.Text == offersChinese {
		t.Errorf("said %q", said.Text)
	}
	if v := c.u.Current(); v.Turns != 1 || v.Input != spokenChinese+" 我也喜欢数据库。" || len(v.InputTurns) != 2 {
		t.Errorf("the visit is %+v", v)
	}
	c.whole()
}

// A word or two after the offer answer it, whatever they mean, and are no part of what was said before.
func TestAnUnclearAnswerToTheOfferIsNoAnswer(t *testing.T) {
	c := newChat(t, both(t, true)).start(engine.Started{Locale: "en"}).hear()
	c.tell(spokenChinese)
	if said := c.tell("Option a."); said.Text == offersChinese {
		t.Errorf("said %q", said.Text)
	}
	if v := c.u.Current(); v.Turns != 1 || v.Input != spokenChinese || len(v.InputTurns) != 1 {
		t.Errorf("the visit is %+v", v)
	}
	c.whole()
}

// Names, formulas and code are no language.
func TestWhatTellsNoLanguage(t *testing.T) {
	c := newChat(t, both(t, true)).start(engine.Started{Locale: "en"}).hear()
	for _, text := range []string{"李明", "At 腾讯 I wrote the code for the search.", "O(n log n)", "for i in range(n): if a[i] in seen: return i"} {
		if said := c.tell(text); chinese(said.Text) {
			t.Errorf("%q is answered with %q", text, said.Text)
		}
	}
}

// RM-12, with a model: where its reading says that the candidate speaks another language, and its words did not, the same is said after
// them; where they did, it is not said twice. A yes goes over, and the model is told the language.
func TestAModelNoticesAnotherLanguage(t *testing.T) {
	flagged := answer(spokenChinese, "ask")
	flagged.Flags = []string{"other_language"}
	for words, spoken := range map[string]bool{
		"What do you write it in?": false, "I hear that you speak Chinese; shall we go on in it?": true, "你想用中文继续吗？": true,
	} {
		l := led{newChat(t, both(t, true))}
		l.start(engine.Started{Model: true})
		before := l.says(spokenChinese, words, flagged)
		if after := l.last(); (after.Utterance == before.Utterance) != spoken || !spoken && after.Text != offersChinese {
			t.Errorf("after %q: %q", words, after.Text)
		}
		say := l.turn("好的")
		if brief := l.brief(say); !strings.Contains(brief, "你说中文") && !strings.Contains(brief, "in Chinese") {
			t.Errorf("after a yes the model is told\n%s", brief)
		}
		l.replies(say, "那你用什么语言写？", respond.Reading{Acts: []respond.Act{{Kind: "request", About: "language", Quote: "好的"}}, Did: "ask", Flags: []string{"other_language"}})
		if l.last().Utterance != say.Utterance {
			t.Errorf("it is told again: %q", l.last().Text)
		}
		l.replays()
	}
	l := led{newChat(t, both(t, false))}
	l.start(engine.Started{Model: true})
	if l.says(spokenChinese, "What do you write it in?", flagged); !strings.HasPrefix(l.last().Text, "你在说中文，但这次面试用的是英文。") {
		t.Errorf("an interview in one language says %q", l.last().Text)
	}
	l.says("Je parle français, moi, et rien d'autre ici.", "Could you say that in English?", flagged)
	if said := l.last().Text; said != "" {
		t.Errorf("of a language that is none of ours: %q", said)
	}
}
