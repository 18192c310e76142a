package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

func (p *program) evaluatorCommand() *cli.Command {
	return &cli.Command{
		Name: "evaluator", Usage: "judge answers as a service of its own, for workers with --evaluator-url",
		Description: "POST /v1/judge takes {item, evaluator, budget_ms} with the bearer key of evaluator.key, and answers with an evaluation.\n" +
			"Rules judge without any model; evaluators that ask one use openai.* and evaluators.*. /healthz and /metrics need no key.\n" +
			"SIGTERM lets judgements under way end.",
		Flags:  flags(settings.CommandEvaluator),
		Action: logged(settings.CommandEvaluator, serveEvaluator),
	}
}

func serveEvaluator(ctx context.Context, s *settings.Settings, log *zap.Logger) error {
	defer func() { _ = log.Sync() }() // standard error need not be flushable
	ctx, stop := untilSignal(ctx)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	judges, closeJudges, err := evaluators(s)
	if err != nil {
		return err
	}
	defer closeJudges()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	model := refusals.NewBook(log, refusals.Counter(registry)).Watch(refusals.Evaluators, judges.Model)
	service, err := evaluator.New(evaluator.Options{
		Judge: evaluator.NewLocal(model, judges.Temperature).Judge, Key: s.Evaluator.Key.Reveal(),
		Calls: s.Evaluator.Calls, Registry: registry, Logger: log,
	})
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "the evaluator", s.Evaluator.Address, "--evaluator-address or VIVA_EVALUATOR_ADDRESS")
	if err != nil {
		return err
	}
	log.Info("evaluator.started", zap.String("version", version), zap.String("address", listener.Addr().String()),
		zap.String("llm", s.Engines.LLM), zap.Int("calls", s.Evaluator.Calls))
	err = service.Serve(ctx, listener)
	log.Info("evaluator.stopped", zap.Error(err))
	return err
}

// remoteJudge asks the evaluator service, where the settings name one; nil = the worker judges itself. Close ends its
// connections.
func remoteJudge(s *settings.Settings, log *zap.Logger) (judge evaluator.Judge, closeJudge func(), err error) {
	if s.Evaluator.URL == "" {
		return nil, func() {}, nil
	}
	c, err := evaluator.NewClient(evaluator.ClientOptions{URL: s.Evaluator.URL, Key: s.Evaluator.Key.Reveal(), Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return c.Judge, c.Close, nil
}
