package twostage

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// FeedbackColumns lists the seven columns that an evaluation adds to a table, in order (R004-35, R004-36).
func FeedbackColumns() []string {
	return []string{
		"construction_score", "construction_feedback", "reasoning_score", "reasoning_feedback", "overall_score", "overall_correct",
		"two_stage_feedback",
	}
}

// Values of Result.Status: a score of 0 by merit is ok, one because nothing could be judged is failed (R004-40).
const (
	StatusOK     = "ok"
	StatusFailed = "failed"
)

// Result is the judgement of a sample. Scores lie between 0 and 1.
type Result struct {
	ConstructionScore    float64  `json:"construction_score"`
	ConstructionFeedback string   `json:"construction_feedback"`
	ReasoningScore       float64  `json:"reasoning_score"`
	ReasoningFeedback    string   `json:"reasoning_feedback"`
	OverallScore         float64  `json:"overall_score"`
	OverallCorrect       bool     `json:"overall_correct"`
	TwoStageFeedback     string   `json:"two_stage_feedback"`
	Status               string   `json:"status,omitempty"`
	Error                string   `json:"row_error,omitempty"` // why Status is failed
	Metadata             Metadata `json:"metadata,omitzero"`
}

// Metadata is what the scores rest on, for programs (R004-38, R004-60).
type Metadata struct {
	EntitiesFound       int      `json:"entities_found"`
	StateVariablesFound int      `json:"state_variables_found"`
	ActionsFound        int      `json:"actions_found"`
	ConstraintsFound    int      `json:"constraints_found"`
	Missing             []string `json:"missing_sections,omitempty"`
	GoodEnough          bool     `json:"construction_good_enough"`
	// Read is how the construction was read: xml, lenient, spoken, none, or fallback where both scores follow correctness.
	Read                   string   `json:"construction_read,omitempty"`
	ConstructionConfidence float64  `json:"construction_confidence"`
	ReasoningConfidence    float64  `json:"reasoning_confidence"`
	Kind                   string   `json:"kind,omitempty"`
	Predicted              string   `json:"predicted,omitempty"`
	Expected               string   `json:"expected,omitempty"`
	Conclusions            []string `json:"conclusions,omitempty"`
	Steps                  int      `json:"steps,omitempty"`
	Structured             bool     `json:"structured,omitempty"`
	Gaps                   []Gap    `json:"gaps,omitempty"`
	Rubric                 string   `json:"rubric"`
}

// Codes of gaps.
const (
	GapMissingSection = "missing_section" // subject: the section
	GapUnreadable     = "unreadable"      // subject: why
	GapWrong          = "wrong_conclusion"
	GapAmbiguous      = "ambiguous_conclusion"
	GapConflict       = "conflicting_conclusion" // subject: the reasoning's conclusion
	GapSkippedStep    = "skipped_step"           // subject: the number
)

// Gap is one thing that is wrong, in a form that programs can act on.
type Gap struct {
	Stage   string `json:"stage"` // construction or reasoning
	Code    string `json:"code"`
	Subject string `json:"subject,omitempty"`
}

// readFallback says that no construction was read, because none was asked for.
const readFallback = "fallback"

func metadata(c Construction, r Reasoning, rubric string) Metadata {
	m := Metadata{
		EntitiesFound: c.Found[Entities], StateVariablesFound: c.Found[StateVariables],
		ActionsFound: c.Found[Actions], ConstraintsFound: c.Found[Constraints],
		Missing: c.Missing, GoodEnough: c.GoodEnough, Read: c.Read,
		ConstructionConfidence: round(c.Confidence), ReasoningConfidence: round(r.Confidence),
		Kind: r.Kind, Predicted: r.Predicted, Expected: r.Expected, Conclusions: r.Conclusions,
		Steps: r.Steps, Structured: r.Structured(), Rubric: rubric,
	}
	add := func(stage, code, subject string) { m.Gaps = append(m.Gaps, Gap{stage, code, subject}) }
	for _, id := range c.Missing {
		add(ColumnConstruction, GapMissingSection, id)
	}
	if c.problem != "" {
		add(ColumnConstruction, GapUnreadable, c.problem)
	}
	if !r.Correct {
		add(ColumnReasoning, GapWrong, "")
	}
	if r.Ambiguous {
		add(ColumnReasoning, GapAmbiguous, "")
	}
	if r.Conflict {
		add(ColumnReasoning, GapConflict, r.Conclusions[0])
	}
	if r.Skipped > 0 {
		add(ColumnReasoning, GapSkippedStep, fmt.Sprint(r.Skipped))
	}
	return m
}

// CombinedFeedback writes the three parts: overall, construction, reasoning, each with its score, the last two with
// their feedback (R004-37). The parts themselves hold no pipe.
func CombinedFeedback(r Result) string {
	return fmt.Sprintf("Overall Score: %s | Construction: %s - %s | Reasoning: %s - %s", twoDecimals(r.OverallScore),
		twoDecimals(r.ConstructionScore), withoutPipes(r.ConstructionFeedback),
		twoDecimals(r.ReasoningScore), withoutPipes(r.ReasoningFeedback))
}

// twoDecimals rounds half up: 0.875 is 0.88.
func twoDecimals(v float64) string { return fmt.Sprintf("%.2f", math.Floor(v*100+0.5+1e-9)/100) }

func round(v float64) float64 { return math.Round(v*100) / 100 }

func withoutPipes(text string) string { return strings.ReplaceAll(text, "|", "¦") }

// maxShown bounds a value within feedback, in characters.
const maxShown = 80

// shorten puts a value on one line and cuts it where it is long.
func shorten(value string) string { return shortenTo(value, maxShown) }

func shortenTo(value string, most int) string {
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cut(value, 8*most))
	runes := []rune(withoutPipes(strings.Join(strings.Fields(value), " ")))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// Failed is the result of what could not be judged: every score 0, not correct, status failed, and why (R004-39).
func (e *Evaluator) Failed(err error) Result {
	why := shortenTo(err.Error(), 3*maxShown)
	r := Result{
		ConstructionFeedback: e.words.say("failed", "why", why), ReasoningFeedback: e.words.say("failed", "why", why),
		Status: StatusFailed, Error: why, Metadata: Metadata{Rubric: e.pin},
	}
	r.TwoStageFeedback = CombinedFeedback(r)
	return r
}
