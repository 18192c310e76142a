// Package talk is what an eval knows of one interview that was held: who said what, when, and what a judge made of it. It is
// data alone, shared by those who hold talks, grade them and show them.
package talk

import (
	"fmt"
	"time"
)

// Side is who held the interview.
type Side string

// The sides.
const (
	Viva  Side = "viva"  // the engine, worded by a model where there is one
	Plain Side = "plain" // the same model with a prompt of ten lines and no engine
)

// Speaker says whose line it is.
type Speaker string

// The speakers.
const (
	Interviewer Speaker = "interviewer"
	Candidate   Speaker = "candidate"
	// Happening is no speech: silence of the candidate, a part that begins, code that was typed, somebody who leaves.
	Happening Speaker = "happening"
)

// Occurrence is what a happening was.
type Occurrence string

// The occurrences. A judge who compares two talks blindly is shown silences, typed code and who leaves, and no parts: only an
// engine has them.
const (
	Silence Occurrence = "silence" // the candidate says nothing for longer than the interviewer waits
	Begins  Occurrence = "begins"  // a stage or a part begins
	Typed   Occurrence = "typed"   // the candidate's editor changed
	Leaves  Occurrence = "leaves"  // somebody goes, or comes back
)

// Line is one utterance, or something that happened, in the order of the talk.
type Line struct {
	N       int           `json:"n"` // from 1; verdicts refer to it
	Speaker Speaker       `json:"speaker"`
	What    Occurrence    `json:"what,omitempty"` // of happenings
	Text    string        `json:"text"`
	At      time.Duration `json:"at"`    // on the talk's own clock, when it began; nanoseconds
	Until   time.Duration `json:"until"` // when it ended
	Cut     bool          `json:"cut,omitempty"`
	Stage   string        `json:"stage,omitempty"`
	Part    string        `json:"part,omitempty"` // sub-phase
	// By says who found the interviewer's words: model, or script.
	By string `json:"by,omitempty"`
	// Degraded says why a script stood in for a model.
	Degraded string `json:"degraded,omitempty"`
	Code     string `json:"code,omitempty"` // what the candidate's editor held after this
}

// Clock is a time in a talk, in minutes and seconds.
func Clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Check is a deterministic check of a talk: an invariant of the engine, or a rule about its words.
type Check struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail,omitempty"`
	Line   int    `json:"line,omitempty"` // 0 = of the whole talk
}

// Talk is one interview that was held.
type Talk struct {
	Scenario  string        `json:"scenario"` // id: the file's name without its ending, a slash, and the label as a slug
	Interview string        `json:"interview"`
	Locale    string        `json:"locale"`
	Side      Side          `json:"side"`
	Model     string        `json:"model"` // that words the interview; "scripted" for rules alone
	Lines     []Line        `json:"lines"`
	Ended     string        `json:"ended"`            // why it ended
	Took      time.Duration `json:"took"`             // on its own clock
	Report    string        `json:"report,omitempty"` // Markdown; "" where the interview ends without one
	Checks    []Check       `json:"checks,omitempty"`
	// Requests are the questions put to models during the talk, judging not counted.
	Requests int `json:"requests"`
	// Voice is measured where the talk was held aloud; nil in virtual time.
	Voice *Voice `json:"voice,omitempty"`
}

// Voice is what the candidate's ears measured in a talk that was held aloud, in a real room.
type Voice struct {
	Responses  []time.Duration `json:"responses"` // end of the candidate's speech to the first voice, one a turn
	Overlaps   int             `json:"overlaps"`  // how often both were audible at once against the candidate's will
	Overlapped time.Duration   `json:"overlapped"`
	Missing    int             `json:"missing"` // turns nobody answered
}

// Verdict is what became of an expectation.
type Verdict string

// The verdicts. NotShown says that the talk never came to where the expectation could be met; it counts neither way.
const (
	Pass     Verdict = "pass"
	Fail     Verdict = "fail"
	NotShown Verdict = "not_shown"
)

// Expectation is one line of a scenario's agent_expectations and what a judge found.
type Expectation struct {
	Text    string  `json:"text"`
	Verdict Verdict `json:"verdict"`
	Line    int     `json:"line,omitempty"` // the line of the talk that decides it; 0 = none alone
	Quote   string  `json:"quote,omitempty"`
	Why     string  `json:"why"`
}

// Rating is what one reaction of the interviewer was worth to the candidate: 1 (deaf, wrong or rude) to 5 (an excellent
// human interviewer).
type Rating struct {
	Line  int    `json:"line"`
	Level int    `json:"level"`
	Why   string `json:"why,omitempty"`
}

// Finding is something in the talk that the judge points at.
type Finding struct {
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Why   string `json:"why"`
	// TakenUp is for slips of the candidate: the interviewer asked about it, corrected it or came back to it.
	TakenUp bool `json:"taken_up,omitempty"`
}

// Grade is a judge's view of one talk.
type Grade struct {
	Judge        string        `json:"judge"` // the model that judged
	Expectations []Expectation `json:"expectations"`
	Reactions    []Rating      `json:"reactions"`
	Untrue       []Finding     `json:"untrue,omitempty"` // false statements by the interviewer
	Slips        []Finding     `json:"slips,omitempty"`  // of the candidate: what contradicts an earlier number, claim or choice of its own
	Summary      string        `json:"summary,omitempty"`
	// Invalid are verdicts of the judge that were dropped, because a line or a quote they rest on is not in the talk.
	Invalid int `json:"invalid,omitempty"`
}

// Choice says which of two talks served the candidate better.
type Choice string

// The choices.
const (
	PrefersViva  Choice = "viva"
	PrefersPlain Choice = "plain"
	PrefersNone  Choice = "none"
)

// Preference is a blind comparison of two talks of one scenario, made twice, each talk once in first place.
type Preference struct {
	First  Choice `json:"first"`  // with Viva's talk shown first
	Second Choice `json:"second"` // with the plain talk shown first
	Why    string `json:"why"`
}

// Wins is Viva's share of the preference: 1, 0.5 or 0. Judgements that differ with the order, and draws, count a half.
func (p Preference) Wins() float64 {
	w := 0.0
	for _, c := range []Choice{p.First, p.Second} {
		switch c {
		case PrefersViva:
			w += 0.5
		case PrefersNone:
			w += 0.25
		}
	}
	return w
}

// Outcome is all that came of one scenario.
type Outcome struct {
	Scenario   string            `json:"scenario"`
	Label      string            `json:"label"`
	File       string            `json:"file"`
	Tags       map[string]string `json:"tags,omitempty"`
	Interview  string            `json:"interview"`
	Locale     string            `json:"locale"`
	Talk       *Talk             `json:"talk"`
	Grade      *Grade            `json:"grade,omitempty"` // nil: nobody judged
	Plain      *Talk             `json:"plain,omitempty"`
	PlainGrade *Grade            `json:"plain_grade,omitempty"`
	Preference *Preference       `json:"preference,omitempty"`
	Error      string            `json:"error,omitempty"` // why there is no talk, or no grade
}

// Run is one run of an eval.
type Run struct {
	Version     string    `json:"version"` // of Viva
	Began       time.Time `json:"began"`
	Interviewer string    `json:"interviewer"` // model, or "scripted"
	Candidate   string    `json:"candidate"`   // model, or "lines"
	Judge       string    `json:"judge"`       // model, or "none"
	Against     string    `json:"against,omitempty"`
	Outcomes    []Outcome `json:"outcomes"` // in the order of files and scenarios
}
