package socket

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/stt"
)

// maxMessage bounds what a server may send at once, in bytes; a result with its words has some 30 kB a minute.
const maxMessage = 1 << 20

// lastWordsLimit bounds the wait for a close frame that is on its way already.
const lastWordsLimit = 100 * time.Millisecond

var errGivenUp = errors.New("the connection was given up with its segment")

// link is one connection.
type link struct {
	dialect *Dialect
	limits  Limits
	conn    *websocket.Conn
	encoder Encoder       // worker's, as the three below
	sent    time.Duration // audio sent on this connection
	buf     []byte
	wrote   time.Time // when the last message was sent
	changed chan<- struct{}
	ready   chan struct{} // closed by the reader when the session is as asked for
	over    chan struct{} // closed by the reader when it ends

	mu   sync.Mutex
	said state // guarded by mu
	err  error // guarded by mu: why the connection is of no more use
}

// state is what is known of the segment under way.
type state struct {
	fixed, tail string
	confidence  float64 // least of the fixed text
	events      int
	begun       time.Duration // audio of the connection before the segment
	asked       bool          // End was sent
	complete    bool          // and answered
	settled     time.Duration
}

// add takes what a message says of the segment. Late news of the one before is left out.
func (s *state) add(u Update) {
	if u.Settled > 0 && u.Settled <= s.begun+settleSlack {
		return
	}
	s.events++
	switch {
	case u.Whole:
		s.fixed, s.tail, s.confidence = u.Text, "", u.Confidence
	case u.Fixed:
		s.fixed, s.tail = s.fixed+u.Text, ""
		if u.Confidence > 0 && (s.confidence == 0 || u.Confidence < s.confidence) {
			s.confidence = u.Confidence
		}
	default:
		s.tail = u.Text
	}
	s.settled = max(s.settled, u.Settled)
	s.complete = s.complete || u.End && s.asked // one that was not asked for answers the segment before
}

func (s *state) text() string { return strings.TrimSpace(s.fixed + s.tail) }

func (s *state) transcript() stt.Transcript {
	return stt.Transcript{Text: s.text(), Confidence: s.confidence}
}

// begin forgets the segment before.
func (l *link) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = state{begun: l.sent}
}

func (l *link) state() (state, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said, l.err
}

// send writes the audio's message.
func (l *link) send(pcm []int16) error {
	l.buf = l.encoder.Append(l.buf[:0], pcm)
	l.sent += time.Duration(len(pcm)) * time.Second / stt.SampleRate
	return l.write(l.dialect.audioKind(), l.buf)
}

// end writes what is left of the audio and asks for the final text.
func (l *link) end() error {
	l.buf = l.encoder.Flush(l.buf[:0])
	if err := l.write(l.dialect.audioKind(), l.buf); err != nil {
		return err
	}
	l.mu.Lock()
	l.said.asked = true
	l.mu.Unlock()
	return l.write(websocket.TextMessage, l.dialect.End)
}

// write sends a message, if it has a body.
func (l *link) write(kind int, message []byte) error {
	if len(message) == 0 {
		return nil
	}
	if _, err := l.state(); err != nil {
		return err
	}
	err := l.conn.SetWriteDeadline(time.Now().Add(l.limits.Write))
	if err == nil {
		err = l.conn.WriteMessage(kind, message)
	}
	if err != nil {
		l.lastWords()
		return l.fail(l.dialect.explain(fmt.Errorf("send: %w", err)))
	}
	l.wrote = time.Now()
	return nil
}

// lastWords gives the reader a moment to find the server's own reason for closing, which is better than that of a failed write.
func (l *link) lastWords() {
	t := time.NewTimer(lastWordsLimit)
	defer t.Stop()
	select {
	case <-l.over:
	case <-t.C:
	}
}

// fail gives the connection up and returns the reason, which is err or an earlier one.
func (l *link) fail(err error) error {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	err = l.err
	l.mu.Unlock()
	_ = l.conn.Close() // whatever was wrong with it, err says it better
	signal(l.changed)
	return err
}

// read is the reader's goroutine. A message that makes it panic fails the connection, as one that cannot be read does.
func (l *link) read(g *guard.Guard) {
	defer close(l.over)
	err := g.Try("stt", l.receive)
	if guard.Is(err) {
		err = fault.From(opTranscribe, l.dialect.Provider, err)
	}
	_ = l.fail(err)
}

// receive takes messages until the connection fails, and returns why.
func (l *link) receive() error {
	l.conn.SetReadLimit(maxMessage)
	l.conn.SetPongHandler(func(string) error { return l.alive() })
	for {
		if err := l.alive(); err != nil {
			return l.dialect.explain(err)
		}
		kind, message, err := l.conn.ReadMessage()
		if err != nil {
			return l.broken(err)
		}
		if kind != websocket.TextMessage {
			continue // no protocol of ours answers in binary
		}
		update, err := l.dialect.Read(message)
		if err != nil {
			return fault.From(opTranscribe, l.dialect.Provider, err)
		}
		l.take(update)
	}
}

// alive puts off the time at which the connection counts as dead.
func (l *link) alive() error {
	return l.conn.SetReadDeadline(time.Now().Add(2 * l.limits.Ping))
}

// broken explains the end of reading.
func (l *link) broken(err error) *fault.Error {
	e := l.dialect.explain(err)
	if e.Kind == fault.Timeout {
		e.Err = fmt.Errorf("not even a pong for %v: %w", 2*l.limits.Ping, err)
		e.Hint = l.dialect.HintReach
	}
	return e
}

func (l *link) take(u Update) {
	if u.Ready {
		select {
		case <-l.ready:
		default:
			close(l.ready)
		}
	}
	if !u.Heard {
		return
	}
	l.mu.Lock()
	l.said.add(u)
	l.mu.Unlock()
	signal(l.changed)
}

// serve pings until the connection is over or ctx ends, and returns when the reader has.
func (l *link) serve(ctx context.Context) {
	ping := time.NewTicker(l.limits.Ping)
	defer ping.Stop()
	keep := time.NewTicker(l.limits.KeepAlive)
	defer keep.Stop()
	for {
		select {
		case <-ping.C:
			if err := l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(l.limits.Write)); err != nil {
				_ = l.fail(l.dialect.explain(fmt.Errorf("ping: %w", err)))
			}
		case <-keep.C:
			signal(l.changed)
		case <-ctx.Done():
			_ = l.fail(l.dialect.explain(context.Cause(ctx)))
			<-l.over
			return
		case <-l.over:
			return
		}
	}
}

// farewell says goodbye; the connection is closed afterwards.
func (l *link) farewell() {
	if err := l.write(websocket.TextMessage, l.dialect.Farewell); err != nil {
		return
	}
	goodbye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = l.conn.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(l.limits.Write)) // out of politeness only
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func asClosed(err error) (*websocket.CloseError, bool) {
	return errors.AsType[*websocket.CloseError](err)
}
