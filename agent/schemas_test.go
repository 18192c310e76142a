package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// offered words nothing: it notes the tools that a model would be offered, by stage and name.
type offered struct {
	t    *testing.T
	seen map[string]json.RawMessage
}

// Word implements simulate.Interviewer.
func (o *offered) Word(_ *state.UserData, e engine.Say) simulate.Wording {
	r, err := e.Ask.Request(false)
	if err != nil {
		o.t.Error(err)
	}
	for _, tool := range r.Tools {
		o.seen[e.Stage+", "+tool.Name] = tool.Schema
	}
	return simulate.Wording{Text: e.Text}
}

// Every schema that a model is sent is one that the service holds replies to: any other is refused with the whole request, and
// rules would stand in.
func TestEverySchemaIsStrict(t *testing.T) {
	seen := 0
	check := func(t *testing.T, what string, schema json.RawMessage) {
		t.Helper()
		seen++
		if err := openaitest.CheckStrict(schema); err != nil {
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
			found, _ := registry.Lookup(name)
			judge, is := found.(evaluate.Judge)
			if !is {
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
	t.Run("tools", func(t *testing.T) {
		library, err := agent.LoadLibrary("", "two_stage")
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range library.Kinds() {
			iv, err := library.Find(agent.Metadata{Interview: kind.ID})
			if err != nil {
				t.Errorf("%s: %v", kind.ID, err)
				continue
			}
			tools := offered{t: t, seen: make(map[string]json.RawMessage)}
			for seed := range uint64(3) {
				simulate.Run(iv, simulate.Options{Candidate: simulate.Weak, Seed: seed, Interviewer: &tools})
			}
			for what, schema := range tools.seen {
				check(t, kind.ID+", "+what, schema)
			}
		}
	})
	t.Logf("%d schemas", seen)
	if seen < 10 {
		t.Errorf("only %d schemas were found", seen)
	}
}
