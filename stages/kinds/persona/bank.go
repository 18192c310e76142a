package persona

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/understand"
)

// Bank takes the next question from the bank: one about the weightiest topic that was not asked about (R002-24), the first
// one a question that is good to begin with. A persona without topics asks by the requirements of the role (R002-18). It
// never repeats one, and there is always one: the same Brief gives the same question.
func (g *Generator) Bank(b Brief) Question {
	for _, only := range []bool{true, false} { // first those in the language of the interview
		if q, ok := g.byTopic(b, only); ok {
			return q
		}
		if q, ok := g.byRole(b, only); ok {
			return q
		}
	}
	list := g.cast.words.Anything
	return Question{Text: g.fill(prompts.In(list[len(b.Asked)%len(list)], b.Locale), b, "")}
}

// byTopic looks through the persona's topics, those that were asked about last.
func (g *Generator) byTopic(b Brief, only bool) (Question, bool) {
	var fresh, used []string
	for _, t := range g.graph.Topics(b.Persona.ID, 0) {
		if slices.Contains(b.Topics, t.ID) {
			used = append(used, t.ID)
		} else {
			fresh = append(fresh, t.ID)
		}
	}
	for _, topic := range append(fresh, used...) {
		if text := g.pick(b, g.graph.Questions(b.Persona.ID, topic), only); text != "" {
			return Question{Text: text, Topic: topic}, true
		}
	}
	return Question{}, false
}

// pick takes one of the questions by seed: for the first question of the interview an opening one, if there is any.
func (g *Generator) pick(b Brief, questions []knowledge.Question, only bool) string {
	var fit, opening []string
	for _, q := range questions {
		text, there := g.worded(b, q.Text, "", only)
		if !there {
			continue
		}
		if fit = append(fit, text); q.Opening {
			opening = append(opening, text)
		}
	}
	if b.Number == 1 && len(opening) > 0 {
		fit = opening
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[b.Seed%uint64(len(fit))]
}

// byRole asks about the role: first broadly, then one requirement after the other.
func (g *Generator) byRole(b Brief, only bool) (Question, bool) {
	for round, texts := range g.cast.words.ByRole {
		for _, requirement := range b.Requirements {
			if q, ok := g.template(b, texts, requirement, only); ok {
				return q, true
			}
			if round == 0 {
				break // it names no requirement
			}
		}
		if round == 0 && len(b.Requirements) == 0 {
			if q, ok := g.template(b, texts, "", only); ok {
				return q, true
			}
		}
	}
	for _, texts := range g.cast.words.Anything {
		if q, ok := g.template(b, texts, "", only); ok {
			return q, true
		}
	}
	return Question{}, false
}

func (g *Generator) template(b Brief, texts map[string]string, requirement string, only bool) (Question, bool) {
	text, there := g.worded(b, texts, requirement, only)
	return Question{Text: text, Topic: requirement}, there
}

// worded fills in a question in the language of the interview, or, unless only that will do, in English. It reports false for one
// that was asked.
func (g *Generator) worded(b Brief, texts map[string]string, requirement string, only bool) (string, bool) {
	text, there := texts[prompts.Language(b.Locale)]
	if !there && only {
		return "", false
	}
	if !there {
		text = texts["en"]
	}
	if b.Assumed && strings.Contains(text, "{role}") {
		return "", false // nobody named one
	}
	text = g.fill(text, b, requirement)
	return text, !repeats(b.Asked, text)
}

func (g *Generator) fill(text string, b Brief, requirement string) string {
	return strings.NewReplacer("{role}", called(g.graph, b.Role, b.Locale), "{requirement}", g.graph.Label(requirement, b.Locale)).Replace(text)
}

func repeats(before []string, text string) bool {
	words := understand.Tokens(text)
	return slices.ContainsFunc(before, func(q string) bool { return understand.Alike(words, understand.Tokens(q)) })
}
