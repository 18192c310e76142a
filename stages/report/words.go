package report

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
)

//go:embed words/*.yaml
var wordFiles embed.FS

// fallbackLanguage serves languages that there are no words for.
const fallbackLanguage = "en"

// Words are the sentences and labels of a report in one language, as a file in words/ has them. They are read-only.
type Words struct {
	Language string `yaml:"-"`
	// Spoken is how many words of the language, as understand.Words counts them, are said in 45 s at most.
	Spoken  int      `yaml:"spoken_words"`
	Fillers []string `yaml:"fillers"` // in lower case
	// Alone are fillers where they stand by themselves: behind other words they mean something.
	Alone []string `yaml:"fillers_alone"`
	// Handling and Pending are phrases of how a talk dealt with a claim or still has to, Cleared of one that is settled: they are for the talk.
	Handling []string `yaml:"handling"`
	Pending  []string `yaml:"pending"`
	Cleared  []string `yaml:"cleared"`
	// Hollow are words of a reason that say nothing of the matter.
	Hollow []string          `yaml:"hollow"`
	Texts  map[string]string `yaml:"texts"`
}

// spoken has the *Words of each language that was asked for.
var spoken sync.Map

// Speak returns the words of a locale's language, or of English. A language's file is read once.
func Speak(locale string) *Words {
	language := prompts.Language(locale)
	known, _ := spoken.Load(language)
	if w, is := known.(*Words); is {
		return w
	}
	raw, err := wordFiles.ReadFile("words/" + language + ".yaml")
	if err != nil {
		return Speak(fallbackLanguage)
	}
	w := &Words{Language: language}
	if err := yaml.UnmarshalWithOptions(raw, w, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("report: words/%s.yaml: %v", language, err)) //nolint:forbidigo // it ships with the package; a test reads it
	}
	spoken.Store(language, w)
	return w
}

// Has reports whether there is a text for the key.
func (w *Words) Has(key string) bool { return w.Texts[key] != "" }

// Say returns the text for the key with each {name} replaced by its value; pairs are name, value, name, value … A key
// that there is no text for comes back as it is.
func (w *Words) Say(key string, pairs ...string) string {
	text, ok := w.Texts[key]
	if !ok {
		return key
	}
	replace := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		replace = append(replace, "{"+pairs[i]+"}", pairs[i+1])
	}
	return strings.NewReplacer(replace...).Replace(text)
}

// Score writes a score with its scale, such as "4.2 of 5".
func (w *Words) Score(s Score) string {
	return w.Say("score", "value", Decimal(s.Value), "max", strconv.FormatFloat(s.Max, 'f', -1, 64))
}

// Counted writes in how many answers or parts a mean was assessed.
func (w *Words) Counted(a Average) string {
	key := "label.averages_of"
	if a.Parts {
		key += "_parts"
	}
	return w.Say(key, "n", number(a.Count), "of", number(a.Of))
}

// Help says how many hints a part took; "" where none was counted: a model's own words may have helped all the same.
func (w *Words) Help(s Stage) string {
	if s.Hints == nil || *s.Hints == 0 {
		return ""
	}
	return w.Say("label.hints_n", "n", number(*s.Hints))
}

// Noted are the notes of a part, which need no name.
func (s Stage) Noted() []Point { return without(s.Points, func(p Point) bool { return !p.note() }) }

// Rest are the other points of a part.
func (s Stage) Rest() []Point { return without(s.Points, Point.note) }

func (p Point) note() bool { return p.Kind == PointTold && p.Name == "" }

// Shown is the judgement of a part without what its points tell better, each with its words.
func (s Stage) Shown() Assessment {
	a := s.Assessment
	if slices.ContainsFunc(s.Points, func(p Point) bool { return p.Kind == PointCovered }) {
		a.Evidence, a.Hits, a.Gaps = nil, nil, nil
	}
	return a
}

// Told reports whether there is more to tell of a part than its figures.
func (s Stage) Told() bool {
	return s.Judged || len(s.Points) > 0 || s.Code != nil || s.Hints != nil && *s.Hints > 0
}

// part writes the score of a part, with its share of the whole.
func (w *Words) part(p Part) string {
	if p.Score == nil {
		return w.Say("label.not_assessed")
	}
	if p.Share == 0 {
		return w.Score(*p.Score)
	}
	return w.Score(*p.Score) + " · " + w.Say("label.share", "n", number(percent(p.Share)))
}

func (w *Words) retry(questions []int) string {
	var names []string
	for _, q := range questions {
		names = append(names, w.Say("question_n", "n", number(q)))
	}
	return w.Say("label.retry", "questions", w.List(names))
}

// coverage says how much of what was planned took place.
func (w *Words) coverage(c Coverage) string {
	planned := max(c.Expected, c.Asked)
	switch {
	case c.Assessed < planned || c.Answered < planned || c.Asked < planned:
		return w.Say("coverage.some", "planned", number(planned), "asked", number(c.Asked), "answered", number(c.Answered), "assessed", number(c.Assessed))
	case planned == 1:
		return w.Say("coverage.one")
	}
	return w.Say("coverage.all", "n", number(planned))
}

func percent(f float64) int { return int(f*100 + 0.5) }

// List joins names as the language does.
func (w *Words) List(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], w.Say("list.comma")) + w.Say("list.and") + names[n-1]
	}
}

// Decimal writes a value with one decimal.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// Clock writes a time as m:ss.
func Clock(t Millis) string {
	s := max(0, t) / 1000
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func number(n int) string { return strconv.Itoa(n) }

// answered names an answer: whether it is whole, and whether it was given at once.
func (w *Words) answered(q Question) string {
	several := len(q.Turns) > 1
	switch {
	case q.Excerpt && several:
		return w.Say("label.excerpts")
	case q.Excerpt:
		return w.Say("label.excerpt")
	case several:
		return w.Say("label.answers")
	}
	return w.Say("label.answer")
}
