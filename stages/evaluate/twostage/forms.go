package twostage

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// forms are the spoken forms of values in all languages at once.
type forms struct {
	booleans       map[string]string // as a value on its own
	spokenBooleans map[string]string // also within a sentence
	boolean        *regexp.Regexp    // where one may stand
	numbers        map[string]float64
	scales         map[string]float64
	negation       *regexp.Regexp // at the end of what stands before a value
}

// spokenForms collects them once from the words of all languages.
var spokenForms = sync.OnceValue(func() *forms {
	f := &forms{
		booleans: map[string]string{"1": isTrue, "0": isFalse}, spokenBooleans: make(map[string]string),
		numbers: make(map[string]float64), scales: make(map[string]float64),
	}
	var said, negations []string
	for _, w := range shipped().all {
		for value, list := range map[string][]string{isTrue: w.True, isFalse: w.False} {
			for _, word := range list {
				f.booleans[word] = value
			}
			said = append(said, list...)
		}
		for value, list := range map[string][]string{isTrue: w.SpokenTrue, isFalse: w.SpokenFalse} {
			for _, word := range list {
				f.spokenBooleans[word] = value
			}
			said = append(said, list...)
		}
		maps.Copy(f.numbers, w.Numbers)
		maps.Copy(f.scales, w.Scales)
		negations = append(negations, w.Negations...)
	}
	f.boolean = anyOf(said, "")
	f.negation = anyOf(negations, `\W*$`)
	return f
})

// longer puts longer words first.
func longer(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// anyOf matches one of the words as a whole word, the longest first. Scripts without spaces have no word boundaries.
func anyOf(list []string, after string) *regexp.Regexp {
	list = slices.SortedFunc(slices.Values(list), longer)
	var options []string
	for _, word := range slices.Compact(list) {
		quoted := regexp.QuoteMeta(word)
		if !strings.ContainsFunc(word, isHan) {
			quoted = `(?:^|[^\p{L}\p{N}])` + quoted + `(?:$|[^\p{L}\p{N}])`
			if after != "" {
				quoted = `(?:^|[^\p{L}\p{N}])` + regexp.QuoteMeta(word)
			}
		}
		options = append(options, quoted)
	}
	return regexp.MustCompile("(?i)(?:" + strings.Join(options, "|") + ")" + after)
}

func isHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

// negated reports whether one of the last few words before a value turns it down.
func negated(before string, within int) bool {
	fields := strings.Fields(before)
	if len(fields) > within {
		fields = fields[len(fields)-within:]
	}
	for i := len(fields); i > 0; i-- {
		if spokenForms().negation.MatchString(strings.Join(fields[:i], " ")) {
			return true
		}
	}
	return false
}
