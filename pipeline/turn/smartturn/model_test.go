package smartturn

import (
	"context"
	"errors"
	"math"
	"testing"
)

// fake is a Runner with one answer.
type fake struct {
	probability float32
	err         error
	features    []float32
}

func (f *fake) Run(_ context.Context, features []float32) (float32, error) {
	f.features = append(f.features[:0], features...)
	return f.probability, f.err
}

func TestModelAsksAboutTheFeaturesOfTheSound(t *testing.T) {
	pcm := signals()["chirp"]
	want := make([]float32, Bins*Frames)
	NewExtractor().Features(want, pcm)
	r := &fake{probability: 0.25}
	p, err := New(r).Complete(t.Context(), pcm)
	if p != 0.25 || err != nil {
		t.Errorf("got %v, %v", p, err)
	}
	for i, v := range want {
		if r.features[i] != v {
			t.Fatalf("feature %d is %v, want %v", i, r.features[i], v)
		}
	}
}

func TestModelRefusesWhatIsNoProbability(t *testing.T) {
	for _, v := range []float32{-0.1, 1.1, float32(math.NaN()), float32(math.Inf(1))} {
		if p, err := New(&fake{probability: v}).Complete(t.Context(), nil); err == nil {
			t.Errorf("%v became %v", v, p)
		}
	}
	failed := errors.New("failed")
	if _, err := New(&fake{err: failed}).Complete(t.Context(), nil); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}
