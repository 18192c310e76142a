package socket

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/stt"
)

// New makes a recognizer that speaks a dialect. Opening a stream begins to connect and does not wait for it; what is wrong
// with the connection is said by the first segment.
func New(d Dialect, l Limits) *stt.Segmented {
	l = l.orDefault()
	return stt.NewSegmented(d.Provider, func(ctx context.Context, language string, report func(string)) stt.Decoder {
		return newDecoder(ctx, &d, l, language, report)
	}, l.Segment)
}

// decoder recognises the segments of one stream.
type decoder struct {
	dialect  *Dialect
	limits   Limits
	language string
	report   func(text string)
	changed  chan struct{} // capacity 1
	wanted   chan struct{} // capacity 1: do not wait before the next attempt
	cancel   context.CancelFunc
	done     sync.WaitGroup

	link *link // worker's: the connection of the segment under way

	mu       sync.Mutex
	current  *link         // guarded by mu: the usable connection, or nil
	attempts int           // guarded by mu: attempts that failed
	failure  error         // guarded by mu: of the last attempt
	news     chan struct{} // guarded by mu: closed when any of this changes
}

var _ stt.LiveDecoder = (*decoder)(nil)

func newDecoder(ctx context.Context, dialect *Dialect, l Limits, language string, report func(string)) *decoder {
	// The stream's end is told by Close, which says farewell on a connection that still lives.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d := &decoder{
		dialect: dialect, limits: l, language: language, report: report, cancel: cancel,
		changed: make(chan struct{}, 1), wanted: make(chan struct{}, 1), news: make(chan struct{}),
	}
	guard.From(ctx).Go(&d.done, "stt", func() { d.keep(ctx) })
	return d
}

// Start waits for a usable connection.
func (d *decoder) Start(ctx context.Context) error {
	signal(d.wanted)
	l, err := d.await(ctx)
	if err != nil {
		return err
	}
	l.begin()
	d.link = l
	return nil
}

// await gives the connection, or the failure of an attempt that ended after the call began.
func (d *decoder) await(ctx context.Context) (*link, error) {
	d.mu.Lock()
	before := d.attempts
	d.mu.Unlock()
	for {
		d.mu.Lock()
		l, failure, news := d.current, d.failure, d.news
		tried := d.attempts > before
		d.mu.Unlock()
		if l != nil {
			if _, err := l.state(); err == nil {
				return l, nil
			}
		} else if tried && failure != nil {
			return nil, failure
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, &fault.Error{
				Op: opTranscribe, Provider: d.dialect.Provider, Kind: fault.Timeout,
				Err: fmt.Errorf("no connection: %w", ctx.Err()), Hint: d.dialect.HintReach,
			}
		}
	}
}

// Feed sends pcm and gives the text so far.
func (d *decoder) Feed(_ context.Context, pcm []int16) (string, error) {
	if err := d.link.send(pcm); err != nil {
		return "", err
	}
	said, err := d.link.state()
	return said.text(), err
}

// Poll gives the text so far, and keeps the session between segments.
func (d *decoder) Poll(context.Context) string {
	if d.link == nil {
		d.keepAlive()
		return ""
	}
	said, _ := d.link.state() // a failure is told by Feed or Finish
	return said.text()
}

func (d *decoder) keepAlive() {
	d.mu.Lock()
	l := d.current
	d.mu.Unlock()
	// The signal may come for another reason, or a moment early.
	if l == nil || time.Since(l.wrote) < d.limits.KeepAlive*3/4 {
		return
	}
	_ = l.write(websocket.TextMessage, d.dialect.KeepAlive) // after an error the keeper makes a new connection
}

// Finish asks for the final text and waits for it.
func (d *decoder) Finish(ctx context.Context) (stt.Transcript, error) {
	l := d.link
	d.link = nil
	if err := l.end(); err != nil {
		return stt.Transcript{}, err
	}
	settle := time.NewTimer(d.limits.Settle)
	defer settle.Stop()
	for events, late := 0, false; ; {
		said, err := l.state()
		switch {
		case said.complete || said.settled > 0 && said.settled >= l.sent-settleSlack:
			return said.transcript(), nil
		case err != nil:
			return stt.Transcript{}, err
		case said.events != events:
			events, late = said.events, false
			settle.Reset(d.limits.Settle)
		case late && events > 0 && d.dialect.EndUnmarked:
			_ = l.fail(errGivenUp) // what still comes must not be taken for the next segment
			return said.transcript(), nil
		}
		d.report(said.text())
		select {
		case <-d.changed:
		case <-settle.C:
			late = true
		case <-ctx.Done():
			return stt.Transcript{}, d.unanswered(ctx, l)
		}
	}
}

// settleSlack is how much of the end of the audio an engine may leave out when it says how far it is.
const settleSlack = 20 * time.Millisecond

// unanswered gives the connection up.
func (d *decoder) unanswered(ctx context.Context, l *link) error {
	e := &fault.Error{
		Op: opTranscribe, Provider: d.dialect.Provider, Kind: fault.KindOf(ctx.Err()),
		Err: fmt.Errorf("the connection stands, but the text did not come: %w", ctx.Err()),
	}
	_ = l.fail(errGivenUp)
	return e
}

// Abort gives the segment up, and the connection with it.
func (d *decoder) Abort() {
	if d.link != nil {
		_ = d.link.fail(errGivenUp)
	}
	d.link = nil
}

// Changed is signalled when there is text, and when it is time for a KeepAlive.
func (d *decoder) Changed() <-chan struct{} { return d.changed }

// Close says farewell, ends the connection and waits for the goroutines.
func (d *decoder) Close() {
	d.mu.Lock()
	l := d.current
	d.mu.Unlock()
	if l != nil {
		l.farewell()
	}
	d.cancel()
	d.done.Wait()
}
