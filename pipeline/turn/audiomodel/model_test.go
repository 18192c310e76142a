package audiomodel

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/vivavoice/viva/pipeline/turn"
)

// TestNetworkAgreesWithTraining holds the network to what train.py computed with the same weights, as it wrote them.
func TestNetworkAgreesWithTraining(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var a activations
	for k, w := range want {
		for i := range a.input {
			frame, channel := i/Channels, i%Channels
			a.input[i] = float32(math.Sin(0.1*float64(frame)*float64(k+1) + float64(channel)))
		}
		if got := m.network.odds(&a); math.Abs(got-w) > 1e-3 {
			t.Errorf("wave %d: odds %.4f, want %.4f", k, got, w)
		}
	}
}

func TestWeightsOfAnotherSizeAreRefused(t *testing.T) {
	if _, err := parse(weights[:len(weights)-4]); err == nil {
		t.Error("no error")
	}
}

// voice is a tone with overtones whose pitch goes from one frequency to another, and then silence.
func voice(from, to, level float64) []int16 {
	noise := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, 3*turn.Rate)
	phase := 0.0
	for i := range pcm {
		at := float64(i) / float64(len(pcm))
		phase += 2 * math.Pi * (from + (to-from)*at) / turn.Rate
		v := noise.NormFloat64()
		if i < len(pcm)-turn.Rate/5 {
			for h := 1.0; h < 12; h++ {
				v += 3000 / h * math.Sin(h*phase)
			}
		}
		pcm[i] = int16(level * v)
	}
	return pcm
}

// What is heard does not depend on how loud the microphone is, nor on how much came before.
func TestFeaturesAreOfTheVoice(t *testing.T) {
	x := NewExtractor()
	features := func(pcm []int16) []float32 {
		out := make([]float32, Frames*Channels)
		x.Features(out, pcm)
		return out
	}
	loud, soft := features(voice(180, 120, 1)), features(voice(180, 120, 0.3))
	long := features(append(make([]int16, 6*turn.Rate), voice(180, 120, 1)...))
	for i := range loud {
		if frame := i / Channels; frame < 100 && math.Abs(float64(loud[i]-soft[i])) > 0.3 {
			t.Fatalf("frame %d, channel %d: %.3f when loud, %.3f when soft", frame, i%Channels, loud[i], soft[i])
		}
		if loud[i] != long[i] {
			t.Fatalf("frame %d, channel %d: %.3f, %.3f after a long time", i/Channels, i%Channels, loud[i], long[i])
		}
	}
	if first, last := loud[10*Channels+Bins+1], loud[110*Channels+Bins+1]; first <= 0.1 || last >= -0.1 {
		t.Errorf("a falling voice goes from %.2f to %.2f", first, last)
	}
	if loud[10*Channels+Bins] != 1 || loud[127*Channels+Bins] != 0 {
		t.Error("a tone is voiced and silence is not")
	}
}

// Short, empty and silent sound have an answer, too.
func TestAnySoundIsJudged(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, pcm := range map[string][]int16{"none": nil, "one sample": {1}, "silence": make([]int16, 8*turn.Rate), "voice": voice(200, 90, 1)} {
		if p, err := m.Complete(t.Context(), pcm); err != nil || !(p > 0 && p < 1) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

func TestJudgingAllocatesNothing(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	pcm := voice(200, 90, 1)
	s := &space{extractor: NewExtractor()}
	if n := testing.AllocsPerRun(10, func() {
		s.extractor.Features(s.activations.input[:], pcm)
		m.network.odds(&s.activations)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkComplete is one question, as every pause asks.
func BenchmarkComplete(b *testing.B) {
	m, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	pcm := voice(200, 90, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Complete(b.Context(), pcm); err != nil {
			b.Fatal(err)
		}
	}
}
