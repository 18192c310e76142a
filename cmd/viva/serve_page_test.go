package main

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// A page that fails listens again; the worker beside it hears nothing of it, and the page ends when the worker does.
func TestFailingPageEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		core, logs := observer.New(zap.InfoLevel)
		served, broken := make(chan string, 9), errors.New("the listener broke")
		done := make(chan struct{})
		go func() {
			defer close(done)
			keepServing(ctx, "page", first, zap.New(core), func(ctx context.Context, l net.Listener) error {
				defer func() { _ = l.Close() }()
				served <- l.Addr().String()
				if len(served) < 3 {
					return broken
				}
				<-ctx.Done()
				return nil
			})
		}()
		time.Sleep(time.Minute) // the bubble's
		if len(served) != 3 {
			t.Errorf("served %d times", len(served))
		}
		for len(served) > 0 {
			if at := <-served; at != first.Addr().String() {
				t.Errorf("served at %s, want %s", at, first.Addr())
			}
		}
		if n := logs.FilterMessage("serve.failed").Len(); n != 2 || logs.FilterMessage("serve.again").Len() != 2 {
			t.Errorf("%v", logs.All())
		}
		select {
		case <-done:
			t.Error("it ended")
		default:
		}
		stop()
		<-done
	})
}

// While its address is taken by somebody else it waits, longer and longer.
func TestFailingPageWaitsForItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		core, logs := observer.New(zap.InfoLevel)
		done := make(chan error)
		go func() {
			_, err := listenAgain(ctx, taken.Addr(), zap.New(core))
			done <- err
		}()
		time.Sleep(10 * time.Minute) // the bubble's
		if n := logs.FilterMessage("serve.failed").Len(); n < 8 || n > 20 {
			t.Errorf("tried %d times in ten minutes", n)
		}
		stop()
		if err := errors.Join(<-done, taken.Close()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
