// Package refusals watches models for requests that their service refuses for its form: a temperature, a schema, a name that it
// does not take. Such a request is refused again each time, and rules or scripted words stand in for the model from then on, so
// somebody has to be told: once in the log, on /metrics, and in the reports of interviews.
//
// A Book is safe for concurrent use and starts no goroutine.
package refusals

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

// The roles of models: they are named so in reports too.
const (
	Interviewer = "interviewer" // leads the talk
	Evaluators  = "evaluators"
)

// maxReason bounds what is kept of a refusal, in characters.
const maxReason = 300

// Counter registers the metric and returns what counts on it.
func Counter(r prometheus.Registerer) func(role string) {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "viva_model_refusals_total",
		Help: "Requests that a model's service refused for their form, by the model's role: rules or scripted words stood in.",
	}, []string{"role"})
	r.MustRegister(c)
	for _, role := range []string{Interviewer, Evaluators} {
		c.WithLabelValues(role) // so that the first one is an increase
	}
	return func(role string) { c.WithLabelValues(role).Inc() }
}

// Book holds the first refusal of each role.
type Book struct {
	log   *zap.Logger
	count func(role string)

	mu    sync.Mutex
	first map[string]string // guarded by mu: why, by role
}

// NewBook makes an empty book. count is told of every refusal, and must not block; nil: nobody is.
func NewBook(log *zap.Logger, count func(role string)) *Book {
	if count == nil {
		count = func(string) {}
	}
	return &Book{log: log, count: count, first: make(map[string]string)}
}

// Watch is the model, with its refusals noted. A nil model stays nil.
func (b *Book) Watch(role string, m llm.Model) llm.Model {
	if m == nil {
		return nil
	}
	return &watched{Model: m, role: role, book: b}
}

// Found are the first refusals by role, in words; nil = there was none. The caller owns the map. A nil Book has none.
func (b *Book) Found() map[string]string {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.first) == 0 {
		return nil
	}
	return maps.Clone(b.first)
}

// Roles are those that were refused something, in order.
func (b *Book) Roles() []string { return slices.Sorted(maps.Keys(b.Found())) }

func (b *Book) note(role string, err error) {
	if !fault.Form(err) {
		return
	}
	b.count(role)
	why := clip(err.Error())
	b.mu.Lock()
	_, known := b.first[role]
	if !known {
		b.first[role] = why
	}
	b.mu.Unlock()
	if !known {
		b.log.Error("model.refused", zap.String("role", role), zap.String("reason", why),
			zap.String("means", "it is refused each time: rules or scripted words stand in; change the setting that the reason names, or the model"))
	}
}

func clip(text string) string {
	if utf8.RuneCountInString(text) <= maxReason {
		return text
	}
	return string([]rune(text)[:maxReason]) + "…"
}

type watched struct {
	llm.Model
	role string
	book *Book
}

func (w *watched) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	s, err := w.Model.Stream(ctx, r)
	if err != nil {
		w.book.note(w.role, err)
		return nil, err //nolint:wrapcheck // the model's own: nothing is done here
	}
	return &stream{Stream: s, watched: w}, nil
}

type stream struct {
	llm.Stream
	watched *watched
	noted   bool
}

func (s *stream) Next() (llm.Delta, error) {
	d, err := s.Stream.Next()
	if err != nil && !s.noted && !errors.Is(err, io.EOF) {
		s.noted = true // errors are repeated
		s.watched.book.note(s.watched.role, err)
	}
	return d, err //nolint:wrapcheck // the model's own
}
