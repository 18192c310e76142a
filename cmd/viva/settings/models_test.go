package settings

import (
	"strings"
	"testing"
)

// What a model is known to refuse is told at the start, in words: at run time rules would stand in for it.
func TestModelsThatRefuseASetting(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags map[string]string
		want  string // "" = all is well
	}{
		{"defaults", nil, ""},
		{"default temperatures of a model that takes none", map[string]string{"openai-chat-model": "gpt-5-mini"}, ""},
		{"temperature", map[string]string{"evaluators-temperature": "0.4", "openai-chat-model": "gpt-5-mini"},
			"evaluators.temperature (flag --evaluators-temperature) is refused by gpt-5-mini: unset it, or choose another model for evaluators.model"},
		{"temperature while reasoning", map[string]string{"evaluators-temperature": "0"},
			"evaluators.temperature (flag --evaluators-temperature) is refused by gpt-6-luna while it reasons (evaluators.effort is low): unset it, or set evaluators.effort to none"},
		{"temperature without reasoning", map[string]string{"evaluators-temperature": "0", "evaluators-effort": "none"}, ""},
		{"temperature of the role's own model", map[string]string{"evaluators-temperature": "0.9", "evaluators-model": "gpt-4.1-mini"}, ""},
		{"temperature of an unknown model", map[string]string{"evaluators-temperature": "0.9", "evaluators-model": "llama3.3", "evaluators-effort": "high"}, ""},
		{"effort", map[string]string{"openai-effort": "minimal"}, "openai.effort (flag --openai-effort) is minimal, which gpt-6-luna does not offer: write one of none, low,"},
		{"effort that lets it reason", map[string]string{"openai-effort": "low"}, ""},
		{"effort of a model that does not reason", map[string]string{"evaluators-effort": "low", "evaluators-model": "gpt-4o"}, "unset it: this model does not reason"},
		{"effort of nobody", map[string]string{"openai-effort": "lo"}, `openai.effort (flag --openai-effort) "lo" is not a choice: did you mean low?`},
		{"a model that always reasons", map[string]string{"openai-chat-model": "gpt-6.1-sol"}, ""},
		{"the same as a judge", map[string]string{"evaluators-model": "gpt-6.1-sol"}, ""},
		{"another interface", map[string]string{"evaluators-model": "gpt-5.4-pro"}, "evaluators.model (flag --evaluators-model) is gpt-5.4-pro, which Chat Completions does not offer"},
		{"scripted", map[string]string{"llm": "scripted", "openai-chat-model": "gpt-6.1-sol", "openai-effort": "minimal"}, ""},
		{"azure", map[string]string{"openai-api": "azure"}, "openai.api (flag --openai-api) is azure, but there is no address: set OPENAI_BASE_URL"},
		{"azure whole", map[string]string{"openai-api": "azure", "openai-base-url": "https://x.openai.azure.com", "openai-deployments": "gpt-6-luna=talk"}, ""},
		{"deployments", map[string]string{"openai-deployments": "talk"}, `openai.deployments (flag --openai-deployments) "talk" cannot be read: write model=deployment`},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags := map[string]string{"llm": "openai"}
			for k, v := range c.flags {
				flags[k] = v
			}
			_, err := Load(LoadOptions{Command: CommandConsole, Flags: flags, Env: environment(map[string]string{"OPENAI_API_KEY": "k"})})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// The evaluator service has no use for the model of live wording.
func TestTheEvaluatorIsNotHeldToTheWordingModel(t *testing.T) {
	o := LoadOptions{
		Command: CommandEvaluator, Flags: map[string]string{"openai-chat-model": "gpt-5-pro", "evaluators-model": "gpt-6-luna"},
		Env: environment(map[string]string{"OPENAI_API_KEY": "k", "VIVA_EVALUATOR_KEY": "0123456789abcdef0123456789abcdef"}),
	}
	if _, err := Load(o); err != nil {
		t.Error(err)
	}
}

func TestDeployments(t *testing.T) {
	got := OpenAI{Deployments: "gpt-6-luna=talk, gpt-4o-mini-tts = voice"}.DeploymentOf()
	if len(got) != 2 || got["gpt-6-luna"] != "talk" || got["gpt-4o-mini-tts"] != "voice" {
		t.Errorf("%v", got)
	}
}
