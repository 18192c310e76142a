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
	// Locale is the language of the report; empty = that in which the interview began.
	Locale string `json:"locale,omitempty"`
	// Journal gives the times of speech, timers and interruptions. Without it there is no timeline and no pace.
	Journal []state.Entry `json:"journal,omitempty"`
	Began   time.Time     `json:"began,omitzero"`
	// Asked are the questions in order, for interviews that go by questions.
	Asked []Asked `json:"asked,omitempty"`
	// Expected is how many questions the interview should have had; 0 = no fixed number.
	Expected int `json:"expected,omitempty"`
	// Beside are judgements of whole stages that were made beside the talk; others of stages are in State.Evaluations.
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
	// Sections are the blocks to include, some of definition.Sections; none = all.
	Sections []string `json:"sections,omitempty"`
}

// Asked is one question, where it was answered, and how that was judged.
type Asked struct {
	Text  string   `json:"text"`
	Turns []uint64 `json:"turns,omitempty"` // the candidate's turns that answer it; none = unanswered
	Judged
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

// Reasons for which something was not assessed; words/ holds a sentence for each.
const (
	ReasonUnanswered  = "unanswered"
	ReasonOpen        = "question_open"
	ReasonPoor        = "transcript_poor"
	ReasonShort       = "answer_short"
	ReasonLate        = "late"
	ReasonFailed      = "failed"
	ReasonUnreadable  = "unreadable"
	ReasonNoJudge     = "no_judge"
	ReasonNothing     = "nothing_to_judge"
	ReasonUnquoted    = "no_evidence"
	ReasonSomeMissing = "some_missing"
	ReasonLeftOut     = "left_out"
	ReasonBrokenOff   = "broken_off"
)
