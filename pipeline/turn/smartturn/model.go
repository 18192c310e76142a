package smartturn

import (
	"context"
	"fmt"
	"sync"
)

// Runner runs the network. It is safe for concurrent use.
type Runner interface {
	// Run returns the probability, between 0 and 1, that the turn with these features, Bins×Frames of them, is over. It
	// returns promptly when ctx is cancelled, and does not keep the slice.
	Run(ctx context.Context, features []float32) (float32, error)
}

// Model is a listen.AudioModel.
type Model struct {
	runner Runner
	spaces sync.Pool // of *space: as many as there are questions at a time
}

// space is what computing one question takes.
type space struct {
	extractor *Extractor
	features  []float32
}

// New returns a model that has its network run by r.
func New(r Runner) *Model {
	return &Model{runner: r, spaces: sync.Pool{New: func() any {
		return &space{extractor: NewExtractor(), features: make([]float32, Bins*Frames)}
	}}}
}

// Complete returns the probability that the turn which ends with pcm, 16 kHz mono, is over. It does not keep pcm.
func (m *Model) Complete(ctx context.Context, pcm []int16) (float64, error) {
	s, ok := m.spaces.Get().(*space)
	if !ok {
		return 0, fmt.Errorf("turn model: no space to compute in") // the pool holds nothing else
	}
	defer m.spaces.Put(s)
	s.extractor.Features(s.features, pcm)
	p, err := m.runner.Run(ctx, s.features)
	if err != nil {
		return 0, fmt.Errorf("turn model: %w", err)
	}
	if !(p >= 0 && p <= 1) { // NaN too
		return 0, fmt.Errorf("turn model: the runner answered %v, which is no probability", p)
	}
	return float64(p), nil
}
