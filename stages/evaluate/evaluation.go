package evaluate

import (
	"encoding/json"
	"errors"

	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// Values of Item.Words and Item.Match. Empty means the first of each.
const (
	WordsCandidate = "candidate" // the candidate's words count (R000-88)
	WordsBoth      = "both"      // both sides' words count
	MatchToken     = "token"     // words, their stems and aliases (R000-89)
	MatchSubstring = "substring" // letters in a row, wherever they stand
)

// Item is what is judged: a stage or sub-phase, or one question with its answer.
type Item struct {
	ID        string `json:"id"`
	PhaseID   string `json:"phase_id,omitempty"`
	PhaseName string `json:"phase_name,omitempty"`
	Question  string `json:"question,omitempty"`
	Answer    string `json:"answer,omitempty"` // judged when there are no Turns
	Reference string `json:"reference,omitempty"`
	// Criteria are what the words should cover, in the order in which gaps are told.
	Criteria []state.Keyword `json:"criteria,omitempty"`
	Turns    []Turn          `json:"turns,omitempty"`
	Locale   string          `json:"locale,omitempty"`
	Words    string          `json:"words,omitempty"`
	Match    string          `json:"match,omitempty"`
	// Pass is the share of the full score that passes, inclusive; 0 = DefaultPass.
	Pass float64 `json:"pass,omitempty"`
	// Rubric is the id of the rubric for judges.
	Rubric string `json:"rubric,omitempty"`
	// Vars tell a checklist what was probed and declined: "probed" and "declined" hold criterion ids, comma between.
	Vars map[string]string `json:"vars,omitempty"`
}

// DefaultPass is the share of the full score that passes, inclusive (R000-60, R000-84).
const DefaultPass = 0.60

// Values of Evaluation.Status.
const (
	StatusOK          = "ok"
	StatusDegraded    = "degraded"     // judged, but not by whom it should have been
	StatusFailed      = "failed"       // nobody could judge
	StatusNotAssessed = "not_assessed" // there was nothing to judge: no score, never averaged in (RX-14)
)

// Values of Evaluation.Decision.
const (
	DecisionNext     = "next_phase"
	DecisionContinue = "continue"
)

// The scale of every built-in evaluator (R000-45).
const (
	ScaleMin = 0.0
	ScaleMax = 10.0
)

// Evaluation is one judgement. Score is on the native scale Min to Max; Norm is the same between 0 and 1 (RX-13).
type Evaluation struct {
	Status   string   `json:"status"`
	Decision string   `json:"decision"`
	Score    float64  `json:"score"`
	Min      float64  `json:"min"`
	Max      float64  `json:"max"`
	Norm     float64  `json:"norm"`
	Feedback string   `json:"feedback"`
	Gaps     []string `json:"gaps"` // never nil after Sanitize
	Hits     []string `json:"hits,omitempty"`
	Evidence []Quote  `json:"evidence,omitempty"`
	Marks    []Mark   `json:"marks,omitempty"` // by criterion, where a rubric was used
	Flags    []string `json:"flags,omitempty"`
	By       string   `json:"by"`
	Rubric   string   `json:"rubric,omitempty"`   // id@version
	Degraded string   `json:"degraded,omitempty"` // why Status is degraded
	// Confidence is the judge's own, between 0 and 1; 0 = unknown. It decides nothing.
	Confidence float64 `json:"confidence,omitempty"`
	Improved   string  `json:"improved,omitempty"` // how the answer could be made better
	// Costs are what the candidate concluded that a solution costs, where the right answer is a cost: one of a measure at most.
	Costs []Cost `json:"costs,omitempty"`
	// Parts are what each evaluator of a composite said; Score is the weighted mean of those that were assessed.
	Parts []Part `json:"parts,omitempty"`
}

// Unassessed is an evaluation of which nothing is known yet but whose it is, on the scale of the built-in evaluators.
func Unassessed(by, rubric string) Evaluation {
	return Evaluation{Status: StatusNotAssessed, Decision: DecisionContinue, Min: ScaleMin, Max: ScaleMax, By: by, Rubric: rubric}
}

// Part is what one evaluator of a composite said, on its own scale.
type Part struct {
	ID     string `json:"id"`
	By     string `json:"by"`
	Rubric string `json:"rubric,omitempty"` // id@version
	// Weight is that of the composite's file: its share is Weight over the weights of all parts that were assessed.
	Weight   float64 `json:"weight"`
	Status   string  `json:"status"`
	Score    float64 `json:"score"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Norm     float64 `json:"norm"`
	Feedback string  `json:"feedback,omitempty"`
	Missing  string  `json:"missing,omitempty"` // why it is not assessed: it is in no mean then (RX-14)
	Marks    []Mark  `json:"marks,omitempty"`
}

// Quote is evidence: words of a turn, letter by letter.
type Quote struct {
	Turn uint64 `json:"turn"`
	Text string `json:"text"`
}

// Cost is a cost that the candidate stands by.
type Cost struct {
	Of        string `json:"of"`                  // time or space
	Form      string `json:"form"`                // in the one form of package conclusion: n log n
	Condition string `json:"condition,omitempty"` // under which it holds, such as average; empty = none was named
	Quote     Quote  `json:"quote"`
}

// Mark is the level that one criterion of a rubric was given.
type Mark struct {
	Criterion string  `json:"criterion"`
	Status    string  `json:"status"` // ok or not_assessed
	Level     int     `json:"level,omitempty"`
	Min       int     `json:"min"`
	Max       int     `json:"max"`
	Norm      float64 `json:"norm"`
	Evidence  []Quote `json:"evidence,omitempty"`
}

// Flags of an evaluation.
const (
	FlagClamped         = "score_clamped"    // the score was outside its scale
	FlagUnknownDecision = "unknown_decision" // read as continue
	FlagInstructs       = "instructs_judge"  // words that instruct the judge were left out
	FlagUnverified      = "unverified_quote" // a quote that nobody said was dropped
	FlagBorderline      = "borderline"       // within half a point of the mark that passes
)

// Evaluator judges by rules; it is pure. An error means that the item cannot be judged by it at all.
type Evaluator interface {
	Name() string
	Evaluate(Item) (Evaluation, error)
}

// ErrByRules says that nothing of an item is for a model to judge, although others of the same judge may be: rules do.
var ErrByRules = errors.New("nothing of it is for a model to judge")

// Judge judges by a model: Ask says what to ask it, Read what its answer means. Both are pure. An error of Read says
// what is wrong with the answer, in words for structured.Repair.
type Judge interface {
	Name() string
	Ask(Item) (structured.Question, error)
	Read(Item, json.RawMessage) (Evaluation, error)
}
