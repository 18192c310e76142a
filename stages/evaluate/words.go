package evaluate

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed words/*.yaml rubrics/*.yaml judge.tmpl
var files embed.FS

// wording is what an evaluator says in one language. {phase} and {gaps} are filled in.
type wording struct {
	Passed string `yaml:"passed"` // positive, names the phase (R000-61)
	More   string `yaml:"more"`   // asks for more on the phase (R000-62)
	Silent string `yaml:"silent"` // nothing was said that could be judged
	And    string `yaml:"and"`    // stands between gaps
	Answer struct {
		Shown  string `yaml:"shown"`  // what came across: {shown}
		Better string `yaml:"better"` // what would make it stronger: {advice}
		Open   string `yaml:"open"`   // what could be said besides: {gaps}
		Fine   string `yaml:"fine"`   // there is nothing to add
		Silent string `yaml:"silent"` // there was too little to judge
		Also   string `yaml:"also"`   // stands between what was shown, and between advice
		Join   string `yaml:"join"`   // stands between sentences
	} `yaml:"answer"` // about an answer to one question: who gave it does not know the stage's name
	// Instructs are patterns of sentences that speak to the judge; each needs one of the words in Triggers to match.
	Instructs []string `yaml:"instructs"`
	Triggers  []string `yaml:"triggers"`
}

// wordings are the wordings by language.
type wordings map[string]wording

func (w wordings) in(language string) wording {
	if words, ok := w[language]; ok {
		return words
	}
	return w[fallbackLanguage]
}

func (w wording) feedback(it Item, e Evaluation) string {
	if it.answers() {
		return w.ofAnswer(e)
	}
	text := w.More
	switch {
	case e.Status == StatusNotAssessed:
		text = w.Silent
	case e.Decision == DecisionNext:
		text = w.Passed
	}
	name := it.PhaseName
	if name == "" {
		name = it.ID
	}
	return strings.NewReplacer("{phase}", name, "{gaps}", strings.Join(e.Gaps, w.And)).Replace(text)
}

// ofAnswer is the feedback to an answer of which no more is known than what is open.
func (w wording) ofAnswer(e Evaluation) string {
	switch {
	case e.Status == StatusNotAssessed:
		return w.Answer.Silent
	case len(e.Gaps) == 0:
		return w.Answer.Fine
	}
	return strings.ReplaceAll(w.Answer.Open, "{gaps}", strings.Join(e.Gaps, w.And))
}

// answers reports whether the item is a question with its answer, and not a stretch of talk: nobody else speaks in it.
func (it Item) answers() bool {
	agent := func(t Turn) bool { return t.Role != RoleUser }
	return it.Question != "" && !slices.ContainsFunc(it.Turns, agent)
}

// data is what the shipped files say; it is read-only.
type data struct {
	wording   wordings
	instructs []*regexp.Regexp
	triggers  []string // in lower case
	rubrics   Rubrics
	err       error
}

// shipped reads the embedded files once. They cannot change, and a test holds that they are sound.
var shipped = sync.OnceValue(func() *data {
	d := &data{wording: make(wordings)}
	d.err = d.readWords()
	rubrics, err := LoadRubrics(sub("rubrics"))
	d.rubrics, d.err = rubrics, errors.Join(d.err, err)
	return d
})

func sub(dir string) fs.FS {
	fsys, err := fs.Sub(files, dir)
	if err != nil {
		return files // the folder's name is valid; this is for the compiler
	}
	return fsys
}

func (d *data) readWords() error {
	names, err := fs.Glob(files, "words/*.yaml")
	if err != nil {
		return fmt.Errorf("list the wordings: %w", err)
	}
	var problems []error
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a wording: %w", err)
		}
		var w wording
		if err := yaml.UnmarshalWithOptions(text, &w, yaml.Strict()); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			continue
		}
		d.wording[strings.TrimSuffix(path.Base(name), ".yaml")] = w
		for _, word := range w.Triggers {
			d.triggers = append(d.triggers, strings.ToLower(word))
		}
		compiled, err := compile(name, w.Instructs)
		d.instructs = append(d.instructs, compiled...)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// compile reads patterns, which match without regard to case; the error names every one that cannot be used.
func compile(where string, patterns []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	var problems []error
	for i, p := range patterns {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: pattern %d: %w", where, i+1, err))
			continue
		}
		out = append(out, re)
	}
	return out, errors.Join(problems...)
}
