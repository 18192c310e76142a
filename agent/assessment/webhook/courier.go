package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// The Types of a Notice: a report is ready; a candidate spoke of harming themselves.
const (
	ReportReady       = "report.ready"
	CandidateDistress = "candidate.distress"
)

// Notice is what is told: the body of the request.
type Notice struct {
	ID        string          `json:"id"` // the same at every try
	Type      string          `json:"type"`
	Session   string          `json:"session"`
	Room      string          `json:"room"`
	Interview string          `json:"interview"`        // its kind
	Status    string          `json:"status,omitempty"` // of the report
	Report    json.RawMessage `json:"report,omitempty"` // with ReportReady
}

// Outbox keeps deliveries until they are settled; *store.Store is one.
type Outbox interface {
	AddDelivery(ctx context.Context, d store.Delivery) (added bool, err error)
	ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, n int) ([]store.Delivery, error)
	SettleDelivery(ctx context.Context, id, status string, next time.Time, problem string) error
}

// Options are the parts of a Courier. URL, Outbox and Logger are required.
type Options struct {
	URL     string            // http or https; it may name a private address: it is the operator's own
	Secret  string            // signs the requests; empty: they are not signed
	Outbox  Outbox            // the caller closes it, after the Courier
	Client  *http.Client      // nil: one that follows no redirects
	Count   func(what string) // told of each try: delivered, failed or dead; optional, must not block
	Version string            // of the program, for the header User-Agent
	Logger  *zap.Logger
}

// Times of deliveries.
const (
	tryLimit   = 10 * time.Second // one request
	lease      = time.Minute      // how long a claimed delivery is nobody else's: longer than a request
	pollEvery  = 5 * time.Second
	storeLimit = 5 * time.Second
	atOnce     = 4
	maxAfter   = 24 * time.Hour // whatever a receiver asks for
	jitter     = 0.2            // of each pause, more or less
)

// pauses lie between the tries: there is one try more than pauses.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// Courier delivers.
type Courier struct {
	o      Options
	target string // the address as it may be logged
	client *http.Client
	wake   chan struct{} // one slot: look at once
	stop   context.CancelFunc
	done   chan struct{}
}

// Start checks the options and begins to deliver, what an earlier process has left included. It outlives ctx;
// Close ends it.
func Start(ctx context.Context, o Options) (*Courier, error) {
	target, err := check(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	if o.Count == nil {
		o.Count = func(string) {}
	}
	client := *o.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &Courier{
		o: o, target: target, client: &client, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{}),
	}
	go c.run(ctx)
	return c, nil
}

// check returns an address as it may be shown: without what may be a secret.
func check(address string) (shown string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the webhook's address must be a whole one, such as https://example.com/viva (setting report.webhook_url)")
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), nil
}

// Tell queues a notice. It returns once the outbox has it, and does nothing for one whose ID the outbox knows. The address is
// not kept with it: it may hold a secret, and a later setting counts.
func (c *Courier) Tell(ctx context.Context, n Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("write the notice %q: %w", n.ID, err)
	}
	if _, err := c.o.Outbox.AddDelivery(ctx, store.Delivery{ID: n.ID, Session: n.Session, Body: body, Next: time.Now()}); err != nil {
		return fmt.Errorf("queue the notice %q: %w", n.ID, err)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

// Close stops delivering, after what is due at this moment was tried. What is left stays in the outbox. It
// may be called more than once.
func (c *Courier) Close() {
	c.stop()
	<-c.done
}

func (c *Courier) run(ctx context.Context) {
	defer close(c.done)
	defer c.client.CloseIdleConnections()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		c.round(ctx)
		select {
		case <-tick.C:
		case <-c.wake:
		case <-ctx.Done():
		}
	}
	c.few(context.WithoutCancel(ctx))
}

// round tries what is due, until nothing is, or ctx ends.
func (c *Courier) round(ctx context.Context) {
	for tried := atOnce; tried == atOnce && ctx.Err() == nil; {
		tried = c.few(ctx)
	}
}

// few tries at most so many deliveries as are made at the same time, and returns how many. Those that were begun are
// brought to their end.
func (c *Courier) few(ctx context.Context) int {
	due, err := c.claim(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.o.Logger.Warn("webhook.outbox", zap.Error(err))
		}
		return 0
	}
	var tries sync.WaitGroup
	for _, d := range due {
		tries.Go(func() { c.deliver(context.WithoutCancel(ctx), d) }) // bounded by its own limits
	}
	tries.Wait()
	return len(due)
}

func (c *Courier) claim(ctx context.Context) ([]store.Delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	return c.o.Outbox.ClaimDeliveries(ctx, time.Now(), lease, atOnce)
}

// deliver tries once and settles what came of it.
func (c *Courier) deliver(ctx context.Context, d store.Delivery) {
	after, err := c.post(ctx, d)
	switch {
	case err == nil:
		c.o.Count("delivered")
		c.settle(ctx, d.ID, store.Delivered, time.Time{}, "")
		c.o.Logger.Info("webhook.delivered", zap.String("id", d.ID), zap.String("to", c.target), zap.Int("attempt", d.Attempts))
	case d.Attempts > len(pauses) || errors.Is(err, errGone):
		c.o.Count("dead")
		if c.settle(ctx, d.ID, store.DeliveryDead, time.Time{}, err.Error()) {
			c.o.Logger.Error("webhook.dead", zap.String("id", d.ID), zap.String("to", c.target), zap.Int("attempts", d.Attempts), zap.Error(err))
		}
	default:
		c.o.Count("failed")
		wait := pause(d.Attempts, after)
		c.settle(ctx, d.ID, store.DeliveryWaiting, time.Now().Add(wait), err.Error())
		c.o.Logger.Warn("webhook.failed", zap.String("id", d.ID), zap.String("to", c.target), zap.Int("attempt", d.Attempts),
			zap.Duration("again", wait), zap.Error(err))
	}
}

// pause is how long to wait after so many tries; a receiver may ask for longer.
func pause(attempts int, after time.Duration) time.Duration {
	p := pauses[min(max(attempts, 1), len(pauses))-1]
	p += time.Duration((2*rand.Float64() - 1) * jitter * float64(p)) //nolint:gosec // spreads load; nothing rests on it
	return max(p, min(after, maxAfter))
}

// settle notes what came of a try. It is false where nobody wants the delivery any more: its session was deleted meanwhile.
func (c *Courier) settle(ctx context.Context, id, status string, next time.Time, problem string) (wanted bool) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	err := c.o.Outbox.SettleDelivery(ctx, id, status, next, problem)
	if errors.Is(err, store.ErrNoDelivery) {
		return false
	}
	if err != nil {
		c.o.Logger.Warn("webhook.outbox", zap.String("id", id), zap.Error(err)) // its lease runs out, and it is tried again
	}
	return true
}
