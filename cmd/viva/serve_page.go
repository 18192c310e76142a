package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// The pauses before something that has stopped to listen is tried again.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// surroundings are what runs beside a worker: what is served, and what is looked after.
type surroundings struct {
	s           *settings.Settings
	kept        keeping
	interviewer *agent.Interviewer
	registered  func() bool // the worker is
	health      net.Listener
	answer      http.Handler // of the health endpoint
	page        net.Listener // nil: there is no page
	site        http.Handler // of the page
	log         *zap.Logger
}

// run starts all of it in g, until ctx ends.
func (x surroundings) run(ctx context.Context, g *errgroup.Group) {
	answer := x.answer
	if x.kept.database != nil {
		p := &pulse{database: x.kept.database, log: x.log}
		answer = p.watched(answer)
		g.Go(func() error { return p.run(ctx) })
	}
	g.Go(func() error {
		keepServing(ctx, "health", x.health, x.log, serving(answer))
		return nil
	})
	if x.page != nil {
		g.Go(func() error {
			keepServing(ctx, "page", x.page, x.log, serving(x.site))
			return nil
		})
	}
	g.Go(func() error {
		if err := x.interviewer.Warm(ctx); err != nil && ctx.Err() == nil {
			x.log.Warn("voice.warm", zap.Error(err))
		}
		return nil
	})
	g.Go(func() error { return retain(ctx, x.kept, x.s.Recording.Retention, x.log) })
	g.Go(func() error { return x.interviewer.Sweep(ctx) })
	lk := x.s.LiveKit
	rescue := agent.Rescue{Rooms: agent.LiveKitRooms(lk.URL, lk.APIKey, lk.APISecret.Reveal()), Agent: x.s.AgentName, Ready: x.registered}
	g.Go(func() error { return x.interviewer.Rescue(ctx, rescue) })
}

// keepServing serves until ctx ends; serve does it until ctx ends or it fails, and closes the listener. What is served beside interviews ends none of them: when it fails, that is logged, and it
// listens again at the same address. It owns l.
func keepServing(ctx context.Context, what string, l net.Listener, log *zap.Logger, serve func(context.Context, net.Listener) error) {
	log = log.With(zap.String("what", what), zap.Stringer("address", l.Addr()))
	for {
		address := l.Addr()
		err := serve(ctx, l)
		if ctx.Err() != nil {
			return
		}
		log.Error("serve.failed", zap.Error(err))
		if l, err = listenAgain(ctx, address, log); err != nil {
			return // ctx has ended
		}
	}
}

// listenAgain listens at an address as soon as it can be had. The error is that of ctx.
func listenAgain(ctx context.Context, address net.Addr, log *zap.Logger) (net.Listener, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, address.Network(), address.String())
		if err == nil {
			log.Info("serve.again")
			return l, nil
		}
		log.Warn("serve.failed", zap.Error(err))
	}
}

// listen opens a TCP address, so that one that is taken is known before anything starts; settings are those that choose another.
func listen(ctx context.Context, what, address, settings string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s cannot listen on %s (choose another address with %s): %w", what, address, settings, err)
	}
	return l, nil
}

func serving(h http.Handler) func(context.Context, net.Listener) error {
	return func(ctx context.Context, l net.Listener) error { return serveHTTP(ctx, l, h) }
}

// serveHTTP serves a listener until ctx ends or it fails, and closes it.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		_ = server.Close() // connections that are open
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// lobby is what the candidate's page offers: the interviews, their languages, and what may be chosen before they begin.
// records says that this worker can keep sound.
func lobby(kinds []agent.Kind, companies []string, records bool) []agent.Kind {
	out := slices.Clone(kinds)
	for n := range out {
		k := &out[n]
		k.Recorded = records && k.Recorded
		k.Vars = slices.Clone(k.Vars)
		for i := range k.Vars {
			if v := &k.Vars[i]; v.Company {
				for _, name := range companies {
					v.Choices = append(v.Choices, agent.Choice{Value: name})
				}
			}
		}
	}
	return out
}
