package composite

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/structured"
)

// asked returns the part's judge with its question; nil = the part is judged by rules, or does not apply to the item.
func (c *Composite) asked(p *part, it evaluate.Item) (evaluate.Judge, *structured.Question) {
	j, is := c.find(p.By).(evaluate.Judge)
	if !is || p.ByRules {
		return nil, nil
	}
	it.Rubric = p.Rubric
	q, err := j.Ask(it)
	if err != nil {
		return nil, nil // its rules, or Read, say why
	}
	return j, &q
}

const preamble = `Below are several questions about one part of a job interview, each with rules of its own. Answer all of them in one JSON object that has one member for each question, under the question's name. Judge each question by itself.`

// Ask implements evaluate.Judge: the questions of all parts that a model judges are asked as one. Where there is none of
// them the error is evaluate.ErrByRules.
func (c *Composite) Ask(it evaluate.Item) (structured.Question, error) {
	if err := c.applies(it); err != nil {
		return structured.Question{}, err
	}
	q := structured.Question{Role: Name, Name: "parts"}
	system, user := []string{preamble}, []string{}
	var ids []string
	schemas := make(map[string]json.RawMessage)
	for i := range c.rubric.Parts {
		p := &c.rubric.Parts[i]
		_, one := c.asked(p, it)
		if one == nil {
			continue
		}
		head := "Question " + p.ID + ":\n"
		system, user = append(system, head+one.System), append(user, head+one.User)
		ids, schemas[p.ID] = append(ids, p.ID), one.Schema
		q.MaxTokens += one.MaxTokens
	}
	if len(schemas) == 0 {
		return structured.Question{}, fmt.Errorf("composite %s: %w", c.rubric.ID, evaluate.ErrByRules)
	}
	q.System, q.User = strings.Join(system, "\n\n"), strings.Join(user, "\n\n")
	schema, err := json.Marshal(map[string]any{
		"type": "object", "additionalProperties": false, "required": ids, "properties": schemas,
	})
	if err != nil {
		return structured.Question{}, fmt.Errorf("write the schema of composite %s: %w", c.rubric.ID, err)
	}
	q.Schema = schema
	return q, nil
}

// Read implements evaluate.Judge: each part reads its own member of the answer; the others judge by their rules.
func (c *Composite) Read(it evaluate.Item, raw json.RawMessage) (evaluate.Evaluation, error) {
	if err := c.applies(it); err != nil {
		return evaluate.Evaluation{}, err
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(raw, &answers); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	parts := make([]outcome, len(c.rubric.Parts))
	for i := range c.rubric.Parts {
		p := &c.rubric.Parts[i]
		judge, q := c.asked(p, it)
		if q == nil {
			parts[i] = c.byRules(p, it)
			continue
		}
		if answers[p.ID] == nil {
			return evaluate.Evaluation{}, fmt.Errorf("%s is missing", p.ID)
		}
		own := it
		own.Rubric = p.Rubric
		e, err := judge.Read(own, answers[p.ID])
		if err != nil {
			return evaluate.Evaluation{}, fmt.Errorf("%s: %w", p.ID, err)
		}
		parts[i] = outcome{part: p}.with(e)
	}
	return c.joined(it, parts), nil
}
