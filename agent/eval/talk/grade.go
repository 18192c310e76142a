package talk

import "time"

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
