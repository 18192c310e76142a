package vad

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// Issue 2: zero allocations per audio frame on VAD.
func TestStepAllocatesNothing(t *testing.T) {
	m := loadModel(t)
	s, d := m.NewStream(), NewDetector(pause)
	pcm, at := speech(t, "samples.pcm"), int64(0)
	starts := 0
	allocs := testing.AllocsPerRun(200, func() {
		window := (*[Window]int16)(pcm[at%int64(len(pcm)-Window):])
		if d.Update(at, s.Step(window)).Kind == SpeechStart {
			starts++
		}
		at += Window
	})
	if allocs != 0 {
		t.Errorf("%v allocations per window, want 0", allocs)
	}
	if starts == 0 {
		t.Error("no speech found in a recording of speech: the test has measured nothing")
	}
}

func TestStreamsShareAModelWithoutMixing(t *testing.T) {
	m := loadModel(t)
	one, two := speech(t, "samples.pcm"), synthetic(2*Rate)
	want := probabilities(m, one)
	a, b := m.NewStream(), m.NewStream()
	for i := range want {
		b.Step((*[Window]int16)(two[i%50*Window:]))
		if got := a.Step((*[Window]int16)(one[i*Window:])); got != want[i] {
			t.Fatalf("window %d: %v beside another stream, %v alone", i, got, want[i])
		}
	}
}

func TestResetStartsAnew(t *testing.T) {
	m := loadModel(t)
	pcm := speech(t, "samples.pcm")
	s := m.NewStream()
	first := s.Step((*[Window]int16)(pcm))
	for i := range 50 {
		s.Step((*[Window]int16)(pcm[i*Window:]))
	}
	s.Reset()
	if again := s.Step((*[Window]int16)(pcm)); again != first {
		t.Errorf("probability %v after Reset, %v at first", again, first)
	}
}

func TestKernelAgreesWithGeneric(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 16, 24, 64, 192, 256, 408} {
		for _, stride := range []int{0, 1, 8, 128, n} {
			a, b := noise(rng, n), noise(rng, 3*stride+n)
			var got, want [4]float32
			dot4(&got, a, b, stride)
			dot4Generic(&want, a, b, stride)
			for j := range got {
				if math.Abs(float64(got[j]-want[j])) > 1e-4 {
					t.Errorf("n %d, stride %d, sum %d: %v, want %v", n, stride, j, got[j], want[j])
				}
			}
		}
	}
}

func noise(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = rng.Float32()*2 - 1
	}
	return x
}

func TestLoadWithoutWeightsNamesTheCommand(t *testing.T) {
	_, err := load(fstest.MapFS{"weights/README.md": {}})
	if !errors.Is(err, ErrNoWeights) || !strings.Contains(err.Error(), "make setup") {
		t.Errorf("error %v, want ErrNoWeights", err)
	}
}

func TestParseModelSaysWhatIsWrong(t *testing.T) {
	good, err := embedded.ReadFile(weightsFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		content []byte
		want    error
		text    string
	}{
		{"empty", nil, ErrUnsupportedModel, "no graph"},
		{"a web page", []byte("<!doctype html><title>404</title>"), ErrUnsupportedModel, "malformed"},
		{"cut off", good[:len(good)/2], ErrUnsupportedModel, "malformed"},
		{"another model", []byte{0x3a, 0x00}, ErrUnsupportedModel, "no subgraph for 16 kHz"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseModel(tt.content); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v that mentions %q", err, tt.want, tt.text)
			}
		})
	}
}

func TestNewModelNamesEveryMissingWeight(t *testing.T) {
	_, err := newModel(tensors{})
	for _, name := range []string{"stft.forward_basis_buffer", "encoder.3.reparam_conv.bias", "decoder.rnn.weight_hh", "decoder.decoder.2.bias"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	s := loadModel(b).NewStream()
	var window [Window]int16
	copy(window[:], synthetic(4 * Rate)[Rate:])
	b.ReportAllocs()
	for b.Loop() {
		s.Step(&window)
	}
}
