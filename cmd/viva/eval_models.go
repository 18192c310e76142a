package main

import (
	"cmp"

	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

// lendModels gives an eval the models of the settings. Without a service there are none: scripted candidates, rules, no judge.
func lendModels(o *eval.Options, s *settings.Settings) (closeModels func(), err error) {
	// It has the patience of an eval, in which nobody hears how long models take.
	wait, retry := s.Eval.ModelWait, fault.DefaultRetry()
	l := &lender{s: s, limits: llm.Limits{FirstToken: wait, Gap: wait, Total: 2 * wait, Retry: &retry}}
	if s.OpenAI.APIKey == "" && s.OpenAI.BaseURL == "" {
		return l.close, nil
	}
	o.Names.Plain, o.Models.Plain = s.OpenAI.ChatModel, l.model(s.OpenAI.ChatModel, s.OpenAI.Effort)
	if s.Engines.LLM == settings.EngineOpenAI {
		o.Names.Interviewer = s.OpenAI.ChatModel
		o.Models.Interviewer = l.model(s.OpenAI.ChatModel, s.OpenAI.Effort)
		o.Models.Evaluator = l.role(s.Evaluators)
	}
	if name := cmp.Or(s.Eval.CandidateModel, s.OpenAI.ChatModel); name != settings.NoModel {
		o.Names.Candidate, o.Models.Candidate = name, l.model(name, "")
	}
	if name := cmp.Or(s.Eval.JudgeModel, s.Evaluators.Model, s.OpenAI.ChatModel); name != settings.NoModel {
		o.Names.Judge, o.Models.Judge = name, l.model(name, s.Evaluators.Effort)
	}
	if l.err != nil {
		l.close()
	}
	return l.close, l.err
}
