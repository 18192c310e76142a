package persona

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/knowledge"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/stages/understand"
)

// answer is what a model answers.
type answer struct {
	Builds   string `json:"builds_on"`
	Topic    string `json:"topic"`
	Question string `json:"question"`
}

var (
	// label is what models put in front of a question.
	label = regexp.MustCompile(`(?i)^\s*(next |the )?(question|q|问题|câu hỏi)\s*\d*\s*[:：.)]\s*|^\s*\d+[.)]\s+`)
	// markup is what is not for the ear.
	markup = regexp.MustCompile("[*_#`<>{}\\[\\]|~]|https?:|www\\.|\\n")
	// offLimits are words that a question to the candidate never needs: they speak of the judging, or about the candidate.
	offLimits = regexp.MustCompile(`(?i)\b(system prompt|(full|top) marks|(this|the) candidate|rubric|your score|score you)\b|评分标准|系统提示|tiêu chí chấm`)
)

// Read takes a question from a model's answer: plain text ready to be spoken (R002-23). The error says what is wrong
// with it, in words for structured.Repair.
func (g *Generator) Read(b Brief, raw json.RawMessage) (Question, error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return Question{}, fmt.Errorf("the answer is not the object asked for: %w", err)
	}
	if err := structured.AtMost("question", a.Question, maxAsked); err != nil {
		return Question{}, err
	}
	text := spoken(a.Question)
	if err := sayable(text, b.Locale); err != nil {
		return Question{}, err
	}
	for _, q := range b.Asked {
		if similar(q, text) {
			return Question{}, fmt.Errorf("it repeats the question %q: ask something else", q)
		}
	}
	builds := strings.TrimSpace(a.Builds)
	if err := structured.AtMost("builds_on", builds, maxBuilds); err != nil {
		return Question{}, err
	}
	if b.Number == 1 {
		builds = ""
	} else if err := adapts(b, builds, a.Topic); err != nil {
		return Question{}, err
	}
	return Question{Text: text, Topic: a.Topic, By: "model", Builds: builds}, nil
}

// spoken takes off what surrounds a question.
func spoken(text string) string {
	text = label.ReplaceAllString(strings.TrimSpace(material.Visible(text)), "")
	return strings.Trim(strings.TrimSpace(text), `"“”「」`)
}

// sayable says why a text cannot be asked aloud as one question.
func sayable(text, locale string) error {
	words := understand.Words(text)
	switch {
	case words == 0:
		return errors.New("question is empty")
	case words > knowledge.MaxQuestion:
		return fmt.Errorf("question has %d words: use at most %d", words, knowledge.MaxQuestion)
	case markup.MatchString(text):
		return errors.New("question holds markup, a list or an address: write plain words to be spoken")
	case marks(text) != 1 || !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？"):
		return errors.New("question must be exactly one, with one question mark at its end")
	case material.Instructs(text), offLimits.MatchString(text):
		return errors.New("question must ask about work, not speak of instructions or scores")
	case understand.Language(text, locale) != locale:
		return fmt.Errorf("question must be in the language of the locale %s", locale)
	}
	return nil
}

// adapts holds a later question to the history: it takes up the candidate's own words, or goes on to a topic that was not
// asked about (R002-22).
func adapts(b Brief, builds, topic string) error {
	if builds == "" {
		if topic == "" && len(b.Fresh) == 0 || slices.Contains(ids(b.Fresh), topic) {
			return nil
		}
		return fmt.Errorf("builds_on is empty, so topic must be one that was not asked about: %s", strings.Join(ids(b.Fresh), ", "))
	}
	quote := normalise(builds)
	for _, pair := range b.History {
		if quote != "" && strings.Contains(" "+normalise(pair.Answer)+" ", " "+quote+" ") {
			return nil
		}
	}
	return errors.New("builds_on must be words of the candidate, letter by letter, or empty")
}
