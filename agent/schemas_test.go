package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/strict"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// Every schema that a model is sent is one that the service holds replies to: any other is refused with the whole request, and
// rules would stand in.
func TestEverySchemaIsStrict(t *testing.T) {
	seen := 0
	check := func(t *testing.T, what string, schema json.RawMessage) {
		t.Helper()
		seen++
		if err := strict.Check(schema); err != nil {
			t.Errorf("%s: %v\n%s", what, err, schema)
		}
	}
	checkQuestion := func(t *testing.T, what string, q structured.Question, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s asks nothing: %v", what, err)
			return
		}
		check(t, what, q.Schema)
	}
	t.Run("judges", func(t *testing.T) {
		for _, name := range registry.Names() {
			judge := registry.Judge(name)
			if judge == nil {
				continue
			}
			for _, rubric := range append(registry.Rubrics(name), "") {
				q, err := judge.Ask(evaluate.Item{
					ID: "a", Question: "How?", Answer: "Like this.", Reference: "Like that.", Rubric: rubric, Locale: "en",
					Criteria: []state.Keyword{{Phrase: "scale"}},
				})
				checkQuestion(t, name+" "+rubric, q, err)
			}
		}
	})
	check(t, "turn", respond.Schema)
	if seen < 8 {
		t.Errorf("only %d schemas were found", seen)
	}
}
