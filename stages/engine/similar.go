package engine

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// distinct is from how many words on a question is another one with other words: a short one ("How many do you open now?") lives by the
// sentence before it, and is the same only in the same words, with or without a lead-in ("And how many …").
const distinct = 8

// heardBefore reports whether a question was heard before, in the same or nearly the same words.
func heardBefore(u *state.UserData, question string) bool {
	q := strings.Fields(normalise(question))
	return slices.ContainsFunc(u.Ledger.Said, func(said string) bool {
		words := strings.Fields(said)
		if len(q) >= distinct && len(words) >= distinct {
			return understand.Alike(q, words)
		}
		return endsWith(q, words) || endsWith(words, q)
	})
}

func endsWith(list, end []string) bool {
	return len(end) > 0 && len(list) >= len(end) && slices.Equal(list[len(list)-len(end):], end)
}

// sameWords reports whether one of two quotes holds the other's words.
func sameWords(a, b string) bool {
	a, b = " "+normalise(a)+" ", " "+normalise(b)+" "
	return a != "  " && b != "  " && (strings.Contains(a, b) || strings.Contains(b, a))
}

// sameClaim reports whether a claim is one that was made before, in other words, or wrong for the same reason, word for word. With other
// numbers it is another claim.
func (s *situation) sameClaim(was *state.Claim, quote, why string) bool {
	reason := normalise(why)
	like := s.likeClaim(was, quote, why) || reason != "" && reason == normalise(was.Why)
	return sameWords(was.Quote, quote) || like && !s.otherNumbers(was.Quote, quote)
}

// likeClaim reports whether nearly all that the shorter of two claims says is in the other, or half of it with the reasons.
func (s *situation) likeClaim(was *state.Claim, quote, why string) bool {
	a, b := s.content(was.Quote), s.content(quote)
	both := shared(a, b)
	if both > 1 && both*4 >= min(len(a), len(b))*3 {
		return true
	}
	x, y := s.content(was.Quote+". "+was.Why), s.content(quote+". "+why)
	return both > 0 && shared(x, y)*2 >= min(len(x), len(y))
}

// otherNumbers reports whether each of two texts has a number that the other has not.
func (s *situation) otherNumbers(a, b string) bool {
	x, y := understand.Numbers(a, s.iv.Words.Locale()), understand.Numbers(b, s.iv.Words.Locale())
	lacks := func(list, in []int) bool {
		return slices.ContainsFunc(list, func(n int) bool { return !slices.Contains(in, n) })
	}
	return lacks(x, y) && lacks(y, x)
}

// mentions reports whether words speak of a claim: they hold half of what it says and something more of it or of what is wrong with it, or
// much of both; its numbers alone stand anywhere.
func (s *situation) mentions(words string, c *state.Claim) bool {
	said, quote, all := s.content(words), s.content(c.Quote), s.phrases().Content(c.Quote+". "+c.Why)
	claim, about := shared(quote, said), shared(all, said)
	return about > 0 && claim*2 >= len(quote) && shared(s.content(c.Quote+". "+c.Why), said) > 1 && claim > 0 || about >= muchOf && about*10 >= len(all)*3
}

// muchOf is how many words of a claim and of what is wrong with it show that it is spoken of.
const muchOf = 4

// content is what a text is about: the words that say it, and the numbers.
func (s *situation) content(text string) []string {
	out := s.phrases().Content(text)
	for _, n := range understand.Numbers(text, s.iv.Words.Locale()) {
		if number := strconv.Itoa(n); !slices.Contains(out, number) {
			out = append(out, number)
		}
	}
	return out
}

// shared counts the words that stand in both lists.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// normalise lower-cases a text and keeps its letters and digits, one space between words.
func normalise(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), " ")
}
