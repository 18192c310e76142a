package design

import (
	"cmp"
	"maps"
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/state"
)

// company is one company file.
type company struct {
	Company     string   `yaml:"company"`
	Title       string   `yaml:"title"`
	Description string   `yaml:"description"`
	Aliases     []string `yaml:"aliases"` // other names that routing may give
	// Enabled false leaves the company to the default one: companies go over one by one (R000-72).
	Enabled    *bool                 `yaml:"enabled"`
	Interviews map[string]*interview `yaml:"interviews"` // by interview type
	// Facts are what an interviewer answers about the company.
	Facts facts.Sheet `yaml:"facts"`
}

// interview is what a company has for one type of interview. Without phases and remote it is held as one phase.
type interview struct {
	Phases []phase `yaml:"phases"`
	// Questions are the company's own; Bank names a file of shared ones, without .yaml.
	Questions []question `yaml:"questions"`
	Bank      string     `yaml:"bank"`
	Pass      float64    `yaml:"pass"`  // share of the full score that passes; 0 = 0.60
	Words     string     `yaml:"words"` // candidate or both
	Match     string     `yaml:"match"` // token or substring
	Rubric    string     `yaml:"rubric"`
	Remote    *remote    `yaml:"remote"`

	pool []question // Questions and those of the bank
}

// remote is where a company's own service is: at url, or where its agent card says.
type remote struct {
	URL  string              `yaml:"url"`
	Card string              `yaml:"card"`
	Wait definition.Duration `yaml:"wait"` // bounds each call; 0 = the factory's
	// Enabled false keeps the company local (R000-72).
	Enabled *bool `yaml:"enabled"`
}

type phase struct {
	ID           string              `yaml:"id"`
	Name         string              `yaml:"name"`
	Names        map[string]string   `yaml:"names"` // in other languages than English
	Description  string              `yaml:"description"`
	Descriptions map[string]string   `yaml:"descriptions"`
	Keywords     []keyword           `yaml:"keywords"`
	Pass         float64             `yaml:"pass"`
	Soft         definition.Duration `yaml:"soft"`
	Hard         definition.Duration `yaml:"hard"`
}

// keyword is a plain phrase or a block with more to say.
type keyword struct {
	Phrase  string              `yaml:"phrase"`
	Aliases map[string][]string `yaml:"aliases"`
	Weight  float64             `yaml:"weight"`
}

type keywordBlock keyword

// Into implements datafile.Union.
func (k *keyword) Into(s datafile.Shape) (into any, belongs string) {
	switch s {
	case datafile.Scalar:
		return &k.Phrase, ""
	case datafile.Block:
		return (*keywordBlock)(k), ""
	}
	return nil, "a phrase, or a block of keys such as {phrase: cache, weight: 2},"
}

// question is one task to design for.
type question struct {
	ID         string            `yaml:"id"`
	Text       map[string]string `yaml:"text"` // by language; English always
	Difficulty string            `yaml:"difficulty"`
	// Irrelevant are ids of sub-phases that the question does not need (R000-79).
	Irrelevant []string `yaml:"irrelevant"`
	// Facts are what an interviewer answers about the task, such as how many users there are.
	Facts facts.Sheet `yaml:"facts"`
}

// bank is a file of questions that companies share.
type bank struct {
	Bank      string     `yaml:"bank"`
	Questions []question `yaml:"questions"`
}

func on(enabled *bool) bool { return enabled == nil || *enabled }

func (r *remote) on() bool { return r != nil && on(r.Enabled) }

// phases returns the sub-phases in a language, those that the question does not need marked.
func (i *interview) phases(locale string, q *question) []state.Phase {
	out := make([]state.Phase, len(i.Phases))
	for n := range i.Phases {
		p := &i.Phases[n]
		out[n] = state.Phase{
			ID: p.ID, Name: in(p.Names, locale, p.Name), Names: p.called(), Description: in(p.Descriptions, locale, p.Description),
			Keywords: p.keywords(), Pass: cmp.Or(p.Pass, i.Pass),
			Soft: state.FromDuration(p.Soft.Std()), Hard: state.FromDuration(p.Hard.Std()),
			Irrelevant: q != nil && slices.Contains(q.Irrelevant, p.ID),
		}
	}
	return out
}

// called are the names in all languages, English among them: the interview may change over to it.
func (p *phase) called() map[string]string {
	if len(p.Names) == 0 {
		return nil
	}
	out := maps.Clone(p.Names)
	out["en"] = cmp.Or(out["en"], p.Name)
	return out
}

func (p *phase) keywords() []state.Keyword {
	out := make([]state.Keyword, len(p.Keywords))
	for i, k := range p.Keywords {
		out[i] = state.Keyword{Phrase: k.Phrase, Aliases: maps.Clone(k.Aliases), Weight: k.Weight}
	}
	return state.CloneKeywords(out)
}

// item is what the evaluators are asked about a sub-phase; an unknown one has no criteria.
func (i *interview) item(phaseID, locale string, history []evaluate.Turn) evaluate.Item {
	it := evaluate.Item{
		ID: phaseID, PhaseID: phaseID, Turns: history, Locale: locale,
		Words: i.Words, Match: i.Match, Pass: i.Pass, Rubric: i.Rubric,
	}
	for _, p := range i.phases(locale, nil) {
		if p.ID == phaseID {
			it.PhaseName, it.Criteria, it.Pass = p.Name, p.Keywords, p.Pass
		}
	}
	return it
}

// in returns the text of a language, also without its region.
func in(texts map[string]string, locale, otherwise string) string {
	base := prompts.Language(locale)
	return cmp.Or(texts[locale], texts[base], otherwise)
}
