package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/fault"
)

const provider = "openai"

const (
	// errorBody is how much of an error's body is read.
	errorBody = 64 << 10
	// errorText is how much of the provider's explanation is shown.
	errorText = 200
	// maxRetryAfter bounds the wait a server may ask for.
	maxRetryAfter = 10 * time.Minute
	// drainLimit is how much of an unread body is read to keep the connection.
	drainLimit = 4 << 10
	// drainWait bounds that reading.
	drainWait = 50 * time.Millisecond
)

// The hints that lead an operator to the cause.
const (
	hintKey   = "check OPENAI_API_KEY"
	hintURL   = "OPENAI_BASE_URL likely points at a web page or misses /v1"
	hintModel = "check the model's name and OPENAI_BASE_URL"
	hintReach = "check OPENAI_BASE_URL and the network"
	hintQuota = "check the account's billing"
)

// library is go-openai for one request: what it reads, and what becomes of failures, is the doer's. Making one costs no more than
// the struct.
func (c *Client) library(op string, open func(*http.Response) (io.ReadCloser, error)) *lib.Client {
	cfg := lib.DefaultConfig(c.cfg.APIKey)
	if c.cfg.API == Azure {
		cfg = lib.DefaultAzureConfig(c.cfg.APIKey, c.cfg.BaseURL)
		cfg.APIVersion, cfg.AzureModelMapperFunc = c.cfg.APIVersion, c.deployment
	}
	cfg.BaseURL, cfg.HTTPClient = c.cfg.BaseURL, doer{client: c, op: op, open: open}
	return lib.NewClientWithConfig(cfg)
}

// call is one request of our own: the library cannot ask for the log-probabilities of a transcript, and has a list of models only
// in a form that it reads without bound.
type call struct {
	op          string
	method      string
	path        string
	model       string // whose deployment it is about, on Azure
	contentType string
	body        []byte
}

// do sends a call. A nil error means a 2xx answer that is not a web page; the caller closes its body.
func (c *Client) do(ctx context.Context, k call) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, k.method, c.address(k), bytes.NewReader(k.body))
	if err != nil {
		return nil, &fault.Error{Op: k.op, Provider: provider, Kind: fault.BadRequest, Err: err}
	}
	if k.contentType != "" {
		req.Header.Set("Content-Type", k.contentType)
	}
	req.Header.Set("Accept", "application/json")
	switch {
	case c.cfg.API == Azure:
		req.Header.Set(lib.AzureAPIKeyHeader, c.cfg.APIKey)
	case c.cfg.APIKey != "":
		req.Header.Set("Authorization", "Bearer "+c.cfg.APIKey)
	}
	return c.send(k.op, req)
}

// address is where a call goes. Azure has a place for each deployment.
func (c *Client) address(k call) string {
	if c.cfg.API != Azure {
		return c.cfg.BaseURL + k.path
	}
	place := "/openai"
	if k.model != "" {
		place += "/deployments/" + url.PathEscape(c.deployment(k.model))
	}
	return c.cfg.BaseURL + place + k.path + "?api-version=" + url.QueryEscape(c.cfg.APIVersion)
}

// deployment is the name under which Azure serves a model.
func (c *Client) deployment(model string) string { return cmp.Or(c.cfg.Deployments[model], model) }

// send sends a request. A nil error means a 2xx answer that is not a web page; the caller closes its body.
func (c *Client) send(op string, req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req) //nolint:gosec // the address is the operator's own setting
	if err != nil {
		return nil, transportError(op, because(req.Context(), err))
	}
	if resp.StatusCode/100 == 2 && mediaType(resp) != "text/html" {
		return resp, nil
	}
	defer closeBody(resp.Body)
	return nil, c.statusError(op, resp)
}

// because prefers the reason for which ctx ended, if it did, to err, which followed from it.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// transportError classifies a request that got no answer, or an answer that broke off.
func transportError(op string, err error) error {
	e := fault.From(op, provider, err)
	if e.Kind == fault.Unknown {
		e.Kind = fault.Connection
	}
	if e.Kind == fault.Connection {
		e.Hint = hintReach
	}
	return e
}

func malformed(op, hint string, err error) *fault.Error {
	return &fault.Error{Op: op, Provider: provider, Kind: fault.Malformed, Err: err, Hint: hint}
}

// apiError is the body of an error in OpenAI's form.
type apiError struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
}

func (e *apiError) code() string {
	return strings.Trim(string(e.Code), `"`)
}

// statusError makes an error of an answer that is not a success.
func (c *Client) statusError(op string, resp *http.Response) *fault.Error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBody)) // what could be read is enough
	said := detail(body)
	e := &fault.Error{Op: op, Provider: provider, RetryAfter: retryAfter(resp.Header)}
	if isPage(resp, body) {
		e.Err = fmt.Errorf("status %d with a web page", resp.StatusCode)
	} else {
		e.Err = fmt.Errorf("status %d%s", resp.StatusCode, c.explanation(body))
	}
	e.Kind, e.Hint = classify(resp.StatusCode, isPage(resp, body), said)
	e.Form = e.Kind == fault.BadRequest && !slices.Contains(aboutWords, said.code())
	return e
}

// aboutWords are the codes of refusals that are about what was said, not about the form of the request.
var aboutWords = []string{"content_filter", "content_policy_violation", "context_length_exceeded", "string_above_max_length"}

// classify maps a status to a kind of failure and what to do about it. A page with a status ≥ 500 is a gateway's, and passes.
func classify(status int, page bool, d apiError) (kind fault.Kind, hint string) {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.Auth, hintKey
	case status == http.StatusTooManyRequests && (d.code() == "insufficient_quota" || d.Type == "insufficient_quota"):
		return fault.Quota, hintQuota
	case status == http.StatusPaymentRequired:
		return fault.Quota, hintQuota
	case status == http.StatusTooManyRequests:
		return fault.RateLimited, ""
	case status == http.StatusRequestTimeout:
		return fault.Timeout, ""
	case status >= http.StatusInternalServerError:
		return fault.Server, ""
	case page:
		return fault.Malformed, hintURL
	default:
		return fault.BadRequest, hintModel
	}
}

func detail(body []byte) apiError {
	var wrapped struct {
		Error apiError `json:"error"`
	}
	_ = json.Unmarshal(body, &wrapped) // a body in another form leaves it empty
	return wrapped.Error
}

// explanation is the provider's own message as it can follow a word.
func (c *Client) explanation(body []byte) string {
	if text := c.showable(detail(body).Message); text != "" {
		return ": " + text
	}
	return ""
}

// showable is a provider's text on one line, cut short and without the key.
func (c *Client) showable(text string) string {
	if c.cfg.APIKey != "" {
		text = strings.ReplaceAll(text, c.cfg.APIKey, "***")
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > errorText {
		text = strings.ToValidUTF8(text[:errorText], "") + "…"
	}
	return text
}

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" when there is none
	return t
}

func isPage(resp *http.Response, body []byte) bool {
	return mediaType(resp) == "text/html" || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// retryAfter reads the wait a server asks for, in its two forms (RFC 9110 §10.2.3).
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	var d time.Duration
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		d = time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(v); err == nil {
		d = time.Until(at)
	}
	return max(0, min(d, maxRetryAfter))
}

// closeBody closes a body after reading the little that may be left, so that the connection can be used again. It waits for
// that at most drainWait.
func closeBody(body io.ReadCloser) {
	t := time.AfterFunc(drainWait, func() { _ = body.Close() })
	defer t.Stop()
	_, _ = io.CopyN(io.Discard, body, drainLimit) // only for the connection's sake
	_ = body.Close()
}

// Prewarm asks for the list of models, so that the first turn finds an open connection and a wrong key or address is known
// at once. It is bounded by ctx and 10 s.
func (c *Client) Prewarm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	models, err := c.do(ctx, call{op: "connect", method: http.MethodGet, path: "/models"}) //nolint:bodyclose // closeBody does
	if err != nil {
		if known, ok := errors.AsType[*fault.Error](err); ok && known.Kind == fault.BadRequest {
			return nil // a server without this list; the connection is open all the same
		}
		return err
	}
	closeBody(models.Body)
	return nil
}
