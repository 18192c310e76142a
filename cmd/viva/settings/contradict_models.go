package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/family"
)

// another is what to do about a model that will not do.
const another = "choose another model, such as " + openai.DefaultChatModel

// modelProblems finds what the chosen models are known to refuse. It would be refused again with every request, and rules would
// stand in for the model through the whole interview.
func (s *Settings) modelProblems() Problems {
	if s.Engines.LLM != EngineOpenAI {
		return nil
	}
	var problems Problems
	if s.uses("openai.effort") {
		problems = append(problems, s.wordingProblems()...)
	}
	return append(problems, s.judgeProblems()...)
}

// uses reports whether the command uses a setting.
func (s *Settings) uses(key string) bool {
	return slices.ContainsFunc(Table(), func(d Definition) bool { return d.Key == key && d.UsedBy(s.Command) })
}

// wordingProblems are those of the model that leads the turns.
func (s *Settings) wordingProblems() Problems {
	model := s.OpenAI.ChatModel
	f := family.Of(model)
	effort := cmp.Or(s.OpenAI.Effort, f.Least())
	switch {
	case !f.Known:
		return nil
	case f.Elsewhere:
		return s.problem("openai.chat_model", "is "+model+", which Chat Completions does not offer", another)
	case s.OpenAI.Effort != "" && !f.Offers(effort):
		return s.problem("openai.effort", notOffered(model, effort), offered(f))
	}
	return nil
}

// judgeProblems are those of the model that judges.
func (s *Settings) judgeProblems() Problems {
	const role = "evaluators"
	r := s.Evaluators
	model := cmp.Or(r.Model, s.OpenAI.ChatModel)
	f := family.Of(model)
	effort := cmp.Or(r.Effort, f.More(), f.Default)
	key := role + ".temperature"
	switch {
	case !f.Known:
		return nil
	case f.Elsewhere && r.Model != "":
		return s.problem(role+".model", "is "+model+", which Chat Completions does not offer", another)
	case f.Elsewhere:
		return nil // told of the chat model
	case r.Effort != "" && !f.Offers(effort):
		return s.problem(role+".effort", notOffered(model, effort), offered(f))
	case !s.found[key].given || f.Temperature.Takes(effort):
		return nil
	case f.Temperature == family.Unreasoned:
		return s.problem(key, fmt.Sprintf("is refused by %s while it reasons (%s.effort is %s)", model, role, effort),
			fmt.Sprintf("unset it, or set %s.effort to none", role))
	}
	return s.problem(key, "is refused by "+model, "unset it, or choose another model for "+role+".model")
}

func (s *Settings) problem(key, wrong, fix string) Problems {
	return Problems{{Key: key, From: s.found[key].from, Wrong: wrong, Fix: fix}}
}

func notOffered(model, effort string) string {
	return fmt.Sprintf("is %s, which %s does not offer", effort, model)
}

func offered(f family.Family) string {
	if !f.Reasons() {
		return "unset it: this model does not reason"
	}
	return "write one of " + strings.Join(f.Efforts, ", ") + ", or unset it"
}

// azureProblems: an Azure service has an address, a key and no streaming transcription of this kind.
func (s *Settings) azureProblems() Problems {
	if s.OpenAI.API != APIAzure || !s.asks() {
		return nil
	}
	var problems Problems
	if s.OpenAI.BaseURL == "" {
		problems = append(problems, s.problem("openai.api", "is azure, but there is no address",
			"set OPENAI_BASE_URL, such as https://your-resource.openai.azure.com")...)
	}
	if s.OpenAI.APIKey == "" {
		problems = append(problems, s.problem("openai.api", "is azure, but there is no key", "set OPENAI_API_KEY")...)
	}
	if s.Engines.STT == EngineRealtime && s.uses("engines.stt") {
		problems = append(problems, s.problem("engines.stt", "is "+EngineRealtime+", which Azure has under /openai/v1 only",
			"choose --stt "+EngineOpenAI+", or unset openai.api and end OPENAI_BASE_URL with /openai/v1")...)
	}
	return problems
}

// asks reports whether the command asks the OpenAI-compatible service for anything.
func (s *Settings) asks() bool {
	return s.Engines.LLM == EngineOpenAI ||
		s.uses("engines.stt") && (s.Engines.STT == EngineOpenAI || s.Engines.STT == EngineRealtime || s.Engines.TTS == EngineOpenAI)
}
