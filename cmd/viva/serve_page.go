package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// The pauses before something that has stopped to listen is tried again.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// serving serves a listener until ctx ends or it fails, and closes it.
type serving func(ctx context.Context, l net.Listener) error

// keepServing serves until ctx ends. What is served beside interviews ends none of them: when it fails, that is logged, and it
// listens again at the same address. It owns l.
func keepServing(ctx context.Context, what string, l net.Listener, log *zap.Logger, serve serving) error {
	log = log.With(zap.String("what", what), zap.Stringer("address", l.Addr()))
	for {
		address := l.Addr()
		err := serve(ctx, l)
		if ctx.Err() != nil {
			return nil
		}
		log.Error("serve.failed", zap.Error(err))
		if l, err = listenAgain(ctx, address, log); err != nil {
			return nil // ctx has ended
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

func servePage(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		_ = server.Close() // connections that are open
		return fmt.Errorf("serve the candidate's page: %w", err)
	}
	return nil
}
