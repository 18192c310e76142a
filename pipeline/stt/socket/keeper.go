package socket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
)

// firstBackoff is the wait after the first failed attempt; it doubles up to Limits.Backoff.
const firstBackoff = 250 * time.Millisecond

// refusal is how much of the body of a refused handshake is read, in bytes; the dialer keeps no more.
const refusal = 1024

// keep is the keeper's goroutine: it sees to it that there is a connection.
func (d *decoder) keep(ctx context.Context) {
	for wait := firstBackoff; ctx.Err() == nil; {
		l, err := dial(ctx, d.dialect, d.limits, d.language, d.changed)
		d.publish(l, err)
		began := time.Now()
		if err == nil {
			l.serve(ctx)
			d.publish(nil, nil)
			if time.Since(began) > d.limits.Ping {
				wait = firstBackoff
			}
		}
		if given, _ := l.givenUp(); given {
			continue // it was good, and a segment may begin at any time
		}
		d.rest(ctx, wait)
		wait = min(2*wait, d.limits.Backoff)
	}
}

// givenUp reports whether the connection ended because its segment did.
func (l *link) givenUp() (given bool, err error) {
	if l == nil {
		return false, nil
	}
	_, err = l.state()
	return errors.Is(err, errGivenUp), err
}

// rest waits before the next attempt, unless a segment wants one.
func (d *decoder) rest(ctx context.Context, wait time.Duration) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-d.wanted:
	case <-ctx.Done():
	}
}

// publish tells what has become of the connection.
func (d *decoder) publish(l *link, failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current, d.failure = l, failure
	if failure != nil {
		d.attempts++
	}
	close(d.news)
	d.news = make(chan struct{})
}

// dial makes a connection and waits until it is usable. Its reader is then running.
func dial(ctx context.Context, d *Dialect, l Limits, language string, changed chan<- struct{}) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*l.Connect)
	defer cancel()
	encoder, err := d.NewEncoder()
	if err != nil {
		return nil, fault.From(opTranscribe, d.Provider, err)
	}
	conn, err := connect(ctx, d, l, language)
	if err != nil {
		return nil, err
	}
	opened := &link{
		dialect: d, limits: l, conn: conn, encoder: encoder, changed: changed, wrote: time.Now(),
		ready: make(chan struct{}), over: make(chan struct{}),
	}
	g := guard.From(ctx)
	g.Start("stt", func() { opened.read(g) }) // it ends with the connection, which the caller sees to by serve or fail
	if err := opened.greet(ctx, language); err != nil {
		err = opened.fail(err)
		<-opened.over
		return nil, err
	}
	return opened, nil
}

// connect dials and shakes hands until ctx ends or Limits.Connect has passed.
func connect(ctx context.Context, d *Dialect, l Limits, language string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Connect)
	defer cancel()
	dial, release := interruptible(ctx)
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: dial}
	address, header := d.Request(language)
	conn, resp, err := dialer.DialContext(ctx, address, header)
	interrupted := release()
	switch {
	case err == nil && !interrupted:
		return conn, nil
	case err == nil:
		_ = conn.Close() // a second time
		return nil, d.explain(context.Cause(ctx))
	case ctx.Err() != nil:
		return nil, d.explain(fmt.Errorf("connect: %w", context.Cause(ctx)))
	case resp == nil:
		return nil, d.explain(fmt.Errorf("connect: %w", err))
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, refusal)) // what could be read is enough
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil, d.Refused(resp)
}

// interruptible gives a dial function whose connection is closed when ctx ends, until release is called, which reports whether
// that has happened. The WebSocket dialer watches its context while it connects, but not while it waits for the server's side
// of the handshake.
func interruptible(ctx context.Context) (dial dialFunc, release func() bool) {
	stop := func() bool { return true }
	dial = func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		stop = context.AfterFunc(ctx, func() { _ = conn.Close() }) // the handshake then fails
		return conn, nil
	}
	return dial, func() bool { return !stop() }
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// greet sends Hello and waits for the answer.
func (l *link) greet(ctx context.Context, language string) error {
	if l.dialect.Hello == nil {
		return nil
	}
	hello, err := l.dialect.Hello(language)
	if err != nil {
		return fault.From(opTranscribe, l.dialect.Provider, err)
	}
	if err := l.write(websocket.TextMessage, hello); err != nil {
		return err
	}
	timeout := time.NewTimer(l.limits.Connect)
	defer timeout.Stop()
	select {
	case <-l.ready:
		return nil
	case <-l.over:
		_, err := l.state()
		return err
	case <-timeout.C:
		return &fault.Error{
			Op: opTranscribe, Provider: l.dialect.Provider, Kind: fault.Timeout,
			Err: errors.New("connected, but the session was not confirmed"), Hint: l.dialect.HintReach,
		}
	case <-ctx.Done():
		return l.dialect.explain(context.Cause(ctx))
	}
}
