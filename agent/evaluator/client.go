package evaluator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/evaluate"
)

const (
	dialLimit = 3 * time.Second
	// attempts at a service that is busy.
	attempts = 4
	// pause before the second attempt; later ones are longer. A service that says how long to wait is believed.
	pause = 500 * time.Millisecond
	// cooldown is how long a service that is away is left alone.
	cooldown = 15 * time.Second
)

// ClientOptions are what a Client is made from.
type ClientOptions struct {
	URL    string // of the service, such as http://evaluator:8092; private addresses are fine
	Key    string
	Logger *zap.Logger
	// Dial replaces how connections are made. Optional.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client asks an evaluator service.
type Client struct {
	options ClientOptions
	url     string
	http    *http.Client
	log     *zap.Logger

	mu    sync.Mutex
	until time.Time // guarded by mu: the service is left alone until then
	last  error     // guarded by mu: why
}

// NewClient makes a client. It asks nobody anything. Close ends its connections.
func NewClient(o ClientOptions) (*Client, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, errors.New("the address of the evaluator service cannot be read (evaluator.url)")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address of the evaluator service (evaluator.url) must be http://HOST:PORT or https://HOST:PORT, " +
			"without user, query or fragment")
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: dialLimit}).DialContext
	}
	return &Client{
		options: o, url: u.JoinPath(pathJudge).String(), log: o.Logger,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: o.Dial, TLSHandshakeTimeout: dialLimit, MaxConnsPerHost: 64, MaxIdleConnsPerHost: 8,
				IdleConnTimeout: 30 * time.Second, Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 1 << 14,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Judge asks the service, again where it is busy, within the time that ctx leaves; without a deadline, 30 s. The error tells
// by a method Retryable whether trying again may help, and by fault.KindOf what went wrong; ErrItem says that nobody could
// judge the item. A service that is away is left alone for a while, and the error says so at once: whoever stands in need
// not wait for it.
func (c *Client) Judge(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
	if err := c.away(); err != nil {
		return evaluate.Evaluation{}, err
	}
	deadline, bounded := ctx.Deadline()
	if !bounded {
		deadline = time.Now().Add(defaultBudget)
	}
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	e, err := c.insist(limited, by, it, deadline)
	switch {
	case err == nil:
		c.back()
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded): // the caller has given up
	default:
		c.note(err)
	}
	return e, err
}

// Away says that the service failed a moment ago and was not asked. Err is how.
type Away struct{ Err error }

// Error implements error.
func (a *Away) Error() string {
	return fmt.Sprintf("the evaluator service is left alone for a while: %v", a.Err)
}

// Unwrap returns how the service failed.
func (a *Away) Unwrap() error { return a.Err }

// Retryable is false: somebody else should judge.
func (*Away) Retryable() bool { return false }

func (c *Client) away() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.until) {
		return &Away{c.last}
	}
	return nil
}

func (c *Client) back() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until, c.last = time.Time{}, nil
}

// note leaves the service alone for a while, if it is the trouble and not this one question.
func (c *Client) note(err error) {
	var answered *answeredError
	if errors.As(err, &answered) && answered.alive || fault.KindOf(err) == fault.BadRequest {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.log.Warn("evaluator.away", zap.Error(err), zap.Duration("left_alone", cooldown))
	}
	c.until, c.last = time.Now().Add(cooldown), err
}

// insist asks the service, and again while it is busy and time is left.
func (c *Client) insist(ctx context.Context, by string, it evaluate.Item, deadline time.Time) (e evaluate.Evaluation, err error) {
	again := fault.Retry{Max: attempts - 1, First: pause, Next: 3 * pause, Budget: time.Until(deadline)}
	_ = again.Do(ctx, func() error { // its error is the last try's, or that ctx has ended
		e, err = c.once(ctx, by, it, time.Until(deadline))
		if fault.KindOf(err) != fault.RateLimited {
			return nil
		}
		return err
	})
	return e, err
}

// once makes one request.
func (c *Client) once(ctx context.Context, by string, it evaluate.Item, budget time.Duration) (evaluate.Evaluation, error) {
	budget -= min(budget/10, 500*time.Millisecond) // so that the service says itself that it is late
	body, err := json.Marshal(Request{Item: it, Evaluator: by, BudgetMS: max(1, budget.Milliseconds())})
	if err != nil {
		return evaluate.Evaluation{}, failed(fault.BadRequest, fmt.Errorf("write the request: %w", err))
	}
	if len(body) > MaxBody {
		return evaluate.Evaluation{}, failed(fault.BadRequest, fmt.Errorf("the item has %d bytes; at most %d are sent", len(body), MaxBody))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return evaluate.Evaluation{}, failed(fault.BadRequest, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.options.Key)
	resp, err := c.http.Do(req)
	if err != nil {
		return evaluate.Evaluation{}, failed(fault.KindOf(err), unaddressed(err))
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or of no use
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return evaluate.Evaluation{}, failed(fault.KindOf(err), fmt.Errorf("read the answer: %w", err))
	case len(text) > maxAnswer:
		return evaluate.Evaluation{}, failed(fault.Malformed, fmt.Errorf("the answer has more than %d bytes", maxAnswer))
	case resp.StatusCode != http.StatusOK:
		return evaluate.Evaluation{}, refused(resp, text)
	}
	e, err := accept(text, it)
	if err != nil {
		return evaluate.Evaluation{}, failed(fault.Malformed, err)
	}
	return e, nil
}

func failed(kind fault.Kind, err error) *fault.Error {
	return &fault.Error{Op: "judge", Provider: "evaluator", Kind: kind, Err: err}
}

// unaddressed takes off the address that net/http puts before its errors: the setting is known, and the text is kept.
func unaddressed(err error) error {
	if u, is := errors.AsType[*url.Error](err); is {
		return u.Err
	}
	return err
}

// maxMessage bounds what a service says about a failure, in bytes.
const maxMessage = 300

// answeredError is an answer that is no evaluation.
type answeredError struct {
	status  int
	message string
	alive   bool // it came from a service that works: the question is the trouble, or it is busy
	item    bool // nobody could judge the item
}

func (e *answeredError) Error() string {
	return fmt.Sprintf("it answers %d: %.*q", e.status, maxMessage, e.message)
}

func (e *answeredError) Unwrap() error {
	if e.item {
		return ErrItem
	}
	return nil
}

// refused makes an error of an answer that is none.
func refused(resp *http.Response, text []byte) error {
	var said struct {
		Error Failure `json:"error"`
	}
	_ = json.Unmarshal(text, &said) // without it the status has to do
	answered := &answeredError{status: resp.StatusCode, message: said.Error.Message}
	answered.alive = said.Error.Kind != "" && said.Error.Kind != KindRefused
	answered.item = resp.StatusCode == http.StatusUnprocessableEntity && said.Error.Kind == KindItem
	e := failed(kindOf(resp.StatusCode), answered)
	switch {
	case e.Kind == fault.Auth:
		e.Hint = "check evaluator.key (VIVA_EVALUATOR_KEY) on both sides"
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Hint = "it redirects: set evaluator.url to the address that it redirects to"
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = min(time.Duration(seconds)*time.Second, time.Hour)
	}
	return e
}

func kindOf(status int) fault.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.Auth
	case http.StatusTooManyRequests:
		return fault.RateLimited
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return fault.Timeout
	case http.StatusNotFound, http.StatusNotImplemented:
		return fault.Unknown // the service does not know this evaluator, or has no model for it
	}
	switch {
	case status >= 500:
		return fault.Server
	case status < 400:
		return fault.Malformed
	}
	return fault.BadRequest
}
