package report

import (
	"time"

	"github.com/vivavoice/viva/state"
)

// Version names the form of a report. It changes when a consumer would have to.
const Version = "viva.report/1"

// Millis is state.Millis: milliseconds since the interview began, or a span.
type Millis = state.Millis

// Report is all that is told about one interview. Times are milliseconds since it began.
type Report struct {
	Version   string    `json:"version"` // the form of the report
	Session   string    `json:"session"`
	Kind      string    `json:"kind"`
	Title     string    `json:"title"`  // of the interview
	Locale    string    `json:"locale"` // BCP 47 tag
	Candidate string    `json:"candidate,omitempty"`
	Role      string    `json:"role,omitempty"`
	Persona   string    `json:"persona,omitempty"`
	Began     time.Time `json:"began,omitzero"`
	// Duration of the talk up to the report, in ms.
	Duration Millis `json:"duration"`
	// Ongoing says that the talk had not ended when the report was made: what was said after that is not in it.
	Ongoing bool `json:"ongoing,omitempty"`
	// Status is complete, partial (something was not assessed or the candidate left early) or unscored (no score at all).
	Status string `json:"status"`
	Notes  []Note `json:"notes"` // what a reader has to know before the scores
	// Overall is the mean over all that was assessed; absent without any, and where too little was (note no_overall).
	Overall  *Average  `json:"overall,omitempty"`
	Averages []Average `json:"averages,omitempty"`

	Questions    []Question `json:"per_question,omitempty"`
	Stages       []Stage    `json:"per_stage,omitempty"`
	Strengths    []Finding  `json:"strengths,omitempty"`
	Improvements []Finding  `json:"improvements,omitempty"`
	NextSteps    []Step     `json:"next_steps,omitempty"`
	Hints        []Hint     `json:"hints,omitempty"`
	Coverage     *Coverage  `json:"coverage,omitempty"`
	Timeline     *Timeline  `json:"timeline,omitempty"`
	Delivery     *Delivery  `json:"delivery,omitempty"`
	Transcript   []Turn     `json:"transcript,omitempty"`
	Quality      Quality    `json:"quality"`
	Recording    *Recording `json:"recording,omitempty"`
	Provenance   Provenance `json:"provenance"`
	// Spoken is the summary for the voice: 45 s at most.
	Spoken string `json:"spoken"`
	// Withheld are those texts of the report that would tell the candidate what the interview hides. They are in none of what
	// the candidate gets, and this list is not either (acceptance RX-20).
	Withheld []string `json:"withheld,omitempty"`
}

// The values of Report.Status.
const (
	Complete = "complete"
	Partial  = "partial"
	Unscored = "unscored"
)

// Note is a remark with a code for programs and a sentence for people.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Score is a value on its native scale and, as norm, between 0 and 1 (acceptance RX-13).
type Score struct {
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Norm  float64 `json:"norm"`
}

// Average is the mean of one criterion, or of all, over those answers in which it was assessed.
type Average struct {
	Criterion string `json:"criterion"`
	Name      string `json:"name"`
	Score     Score  `json:"score"`
	// Count of Of answers were assessed; the others are in no mean.
	Count int `json:"count"`
	Of    int `json:"of"`
	// Mixed says that the scores came on different scales, so that only the normalised values were averaged: 0 to 1.
	Mixed bool `json:"mixed,omitempty"`
	// Parts says that parts of the interview were assessed, and no single answers.
	Parts bool `json:"parts,omitempty"`
}

// Question is one question with its answer and what was judged about it.
type Question struct {
	ID      string   `json:"id"`
	Number  int      `json:"number"` // from 1
	Text    string   `json:"text"`
	Answer  string   `json:"answer"`
	Excerpt bool     `json:"excerpt,omitempty"` // more was said to it: what was said before, asked or felt is left out
	Turns   []uint64 `json:"turns"`             // of the answer, in the transcript
	At      Millis   `json:"at"`                // when the answer began
	Assessment
}

// Assessment is a judgement as it is reported.
type Assessment struct {
	Assessed bool `json:"assessed"`
	// Reason says why nothing was assessed, or why it is incomplete.
	Reason *Note `json:"reason,omitempty"`
	// Score is the judge's own, which weighs the marks as its rubric does, on their scale if they share one; the plain mean of
	// the marks where it cannot be theirs.
	Score *Score `json:"score,omitempty"`
	Marks []Mark `json:"marks,omitempty"`
	// Parts are what several judges said, each on its own scale, where a composite asked them.
	Parts    []Part   `json:"parts,omitempty"`
	Feedback string   `json:"feedback,omitempty"`
	Improved string   `json:"improved,omitempty"` // how the answer could be made better
	Hits     []string `json:"hits,omitempty"`
	Gaps     []string `json:"gaps,omitempty"`
	Evidence []Quote  `json:"evidence,omitempty"` // beyond that of the marks
	Flags    []string `json:"flags,omitempty"`
	Degraded string   `json:"degraded,omitempty"` // why somebody else judged than should have
	By       string   `json:"by,omitempty"`
	Rubric   string   `json:"rubric,omitempty"` // id@version

	unsure       bool   // the judge was not sure
	uncalibrated string // the rubric, where nobody knows that its scores agree with people's
}

// Mark is the level of one criterion.
type Mark struct {
	Criterion string  `json:"criterion"`
	Name      string  `json:"name"`
	Score     *Score  `json:"score,omitempty"` // absent: not assessed
	Reason    *Note   `json:"reason,omitempty"`
	Evidence  []Quote `json:"evidence,omitempty"`
}

// Part is what one judge of a composite said.
type Part struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Share  float64 `json:"share,omitempty"` // of the score, 0 to 1; 0 = not assessed, so it is in no mean
	Score  *Score  `json:"score,omitempty"` // absent: not assessed
	Marks  []Mark  `json:"marks,omitempty"`
	By     string  `json:"by,omitempty"`
	Rubric string  `json:"rubric,omitempty"` // id@version
}

// Quote is what the candidate said, letter by letter, and about when (ms; estimated within the turn).
type Quote struct {
	Turn uint64 `json:"turn"`
	Text string `json:"text"`
	At   Millis `json:"at"`
}

// Stage is one stage, or one sub-phase of it, with its latest visit's figures; time and counts are those of all visits.
type Stage struct {
	ID            string `json:"id"`
	Item          string `json:"item,omitempty"` // sub-phase
	Title         string `json:"title"`
	Status        string `json:"status"` // held, skipped or not_reached
	Visits        int    `json:"visits"`
	Time          Millis `json:"time"`
	Turns         int    `json:"turns"`   // the candidate's
	Answers       int    `json:"answers"` // those among them that answer something: no request, no refusal, no question
	FollowUps     int    `json:"follow_ups"`
	Interruptions int    `json:"interruptions"`
	Left          *Note  `json:"left,omitempty"` // why it was left
	Judged        bool   `json:"judged"`         // somebody was asked to judge it
	Decision      string `json:"decision,omitempty"`
	Attempts      int    `json:"attempts,omitempty"`
	// First is the score of the first attempt where a later one came out otherwise: the latest counts.
	First  *Score  `json:"first,omitempty"`
	Hints  *int    `json:"hints,omitempty"` // that were given, where there are any to be had
	Points []Point `json:"points,omitempty"`
	Code   *Code   `json:"code,omitempty"`
	Assessment
}

// Point is one thing that came of a part: what was told, covered, held to be so, or left open.
type Point struct {
	// Kind is told (a fact or an answer), covered (a criterion that was met), asked (a question that was answered; whether
	// rightly was not checked), right or wrong (a claim that was checked), or open (what did not come up; it has no quote).
	Kind string `json:"kind"`
	Name string `json:"name"` // empty: the quote stands for itself
	// Level is how well a criterion was met: 1 touched, 2 sound, 3 strong; Before is its first level where that was another.
	Level  int    `json:"level,omitempty"`
	Before int    `json:"before,omitempty"`
	Quote  *Quote `json:"quote,omitempty"`
	// Why says what makes a claim right or wrong. Settled says that a wrong one did not stay so: Mended is what the candidate said later,
	// where there are words of theirs to quote.
	Why     string `json:"why,omitempty"`
	Settled bool   `json:"settled,omitempty"`
	Mended  *Quote `json:"mended,omitempty"`
	Text    string `json:"text"` // the point as a sentence
}

// The values of Point.Kind.
const (
	PointTold    = "told"
	PointCovered = "covered"
	PointAsked   = "asked"
	PointRight   = "right"
	PointWrong   = "wrong"
	PointOpen    = "open"
)

// Code is the last version of what the candidate wrote.
type Code struct {
	Text  string `json:"text"`
	Lines int    `json:"lines"`
}

// The values of Stage.Status.
const (
	Held       = "held"
	Skipped    = "skipped"
	NotReached = "not_reached"
)

// Finding is a strength or something to improve, with what it rests on.
type Finding struct {
	Criterion string `json:"criterion,omitempty"`
	Name      string `json:"name"`
	Question  int    `json:"question,omitempty"` // 0: it is about all answers
	Score     Score  `json:"score,omitzero"`     // absent where nothing was scored
	// Basis is threshold (the mean lies beyond it), ranked (highest or lowest of those between), evidence (the scores
	// are even, and this is what was shown best or least), or checked (a point of a part, without a score).
	Basis    string  `json:"basis"`
	Text     string  `json:"text"`
	Evidence []Quote `json:"evidence,omitempty"`
}

// The values of Finding.Basis.
const (
	ByThreshold = "threshold"
	ByRank      = "ranked"
	ByEvidence  = "evidence"
	ByCheck     = "checked"
)

// Step is something that the candidate can do next.
type Step struct {
	Criterion string `json:"criterion,omitempty"`
	Text      string `json:"text"`
	Questions []int  `json:"questions,omitempty"` // to try again with
}

// Hint says how much help a stage needed.
type Hint struct {
	Stage     string `json:"stage"`
	Title     string `json:"title"`
	Level     int    `json:"level"` // hints given, each stronger than the one before
	Supported bool   `json:"supported,omitempty"`
	Help      bool   `json:"help,omitempty"`
}

// Coverage says how much of the interview took place.
type Coverage struct {
	Expected int `json:"expected,omitempty"` // questions planned; 0 = not a fixed number
	Asked    int `json:"asked"`
	Answered int `json:"answered"`
	Assessed int `json:"assessed"`
	Answers  int `json:"answers"` // given in the whole talk, to whatever was asked
	Stages   int `json:"stages"`  // those before the goodbye
	Held     int `json:"held"`
	Skipped  int `json:"skipped"`
	// Ended is why the interview ended; Early says that it was before its end.
	Ended *Note `json:"ended,omitempty"`
	Early bool  `json:"early"`
}

// Timeline is who spoke when, and what happened meanwhile.
type Timeline struct {
	Duration Millis  `json:"duration"`
	Spans    []Span  `json:"spans"`
	Stages   []Phase `json:"stages"`
	Marks    []Event `json:"marks"`
}

// Span is a stretch of speech.
type Span struct {
	Speaker string `json:"speaker"` // candidate or agent
	From    Millis `json:"from"`
	To      Millis `json:"to"`
	Turn    uint64 `json:"turn,omitempty"` // 0: it became no turn
	Cut     bool   `json:"cut,omitempty"`  // it was interrupted
}

// Phase is a stretch in which one stage was on the floor.
type Phase struct {
	Stage string `json:"stage"`
	Title string `json:"title"`
	Visit uint64 `json:"visit"`
	From  Millis `json:"from"`
	To    Millis `json:"to"`
	Left  *Note  `json:"left,omitempty"`
}

// Event is a moment worth seeing.
type Event struct {
	At     Millis `json:"at"`
	Kind   string `json:"kind"` // handoff, interruption, timer, silence, away, back, no_words or end
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
}

// Delivery describes how the candidate spoke. It is no score, and no part of one.
type Delivery struct {
	Words          int     `json:"words"`
	Speaking       Millis  `json:"speaking"`
	WordsPerMinute float64 `json:"words_per_minute,omitempty"` // 0 = unknown
	Share          float64 `json:"share,omitempty"`            // of all speech, 0 to 1
	FillersPer100  float64 `json:"fillers_per_100"`
	Fillers        []Count `json:"fillers,omitempty"`
	Pauses         int     `json:"pauses"` // within answers, of a second or more
	LongestPause   Millis  `json:"longest_pause"`
	Response       Millis  `json:"response,omitempty"` // median time until the candidate began to answer
	Answers        []Pace  `json:"answers,omitempty"`
}

// Count is how often a word came.
type Count struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// Pace describes one spoken turn of the candidate.
type Pace struct {
	Turn           uint64  `json:"turn"`
	Question       int     `json:"question,omitempty"`
	At             Millis  `json:"at"`
	Response       Millis  `json:"response"` // from the end of the interviewer's words; -1 = unknown
	Speaking       Millis  `json:"speaking"`
	Words          int     `json:"words"`
	WordsPerMinute float64 `json:"words_per_minute"`
	Fillers        int     `json:"fillers"`
	Pauses         int     `json:"pauses"`
	LongestPause   Millis  `json:"longest_pause"`
	// Reply is how long the interviewer then took to speak; -1 = it did not.
	Reply Millis `json:"reply"`
}

// Turn is one line of the transcript.
type Turn struct {
	ID          uint64 `json:"id"`
	Speaker     string `json:"speaker"` // candidate or agent
	Stage       string `json:"stage"`
	At          Millis `json:"at"` // when it began
	To          Millis `json:"to"`
	Text        string `json:"text"`
	Typed       bool   `json:"typed,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
}

// Quality says whether the transcript is good enough to judge anybody by.
type Quality struct {
	OK         bool    `json:"ok"`
	Confidence float64 `json:"confidence,omitempty"` // mean of the recogniser's, by words; 0 = it gave none
	Words      int     `json:"words"`                // the candidate's
}

// Recording is the sound of the interview.
type Recording struct {
	URL      string `json:"url,omitempty"` // relative, or absolute on the same origin
	Offset   Millis `json:"offset"`        // of its first sample, from the beginning of the interview
	Duration Millis `json:"duration,omitempty"`
}

// Provenance says what made the report (acceptance RX-19).
type Provenance struct {
	Software          string            `json:"software"` // name and version of the program
	Definition        string            `json:"definition"`
	DefinitionVersion string            `json:"definition_version,omitempty"`
	DefinitionHash    string            `json:"definition_hash"`
	Prompts           string            `json:"prompts"` // catalogue and its version
	Rubrics           []string          `json:"rubrics"` // id@version, those that scores rest on
	Judges            []string          `json:"judges"`  // evaluators by name
	Models            map[string]string `json:"models"`  // by role
	// Refused says, by role, for which form of request the role's model was refused, so that rules or scripted words stood in.
	Refused    map[string]string `json:"refused,omitempty"`
	Thresholds Thresholds        `json:"thresholds"`
}

// Thresholds say from which mean on something is a strength, and up to which it is something to improve; normalised,
// both inclusive. On a scale of 1 to 5 the defaults are 4.0 and 3.0 (acceptance R002-62).
type Thresholds struct {
	Strength float64 `json:"strength"`
	Area     float64 `json:"area"`
}
