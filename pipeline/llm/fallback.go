package llm

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

// Fallback is a chain of models. A request goes to the first that is well; if it fails before its first delta, to the next.
// Once a delta was delivered there is no switch: the reader has begun to speak it. A model that failed is left alone for a
// while (see fault.Cooldown); when all have failed lately, all are tried again.
type Fallback struct {
	models   []Model
	cooldown *fault.Cooldown
}

var _ Model = (*Fallback)(nil)

// NewFallback makes a chain of at least one model, in order of preference. A cooldown of 0 means fault.DefaultCooldown.
func NewFallback(cooldown time.Duration, models ...Model) *Fallback {
	return &Fallback{models: models, cooldown: fault.NewCooldown(len(models), cooldown)}
}

// Stream starts a reply on the first model that delivers. Its error joins those of all models.
func (f *Fallback) Stream(ctx context.Context, r Request) (Stream, error) {
	var errs []error
	for _, i := range f.cooldown.Order() {
		s, err := peek(ctx, f.models[i], r)
		if err == nil {
			f.cooldown.Worked(i)
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		f.cooldown.Failed(i, err)
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// peek starts a reply and waits for its first delta, so that a failure before it is known while another model can be asked.
func peek(ctx context.Context, m Model, r Request) (Stream, error) {
	s, err := m.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	first, err := begin(s)
	if err == nil {
		return &peeked{Stream: s, first: &first}, nil
	}
	_ = s.Close() // the error of Next is the one to report
	if errors.Is(err, io.EOF) {
		err = &fault.Error{Op: "chat", Provider: "llm", Kind: fault.Empty}
	}
	return nil, err
}

type peeked struct {
	Stream
	first *Delta
}

func (p *peeked) Next() (Delta, error) {
	if p.first == nil {
		return p.Stream.Next()
	}
	d := *p.first
	p.first = nil
	return d, nil
}
