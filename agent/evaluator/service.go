package evaluator

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/evaluate"
)

// MinKey is how many characters a key has at least.
const MinKey = 16

const (
	defaultCalls = 8
	// readLimit bounds how long a request's body may take to arrive.
	readLimit = 10 * time.Second
	// retryAfter is what a client is told that was refused because all are busy.
	retryAfter = time.Second
)

// Options are what a Service is made from.
type Options struct {
	Judge Judge // required
	// Key is the bearer key that callers must have; at least MinKey characters.
	Key string
	// Calls bounds the judgements at a time; default 8. More are refused with 429.
	Calls int
	// Grace is how long judgements under way may go on after Serve was told to stop; default MaxBudget.
	Grace time.Duration
	// Registry takes the metrics, which GET /metrics tells.
	Registry *prometheus.Registry
	Logger   *zap.Logger
}

// Service is the judging behind HTTP.
type Service struct {
	options Options
	key     [sha256.Size]byte
	slots   chan struct{} // one per judgement under way
	metrics metrics
	log     *zap.Logger
}

// New makes a service; Serve runs it.
func New(o Options) (*Service, error) {
	switch {
	case o.Judge == nil:
		return nil, errors.New("the evaluator service needs somebody who judges")
	case len(o.Key) < MinKey:
		return nil, fmt.Errorf("the evaluator service needs a key of at least %d characters", MinKey)
	}
	if o.Calls <= 0 {
		o.Calls = defaultCalls
	}
	if o.Grace <= 0 {
		o.Grace = MaxBudget
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	s := &Service{options: o, key: sha256.Sum256([]byte(o.Key)), slots: make(chan struct{}, o.Calls), log: o.Logger}
	s.metrics = newMetrics(o.Registry, func() float64 { return float64(len(s.slots)) })
	return s, nil
}

// Handler answers the service's requests.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+pathJudge, s.judge)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("OK\n")) // the caller's loss
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.options.Registry, promhttp.HandlerOpts{}))
	return mux
}

// Serve answers on l, which it closes, until ctx ends. Then nobody new is let in, and judgements under way may go on for
// Options.Grace. It returns when all have ended; nil = it was told to.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
		WriteTimeout: readLimit + MaxBudget + 10*time.Second, BaseContext: func(net.Listener) context.Context { return work },
		ErrorLog: zap.NewStdLog(s.log.Named("http")),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve judgements: %w", err)
	case <-ctx.Done():
	}
	grace, end := context.WithTimeout(work, s.options.Grace)
	defer end()
	if err := server.Shutdown(grace); err != nil {
		s.log.Warn("evaluator.stop", zap.String("effect", "judgements under way are given up"), zap.Int("under_way", len(s.slots)))
		cancel()
		_ = server.Close() // there is nobody left to tell
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(fmt.Errorf("serve judgements: %w", err), s.idle())
	}
	return s.idle()
}

// idle waits until the handlers that were given up have ended: a closed server does not wait for them.
func (s *Service) idle() error {
	limit := time.NewTimer(readLimit)
	defer limit.Stop()
	for range cap(s.slots) {
		select {
		case s.slots <- struct{}{}:
		case <-limit.C:
			return errors.New("a judgement did not end although it was told to")
		}
	}
	return nil
}

func (s *Service) judge(w http.ResponseWriter, r *http.Request) {
	if !s.authorised(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.refuse(w, http.StatusUnauthorized, KindRefused, "send the evaluator's key as a bearer token")
		return
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
		s.refuse(w, http.StatusTooManyRequests, KindBusy, fmt.Sprintf("%d judgements are under way", cap(s.slots)))
		return
	}
	request, status, err := s.read(w, r)
	switch {
	case status == http.StatusRequestEntityTooLarge:
		s.refuse(w, status, KindLarge, err.Error())
		return
	case err != nil:
		s.refuse(w, status, KindRequest, err.Error())
		return
	}
	s.answer(w, r, request)
}

// authorised compares digests, so that neither the key's length nor its beginning shows in the time that it takes.
func (s *Service) authorised(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(key)))
	return subtle.ConstantTimeCompare(given[:], s.key[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// read decodes a request; status says how to refuse one with an error.
func (s *Service) read(w http.ResponseWriter, r *http.Request) (request *Request, status int, err error) {
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(readLimit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, http.StatusInternalServerError, fmt.Errorf("limit the time to read: %w", err)
	}
	request = &Request{}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody))
	if err := decoder.Decode(request); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes", MaxBody)
		}
		return nil, http.StatusBadRequest, fmt.Errorf("the body is not a request in JSON: %w", err)
	}
	if decoder.More() {
		return nil, http.StatusBadRequest, errors.New("there is more after the request")
	}
	return request, http.StatusBadRequest, request.check()
}

// answer judges, and tells the caller what came of it. A caller who has gone away ends the judgement.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, request *Request) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), request.budget())
	defer cancel()
	e, err := s.safely(ctx, request)
	s.metrics.judged(request.Evaluator, e.Status, err, time.Since(begun))
	if err != nil {
		status, kind := failure(err)
		s.log.Warn("evaluator.failed", zap.String("evaluator", request.Evaluator), zap.String("item", request.Item.ID),
			zap.String("kind", kind), zap.Error(err))
		if kind == KindBusy {
			w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
		}
		s.refuse(w, status, kind, err.Error())
		return
	}
	s.write(w, http.StatusOK, e)
}

// safely has a judge that panics cost one judgement.
func (s *Service) safely(ctx context.Context, r *Request) (e evaluate.Evaluation, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%w: %v", ErrBroken, broken)
		}
	}()
	return s.options.Judge(ctx, r.Evaluator, r.Item)
}

func (s *Service) refuse(w http.ResponseWriter, status int, kind, message string) {
	s.metrics.refused(kind)
	s.write(w, status, map[string]Failure{"error": {Kind: kind, Message: message}})
}

func (s *Service) write(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // plain numbers and texts always marshal
		status, text = http.StatusInternalServerError, []byte(`{"error":{"kind":"broken","message":"the judgement cannot be written"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the caller's loss
}
