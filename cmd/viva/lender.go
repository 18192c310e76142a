package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
)

// lender makes models with limits of their own, for questions whose answers nobody hears.
type lender struct {
	s       *settings.Settings
	limits  fault.Limits
	clients []*openai.Client
	err     error
}

// model is the model of that name; effort is its reasoning_effort, "" = what a request asks for.
func (l *lender) model(name, effort string) llm.Model {
	cfg := service(l.s)
	cfg.ChatModel, cfg.Effort, cfg.ChatLimits = name, effort, l.limits
	c, err := openai.New(cfg)
	if err != nil {
		l.err = errors.Join(l.err, err)
		return nil
	}
	l.clients = append(l.clients, c)
	return c.Model()
}

func (l *lender) role(r settings.Role) tasks.Role {
	return tasks.Role{Model: l.model(cmp.Or(r.Model, l.s.OpenAI.ChatModel), r.Effort), Temperature: &r.Temperature}
}

func (l *lender) close() {
	for _, c := range l.clients {
		c.CloseIdleConnections()
	}
}

// thinking bounds how long a model may reason before its first word, where nobody listens. Questions have tighter limits of their
// own.
const thinking = 60 * time.Second

// evaluators is who answers the structured questions of evaluators; without a model where there is none. It does not try again by
// itself: who asks does, in its own time.
func evaluators(s *settings.Settings) (role tasks.Role, closeModel func(), err error) {
	l := &lender{s: s, limits: fault.Limits{First: thinking, Retry: &fault.Retry{}}}
	if s.Engines.LLM == settings.EngineOpenAI {
		role = l.role(s.Evaluators)
	}
	return role, l.close, l.err
}

// patient lends models to measurements, in which nobody hears how long they take.
func patient(s *settings.Settings) *lender {
	wait, retry := s.Eval.ModelWait, fault.DefaultRetry()
	return &lender{s: s, limits: fault.Limits{First: wait, Gap: wait, Total: 2 * wait, Retry: &retry}}
}

// lendModels gives an eval the models of the settings. Without a service there are none: scripted candidates, rules, no judge.
func lendModels(o *eval.Options, s *settings.Settings) (closeModels func(), err error) {
	l := patient(s)
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
