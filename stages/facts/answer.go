package facts

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/vivavoice/viva/prompts"
)

// ErrNever says that a fact is not to be told.
var ErrNever = errors.New("nobody may hear this fact")

// maxSentences bounds an answer (RM-6).
const maxSentences = 2

// Answer returns the answer in the language of a locale, or in English where it has none there.
func (f Fact) Answer(locale string, now Now) (string, error) {
	if f.Tell == Never {
		return "", fmt.Errorf("fact %s: %w", f.ID, ErrNever)
	}
	language := prompts.Language(locale)
	if f.Say[language] == "" {
		language = "en"
	}
	text := f.Say[language]
	if text == "" {
		return "", fmt.Errorf("fact %s has no answer in %s and none in English: add it under say", f.ID, locale)
	}
	said, err := render(text, language, now)
	if err != nil {
		return "", fmt.Errorf("fact %s, %s: %w", f.ID, language, err)
	}
	return said, nil
}

// parse reads an answer. Beside the fields of Now it may use minutes and questions, which say a number with its noun, and
// languages, which names them.
func parse(text, language string) (*template.Template, error) {
	return template.New("say").Funcs(template.FuncMap{
		"minutes":   func(n int) string { return count(n, nouns[language].minute) },
		"questions": func(n int) string { return count(n, nouns[language].question) },
		"languages": func(list []string) string { return called(list, language) },
	}).Parse(text)
}

type parsed struct {
	template *template.Template
	err      error
}

var templates memo[parsed]

func render(text, language string, now Now) (string, error) {
	if changes(text) {
		p := templates.get(text, language, func(text, language string) parsed {
			t, err := parse(text, language)
			return parsed{t, err}
		})
		if p.err != nil {
			return "", fmt.Errorf("the answer is no template: %w", p.err)
		}
		var b strings.Builder
		if err := p.template.Execute(&b, now); err != nil {
			return "", err
		}
		text = b.String()
	}
	said := strings.Join(strings.Fields(text), " ")
	if said == "" {
		return "", errors.New("the answer comes out empty")
	}
	return said, nil
}

// try renders an answer in every state that tells answers apart, or once where it is the same in all.
func try(text, language string) error {
	states := []Now{{}}
	if changes(text) {
		states = Samples()
	}
	for _, now := range states {
		said, err := render(text, language, now)
		switch {
		case err != nil:
			return err
		case strings.ContainsAny(said, "{}<>"):
			return fmt.Errorf("%q holds marks that cannot be spoken", said)
		case sentences(said) > maxSentences:
			return fmt.Errorf("%q is longer than %d sentences", said, maxSentences)
		}
	}
	return nil
}

// Samples are states of an interview that tell answers apart: every answer is tried in each.
func Samples() []Now {
	var out []Now
	for bits := range 1 << 6 {
		on := func(n int) bool { return bits>>n&1 == 1 }
		now := Now{Recorded: on(0), Report: on(1), Editor: on(2), Ahead: on(1), Over: on(4)}
		if on(3) {
			now.Minutes, now.Left, now.Parts, now.Part, now.Next = 25, 12, 3, "Introduction", "Experience"
		}
		if on(4) {
			now.Asked, now.Questions = 2, 5
		}
		if on(5) {
			now.Company, now.Role, now.Persona, now.Others = "Northwind", "data analyst", "Ms Hart", []string{"zh", "vi"}
		}
		out = append(out, now)
	}
	last := Now{Minutes: 1, Left: 1, Asked: 1, Questions: 1, Part: "Goodbye", Parts: 1, Others: []string{"en"}}
	over := Now{Minutes: 5, Asked: 7, Questions: 5, Part: "Goodbye", Parts: 4}
	begun := Now{Minutes: 1, Left: 1, Questions: 1, Part: "Goodbye", Parts: 1}
	return append(out, last, over, begun)
}

// nouns are what is counted, by language: for one and for more.
var nouns = map[string]struct{ minute, question [2]string }{
	"en": {[2]string{"minute", "minutes"}, [2]string{"question", "questions"}},
	"zh": {[2]string{"分钟", "分钟"}, [2]string{"个问题", "个问题"}},
	"vi": {[2]string{"phút", "phút"}, [2]string{"câu hỏi", "câu hỏi"}},
}

func count(n int, noun [2]string) string {
	one := noun[0]
	if n != 1 {
		one = noun[1]
	}
	return strconv.Itoa(n) + " " + one
}

// names are what languages are called in each other.
var names = map[string]map[string]string{
	"en": {"en": "English", "zh": "Chinese", "vi": "Vietnamese", "and": " and "},
	"zh": {"en": "英语", "zh": "中文", "vi": "越南语", "and": "和"},
	"vi": {"en": "tiếng Anh", "zh": "tiếng Trung", "vi": "tiếng Việt", "and": " và "},
}

func called(list []string, language string) string {
	words := make([]string, len(list))
	for i, one := range list {
		words[i] = cmp.Or(names[language][prompts.Language(one)], one)
	}
	return strings.Join(words, names[language]["and"])
}

// sentences counts those of a text.
func sentences(text string) int {
	n, open := 0, false
	runes := []rune(text)
	for i, c := range runes {
		ends := strings.ContainsRune("。？！", c) || strings.ContainsRune(".?!", c) && (i+1 == len(runes) || unicode.IsSpace(runes[i+1]))
		switch {
		case ends && open:
			n, open = n+1, false
		case unicode.IsLetter(c) || unicode.IsNumber(c):
			open = true
		}
	}
	if open {
		n++
	}
	return n
}

// Changes reports whether the answer depends on where the interview stands.
func (f Fact) Changes() bool {
	for _, text := range f.Say {
		if changes(text) {
			return true
		}
	}
	return false
}

// changes reports whether a text is a template; any other is said as it stands.
func changes(text string) bool { return strings.Contains(text, "{{") }
