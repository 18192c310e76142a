package twostage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Kinds of values: the names of the built-in normalisers (R004-66).
const (
	KindBoolean    = "boolean"
	KindNumber     = "number"
	KindComplexity = "complexity_class"
	KindText       = "text"
)

// Normaliser knows one kind of values. It is pure.
type Normaliser interface {
	// Name is what a rubric calls it.
	Name() string
	// Normalise returns the one form of a value; false means that it is not of this kind.
	Normalise(value string) (canonical string, ok bool)
}

// Finder is a Normaliser of values that can be told from the words around them.
type Finder interface {
	Normaliser
	// Find returns the values in a sentence, in order, in their one form.
	Find(sentence string) []string
}

var (
	_ Finder     = boolean{}
	_ Finder     = number{}
	_ Finder     = complexity{}
	_ Normaliser = plain{}
)

// chain is the normalisers of a rubric in the order in which they are tried.
type chain []Normaliser

func newChain(names []string, extra []Normaliser) (chain, error) {
	known := append([]Normaliser{boolean{}, number{}, complexity{}, plain{}}, extra...)
	var c chain
	for _, name := range names {
		i := slices.IndexFunc(known, func(n Normaliser) bool { return n.Name() == name })
		if i < 0 {
			return nil, fmt.Errorf("normaliser: there is no %q; built in are %s, %s, %s, %s", name, KindBoolean, KindNumber, KindComplexity, KindText)
		}
		c = append(c, known[i])
	}
	return c, nil
}

func (c chain) names() []string {
	out := make([]string, len(c))
	for i, n := range c {
		out[i] = n.Name()
	}
	return out
}

// read returns the first normaliser that knows a value, and its one form.
func (c chain) read(value string) (Normaliser, string) {
	for _, n := range c {
		if canonical, ok := n.Normalise(value); ok {
			return n, canonical
		}
	}
	return nil, ""
}

// pair reads two values by the first normaliser that knows both. Where there is none, each is read by the first that
// knows it, and they differ.
func (c chain) pair(a, b string) (kind Normaliser, x, y string, equal bool) {
	for _, n := range c {
		x, first := n.Normalise(a)
		y, second := n.Normalise(b)
		if first && second {
			return n, x, y, x == y
		}
	}
	_, x = c.read(a)
	kind, y = c.read(b)
	return kind, x, y, false
}

// tidy takes off what stands around a value: spaces, quotes, the dot that ends a sentence.
func tidy(value string) string {
	value = strings.TrimFunc(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’*", r) })
	value = strings.TrimRight(value, ".。")
	return strings.TrimFunc(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’*", r) })
}

// plain compares text without regard to case, width and spaces.
type plain struct{}

// Name implements Normaliser.
func (plain) Name() string { return KindText }

// Normalise implements Normaliser; every text that is not blank is of this kind.
func (plain) Normalise(value string) (string, bool) {
	value = foldText(value)
	return value, value != ""
}

func foldText(value string) string {
	value = tidy(value)
	if strings.IndexFunc(value, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.Join(strings.Fields(strings.ToLower(value)), " ")
	}
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(value))), " ")
}

// boolean knows true and false (R004-23), and what says so in each language.
type boolean struct{}

const (
	isTrue  = "true"
	isFalse = "false"
)

// Name implements Normaliser.
func (boolean) Name() string { return KindBoolean }

// Normalise implements Normaliser.
func (boolean) Normalise(value string) (string, bool) {
	value = foldText(value)
	canonical, known := spokenForms().booleans[value]
	return canonical, known
}

// Find implements Finder. "not true" is false.
func (boolean) Find(sentence string) []string {
	var out []string
	folded := foldText(sentence)
	for _, at := range spokenForms().boolean.FindAllStringIndex(folded, -1) {
		word := strings.TrimFunc(folded[at[0]:at[1]], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		canonical, known := spokenForms().booleans[word]
		if !known {
			canonical, known = spokenForms().spokenBooleans[word]
		}
		if !known {
			continue
		}
		if negated(folded[:at[0]], 2) {
			canonical = map[string]string{isTrue: isFalse, isFalse: isTrue}[canonical]
		}
		out = append(out, canonical)
	}
	return out
}

// number knows decimal numbers, with thousands separators and per cent, and numbers in words.
type number struct{}

var (
	digits    = regexp.MustCompile(`^([+-]?)(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d+))?(?:e([+-]?\d{1,3}))?\s*(%|percent|per cent)?$`)
	digitsIn  = regexp.MustCompile(`[+-]?\d[\d,]*(?:\.\d+)?(?:\s*(?:%|percent|per cent))?`)
	wordsOnly = regexp.MustCompile(`[a-z]+|\d+(?:\.\d+)?|%|\p{Han}`)
)

// Name implements Normaliser.
func (number) Name() string { return KindNumber }

// Normalise implements Normaliser. Digits are kept as they are, so that no precision is lost.
func (number) Normalise(value string) (string, bool) {
	value = foldText(value)
	if m := digits.FindStringSubmatch(value); m != nil && m[2]+m[3] != "" {
		return decimal(m)
	}
	return inWords(value)
}

func decimal(m []string) (string, bool) {
	whole := strings.TrimLeft(strings.ReplaceAll(m[2], ",", ""), "0")
	fraction := strings.TrimRight(m[3], "0")
	if m[4] != "" {
		v, err := strconv.ParseFloat(orZero(whole)+"."+orZero(fraction)+"e"+m[4], 64)
		if err != nil {
			return "", false
		}
		whole, fraction, _ = strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		whole = strings.TrimLeft(whole, "0")
	}
	out := orZero(whole)
	if fraction != "" {
		out += "." + fraction
	}
	if m[1] == "-" && out != "0" {
		out = "-" + out
	}
	if m[5] != "" {
		out += "%"
	}
	return out, true
}

func orZero(digits string) string {
	if digits == "" {
		return "0"
	}
	return digits
}

// inWords reads "twenty five thousand", "3 million", "50 percent".
func inWords(value string) (string, bool) {
	value = strings.NewReplacer("-", " ", " and ", " ", ",", "").Replace(value)
	percent := ""
	if base, found := strings.CutSuffix(strings.Replace(value, "per cent", "percent", 1), "percent"); found {
		value, percent = base, "%"
	}
	parts := strings.Fields(value)
	if len(parts) == 0 || len(parts) > maxNumberWords {
		return "", false
	}
	total, group := 0.0, 0.0
	for i, part := range parts {
		v, known := numberWord(part)
		scale, scales := spokenForms().scales[part]
		switch {
		case known && (i == 0 || follows(v, group)):
			group += v
		case scales && scale == 100:
			group = max(group, 1) * scale
		case scales:
			total, group = total+max(group, 1)*scale, 0
		default:
			return "", false
		}
	}
	return strconv.FormatFloat(total+group, 'f', -1, 64) + percent, true
}

// numberWord reads one word: "twenty", or digits.
func numberWord(word string) (float64, bool) {
	if v, known := spokenForms().numbers[word]; known {
		return v, true
	}
	if !digitsIn.MatchString(word) {
		return 0, false
	}
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil
}

// follows reports whether a number can stand behind what was read of its group: five behind twenty, twenty behind a
// hundred, anything behind nothing.
func follows(v, group float64) bool {
	return group == 0 || group >= 20 && v < 10 || group >= 100 && v < 100
}

const maxNumberWords = 12

// Find implements Finder.
func (n number) Find(sentence string) []string {
	var out []string
	folded := strings.ReplaceAll(foldText(sentence), "per cent", "percent")
	places := wordsOnly.FindAllStringIndex(folded, -1)
	for i := 0; i < len(places); i++ {
		// The longest run of words that is a number.
		for j := min(len(places), i+maxNumberWords) - 1; j >= i; j-- {
			if v, ok := n.Normalise(folded[places[i][0]:places[j][1]]); ok {
				out = append(out, v)
				i = j
				break
			}
		}
	}
	return out
}
