package settings

import (
	"bytes"
	"strings"
	"testing"
)

const evaluatorSecret = "0123456789abcdef-s3cret"

// The evaluator service and the workers that ask it share a key, which is shown to nobody; either side without it does not start.
func TestEvaluator(t *testing.T) {
	env := map[string]string{"VIVA_EVALUATOR_KEY": evaluatorSecret}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	s := mustLoad(t, LoadOptions{Command: CommandEvaluator, Env: lookup, Flags: map[string]string{"evaluator-address": "10.0.0.2:80", "evaluator-calls": "3"}})
	if s.Evaluator.Address != "10.0.0.2:80" || s.Evaluator.Calls != 3 || s.Evaluator.Key.Reveal() != evaluatorSecret || s.Engines.LLM != EngineScripted {
		t.Errorf("%+v, %+v", s.Evaluator, s.Engines)
	}
	var shown bytes.Buffer
	if err := s.Explain(&shown); err != nil || strings.Contains(shown.String(), "s3cret") {
		t.Errorf("%v\n%s", err, shown.String())
	}
	s = mustLoad(t, LoadOptions{Command: CommandDev, Env: lookup, Flags: map[string]string{"evaluator-url": "http://10.0.0.2:8092"}})
	if s.Evaluator.URL != "http://10.0.0.2:8092" {
		t.Errorf("%+v", s.Evaluator)
	}
	for _, c := range []struct {
		command Command
		env     map[string]string
		want    string
	}{
		{CommandEvaluator, nil, "evaluator.key"},
		{CommandEvaluator, map[string]string{"VIVA_EVALUATOR_KEY": "s3cret"}, "fewer than 16"},
		{CommandEvaluator, map[string]string{"VIVA_EVALUATOR_KEY": evaluatorSecret, "VIVA_EVALUATOR_CALLS": "0"}, "evaluator.calls"},
		{CommandEvaluator, map[string]string{"VIVA_EVALUATOR_KEY": evaluatorSecret, "VIVA_LLM": "openai"}, "OPENAI_API_KEY"},
		{CommandDev, map[string]string{"VIVA_EVALUATOR_URL": "http://evaluator:8092"}, "its key is missing"},
		{CommandDev, map[string]string{"VIVA_EVALUATOR_KEY": evaluatorSecret, "VIVA_EVALUATOR_URL": "evaluator:8092"}, "evaluator.url"},
	} {
		_, err := Load(LoadOptions{Command: c.command, Env: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s with %v: %v", c.command, c.env, err)
		}
	}
}
