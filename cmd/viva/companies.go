package main

import (
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/stages/kinds/design"
)

// companies are those that come with Viva and those in the interviews folder. Close ends their connections.
func companies(s *settings.Settings) (*design.Factory, error) {
	var folders []fs.FS
	if s.Interviews.Dir != "" {
		folders = append(folders, os.DirFS(s.Interviews.Dir))
	}
	f, err := design.NewFactory(design.Options{
		Folders: folders, Allow: s.Companies.Allowed(), Token: s.Companies.Token, Wait: s.Companies.Wait,
	})
	if err != nil {
		return nil, fmt.Errorf("load the companies (companies/ in --interviews; hosts by --company-hosts or VIVA_COMPANY_HOSTS): %w", err)
	}
	return f, nil
}

// thinking bounds how long a model may reason before its first word, where nobody listens. Questions have tighter limits of their
// own.
const thinking = 60 * time.Second

// advisers are the models that answer structured questions: those of evaluators. They have clients of their own, which do not try
// again by themselves: who asks does, in its own time.
type advisers struct {
	evaluators tasks.Role
	clients    []*openai.Client
}

func newAdvisers(s *settings.Settings) (a advisers, err error) {
	if s.Engines.LLM != settings.EngineOpenAI {
		return a, nil
	}
	a.evaluators, err = a.role(s, s.Evaluators)
	return a, err
}

func (a *advisers) role(s *settings.Settings, r settings.Role) (tasks.Role, error) {
	name := r.Model
	if name == "" {
		name = s.OpenAI.ChatModel
	}
	cfg := service(s)
	cfg.ChatModel, cfg.Effort = name, r.Effort
	cfg.ChatLimits = llm.Limits{FirstToken: thinking, Retry: &fault.Retry{}}
	c, err := openai.New(cfg)
	if err != nil {
		return tasks.Role{}, err
	}
	a.clients = append(a.clients, c)
	return tasks.Role{Model: c.Model(), Temperature: &r.Temperature}, nil
}

func (a *advisers) close() {
	for _, c := range a.clients {
		c.CloseIdleConnections()
	}
}

// advise gives the advisers to the engines.
func (a *advisers) advise(e *agent.Engines) { e.Evaluators = a.evaluators }

// taskPool carries out the tasks of an interview that is held without a worker. What is refused of its models, book notes.
func taskPool(s *settings.Settings, book *refusals.Book) (pool *tasks.Pool, closePool func(), err error) {
	firms, err := companies(s)
	if err != nil {
		return nil, nil, err
	}
	aside, err := newAdvisers(s)
	if err == nil {
		aside.evaluators.Model = book.Watch(refusals.Evaluators, aside.evaluators.Model)
		pool, err = tasks.New(tasks.Options{Companies: firms, Evaluators: aside.evaluators})
	}
	if err != nil {
		firms.Close()
		return nil, nil, err
	}
	return pool, func() {
		aside.close()
		firms.Close()
	}, nil
}
