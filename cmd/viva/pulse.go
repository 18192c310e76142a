package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

const (
	pulsePeriod = 10 * time.Second
	pulseLimit  = 2 * time.Second // for the store to answer
)

// pulse knows whether a worker's store can be written to. It finds out by itself, so that nobody who asks for the worker's health
// has a part in how often: of SQLite there is one writer, which interviews need.
type pulse struct {
	database *store.Store
	log      *zap.Logger
	lost     atomic.Pointer[string] // why; nil: the store is well
}

// run looks after the store until ctx ends.
func (p *pulse) run(ctx context.Context) error {
	tick := time.NewTicker(pulsePeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			p.check(ctx)
		}
	}
}

func (p *pulse) check(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, pulseLimit)
	defer cancel()
	err := p.database.Ping(limited)
	switch was := p.lost.Load(); {
	case ctx.Err() != nil:
	case err != nil:
		why := err.Error()
		if p.lost.Store(&why); was == nil {
			p.log.Error("store.lost", zap.Error(err))
		}
	case was != nil:
		p.lost.Store(nil)
		p.log.Info("store.back")
	}
}

// watched is the health endpoint of a worker whose store may be lost: then it is not healthy either, so that nobody sends it
// interviews that it could not keep.
func (p *pulse) watched(health http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := p.lost.Load(); why != nil && r.URL.Path == "/" {
			http.Error(w, fmt.Sprintf("the store is lost: %s", *why), http.StatusServiceUnavailable)
			return
		}
		health.ServeHTTP(w, r)
	})
}
