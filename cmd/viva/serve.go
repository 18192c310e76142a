package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/urfave/cli/v3"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// serve runs a worker, its health endpoint and, where wanted, the candidate's page, until a signal or a failure. ready is
// called once everything listens.
func serve(ctx context.Context, s *settings.Settings, log *zap.Logger, ready func()) error {
	defer func() { _ = log.Sync() }() // standard error need not be flushable
	room.LogSDK(log.Named("livekit"))
	library, err := agent.LoadLibrary(s.Interviews.Dir, s.Interviews.Default)
	if err != nil {
		return err
	}
	kept, err := openKeeping(ctx, s, log)
	if err != nil {
		return err
	}
	defer kept.close(log) // last: until then somebody may write to it
	firms, err := companies(s)
	if err != nil {
		return err
	}
	defer firms.Close()
	parts, closeEngines, err := engines(ctx, s, log)
	if err != nil {
		return err
	}
	defer closeEngines()
	tracer, flush, err := tracing(ctx, s, log)
	if err != nil {
		return err
	}
	defer flush()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics := agent.NewMetrics(registry)
	told, closeWebhook, err := startWebhook(ctx, s, kept, metrics, log)
	if err != nil {
		return err
	}
	defer closeWebhook()
	options := agent.Options{
		Library: library, Engines: parts, Metrics: metrics, Logger: log, Grace: s.Room.ReconnectGrace,
		Speculate: s.Engines.Speculate, Signals: s.Voice.ListeningSignal, Tracer: tracer, Companies: firms, Webhook: told, Version: version, PDF: pdfReader(),
		Helplines: s.Interviews.Helplines.ByLanguage(),
	}
	answers := new(worker.Answers)
	options.Answered = answers.Took
	if err := kept.equip(ctx, &options, s, log); err != nil {
		return err
	}
	if kept.database != nil && ready == nil { // on a developer's machine the server, the rooms and the worker end together
		options.Leases = kept.database
	}
	judge, closeJudge, err := remoteJudge(s, log)
	if err != nil {
		return err
	}
	defer closeJudge()
	options.Judge = assessment.Judge(judge)
	interviewer, err := agent.New(options)
	if err != nil {
		return err
	}
	defer closeInterviewer(ctx, interviewer, s)
	w, err := worker.New(workerOptions(s, log, registry, answers), interviewer)
	if err != nil {
		return err
	}
	health, err := listen(ctx, "the health endpoint", s.Health.Address, "--health-address or VIVA_HEALTH_ADDRESS")
	if err != nil {
		return err
	}
	page, handler, err := page(ctx, s, library, firms.Companies(), kept, log)
	if err != nil {
		return errors.Join(err, health.Close())
	}
	log.Info("worker.starting", zap.String("version", version), zap.String("url", s.LiveKit.URL), zap.String("agent_name", s.AgentName),
		zap.String("engines", describe(s)), zap.Int("interviews", len(library.Kinds())))
	if ready != nil {
		ready()
	}
	around := surroundings{s: s, kept: kept, interviewer: interviewer, registered: w.Registered, health: health,
		answer: w.HealthHandler(registry), page: page, site: handler, log: log}
	return runAll(ctx, s, log, w, around.run)
}

// runAll runs the worker beside what serves it, and ends all of it together. The first signal drains, the second stops.
func runAll(ctx context.Context, s *settings.Settings, log *zap.Logger, w *worker.Worker, beside func(context.Context, *errgroup.Group)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	side, stopSide := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSide()
	g, side := errgroup.WithContext(side)
	beside(side, g)
	g.Go(func() error {
		defer stopSide()
		return w.Run(ctx)
	})
	done := make(chan struct{})
	g.Go(func() error {
		<-side.Done()
		cancel() // what runs beside the worker and cannot go on takes it along
		close(done)
		return nil
	})
	g.Go(func() error {
		obey(ctx, signals, done, cancel, s.Worker.DrainLimit, log, w)
		return nil
	})
	return g.Wait()
}

// obey turns signals into a drain and then a stop. It ends with done, or with the drain.
func obey(ctx context.Context, signals <-chan os.Signal, done <-chan struct{}, stop func(), limit time.Duration, log *zap.Logger, w *worker.Worker) {
	select {
	case <-done:
		return
	case sig := <-signals:
		log.Info("worker.signal", zap.String("signal", sig.String()), zap.Duration("drain_limit", limit))
	}
	if limit == 0 {
		stop()
		return
	}
	drained := make(chan error, 1)
	go func() { drained <- w.Drain(ctx) }()
	select {
	case err := <-drained:
		if err != nil {
			log.Warn("worker.drain", zap.Error(err))
		}
	case sig := <-signals:
		log.Warn("worker.signal", zap.String("signal", sig.String()), zap.String("effect", "stopping at once"))
		stop()
		if err := <-drained; err != nil { // it ends with the worker
			log.Debug("worker.drain", zap.Error(err))
		}
	}
}

// localSpeech is what an interview takes whose speech is understood or spoken on this machine, as it was measured.
func localSpeech() worker.Cost { return worker.Cost{CPU: 0.14, Memory: 16 << 20} }

func workerOptions(s *settings.Settings, log *zap.Logger, registry prometheus.Registerer, answers *worker.Answers) worker.Options {
	cost := worker.DefaultJobCost()
	if s.Engines.STT == settings.EngineLocal || s.Engines.TTS == settings.EngineLocal {
		cost = localSpeech()
	}
	return worker.Options{
		URL: s.LiveKit.URL, APIKey: s.LiveKit.APIKey, APISecret: s.LiveKit.APISecret.Reveal(), AgentName: s.AgentName,
		Version: version, MaxJobs: s.Worker.MaxJobs, LoadThreshold: s.Worker.LoadThreshold, SystemCPU: s.Worker.LoadSource == settings.LoadSystem,
		JobCost: cost, Answers: answers, DrainTimeout: s.Worker.DrainLimit, MaxRetries: s.Worker.MaxRetries, Logger: log, Registerer: registry,
	}
}

// page prepares the candidate's page; a nil listener means that none is wanted.
func page(ctx context.Context, s *settings.Settings, library *agent.Library, companies []string, k keeping, log *zap.Logger) (net.Listener, http.Handler, error) {
	if !s.Web.Enabled {
		return nil, nil, nil
	}
	candidates, err := web.New(web.Options{
		LiveKitURL: s.LiveKit.URL, APIKey: s.LiveKit.APIKey, APISecret: s.LiveKit.APISecret.Reveal(), AgentName: s.AgentName,
		Interviews: lobby(library.Kinds(), companies, k.sound != nil), DefaultInterview: library.DefaultKind(), OpenTokens: s.Web.OpenTokens,
		LocalTokens: s.Web.LocalTokens, TrustedProxies: s.Web.TrustedProxies(), Logger: log,
	})
	if err != nil {
		return nil, nil, err
	}
	handler, err := withReports(s, k, candidates, log)
	if err != nil {
		return nil, nil, err
	}
	listener, err := listen(ctx, "the candidate's page", s.Web.Address, "--web-address or VIVA_WEB_ADDRESS")
	return listener, handler, err
}

func (p *program) startCommand() *cli.Command {
	return &cli.Command{
		Name: "start", Usage: "run a production worker",
		Description: "Registers with the LiveKit server and holds the interviews that are dispatched to it. SIGTERM drains:\n" +
			"no new jobs, running interviews finish up to --drain-limit; a second signal stops at once.",
		Flags: flags(settings.CommandStart),
		Action: logged(settings.CommandStart, func(ctx context.Context, s *settings.Settings, log *zap.Logger) error {
			return serve(ctx, s, log, nil)
		}),
	}
}
