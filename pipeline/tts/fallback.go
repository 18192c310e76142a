package tts

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
)

// Fallback is a chain of synthesizers. A request goes to the first that is well; if it fails before its first sample, to the
// next. Once a sample was delivered there is no switch, because two voices in one sentence are worse than a gap. An engine
// that failed is left alone for a while (see fault.Cooldown); when all have failed lately, all are tried again.
//
// The engines' rates may differ: ask each Audio.
type Fallback struct {
	engines  []Synthesizer
	cooldown *fault.Cooldown
}

var _ Synthesizer = (*Fallback)(nil)

// NewFallback makes a chain of at least one engine, in order of preference. A cooldown of 0 means fault.DefaultCooldown.
func NewFallback(cooldown time.Duration, engines ...Synthesizer) *Fallback {
	return &Fallback{engines: engines, cooldown: fault.NewCooldown(len(engines), cooldown)}
}

// Synthesize starts speech on the first engine that delivers. Its error joins those of all engines.
func (f *Fallback) Synthesize(ctx context.Context, r Request) (Audio, error) {
	var errs []error
	for _, i := range f.cooldown.Order() {
		a, err := peek(ctx, f.engines[i], r)
		if err == nil {
			f.cooldown.Worked(i)
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		f.cooldown.Failed(i, err)
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// peek starts speech and waits for its first samples, so that a failure before them is known while another engine can be
// asked.
func peek(ctx context.Context, s Synthesizer, r Request) (Audio, error) {
	a, err := s.Synthesize(ctx, r)
	if err != nil {
		return nil, err
	}
	p := &peeked{Audio: a}
	err = p.begun.fill(a)
	if err == nil {
		return p, nil
	}
	_ = a.Close() // the error of Read is the one to report
	if errors.Is(err, io.EOF) {
		err = &fault.Error{Op: "speak", Provider: "tts", Kind: fault.Empty}
	}
	return nil, err
}

type peeked struct {
	Audio
	begun head
}

func (p *peeked) Read(pcm []int16) (int, error) {
	if n := p.begun.take(pcm); n > 0 {
		return n, nil
	}
	return p.Audio.Read(pcm)
}
