package evaluate

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

//go:embed words/*.yaml rubrics/*.yaml evidence/*.yaml judge.tmpl
var files embed.FS

var prompt = structured.Shipped(files, "judge.tmpl")

// wording is what an evaluator says in one language. {phase} and {gaps} are filled in.
type wording struct {
	Passed string `yaml:"passed"` // positive, names the phase (R000-61)
	Most   string `yaml:"most"`   // the same, where not all came up: it says what did
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
	// Idle are patterns of what people say by the way: "I remember," keeps nothing in mind, "if you look at it" looks at nothing.
	Idle []string `yaml:"idle"`
	// Instructs are patterns of sentences that speak to the judge.
	Instructs []string `yaml:"instructs"`
	Fillers   []string `yaml:"fillers"` // and numbers: between two signs they are no term
}

// feedback tells the candidate what came of an item, in the item's language.
func feedback(it Item, e Evaluation) string {
	w := prompts.In(shipped().words, it.Locale)
	if it.answers() {
		return w.ofAnswer(e)
	}
	text := w.More
	switch {
	case e.Status == StatusNotAssessed:
		text = w.Silent
	case e.Decision == DecisionNext && len(e.Hits) > 0 && len(e.Hits) < len(it.Criteria):
		text = w.Most
	case e.Decision == DecisionNext:
		text = w.Passed
	}
	return strings.NewReplacer("{phase}", cmp.Or(it.PhaseName, it.ID), "{gaps}", strings.Join(it.called(e.Gaps), w.And), "{hits}",
		strings.Join(it.called(e.Hits), w.And)).Replace(text)
}

// called names criteria as the item's language does, where their aliases tell.
func (it Item) called(phrases []string) []string {
	out := slices.Clone(phrases)
	for i := range out {
		for _, k := range it.Criteria {
			if aliases := k.Aliases[it.language()]; k.Phrase == out[i] && it.language() != "en" && len(aliases) > 0 {
				out[i] = aliases[0]
			}
		}
	}
	return out
}

// ofAnswer is the feedback to an answer of which no more is known than what is open.
func (w *wording) ofAnswer(e Evaluation) string {
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
	words     map[string]*wording // by language
	instructs []prefilter.Pattern
	idle      []prefilter.Pattern
	rubrics   map[string]*Rubric
	evidence  map[string]*kind
	anchors   map[string]bool // three words in a row of what rubrics say
	fillers   map[string]bool
}

// shipped reads the embedded files once.
var shipped = sync.OnceValue(func() *data {
	d := &data{words: datafile.Shipped[wording](files, "words/*.yaml"), rubrics: datafile.Shipped[Rubric](files, "rubrics/*.yaml")}
	instructs, idle := make(map[string][]string), make(map[string][]string)
	d.fillers = make(map[string]bool)
	for language, w := range d.words {
		instructs[language], idle[language] = w.Instructs, w.Idle
		for _, filler := range w.Fillers {
			d.fillers[filler] = true
		}
	}
	d.instructs, d.idle = compile(instructs), compile(idle)
	d.evidence, d.anchors = evidence(), anchors(d.rubrics)
	return d
})

// compile makes the patterns of all languages, which match without regard to case.
func compile(patterns map[string][]string) []prefilter.Pattern {
	var out []prefilter.Pattern
	for _, language := range slices.Sorted(maps.Keys(patterns)) {
		for _, p := range patterns[language] {
			compiled, err := prefilter.New("(?i)" + p)
			if err != nil {
				panic(err) //nolint:forbidigo // it is part of the program, and a test reads it
			}
			out = append(out, compiled)
		}
	}
	return out
}
