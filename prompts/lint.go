package prompts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
)

// maxSpoken is how many words one utterance may have, without what it tells of the interview's own data.
const maxSpoken = 60

// Flaw is a wording that can be said but should not be.
type Flaw struct {
	Prompt  string
	Form    Form
	Variant int // counted from 1
	Text    string
}

func (f Flaw) String() string {
	return fmt.Sprintf("%s, %s %d: %s", f.Prompt, f.Form, f.Variant, f.Text)
}

// linter is what one call of Lint knows.
type linter struct {
	criticism []string
	praise    []string
	reveals   func(string) string
	flaws     []Flaw
}

// Lint finds words that go against the rules of a good interview: several questions in one breath, fault-finding, markup
// that a voice would read aloud, speeches, names that have to stay secret. reveals returns the secret that a text gives
// away, or ""; it may be nil.
func Lint(c *Catalogue, reveals func(string) string) ([]Flaw, error) {
	l := linter{reveals: reveals}
	words, err := lintWords()
	if err != nil {
		return nil, err
	}
	l.criticism, l.praise = words.Criticism[Language(c.locale)], words.Praise[Language(c.locale)]
	for _, id := range c.IDs() {
		for _, form := range []Form{Say, Reprompt, Simple} {
			for n := range c.entries[id][form] {
				if err := l.wording(c, id, form, n); err != nil {
					return nil, err
				}
			}
		}
	}
	return l.flaws, nil
}

// lexicon is what an interviewer does not say, by language.
type lexicon struct {
	Criticism map[string][]string `yaml:"criticism"`
	Praise    map[string][]string `yaml:"praise"`
}

func lintWords() (lexicon, error) {
	var words lexicon
	text, err := files.ReadFile("lint.yaml")
	if err != nil {
		return words, fmt.Errorf("read the words of the lint: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(text, &words, yaml.Strict()); err != nil {
		return words, fmt.Errorf("prompts lint.yaml: %w", err)
	}
	return words, nil
}

// Praises returns the first phrase of a text that judges an answer or claims to have understood it, or "" (RM-16). It is for words
// that are prepared for any answer, wherever they stand.
func Praises(locale, text string) (string, error) {
	words, err := lintWords()
	if err != nil {
		return "", err
	}
	return said(text, words.Praise[Language(locale)]), nil
}

// states are the states in which each wording is looked at: all of its branches come up in one or another.
func states() []Data {
	var out []Data
	for _, change := range []func(*Data){
		func(*Data) {}, func(d *Data) { d.Phase.First = false }, func(d *Data) { d.Gap, d.Gaps = "", nil }, func(d *Data) { d.Name = "" },
		func(d *Data) { d.Slot, d.Summary = nil, "" }, func(d *Data) { d.Percent = true }, func(d *Data) { d.Own = true }, func(d *Data) { d.Phase = Phase{} }, func(d *Data) { d.Said, d.Answers = 0, 0 }, func(d *Data) { *d = Data{} },
	} {
		d := sample()
		change(&d)
		out = append(out, d)
	}
	return out
}

// wording looks at one wording in every state; each flaw is told once.
func (l *linter) wording(c *Catalogue, id string, form Form, n int) error {
	for _, d := range states() {
		if len(Lacks(d, needs(c.entries[id][form][n], true))) > 0 {
			continue
		}
		text, err := c.Render(id, form, n, d)
		if err != nil {
			return err
		}
		for _, wrong := range l.look(text) {
			f := Flaw{Prompt: id, Form: form, Variant: n + 1, Text: wrong}
			if !slices.Contains(l.flaws, f) {
				l.flaws = append(l.flaws, f)
			}
		}
	}
	return nil
}

func (l *linter) look(text string) []string {
	var out []string
	if n := Questions(text); n > 1 {
		out = append(out, fmt.Sprintf("it asks %d questions at once: one at a time", n))
	}
	if i := strings.IndexAny(text, "*#_`<>[]{}|"); i >= 0 {
		out = append(out, fmt.Sprintf("a voice would read %q aloud", text[i]))
	}
	if n := spoken(text); n > maxSpoken {
		out = append(out, fmt.Sprintf("it has %d words: nobody listens to more than %d", n, maxSpoken))
	}
	if phrase := said(text, l.criticism); phrase != "" {
		out = append(out, fmt.Sprintf("%q finds fault with the candidate", phrase))
	}
	if phrase := said(text, l.praise); phrase != "" {
		out = append(out, fmt.Sprintf("%q judges an answer that nobody has checked, or claims to understand it", phrase))
	}
	return append(out, l.secret(text)...)
}

// joined are questions that ask for two things behind one mark: a question word, "and" or a comma, and another one.
var joined = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(what|which|why|how|when|where|who|whose)\b[^?.!:;]*[ ,]and (also |then |in turn )?(what|which|why|how|when|where|who|whose)\b[^?.!:;]*\?`),
	regexp.MustCompile(`(什么|怎么|怎样|如何|多少|哪|谁)[^？。！：；]*[，、][^？。！，：；或]*(什么|怎么|怎样|如何|多少|哪|谁)[^？。！：；]*？`),
	regexp.MustCompile(`(?i)(gì|nào|sao|bao nhiêu|đâu)[ ,][^?.!:;]*và [^?.!,:;]*(gì|nào|sao|bao nhiêu|đâu)[^?.!:;]*\?`),
}

// nothing are question words that ask nothing: "whatever", "nobody".
var nothing = regexp.MustCompile(`(什么|谁|哪里|哪个|怎么)(也|都)`)

// Questions counts what a text asks: its question marks, and one more for each that stands behind two questions.
func Questions(text string) int {
	n := strings.Count(text, "?") + strings.Count(text, "？")
	text = nothing.ReplaceAllString(text, "")
	for _, re := range joined {
		n += len(re.FindAllString(text, -1))
	}
	return n
}

func (l *linter) secret(text string) []string {
	if l.reveals == nil {
		return nil
	}
	if word := l.reveals(text); word != "" {
		return []string{fmt.Sprintf("%q gives a secret away", word)}
	}
	return nil
}

// said returns the first of the phrases that a text holds as whole words; scripts without spaces have no such bounds.
func said(text string, phrases []string) string {
	text = " " + words(text) + " "
	for _, p := range phrases {
		w := words(p)
		if !wide(p) {
			w = " " + w + " "
		}
		if strings.Contains(text, w) {
			return p
		}
	}
	return ""
}

func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	}), " ")
}

func wide(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
}

// spoken counts words; two characters of a script without spaces are about one.
func spoken(text string) int {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			n++
		}
	}
	return (n+1)/2 + len(strings.Fields(words(text)))
}
