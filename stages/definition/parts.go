package definition

import "time"

// Provider says who knows the company's phases and judges them. The company is a variable, so that dispatch metadata or
// a slot can set it; an unknown one gets the fallback (R000-38).
type Provider struct {
	Type     string `yaml:"type"`     // the interview type told to the provider, such as system_design
	Company  string `yaml:"company"`  // name of the variable that holds the company
	Fallback string `yaml:"fallback"` // the company when the variable is empty or unknown; default "default"
	// Question is the variable that receives the interview's question.
	Question string `yaml:"question"`
	// Wait bounds each call; default 8 s.
	Wait Duration `yaml:"wait"`
}

// Problems names the problem files of an algorithm interview.
type Problems struct {
	Set    string   `yaml:"set"`    // folder below problems/
	Pick   string   `yaml:"pick"`   // name of the variable that may hold a problem's id; empty there = by seed and difficulty
	Levels []string `yaml:"levels"` // difficulties to pick from; empty = all
}

// BoardField is one entry of the blackboard.
type BoardField struct {
	Type string `yaml:"type"` // text (default), list, number or flag
	// Secret fields reach neither speech, nor the candidate's page, nor a prompt that words speech (R003-31, RX-20).
	Secret bool `yaml:"secret"`
	// From fills the field at the start: problem.text, problem.pattern, …, or var.<name>.
	From string `yaml:"from"`
}

// Criterion is one thing an answer should cover.
type Criterion struct {
	ID     string  `yaml:"id"`     // unique in the stage; optional
	Phrase string  `yaml:"phrase"` // as written in a report
	Weight float64 `yaml:"weight"` // default 1
	// Aliases are other ways to say it, by language; "any" serves every language.
	Aliases map[string][]string `yaml:"aliases"`
}

// Gate judges a stage before it is left.
type Gate struct {
	By    string  `yaml:"by"`    // evaluator: provider, or a registered one such as keyword_coverage, checklist, llm_rubric, two_stage
	Else  string  `yaml:"else"`  // evaluator when By fails or is late; default the rules of By, or keyword_coverage
	Pass  float64 `yaml:"pass"`  // share of the full score that passes, inclusive; default 0.6
	Words string  `yaml:"words"` // whose words count: candidate (default) or both (R000-88)
	Match string  `yaml:"match"` // token (default) or substring (R000-89)
	// Attempts: failed judgements until the stage is left all the same, with the best score so far; default 3. Those that
	// come on their own (auto) count only where there is no model to call for them, from the candidate's fourth turn on.
	Attempts int      `yaml:"attempts"`
	Hold     Duration `yaml:"hold"`   // after this wait the hold prompt is said; default 2 s
	Budget   Duration `yaml:"budget"` // after this wait Else decides; default: the interview's recovery.budget
	// Every is how many candidate turns must lie between two judgements; default 2.
	Every int `yaml:"every"`
	// Turns is how many answers the stage takes where nobody but a count of keywords could judge it: that count then decides nothing and
	// is kept for the report. 0 = it decides.
	Turns int `yaml:"turns"`
	// Auto judges on its own every so many turns, so that progress does not depend on a model; default 2, -1 = never.
	Auto       int    `yaml:"auto"`
	Rubric     string `yaml:"rubric"`      // id of the rubric for llm_rubric
	HoldPrompt string `yaml:"hold_prompt"` // prompt id: said while a judgement is on its way
	Passed     string `yaml:"passed"`      // prompt id: said before the next stage opens
	Continue   string `yaml:"continue"`    // prompt id: asks for one topic that is missing, .Gap
}

// Skip says whether a candidate may leave a stage out.
type Skip struct {
	// Rule: never (default), allowed, or forward (a later sub-phase may be taken; those between count as skipped).
	Rule string `yaml:"rule"`
	// Refuse and Allow are the prompt ids of the two answers. Refuse says why the stage matters, and how little time it takes.
	Refuse string `yaml:"refuse"`
	Allow  string `yaml:"allow"`
	Offer  string `yaml:"offer"` // prompt id: offers help, at the last refusal but one (R003-63)
	After  int    `yaml:"after"` // refusals until the stage ends as incomplete; default 3
	// Reorder lets the candidate or the model take the sub-phases in another order (R000-78), Parallel lets two be open
	// together (R000-80): pairs of phase ids.
	Reorder  bool       `yaml:"reorder"`
	Parallel [][]string `yaml:"parallel"`
}

// Edge is a way out of a stage.
type Edge struct {
	When Guard  `yaml:"when"` // left out: always
	To   string `yaml:"to"`   // id of a stage further on
}

// Input says which turns are answers (R003-71 … R003-78). The zero value takes everything.
type Input struct {
	Check bool `yaml:"check"` // apply the rules below
	// ShortBelow: fewer letters than this is too short; default 5.
	ShortBelow int `yaml:"short_below"`
	// RepeatWindow: the same as one of so many turns before is a repetition; default 3.
	RepeatWindow int `yaml:"repeat_window"`
	// Help: so many invalid turns in a row turn on help mode; default 3.
	Help int `yaml:"help"`
	// OffTopic tests turns against the stage's and problem's words.
	OffTopic bool   `yaml:"off_topic"`
	Empty    string `yaml:"empty"`     // prompt id of the reply to a turn without words
	Short    string `yaml:"short"`     // prompt id of the reply to one that is too short
	Repeated string `yaml:"repeated"`  // prompt id of the reply to a repetition
	Off      string `yaml:"off"`       // prompt id of the reply to one off the topic; the question follows in other words
	HelpMode string `yaml:"help_mode"` // prompt id of what begins help; a hint follows
	// Lexicons are named word lists by language, for mentions guards and short answers.
	Lexicons map[string]map[string][]string `yaml:"lexicons"`
}

// Recovery is what happens while somebody is waited for, and after errors.
type Recovery struct {
	Hold Duration `yaml:"hold"` // silence after which the hold prompt is said once; default 1.5s
	// HoldPrompt and Sorry are prompt ids: while waiting, and after an error that is nobody's fault (R003-91).
	HoldPrompt string `yaml:"hold_prompt"`
	Sorry      string `yaml:"sorry"`
	// Budget bounds one call by a gate's evaluator; default 8s.
	Budget Duration `yaml:"budget"`
}

// Budget bounds the use of models.
type Budget struct {
	SessionTokens int `yaml:"session_tokens"` // in all; 0 = no limit
}

// The values of Stage.Responder.
const (
	Conversational = "conversational"
	ByExperts      = "experts"
	Scripted       = "scripted"
	ByReport       = "report"
)

// Attachment is a judgement beside the talk. Its result changes nothing in the interview but what the report says.
type Attachment struct {
	ID string `yaml:"id"` // unique in the file
	// On is when something is judged: answer (each answer to a question; default), or stage (a stage, when it is left).
	On string `yaml:"on"`
	// Stages are the ids of the stages that it applies to; none = all but the goodbye.
	Stages []string `yaml:"stages"`
	By     string   `yaml:"by"` // evaluator, as in a gate, but for provider
	// Rubric is the id of the rubric that judges go by; empty = the evaluator's own.
	Rubric string `yaml:"rubric"`
	// Reference replaces the stage's own.
	Reference string   `yaml:"reference"`
	Pass      float64  `yaml:"pass"`     // share of the full score that passes, inclusive; default 0.6
	Budget    Duration `yaml:"budget"`   // one attempt; default 30s
	Attempts  int      `yaml:"attempts"` // tries at most; default 3
}

// The values of Attachment.On.
const (
	OnAnswer = "answer"
	OnStage  = "stage"
)

// Defaults of attachments and reports (acceptance R002-48).
const (
	DefaultJudgeBudget   = 30 * time.Second
	DefaultJudgeAttempts = 3
	DefaultReportWait    = 30 * time.Second
	DefaultQuestions     = 5
)

// Report says how a report is made.
type Report struct {
	// Wait is how long a finished interview waits for judgements that are still out; default 30s (R002-48).
	Wait Duration `yaml:"wait"`
	// Spoken says whether the stage with responder: report tells a summary of at most 45 s; default true (R002-56).
	Spoken *bool `yaml:"spoken"`
	// Sections are the blocks of the report; none = all.
	Sections []string `yaml:"sections"`
	// Questions is how many there are to be; 0 = no fixed number.
	Questions int `yaml:"questions"`
	// Code is the field whose last text the report shows as the candidate's code; empty = none.
	Code string `yaml:"code"`
}

// Recording says what the candidate must have agreed to before sound is kept.
type Recording struct {
	// Stage and Slot are where consent is asked for by voice: once the slot is filled with Value, it was given. The page and
	// dispatch metadata can give it before.
	Stage string `yaml:"stage"`
	Slot  string `yaml:"slot"`
	Value string `yaml:"value"` // default "yes"
	// Notice is the prompt id of what is said before recording begins when consent was given beforehand.
	Notice string `yaml:"notice"`
}

// Personas lets the candidate choose who interviews, by voice, on the page or by dispatch metadata (R002-3 … R002-7).
type Personas struct {
	Menu      string `yaml:"menu"`      // id of the stage that offers them; left out when a persona is set already
	Questions string `yaml:"questions"` // id of the stage in which the chosen one asks
	Count     int    `yaml:"count"`     // questions; default 5 (R002-25)
}

// The values of Skip.Rule.
const (
	SkipNever   = "never"
	SkipAllowed = "allowed"
	SkipForward = "forward"
)
