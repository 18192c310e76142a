package design

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// Bounds of a call.
const (
	maxBody     = 1 << 20 // bytes, of a request and of an answer after decompression
	defaultWait = 8 * time.Second
	dialWait    = 3 * time.Second
)

// SessionHeader carries Candidate.Session with every call, so that a service can tell interviews apart.
const SessionHeader = "Viva-Session"

// service is a company's service, shared by its interviews.
type service struct {
	company string
	base    *url.URL // nil: where the card says
	card    *url.URL
	wait    time.Duration
	token   string
	client  *http.Client
	allowed *allowed
	found   atomic.Pointer[discovery]
}

// newClient returns a client that connects to listed hosts only, follows no redirect and uses no proxy: behind one, the
// address that is connected to would not be the service's.
func newClient(a *allowed) *http.Client {
	dialer := &net.Dialer{Timeout: dialWait, Control: a.control}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: dialWait,
			MaxConnsPerHost: 16, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Remote asks a company's service (R000-64, R000-65). Its errors are of type *Error; the caller decides who answers
// instead.
type Remote struct {
	*service
	interviewType string
	candidate     Candidate
}

var _ Provider = (*Remote)(nil)

// StartInterview implements Provider. A service without such a call is told nothing.
func (r *Remote) StartInterview(ctx context.Context, interviewType string, c Candidate) error {
	r.interviewType, r.candidate = interviewType, c
	body := map[string]any{"interview_type": interviewType, "candidate_info": Candidate{Name: c.Name, Locale: c.Locale}}
	err := r.post(ctx, "start_interview", body, nil)
	if absent(err) {
		return nil
	}
	return err
}

// GetQuestion implements Provider.
func (r *Remote) GetQuestion(ctx context.Context) (string, error) {
	var answer struct {
		Question string `json:"question"`
	}
	err := r.post(ctx, "get_question", map[string]any{"interview_type": r.interviewType}, &answer)
	if absent(err) {
		return "", ErrNoQuestion
	}
	if err != nil {
		return "", err
	}
	if answer.Question = evaluate.Line(answer.Question, maxQuestion); answer.Question == "" {
		return "", ErrNoQuestion
	}
	return answer.Question, nil
}

// GetPhases implements Provider. A service without such a call, or with an empty list, has no sub-phases (R000-40, R000-70).
func (r *Remote) GetPhases(ctx context.Context) ([]state.Phase, error) {
	var answer struct {
		Phases []state.Phase `json:"phases"`
	}
	err := r.post(ctx, "get_phases", map[string]any{"interview_type": r.interviewType}, &answer)
	switch {
	case absent(err):
		return nil, ErrNoPhases
	case err != nil:
		return nil, err
	case len(answer.Phases) == 0:
		return nil, ErrNoPhases
	}
	phases, err := sanitize(answer.Phases)
	if err != nil {
		return nil, r.failed("get_phases", KindMalformed, err)
	}
	return phases, nil
}

// judgement is what an evaluation must hold at least.
const judgement = `{"type":"object","required":["decision","score"],"properties":{"decision":{"type":"string"},"score":{"type":"number"},` +
	`"feedback":{"type":["string","null"]},"gaps":{"type":["array","null"],"items":{"type":"string"}}}}`

// EvaluatePhase implements Provider. The company's score and decision are its own; they are bounded, and quotes that
// nobody said are dropped.
func (r *Remote) EvaluatePhase(ctx context.Context, phaseID string, history []evaluate.Turn) (evaluate.Evaluation, error) {
	const call = "evaluate_phase"
	var raw json.RawMessage
	body := map[string]any{"phase_id": phaseID, "conversation_history": history}
	if err := r.post(ctx, call, body, &raw); err != nil {
		return evaluate.Evaluation{}, err
	}
	if err := structured.Check(json.RawMessage(judgement), raw); err != nil {
		return evaluate.Evaluation{}, r.failed(call, KindMalformed, err)
	}
	var e evaluate.Evaluation
	if err := json.Unmarshal(raw, &e); err != nil {
		return evaluate.Evaluation{}, r.failed(call, KindMalformed, err)
	}
	e.By, e.Flags, e.Marks, e.Degraded = "company:"+r.company, nil, nil, ""
	e.Evidence = evaluate.Verify(e.Evidence[:min(len(e.Evidence), maxKeywords)], history)
	if e.Status != evaluate.StatusNotAssessed {
		e.Status = evaluate.StatusOK
	}
	return evaluate.Sanitize(e), nil
}

// absent reports whether the service has no such call.
func absent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == KindStatus &&
		(e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

// post asks one call and decodes the answer into out; nil = it is not looked at.
func (r *Remote) post(ctx context.Context, call string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	base, err := r.endpoint(ctx)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return r.failed(call, KindMalformed, fmt.Errorf("write the request: %w", err))
	}
	if len(raw) > maxBody {
		return r.failed(call, KindTooLarge, fmt.Errorf("the request has %d bytes; at most %d are sent", len(raw), maxBody))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.JoinPath(call).String(), bytes.NewReader(raw))
	if err != nil {
		return r.failed(call, KindMalformed, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if r.candidate.Session != "" {
		req.Header.Set(SessionHeader, r.candidate.Session)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	return r.do(req, call, out)
}

// do sends a request, if its host is listed, and decodes a bounded answer.
func (s *service) do(req *http.Request, call string, out any) error {
	if err := s.allowed.host(req.URL); err != nil {
		return s.failed(call, KindNotAllowed, err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req) //nolint:gosec // the host was checked above, and control checks the address that is dialled
	if err != nil {
		return s.failed(call, kindOf(err), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := s.status(resp, call); err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return s.failed(call, kindOf(err), fmt.Errorf("read the answer: %w", err))
	case len(raw) > maxBody:
		return s.failed(call, KindTooLarge, fmt.Errorf("the answer has more than %d bytes", maxBody))
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return s.failed(call, KindMalformed, fmt.Errorf("the answer is not the JSON that was asked for: %w", err))
	}
	return nil
}

func (s *service) status(resp *http.Response, call string) error {
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		return s.failed(call, KindNotAllowed, fmt.Errorf("it redirects (%d); set the address that it redirects to: %w", code, errNotAllowed))
	default:
		e := s.failed(call, KindStatus, fmt.Errorf("it answers %d", code))
		e.Status = code
		return e
	}
}

func (s *service) failed(call string, kind Kind, err error) *Error {
	return &Error{Company: s.company, Call: call, Kind: kind, Err: err}
}

func newService(co *company, r *remote, o *Options, a *allowed, client *http.Client) (*service, error) {
	s := &service{company: co.Company, client: client, allowed: a}
	s.wait = cmp.Or(r.Wait.Std(), o.Wait, defaultWait)
	if o.Token != nil {
		s.token = o.Token(co.Company)
	}
	text, to := r.URL, &s.base
	if text == "" {
		text, to = r.Card, &s.card
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("company %s: read the address of its service: %w", co.Company, err)
	}
	*to = u
	if err := a.host(u); err != nil {
		return nil, fmt.Errorf("company %s: %w; allow it, or set enabled: false", co.Company, err)
	}
	if s.token != "" && !s.confidential(u) {
		return nil, fmt.Errorf("company %s: its token would be sent over plain http; use https, or 127.0.0.1 for a service on this machine", co.Company)
	}
	return s, nil
}

// confidential reports whether a secret may be sent there: over TLS, or without leaving this machine.
func (s *service) confidential(u *url.URL) bool {
	return u.Scheme == "https" || net.ParseIP(u.Hostname()).IsLoopback()
}
