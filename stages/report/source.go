package report

import (
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Source is what a report is made of. Definition and State are required; nothing in it is changed or kept.
type Source struct {
	Definition *definition.Definition `json:"-"`
	State      *state.UserData        `json:"state"`
	// Journal gives the times of speech, timers and interruptions. Without it there is no timeline and no pace.
	Journal []state.Entry `json:"journal,omitempty"`
	Began   time.Time     `json:"began,omitzero"`
	// Asked are the questions in order, for interviews that go by questions.
	Asked []Asked `json:"asked,omitempty"`
	// Expected is how many questions the interview should have had; 0 = no fixed number.
	Expected int `json:"expected,omitempty"`
	// Judged are the evaluations of Asked in the order in which they came; of two for one item the first counts. Those
	// of stages are in State.Evaluations.
	Judged []Judged `json:"judged,omitempty"`
	// Beside are judgements of whole stages that were made beside the talk.
	Beside []StageJudged `json:"beside,omitempty"`
	// Names are names of criteria in the interview's language, by id, beyond those that the package knows.
	Names map[string]string `json:"names,omitempty"`
	// Title is the interview's in the language of the report; empty = the definition's.
	Title string `json:"title,omitempty"`
	// Cost is what a good solution of the interview's problem costs; zero = there is no problem.
	Cost problem.Cost `json:"cost,omitzero"`
	// Rules tell answers from requests, refusals and questions; nil = every word of the candidate is an answer.
	Rules *understand.Rules `json:"-"`

	// Page says that the candidate finds the whole report on a page, so that the spoken summary may say so.
	Page       bool       `json:"page,omitempty"`
	Recording  *Recording `json:"recording,omitempty"`
	Provenance Provenance `json:"provenance"` // what Build cannot know: software, prompts, models
	Thresholds Thresholds `json:"thresholds,omitzero"`
	Gate       Gate       `json:"gate,omitzero"`
	// Sections are the blocks to include, by the names below; none = all.
	Sections []string `json:"sections,omitempty"`
}

// Asked is one question and where it was answered.
type Asked struct {
	ID    string   `json:"id"` // the item's
	Text  string   `json:"text"`
	Turns []uint64 `json:"turns,omitempty"` // the candidate's turns that answer it; none = unanswered
}

// Judged is the judgement of one item, or why there is none.
type Judged struct {
	Item       string              `json:"item"`
	Evaluation evaluate.Evaluation `json:"evaluation,omitzero"`
	Missing    string              `json:"missing,omitempty"` // a reason code: late, failed, unreadable or no_judge
}

// StageJudged is the judgement of one stage, or of a sub-phase of it.
type StageJudged struct {
	Stage string `json:"stage"`
	Phase string `json:"phase,omitempty"`
	Judged
}

// Thresholds say from which mean on something is a strength, and up to which it is something to improve; normalised,
// both inclusive. On a scale of 1 to 5 the defaults are 4.0 and 3.0 (acceptance R002-62).
type Thresholds struct {
	Strength float64 `json:"strength"`
	Area     float64 `json:"area"`
}

// DefaultThresholds are used for those of a Source that are zero.
var DefaultThresholds = Thresholds{Strength: 0.75, Area: 0.5}

// Gate is what a transcript must be at least for anybody to be judged by it.
type Gate struct {
	Confidence float64 `json:"confidence"` // mean of the recogniser's, by words
	Words      int     `json:"words"`      // of one answer
}

// DefaultGate is used for those limits of a Source that are zero. Recognisers give around 0.9 for clear speech; below one
// half every other word may be wrong. An answer of fewer than three words shows nothing.
var DefaultGate = Gate{Confidence: 0.5, Words: 3}

// The sections of a report.
const (
	SectionAverages     = "averages"
	SectionQuestions    = "per_question"
	SectionStages       = "per_stage"
	SectionStrengths    = "strengths"
	SectionImprovements = "improvements"
	SectionNextSteps    = "next_steps"
	SectionTimeline     = "timeline"
	SectionHints        = "hints"
	SectionCoverage     = "coverage"
	SectionDelivery     = "delivery"
	SectionTranscript   = "transcript"
	SectionProvenance   = "provenance"
)

// Sections lists all sections in the order in which a report shows them. Provenance is in every report.
func Sections() []string {
	return []string{
		SectionAverages, SectionStrengths, SectionImprovements, SectionNextSteps, SectionTimeline, SectionQuestions, SectionStages,
		SectionDelivery, SectionHints, SectionCoverage, SectionTranscript, SectionProvenance,
	}
}

// Reasons for which something was not assessed; words/ holds a sentence for each.
const (
	ReasonUnanswered  = "unanswered"
	ReasonPoor        = "transcript_poor"
	ReasonShort       = "answer_short"
	ReasonLate        = "late"
	ReasonFailed      = "failed"
	ReasonUnreadable  = "unreadable"
	ReasonNoResult    = "no_result"
	ReasonNoJudge     = "no_judge"
	ReasonNothing     = "nothing_to_judge"
	ReasonUnquoted    = "no_evidence"
	ReasonSomeMissing = "some_missing"
)
