// Package problem holds the tasks of an algorithm interview as data: what the candidate is told, in disguise, and what
// only the experts know. A file is checked whole when it is loaded; a Problem is read-only from then on.
package problem

import (
	"maps"
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/facts"
)

// Problem is one task. Texts are by language; Text, Title, EdgeCases' names and the words a candidate says may be told,
// everything else is hidden from the candidate (R003-30, R003-31).
type Problem struct {
	ID         string            `yaml:"id" json:"id"`
	Title      map[string]string `yaml:"title" json:"title"`
	Text       map[string]string `yaml:"text" json:"text"` // the task as a scenario: it names no technique
	Difficulty string            `yaml:"difficulty" json:"difficulty"`
	Tags       []string          `yaml:"tags" json:"tags"` // what it is about; shown, so no technique either
	// Pattern names the technique (an identifier); Candidates are the patterns that solve it, the best first.
	Pattern    string   `yaml:"pattern" json:"pattern"`
	Candidates []string `yaml:"candidates" json:"candidates,omitempty"`
	// Names is how the pattern is called when it may be told, in the summary.
	Names map[string]string `yaml:"names" json:"names"`
	// Synonyms are the words that would give the pattern away, by language.
	Synonyms   map[string][]string `yaml:"synonyms" json:"synonyms"`
	Complexity Cost                `yaml:"complexity" json:"complexity"` // what a good solution costs
	Terms      map[string][]string `yaml:"terms" json:"terms"`           // key terms of the task: what an understanding mentions
	// Facts are what candidates ask about the input and the result; Sheet has them with what holds for every problem.
	Facts []facts.Fact `yaml:"facts" json:"facts,omitempty"`
	// Examples are worked: at least two, which may be told.
	Examples   []Case     `yaml:"examples" json:"examples,omitempty"`
	Approaches []Approach `yaml:"approaches" json:"approaches"`
	// Mistakes are the usual wrong approaches; Wrong finds one.
	Mistakes []Mistake `yaml:"wrong" json:"wrong,omitempty"`
	// Hints rise in strength: the cost; one pass; the needed property (R003-33). None names the pattern.
	Hints map[string][]string `yaml:"hints" json:"hints"`
	// Nudges are hints for those who are stuck on one approach, right or wrong.
	Nudges []Nudge `yaml:"nudges" json:"nudges,omitempty"`
	// FirstStep works out the first step of a good solution: what is left to say once all hints are given (RM-11).
	FirstStep map[string]string `yaml:"first_step" json:"first_step,omitempty"`
	// Clues are questions that set somebody thinking who has just understood the task.
	Clues     map[string][]string `yaml:"clues" json:"clues"`
	EdgeCases []EdgeCase          `yaml:"edge_cases" json:"edge_cases"`
	FollowUps []FollowUp          `yaml:"follow_ups" json:"follow_ups"` // the easiest first
	// Summary is what is said once all is over, in one or two sentences; it may name the pattern.
	Summary map[string]string `yaml:"summary" json:"summary"`
	// Related are tasks that the same pattern solves, in plain words.
	Related map[string][]string `yaml:"related" json:"related,omitempty"`

	ears []heard // what listen makes, kept of a problem that was read
}

// Case is one input with its result: as it is spoken, by language, and for a machine.
type Case struct {
	In  map[string]string `yaml:"in" json:"in,omitempty"`
	Out map[string]string `yaml:"out" json:"out,omitempty"`
	Why map[string]string `yaml:"why" json:"why,omitempty"`
	// Data are the arguments as a JSON list, Want is the result in JSON. They prove the words in a test, and are never spoken.
	Data string `yaml:"data" json:"data,omitempty"`
	Want string `yaml:"want" json:"want,omitempty"`
}

// Mistake is a usual approach that fails.
type Mistake struct {
	ID    string              `yaml:"id" json:"id"`
	Names map[string]string   `yaml:"names" json:"names"`
	Plain map[string][]string `yaml:"plain" json:"plain"` // as in Approach
	// Counter is an input on which it fails.
	Counter Counter `yaml:"counter" json:"counter"`
}

// Counter is a counter-example. Say puts it to the candidate as a question that shows the failure and gives no answer away (RM-19);
// Out is what is right, and hidden.
type Counter struct {
	Case `yaml:",inline"`
	Say  map[string]string `yaml:"say" json:"say,omitempty"`
}

// Nudge is a hint for somebody who is stuck on one approach.
type Nudge struct {
	StuckOn string            `yaml:"stuck_on" json:"stuck_on"` // the id of an approach or of a mistake
	Say     map[string]string `yaml:"say" json:"say"`
}

// Cost is time and space in O notation.
type Cost struct {
	Time  string `yaml:"time" json:"time"`
	Space string `yaml:"space" json:"space"`
}

// String returns the cost as it is written: "time O(n), space O(1)".
func (c Cost) String() string { return "time " + c.Time + ", space " + c.Space }

// Approach is one way to solve the task.
type Approach struct {
	ID      string `yaml:"id" json:"id"`
	Quality string `yaml:"quality" json:"quality"` // brute, better or best
	Cost    Cost   `yaml:"cost" json:"cost"`
	// Names is how the approach is referred to after the candidate named it.
	Names map[string]string `yaml:"names" json:"names"`
	// Keywords are the words a candidate uses for it, in every language.
	Keywords []string `yaml:"keywords" json:"keywords"`
	// Plain are wordings without its jargon, by language: words that stand in this order, a few others between them.
	// "keep/store … seen/met" stands for four wordings; "…" lets more words stand between, "each_other" none.
	Plain map[string][]string `yaml:"plain" json:"plain,omitempty"`
}

// The qualities of an approach.
const (
	Brute  = "brute"
	Better = "better"
	Best   = "best"
)

// EdgeCase is an input that solutions get wrong.
type EdgeCase struct {
	ID       string            `yaml:"id" json:"id"`
	Case     `yaml:",inline"`  // an input of this sort, and what has to come out
	Question map[string]string `yaml:"question" json:"question"` // "What happens if …"
	Keywords []string          `yaml:"keywords" json:"keywords"` // a candidate who says one has thought of it
	// Code are marks in pseudo code that show that it is handled.
	Code []string `yaml:"code" json:"code,omitempty"`
}

// FollowUp is a question that takes the solved task further.
type FollowUp struct {
	ID       string            `yaml:"id" json:"id"`
	Aim      string            `yaml:"aim" json:"aim"` // space, variant, special or input
	Question map[string]string `yaml:"question" json:"question"`
	Keywords []string          `yaml:"keywords" json:"keywords,omitempty"` // what a good answer mentions
}

// The aims of a follow-up question (R003-43).
const (
	AimSpace   = "space"   // less space
	AimVariant = "variant" // a variant of the task
	AimSpecial = "special" // special cases such as duplicates
	AimInput   = "input"   // properties of the input, or real use
)

// Secrets returns the words that give the pattern away, in all languages.
func (p *Problem) Secrets() []string {
	var out []string
	for _, lang := range slices.Sorted(maps.Keys(p.Synonyms)) {
		out = append(out, p.Synonyms[lang]...)
	}
	return out
}

// In returns the text in the language of the locale, or else in English, or else in any.
func In[T any](texts map[string]T, locale string) T {
	for _, l := range []string{locale, prompts.Language(locale), "en"} {
		if t, ok := texts[l]; ok {
			return t
		}
	}
	for _, l := range slices.Sorted(maps.Keys(texts)) {
		return texts[l]
	}
	var none T
	return none
}
