package audiomodel

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"sync"
)

//go:embed weights.bin
var weights []byte

// trust is the share of its odds that is believed: of 0.5 and 1, the one that made people wait less on the recordings that the turn model learns
// from, at the same cut-ins (pipeline/turn/turneval/README.md).
const trust = 0.5

// Model is a listen.AudioModel.
type Model struct {
	network *network
	spaces  sync.Pool // of *space: as many as there are questions at a time
}

// space is what computing one question takes, 180 kB.
type space struct {
	extractor   *Extractor
	activations activations
}

// Load returns the model that is built in.
func Load() (*Model, error) {
	n, err := parse(weights)
	if err != nil {
		return nil, err
	}
	return &Model{network: n, spaces: sync.Pool{New: func() any { return &space{extractor: NewExtractor()} }}}, nil
}

// Complete returns the probability that the turn which ends with pcm, 16 kHz mono, is over. It does not keep pcm.
func (m *Model) Complete(_ context.Context, pcm []int16) (float64, error) {
	s, ok := m.spaces.Get().(*space)
	if !ok {
		return 0, fmt.Errorf("audio model: no space to compute in") // the pool holds nothing else
	}
	defer m.spaces.Put(s)
	s.extractor.Features(s.activations.input[:], pcm)
	return 1 / (1 + math.Exp(-trust*m.network.odds(&s.activations))), nil
}
