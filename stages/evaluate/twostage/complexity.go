package twostage

import (
	"regexp"
	"strings"
)

// complexity knows growth classes: "O(n log n)", "n log n", "O of n squared", "linear". Constant factors and dominated
// terms do not count, and Θ is read as O: what is compared is the class that was named. Logarithms have no base.
type complexity struct{}

// Name implements Normaliser.
func (complexity) Name() string { return KindComplexity }

var (
	wrapper = regexp.MustCompile(`^(?:the )?(?:(?:time|space|running|overall|total|average|worst|case|complexity|runtime|is|in|it)[- ]+)*(?:(?:big|order)[- ]?)?(?:o|θ|theta|order)\s*(?:of\b\s*(.+)|\((.+)\))(?: time| space)?$`)
	// bothCosts is a cost in time and in space, as problems have it: what is asked for is the time.
	bothCosts  = regexp.MustCompile(`^time (.+?), space .+$`)
	suffix     = regexp.MustCompile(`(?:\s+(?:time|space|complexity|running time)|\s*(?:级别|级|复杂度|时间|空间|的))$`)
	powers     = strings.NewReplacer("²", "^2", "³", "^3", "·", "*", "×", "*", "−", "-", "ⁿ", "^n", "√", "sqrt ", "₂", "", "平方", " squared", "立方", " cubed")
	maxFormula = 120
)

// Normalise implements Normaliser.
func (complexity) Normalise(value string) (string, bool) {
	if len(value) > maxFormula {
		return "", false
	}
	value = foldText(powers.Replace(value))
	if m := bothCosts.FindStringSubmatch(value); m != nil {
		value = m[1]
	}
	if canonical, ok := named(value); ok {
		return canonical, true
	}
	if m := wrapper.FindStringSubmatch(value); m != nil {
		inner := strings.TrimSpace(m[1] + m[2])
		if canonical, ok := named(inner); ok {
			return canonical, true
		}
		return formula(suffix.ReplaceAllString(inner, ""), true)
	}
	return formula(suffix.ReplaceAllString(value, ""), false)
}

// named reads a class that has a name: "linear", "linear time".
func named(value string) (string, bool) {
	value = suffix.ReplaceAllString(value, "")
	value = strings.ReplaceAll(value, "-", " ")
	for _, c := range spokenForms().classes {
		if value == c.name {
			return formula(c.canonical, true)
		}
	}
	return "", false
}

// The words of a formula within a sentence. One of the strong ones must be among them, or it is no formula.
var (
	inSentence = regexp.MustCompile(`\(|\)|\^|\*|\+|!|\d+|\p{L}+`)
	formulaary = map[string]bool{
		"o": true, "of": true, "big": true, "order": true, "log": true, "lg": true, "squared": true, "square": true, "cubed": true, "root": true,
		"to": true, "the": true, "power": true, "times": true, "plus": true, "factorial": true, "(": true, ")": true, "^": true, "*": true,
		"+": true, "!": true, "two": true, "one": true, "sqrt": true, "theta": true,
	}
	variables = "nmkvewdhtq"
	strong    = regexp.MustCompile(`^(?:big )?(?:o|theta|order) ?(?:\(|of )|\blo?g\b|squared?\b|cubed|\^|power|factorial|sqrt|root|\b[nmkve] ?(?:\+|\*|plus|times) ?[nmkve]\b`)
)

const maxFormulaWords = 16

// Find implements Finder: time classes where there are any, else those of space. What is turned down ("not quadratic",
// "instead of n squared") does not count, unless nothing else is said.
func (c complexity) Find(sentence string) []string {
	folded := foldText(powers.Replace(sentence))
	var time, space, denied []string
	for _, f := range c.places(folded) {
		switch {
		case negated(folded[:f.from], 3):
			denied = append(denied, f.canonical)
		case ofSpace(folded, f):
			space = append(space, f.canonical)
		default:
			time = append(time, f.canonical)
		}
	}
	switch {
	case len(time) > 0:
		return time
	case len(space) > 0:
		return space
	}
	return denied
}

// found is a class within a sentence, in bytes.
type found struct {
	canonical string
	from, to  int
}

// ofSpace reports whether one of the two words after a class says that it is about space.
func ofSpace(folded string, f found) bool {
	after := strings.Fields(folded[f.to:])
	before := strings.Fields(folded[:f.from])
	near := strings.Join(after[:min(2, len(after))], " ")
	if n := len(before); n > 0 {
		near += " " + strings.Join(before[max(0, n-1):], " ")
	}
	return spokenForms().space.MatchString(near) && !strings.HasPrefix(near, "time")
}

func (c complexity) places(folded string) []found {
	var out []found
	places := inSentence.FindAllStringIndex(folded, -1)
	for i := 0; i < len(places); {
		f, n := c.longest(folded, places[i:])
		if n == 0 {
			i++
			continue
		}
		out = append(out, f)
		i += n
	}
	return out
}

// longest returns the longest class that begins with the first of the places, and how many places it takes.
func (c complexity) longest(folded string, places [][]int) (found, int) {
	from := places[0][0]
	run := 0
	for run < len(places) && run < maxFormulaWords && formulaWord(folded[places[run][0]:places[run][1]]) {
		run++
	}
	for n := run; n > 0; n-- {
		words := folded[from:places[n-1][1]]
		if !strong.MatchString(words) {
			continue
		}
		if canonical, ok := c.Normalise(words); ok {
			return found{canonical, from, places[n-1][1]}, n
		}
	}
	return c.namedAt(folded, places)
}

// namedAt returns the class whose name begins with the first of the places.
func (complexity) namedAt(folded string, places [][]int) (found, int) {
	from := places[0][0]
	for _, cl := range spokenForms().classes {
		for n := 1; n <= min(2, len(places)); n++ {
			to := places[n-1][1]
			if strings.ReplaceAll(folded[from:to], "-", " ") == cl.name {
				canonical, ok := formula(cl.canonical, true)
				return found{canonical, from, to}, map[bool]int{true: n}[ok]
			}
		}
	}
	return found{}, 0
}

func formulaWord(word string) bool {
	return formulaary[word] || len(word) == 1 && strings.Contains(variables, word) || word[0] >= '0' && word[0] <= '9'
}
