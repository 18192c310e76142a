package expert

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// The fields of the board that have a meaning to all (R003-17); a definition declares those that its interview has.
const (
	FieldPattern    = "identified_pattern"     // text, secret
	FieldComplexity = "complexity_expectation" // text, secret
	FieldApproach   = "user_approach"          // text: what the candidate calls it
	FieldCode       = "pseudocode"             // text
	FieldIssues     = "detected_issues"        // list of issue ids; also the field of the questions queued about them
	// FieldExtra holds, as one object, what experts wrote that no field of the definition takes (R003-21).
	FieldExtra = "extra"
)

// The fields of numbered questions, which are counted and judged one by one.
const (
	FieldQuestions = "questions"       // list: all questions, in order (R002-58)
	FieldTopics    = "question_topics" // list: what they were about
	FieldAnswers   = "answers"         // list: what was answered, in the order of the questions (R002-27)
	FieldIndex     = "question_index"  // number: questions that were answered (R002-29)
)

// The fields of what the candidate handed in; they are read only.
const (
	FieldResume = "resume"          // text
	FieldJob    = "job_description" // text
)

// Board is all that an expert may know: the context of the interview at one candidate turn. It is made for one call, and the expert's
// own: whatever it does to it changes nothing else, but Secret.Problem is read-only.
type Board struct {
	CurrentStage string
	StageHistory []string
	ProblemText  string
	Problem      Metadata
	History      []evaluate.Turn // the turns before Input, and Input's own or not
	Input        string
	// Intents are what the rules of package understand found in Input, the weightiest first.
	Intents []understand.Intent
	Locale  string // of the interview; a reply follows the candidate's language
	Fields  map[string]any
	// Types are the fields that there are, with text, list, number or flag; nil = those of R003-17.
	Types     map[string]string
	HintLevel int  // the strongest hint given in this stage, 0 = none
	Help      bool // help mode: fuller hints
	Turns     int  // valid turns of the candidate in this stage, this one included
	Secret    Secret
	Queue     []state.Queued
	Seed      uint64 // picks wordings
}

// Metadata is what may be told about a problem.
type Metadata struct {
	ID         string
	Difficulty string
	Tags       []string
}

// Secret is what an expert knows and no words to the candidate may hold, nor a prompt that words speech.
type Secret struct {
	Pattern  string
	Synonyms []string
	// Fields are the secret fields of the board.
	Fields map[string]any
	// Problem is the whole file; read-only. Nil without one.
	Problem *problem.Problem
}

// SetProblem puts a problem on the board.
func (b *Board) SetProblem(p *problem.Problem) {
	b.ProblemText = problem.In(p.Text, b.Locale)
	b.Problem = Metadata{ID: p.ID, Difficulty: p.Difficulty, Tags: slices.Clone(p.Tags)}
	b.Secret.Pattern, b.Secret.Synonyms, b.Secret.Problem = p.Pattern, p.Secrets(), p
}

// Value returns a field of the board, secret or not, declared or not; nil when it is empty.
func (b *Board) Value(field string) any {
	if v := b.declared(field); v != nil {
		return v
	}
	extra, _ := b.declared(FieldExtra).(map[string]any)
	return extra[field]
}

func (b *Board) declared(field string) any {
	if v, ok := b.Fields[field]; ok {
		return v
	}
	return b.Secret.Fields[field]
}

// Text returns a field as text, or "".
func (b *Board) Text(field string) string {
	s, _ := b.Value(field).(string)
	return s
}

// IdentifiedPattern returns the pattern that the recogniser wrote. It is secret.
func (b *Board) IdentifiedPattern() string { return b.Text(FieldPattern) }

// ComplexityExpectation returns what a good solution costs. It is secret.
func (b *Board) ComplexityExpectation() string { return b.Text(FieldComplexity) }

// UserApproach returns how the candidate wants to solve the problem, in the candidate's words.
func (b *Board) UserApproach() string { return b.Text(FieldApproach) }

// Pseudocode returns the candidate's code, from the editor or dictated.
func (b *Board) Pseudocode() string { return b.Text(FieldCode) }

// Heard reports whether the interviewer has said a text.
func (b *Board) Heard(text string) bool {
	return text != "" && slices.ContainsFunc(b.History, func(t evaluate.Turn) bool {
		return t.Role == evaluate.RoleAgent && strings.Contains(t.Content, text)
	})
}

// Fresh picks the first text from a place on, round and round, that was not heard yet; when all were, the one at that place. What
// stands in braces was filled in when it was said, and is not compared. No texts give "".
func (b *Board) Fresh(texts []string, from uint64) string {
	if len(texts) == 0 {
		return ""
	}
	start := int(from % uint64(len(texts)))
	for i := range texts {
		text := texts[(start+i)%len(texts)]
		if said, _, _ := strings.Cut(text, "{"); !b.Heard(said) {
			return text
		}
	}
	return texts[start]
}

// Wants reports whether the candidate's turn has the intent.
func (b *Board) Wants(intents ...understand.Intent) bool {
	return slices.ContainsFunc(intents, func(i understand.Intent) bool { return slices.Contains(b.Intents, i) })
}
