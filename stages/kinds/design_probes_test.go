package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/state"
)

func (b *bench) last() string { return b.said[len(b.said)-1] }

// unjudged is a bench whose parts nobody but a count of keywords can judge, as where a company has no service of its own.
func unjudged(t *testing.T, at string, keywords map[string]string) *bench {
	t.Helper()
	b := newBench(t, "system_design", "en", at)
	b.u.SubPhases.Local = true
	for i := range b.u.SubPhases.Items {
		p := &b.u.SubPhases.Items[i]
		p.Keywords = []state.Keyword{{Phrase: keywords[p.ID]}}
	}
	return b
}

// RM-18: a choice is asked about in the words that made it, each subject once; what is no choice is not.
func TestADesignIsAskedAboutItsChoices(t *testing.T) {
	for _, test := range []struct{ locale, first, again, ask string }{
		{"en", "I'd put the hot links into a cache in front of the table.", "And the pictures go into a cache as well, a larger one.", "the cache has come up empty"},
		{"zh", "热门的短链接放在缓存里，先查缓存再查库。", "图片也放缓存，放得大一点。", "缓存清空重启"},
	} {
		b := newBench(t, "system_design", test.locale, "data")
		b.tell(test.first)
		if !strings.Contains(b.last(), test.ask) {
			t.Fatalf("%s: %q does not ask about the cache", test.locale, b.last())
		}
		b.tell(test.again)
		if strings.Contains(b.last(), test.ask) {
			t.Errorf("%s: it is asked again: %q", test.locale, b.last())
		}
	}
	b := newBench(t, "system_design", "en", "data")
	b.tell("There is no cache in it at all, and I would not shard it either.")
	if strings.Contains(b.last(), "cache has come up") || strings.Contains(b.last(), "split it into") {
		t.Errorf("what is denied is asked about: %q", b.last())
	}
}

// RM-18: an answer that speaks of the next part leads there, and that part opens with it and not with "where would you begin".
func TestAPartOpensWithWhatWasSaid(t *testing.T) {
	b := unjudged(t, "clarification", map[string]string{"problem_clarification": "users", "requirements_gathering": "latency"})
	from := b.u.Current().Item
	b.tell("Marketing people make the links, and anybody may open them.")
	b.tell("A printed poster is the usual place for one of them.")
	b.tell("Latency has to stay below fifty milliseconds for the people at the poster.")
	if b.u.Current().Item == from || !strings.Contains(b.last(), "fifty milliseconds for the people") || strings.Contains(b.last(), "How would you approach") {
		t.Errorf("%s: %q", b.u.Current().Item, b.last())
	}
}

// RM-18: a part of which something was told long before, in the words that people use for it, opens with that; one of which nothing was
// told, and one that was only asked or wished for, opens with its question.
func TestAPartThatWasToldIsNotOpenedAnew(t *testing.T) {
	for first, told := range map[string]bool{
		"I keep the pairs in a postgres database with a table of ids.": true,
		"Users send a long address and get a short one back.":          false,
		"What kind of database do people usually take for this here?":  false,
	} {
		b := newBench(t, "system_design", "en", "clarification")
		b.u.SubPhases.Local = true
		b.tell(first)
		b.tell("Ten million users a day, and a hundred reads for each write.")
		for b.u.Current().Item != "data_design" {
			b.tell("Let's go on.")
		}
		opened := !strings.Contains(b.last(), "still missing") && !strings.Contains(b.last(), "add to it now") && !strings.Contains(b.last(), "is left?") && !strings.Contains(b.last(), "more closely")
		if opened == told {
			t.Errorf("%q: opened with %q", first, b.last())
		}
	}
}

// RM-15: "that's it" ends a part whatever is asked beside it, and the question gets its answer: what was said, and what is open (RM-9).
func TestDoneWithAQuestion(t *testing.T) {
	b := unjudged(t, "data", map[string]string{"data_design": "schema"})
	from := b.u.Current().Item
	b.tell("Clicks go through a queue, and a worker adds them up each minute.")
	b.tell("Okay, I think that's it. How did I do?")
	if b.u.Current().Item == from || !strings.Contains(b.last(), "Clicks go through a queue") || !strings.Contains(b.last(), "What I have not heard yet is") {
		t.Errorf("%s: %q", b.u.Current().Item, b.last())
	}
}

// RM-19: a number that has lost a zero is asked about.
func TestALostZeroIsNoticed(t *testing.T) {
	b := newBench(t, "system_design", "en", "data")
	b.tell("I assume a hundred million new ones a month, and ten times as many at Christmas.")
	b.tell("Ten million a month with five hundred bytes each, so that fits on one disk.")
	if !strings.Contains(b.last(), "hundred million") || len(b.u.Claims) != 1 {
		t.Errorf("%q, %+v", b.last(), b.u.Claims)
	}
	b = newBench(t, "system_design", "en", "data")
	b.tell("I assume a hundred million new ones a month.")
	b.tell("Forty million a month of them are never opened at all.")
	if len(b.u.Claims) > 0 {
		t.Errorf("another number is doubted: %q", b.last())
	}
}
