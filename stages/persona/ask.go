package persona

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/stages/knowledge"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand"
)

const (
	maxAnswer    = 3000 // characters of one answer that a model is shown
	maxDocument  = 6000 // characters of a document
	answerTokens = 250
	maxAsked     = 400 // characters of a question that a model words
	maxBuilds    = 200 // characters of the words of the candidate that it takes up
)

// Name is the role in which a model is asked: settings choose model and temperature by it.
const Name = "questioner"

// Ask makes the question to a model for the next question: from the persona, its focus skills and the role for the first
// one (R002-20), and from the whole history, the top topics and the number as well for a later one (R002-21). All that
// others wrote or said is fenced.
func (g *Generator) Ask(b Brief) (structured.Question, error) {
	schema, err := json.Marshal(g.schema(b))
	if err != nil {
		return structured.Question{}, fmt.Errorf("make the schema of a question: %w", err)
	}
	w, p := g.cast.words, b.Persona
	var u strings.Builder
	u.WriteString("The role: " + structured.Wrap("role", Speakable(b.Role, maxRole)) + "\n")
	g.line(&u, "It asks for: ", b.Requirements)
	g.line(&u, "You listen for: ", b.Skills)
	move := w.Opening
	if b.Number > 1 {
		move = w.Later
		g.line(&u, "Your topics, the weightiest first: ", weighed(b.Top))
		g.line(&u, "Topics not asked about yet: ", ids(b.Fresh))
	}
	documents(&u, b.Materials)
	talk(&u, b)
	numbers := strings.NewReplacer("{number}", strconv.Itoa(b.Number), "{total}", strconv.Itoa(b.Total))
	u.WriteString("\n" + numbers.Replace(move))
	system := strings.NewReplacer("{name}", p.Called("en"), "{tone}", p.Tone, "{focus}", p.Focus, "{language}", g.language(b.Locale))
	return structured.Question{
		Role: Name, System: strings.TrimSpace(system.Replace(w.System)), User: strings.TrimSpace(u.String()),
		Name: "question", Schema: schema, MaxTokens: answerTokens,
	}, nil
}

func (g *Generator) language(locale string) string {
	if name := g.cast.words.Languages[language(locale)]; name != "" {
		return name
	}
	return "the language of the locale " + Speakable(locale, maxRole)
}

func (g *Generator) line(u *strings.Builder, what string, items []string) {
	if len(items) > 0 {
		u.WriteString(what + strings.Join(items, ", ") + ".\n")
	}
}

func weighed(topics []knowledge.Topic) []string {
	out := make([]string, len(topics))
	for i, t := range topics {
		out[i] = fmt.Sprintf("%s (%.2g)", t.ID, t.Weight)
	}
	return out
}

func ids(topics []knowledge.Topic) []string {
	out := make([]string, len(topics))
	for i, t := range topics {
		out[i] = t.ID
	}
	return out
}

// documents shows the candidate's material.
func documents(u *strings.Builder, list []material.Document) {
	for _, d := range list {
		if d.Text != "" {
			u.WriteString("\n" + structured.Wrap(string(d.Kind), understand.Clip(d.Text, maxDocument)) + "\n")
		}
	}
}

// talk shows the history: every question with its answer, and questions that were not answered.
func talk(u *strings.Builder, b Brief) {
	if len(b.History)+len(b.Asked) == 0 {
		return
	}
	u.WriteString("\nThe interview so far:\n")
	for _, pair := range b.History {
		u.WriteString(structured.Wrap("interviewer", pair.Question) + "\n")
		u.WriteString(structured.Fence(understand.Clip(pair.Answer, maxAnswer)) + "\n")
	}
	for _, q := range b.Asked {
		if !slices.ContainsFunc(b.History, func(p Pair) bool { return similar(p.Question, q) }) {
			u.WriteString(structured.Wrap("interviewer", q) + "\n")
		}
	}
}

// schema is the form of a model's answer.
func (g *Generator) schema(b Brief) map[string]any {
	topics := []string{""}
	for _, id := range append(ids(b.Top), ids(b.Fresh)...) {
		if !slices.Contains(topics, id) {
			topics = append(topics, id)
		}
	}
	return map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"builds_on", "topic", "question"},
		"properties": map[string]any{
			"builds_on": map[string]any{"type": "string", "description": fmt.Sprintf("at most %d characters", maxBuilds)},
			"topic":     map[string]any{"type": "string", "enum": topics},
			"question":  map[string]any{"type": "string", "description": fmt.Sprintf("at most %d characters", maxAsked)},
		},
	}
}
