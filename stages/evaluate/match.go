package evaluate

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/state"
)

// Keys of Keyword.Aliases that are no language.
const (
	AliasAny = "any" // in every language
	// AliasNot holds longer phrases in which the keyword does not count: "no SQL" mentions no SQL.
	AliasNot = "not"
)

// text is one message, cut into tokens, with the stretches that do not count.
type text struct {
	Turn
	tokens []token
}

// span is a match: tokens from to (excluded) of a text.
type span struct{ text, from, to int }

// phrases are the ways to say one thing, as tokens.
type phrases [][]string

// forms returns the ways to say a keyword in a language, and the phrases in which it does not count. Everybody who speaks of
// technical things speaks English, so its aliases always count.
func forms(k state.Keyword, language string) (say, not phrases) {
	say = say.with(k.Phrase)
	for _, lang := range slices.Sorted(maps.Keys(k.Aliases)) {
		for _, alias := range k.Aliases[lang] {
			switch {
			case lang == AliasNot:
				not = not.with(alias)
			case lang == AliasAny || lang == language || lang == prompts.English || !latin(alias):
				say = say.with(alias)
			}
		}
	}
	return say, not
}

// with adds a phrase, and its letters one by one where it is an acronym, for so they are spoken: "g R P C".
func (p phrases) with(phrase string) phrases {
	var words []string
	for _, t := range tokens(phrase) {
		words = append(words, t.text)
	}
	if len(words) == 0 {
		return p
	}
	p = append(p, words)
	if letters := spelled(phrase); letters != nil {
		p = append(p, letters)
	}
	return p
}

// maxAcronym bounds the letters of an acronym.
const maxAcronym = 6

// spelled returns the letters of an acronym: one word of two to six letters, half of them capitals at least.
func spelled(phrase string) []string {
	capitals := 0
	var letters []string
	for _, r := range phrase {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) {
			return nil
		}
		if unicode.IsUpper(r) {
			capitals++
		}
		letters = append(letters, strings.ToLower(string(r)))
	}
	if len(letters) < 2 || len(letters) > maxAcronym || capitals < 2 || 2*capitals < len(letters) {
		return nil
	}
	return letters
}

// latin reports whether an alias is written in Latin letters. One that is not can be mistaken for no other word, so it
// counts whatever the language of the interview is: candidates mix.
func latin(alias string) bool {
	return !strings.ContainsFunc(alias, func(r rune) bool { return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin) })
}

// find returns the first place where the texts say one of the phrases, outside those where it does not count.
func find(texts []text, say, not phrases) (span, bool) {
	for i := range texts {
		masked := not.all(texts[i].tokens)
		for _, s := range say.all(texts[i].tokens) {
			inside := func(m [2]int) bool { return m[0] <= s[0] && s[1] <= m[1] }
			if !slices.ContainsFunc(masked, inside) {
				return span{i, s[0], s[1]}, true
			}
		}
	}
	return span{}, false
}

// all returns where the phrases stand in a text: first token, and the one after the last.
func (p phrases) all(words []token) [][2]int {
	var out [][2]int
	for _, phrase := range p {
		for i := 0; i+len(phrase) <= len(words); i++ {
			if starts(words[i:], phrase) {
				out = append(out, [2]int{i, i + len(phrase)})
			}
		}
	}
	return out
}

func starts(words []token, phrase []string) bool {
	for i, w := range phrase {
		if words[i].text != w {
			return false
		}
	}
	return true
}
