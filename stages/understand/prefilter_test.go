package understand

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// What a pattern needs is in everything that it matches: looking for it first changes no answer. It is tried on texts that are
// made of the patterns' own words, in any case, and of others.
func TestNeedsMissNothing(t *testing.T) {
	var patterns []prefilter.Pattern
	var words []string
	for _, locale := range []string{"en", "zh", "vi"} {
		r, err := Load(Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range r.intents {
			for _, p := range slices.Concat(rule.patterns, rule.not) {
				patterns = append(patterns, p)
				tree, err := syntax.Parse(p.String(), syntax.Perl)
				if err != nil {
					t.Fatal(err)
				}
				words = append(words, literals(tree)...)
			}
		}
	}
	known := 0
	for _, p := range patterns {
		if len(p.Needs) > 0 {
			known++
		}
	}
	if 10*known < 8*len(patterns) {
		t.Errorf("what they need is known of %d of %d patterns only", known, len(patterns))
	}
	words = append(words, "ſ", "K", "i", "you", " ", "'", "the", "project", "...", "Ơ", "ß")
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(r, "length") {
			w := rapid.SampledFrom(words).Draw(r, "word")
			switch rapid.IntRange(0, 3).Draw(r, "case") {
			case 0:
				w = strings.ToUpper(w)
			case 1:
				w = strings.ToLower(w)
			}
			b.WriteString(w + rapid.SampledFrom([]string{"", " "}).Draw(r, "space"))
		}
		text := b.String()
		folded := prefilter.Fold(text)
		for i := range patterns {
			if p := &patterns[i]; p.MatchString(text) && !p.May(folded) {
				r.Fatalf("%s matches %q, in which none of %q is", p, text, p.Needs)
			}
		}
	})
}

func literals(re *syntax.Regexp) []string {
	if re.Op == syntax.OpLiteral {
		return []string{string(re.Rune)}
	}
	var out []string
	for _, sub := range re.Sub {
		out = append(out, literals(sub)...)
	}
	return out
}

func BenchmarkIntentsOfALongTurn(b *testing.B) {
	r, err := Load(Shipped(), "en")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("We moved the orders to a queue, measured it for a week, and cut the time to serve one by half. ", 20)
	for b.Loop() {
		r.Intents(text)
	}
}
