package smartturn

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var dump = flag.String("dump", "", "write the signals of the reference test to this folder")

// signals are sounds that go through every part of the front end.
func signals() map[string][]int16 {
	noise := rand.New(rand.NewPCG(1, 2))
	chirp, speechlike, long := make([]int16, 3*rate), make([]int16, Samples), make([]int16, 10*rate)
	for i := range chirp {
		at := float64(i) / rate
		chirp[i] = int16(9000 * math.Sin(2*math.Pi*(100+1200*at)*at))
	}
	for i := range speechlike {
		at := float64(i) / rate
		if math.Mod(at, 1.7) > 1.1 || at > 7.6 {
			continue // digital silence between words and at the end
		}
		for h := 1.0; h < 20; h++ {
			speechlike[i] += int16(3000 / h * math.Sin(2*math.Pi*h*(120+15*math.Sin(3*at))*at))
		}
	}
	for i := range long {
		long[i] = int16(noise.NormFloat64()*200*float64(i)/rate) + 500
	}
	return map[string][]int16{"chirp": chirp, "speechlike": speechlike, "noise with an offset": long, "silence": nil}
}

// TestFeaturesAgreeWithReference holds the front end to what testdata/reference.py computes of the same signals.
func TestFeaturesAgreeWithReference(t *testing.T) {
	if *dump != "" {
		write(t, *dump)
	}
	var want map[string]map[string]float64
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	x := NewExtractor()
	for name, pcm := range signals() {
		got := make([]float32, Bins*Frames)
		x.Features(got, pcm)
		if len(want[name]) < 100 {
			t.Fatalf("no reference for %s", name)
		}
		for at, v := range want[name] {
			if g := lookUp(t, got, at); math.Abs(g-v) > 1e-4 {
				t.Errorf("%s at %s: %v, want %v", name, at, g, v)
			}
		}
	}
}

func lookUp(t *testing.T, features []float32, at string) float64 {
	t.Helper()
	sum, squares := 0.0, 0.0
	for _, v := range features {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	switch at {
	case "mean":
		return sum / float64(len(features))
	case "rms":
		return math.Sqrt(squares / float64(len(features)))
	}
	var bin, frame int
	if _, err := fmt.Sscanf(at, "%d,%d", &bin, &frame); err != nil {
		t.Fatal(err)
	}
	return float64(features[bin*Frames+frame])
}

func write(t *testing.T, dir string) {
	t.Helper()
	for name, pcm := range signals() {
		var b []byte
		for _, v := range pcm {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
		if err := os.WriteFile(filepath.Join(dir, name+".s16"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFeaturesDoNotAllocate(t *testing.T) {
	x, dst, pcm := NewExtractor(), make([]float32, Bins*Frames), make([]int16, Samples)
	if n := testing.AllocsPerRun(2, func() { x.Features(dst, pcm) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFeatures(b *testing.B) {
	x, dst, pcm := NewExtractor(), make([]float32, Bins*Frames), signals()["speechlike"]
	for b.Loop() {
		x.Features(dst, pcm)
	}
}
