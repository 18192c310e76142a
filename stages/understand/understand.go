// Package understand finds, by rules kept as data per language, what a candidate's turn means: its intents and the
// facts in it. It is the understanding of an interview without a model, and the check on what a model proposes.
package understand

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/stages/understand/prefilter"
)

//go:embed *.yaml acts/*.yaml
var shipped embed.FS

// Shipped returns the rule files that come with Viva: one <locale>.yaml each, and any.yaml with the word lists that
// serve every language; and under acts what turns are beside answers.
func Shipped() fs.FS { return shipped }

// Intent is what the candidate wants beyond answering.
type Intent string

// The intents.
const (
	Done   Intent = "done"   // the answer, or the introduction, is complete
	Think  Intent = "think"  // asks for time
	Repeat Intent = "repeat" // did not understand the question
	Refuse Intent = "refuse" // will not or cannot answer
	End    Intent = "end"    // wants to stop the interview

	Answer     Intent = "answer"     // asks to be told the answer
	Frustrated Intent = "frustrated" // finds it too hard, wants to give up
	Skip       Intent = "skip"       // wants to leave this part out
	Hint       Intent = "hint"       // asks for help
	Yes        Intent = "yes"
	No         Intent = "no"
)

// order is the priority in which intents are tested.
var order = []Intent{End, Repeat, Think, Answer, Frustrated, Skip, Hint, Refuse, Done, Yes, No}

// maxFact bounds a fact in characters: what does not fit is cut at a word.
const maxFact = 120

// Intents returns the intents of a turn, the weightiest first. Candidates mix languages: the rules that the language's
// file names under also have their say (R003-96).
func (r *Rules) Intents(text string) []Intent {
	text = plain(text)
	n, folded := Words(text), prefilter.Fold(text)
	var found []Intent
	for _, name := range order {
		if r.intends(name, text, folded, n) {
			found = append(found, name)
		}
	}
	return found
}

func (r *Rules) intends(name Intent, text, folded string, words int) bool {
	if rule, ok := r.intents[name]; ok && rule.matches(text, folded, words) {
		return true
	}
	return slices.ContainsFunc(r.also, func(other *Rules) bool { return other.intends(name, text, folded, words) })
}

// Fact looks for the named fact in a turn and returns its words, at most 120 characters of them.
func (r *Rules) Fact(name, text string) (string, bool) {
	text = plain(text)
	folded := prefilter.Fold(text)
	for i := range r.facts[name] {
		re := &r.facts[name][i]
		if !re.May(folded) {
			continue
		}
		for _, m := range re.FindAllStringSubmatch(text, 4) {
			v := strings.TrimSpace(m[re.SubexpIndex("v")])
			if v == "" || name == "name" && r.notNames[strings.ToLower(v)] {
				continue
			}
			if name == "name" {
				v = capital(v)
			}
			return Clip(v, maxFact), true
		}
	}
	return "", false
}

// Knows reports whether there are rules for the fact.
func (r *Rules) Knows(name string) bool { return len(r.facts[name]) > 0 }

// Words counts the words of a text. A script without spaces counts one word for every two letters.
func Words(text string) int {
	n, wide, in := 0, 0, false
	for _, c := range text {
		switch {
		case 'a' <= c && c <= 'z': // nearly always: the tables need not be asked
			if !in {
				n++
			}
			in = true
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			wide, in = wide+1, false
		case unicode.IsLetter(c) || unicode.IsNumber(c) || c == '\'' || c == '’' || c == '-':
			if !in {
				n++
			}
			in = true
		default:
			in = false
		}
	}
	return n + (wide+1)/2
}

// Clip cuts text to at most n characters, at the end of a word.
func Clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-")
}

// apostrophes makes them all straight, as the patterns have them.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'")

func plain(text string) string {
	return strings.Join(strings.Fields(apostrophes.Replace(norm.NFC.String(text))), " ")
}

func capital(word string) string {
	runes := []rune(word)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
