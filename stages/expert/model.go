package expert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand"
)

const (
	modelTurns  = 12   // turns of the talk that a model is shown
	modelCode   = 4000 // characters of code
	modelTokens = 500
	messageMax  = 600 // characters of a message
)

// modelFields are the fields that a model may write in a stage.
var modelFields = map[string]map[string]string{
	Clarification: {FieldPattern: "string", FieldComplexity: "string"},
	Thought:       {FieldApproach: "string"},
	Pseudocode:    {FieldIssues: "list"},
	EdgeCases:     {FieldIssues: "list"},
}

// Ask implements Modelled.
func (e recogniser) Ask(b Board) (structured.Question, error) { return e.ask(&b, e.Name(), "") }

// Ask implements Modelled.
func (e coach) Ask(b Board) (structured.Question, error) {
	extra := ""
	if text, ok := e.hintText(&b, b.HintLevel+1); ok {
		extra = "The next hint, should one be needed: " + text
	}
	return e.ask(&b, e.Name(), extra)
}

// Ask implements Modelled.
func (e reviewer) Ask(b Board) (structured.Question, error) { return e.ask(&b, e.Name(), "") }

// Ask implements Modelled.
func (e followUps) Ask(b Board) (structured.Question, error) {
	extra := "There is no further follow-up."
	if n := e.count(&b); n < followUpsMax {
		if text, _ := e.next(&b, n); text != "" {
			extra = "The follow-up to ask: " + text
		}
	}
	return e.ask(&b, e.Name(), extra)
}

// Ask implements Modelled. In this stage the pattern may be named.
func (e summariser) Ask(b Board) (structured.Question, error) {
	return e.ask(&b, e.Name(), "The pattern: "+strings.ReplaceAll(b.pattern(), "_", " ")+". What to take along: "+e.sum(&b))
}

// Read implements Modelled. What the problem file says of the pattern stands above what a model makes of the task.
func (e recogniser) Read(b Board, answer json.RawMessage) (Response, error) {
	return e.readModel(e, &b, answer)
}

// Read implements Modelled.
func (e coach) Read(b Board, answer json.RawMessage) (Response, error) {
	return e.readModel(e, &b, answer)
}

// Read implements Modelled.
func (e reviewer) Read(b Board, answer json.RawMessage) (Response, error) {
	return e.readModel(e, &b, answer)
}

// Read implements Modelled.
func (e followUps) Read(b Board, answer json.RawMessage) (Response, error) {
	return e.readModel(e, &b, answer)
}

// Read implements Modelled.
func (e summariser) Read(b Board, answer json.RawMessage) (Response, error) {
	return e.readModel(e, &b, answer)
}

// ask makes the question. Nothing of Board.Secret goes into it: what a model does not know, it cannot say (R003-31).
func (k *kit) ask(b *Board, role, extra string) (structured.Question, error) {
	schema, err := json.Marshal(schemaOf(b.CurrentStage))
	if err != nil {
		return structured.Question{}, fmt.Errorf("make the schema of %s: %w", b.CurrentStage, err)
	}
	var u strings.Builder
	fmt.Fprintf(&u, "Stage: %s\n%s\n\nThe task:\n%s\n", b.CurrentStage, k.model.Tasks[b.CurrentStage], b.ProblemText)
	if a := b.UserApproach(); a != "" {
		u.WriteString("\nTheir approach: " + structured.Fence(a) + "\n")
	}
	if code := b.Pseudocode(); code != "" {
		u.WriteString("\nTheir code:\n" + structured.Wrap("code", understand.Clip(code, modelCode)) + "\n")
	}
	if extra != "" {
		u.WriteString("\n" + extra + "\n")
	}
	if b.Help {
		u.WriteString("\nThey find it hard: take smaller steps, and give them a framework to think in.\n")
	}
	u.WriteString("\nThe talk so far:\n")
	for _, t := range b.History[max(0, len(b.History)-modelTurns):] {
		if t.Role == evaluate.RoleUser {
			u.WriteString(structured.Fence(t.Content) + "\n")
			continue
		}
		u.WriteString("Interviewer: " + structured.Escape(t.Content) + "\n")
	}
	u.WriteString("\nTheir latest words: " + structured.Fence(b.Input) + "\n")
	return structured.Question{
		Role: role, Name: "expert_response", Schema: schema, MaxTokens: modelTokens, User: u.String(),
		System: strings.ReplaceAll(k.model.System, "{language}", k.model.Languages[k.language(b)]),
	}, nil
}

// nextOf returns the stage after one, or "".
func nextOf(stage string) string {
	stages := Stages()
	if i := slices.Index(stages, stage); i >= 0 && i+1 < len(stages) {
		return stages[i+1]
	}
	return ""
}

// schemaOf returns the JSON Schema of a model's answer in a stage.
func schemaOf(stage string) map[string]any {
	object := func(properties map[string]any) map[string]any {
		required := make([]string, 0, len(properties))
		for name := range properties {
			required = append(required, name)
		}
		slices.Sort(required)
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	text := map[string]any{"type": "string"}
	list := map[string]any{"type": "array", "items": text}
	fields := make(map[string]any)
	for name, kind := range modelFields[stage] {
		fields[name] = text
		if kind == "list" {
			fields[name] = list
		}
	}
	next := []string{""}
	if to := nextOf(stage); to != "" {
		next = append(next, to)
	}
	properties := map[string]any{
		"assistant_message": text, "next_stage": map[string]any{"type": "string", "enum": next},
		"context_updates": object(fields),
		"confidence":      map[string]any{"type": "number", "minimum": 0, "maximum": 1},
	}
	if stage == EdgeCases {
		properties["questions"] = list
	}
	return object(properties)
}

// answer is what a model answers.
type answer struct {
	Message    string         `json:"assistant_message"`
	NextStage  string         `json:"next_stage"`
	Updates    map[string]any `json:"context_updates"`
	Confidence float64        `json:"confidence"`
	Questions  []string       `json:"questions"`
}

// readModel lays a model's answer over what the rules would do. Counting stays with the rules: hints, queued questions
// and follow-ups; so does the way out of talk that has to end. Words that may not be said give way to theirs.
func (k *kit) readModel(e Expert, b *Board, raw json.RawMessage) (Response, error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return Response{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	r, err := e.Process(b.Clone())
	if err != nil {
		return Response{}, err
	}
	secrets := k.secrets(b, &a)
	k.take(b, &r, &a, secrets)
	r.Metadata["confidence"] = a.Confidence
	if why := k.unsayable(b, &r, &a, secrets); why != "" {
		r.Metadata["by"], r.Metadata["replaced"] = "rules", why
		return r, nil
	}
	r.Metadata["by"], r.Message = "model", strings.TrimSpace(a.Message)
	if !bounded(b.CurrentStage) {
		r.NextStage = ""
		if to := nextOf(b.CurrentStage); a.NextStage == to {
			r.NextStage = to
		}
	}
	r.Hint = r.Hint && r.NextStage == ""
	return r, nil
}

// bounded reports whether the rules count how long a stage's talk may be.
func bounded(stage string) bool {
	return slices.Contains([]string{EdgeCases, FollowUp, Summary}, stage)
}

// take adopts the fields and questions that a model may give.
func (k *kit) take(b *Board, r *Response, a *answer, secrets []string) {
	for name := range modelFields[b.CurrentStage] {
		switch v := a.Updates[name].(type) {
		case string:
			if v != "" && !b.settled(name) && (name != FieldApproach || !understand.Reveals(v, secrets)) {
				r.update(name, understand.Clip(v, approachMax))
			}
		case []any:
			if ids := texts(v); len(ids) > 0 && b.Secret.Problem == nil {
				r.update(name, ids[:min(len(ids), 2*issuesMax)])
			}
		}
	}
	fits := func(q string) bool {
		return questions(q) == 1 && !understand.Reveals(q, secrets) && utf8.RuneCountInString(q) <= messageMax
	}
	queue := slices.DeleteFunc(slices.Clone(a.Questions), func(q string) bool { return !fits(q) })
	if len(r.Queue) > 0 && len(queue) >= min(len(r.Queue), issuesMin) {
		r.Queue = queue[:min(len(queue), issuesMax)]
	}
}

// settled reports whether a model has no say about a field: a problem file or an earlier turn has.
func (b *Board) settled(field string) bool {
	return (field == FieldPattern || field == FieldComplexity) && (b.Secret.Problem != nil || b.Text(field) != "")
}

// unsayable says why a model's message may not be said: "" = it may.
func (k *kit) unsayable(b *Board, r *Response, a *answer, secrets []string) string {
	_, waiting := reviewer{k}.asked(b)
	n := questions(a.Message)
	switch {
	case strings.TrimSpace(a.Message) == "":
		return "empty"
	case utf8.RuneCountInString(a.Message) > messageMax:
		return "too long"
	case b.CurrentStage != Summary && understand.Reveals(a.Message, secrets):
		return "gives the pattern away"
	case b.CurrentStage != Summary && strings.ContainsAny(a.Message, "`{}"), strings.Contains(a.Message, "=="):
		return "holds code"
	case n > 1:
		return "asks several questions"
	case n > 0 && (len(r.Queue) > 0 || waiting > 0 || r.NextStage != "" && bounded(b.CurrentStage)):
		return "asks where a question waits, or none is due"
	}
	return ""
}

// secrets are the words that may not be said: of the problem, and of the pattern that the rules, or a model, found;
// without those that the candidate has said.
func (k *kit) secrets(b *Board, a *answer) []string {
	out := slices.Clone(b.Secret.Synonyms)
	if p := b.Secret.Problem; p != nil {
		for _, name := range p.Names {
			out = append(out, name)
		}
		out = append(out, problem.In(p.Names, b.Locale))
	}
	found, _ := a.Updates[FieldPattern].(string)
	ids := []string{b.Secret.Pattern, b.IdentifiedPattern(), found, k.derive(b.ProblemText).pattern}
	for _, id := range ids {
		out = append(out, strings.ReplaceAll(id, "_", " "))
	}
	for _, p := range k.patterns {
		named := slices.ContainsFunc(ids, func(id string) bool {
			return id == p.ID || strings.EqualFold(strings.ReplaceAll(id, " ", "_"), p.ID) || id != "" && which(id, p.Synonyms) != ""
		})
		if named {
			out = append(out, p.Synonyms...)
		}
	}
	said := strings.Join(b.said(), " \n ")
	return slices.DeleteFunc(out, func(word string) bool {
		return strings.TrimSpace(word) == "" || understand.Says(said, []string{word})
	})
}

func questions(text string) int { return strings.Count(text, "?") + strings.Count(text, "？") }
