package vad

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// With -dump DIR the test signals are written as raw int16 files, input of testdata/reference.mjs.
var dump = flag.String("dump", "", "write the parity test's signals into this folder")

// tolerance is the agreement with ONNX Runtime that issue 2 asks for.
const tolerance = 1e-3

// signals are what the reference was computed on: recorded speech, and a synthetic signal that reaches what speech does not.
func signals(t *testing.T) map[string][]int16 {
	t.Helper()
	return map[string][]int16{
		"samples":   speech(t, "samples.pcm"),
		"samples2":  speech(t, "samples2.pcm"),
		"synthetic": synthetic(4 * Rate),
	}
}

// speech reads a recording that fetch.sh has placed: raw float32, 16 kHz, mono.
func speech(t *testing.T, name string) []int16 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "speech", name))
	if err != nil {
		t.Fatalf("%v: run `make setup`", err)
	}
	pcm := make([]int16, len(b)/4)
	for i := range pcm {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		pcm[i] = int16(math.Round(32767 * max(-1, min(1, v))))
	}
	return pcm
}

// synthetic is silence, noise, a voiced sound with a gliding pitch, full-scale clipping and clicks, in integer-exact steps.
func synthetic(n int) []int16 {
	pcm := make([]int16, n)
	seed, period, phase := uint32(1), 160, 0
	for i := range pcm {
		seed = seed*1664525 + 1013904223 // Numerical Recipes' linear congruential generator
		noise := int(int16(seed >> 16))
		if phase++; phase >= period {
			phase, period = 0, 110+(period+7)%90
		}
		pulse := 24000 - 400*min(phase, 60)
		switch 8 * i / n {
		case 0:
		case 1:
			pcm[i] = int16(noise / 64)
		case 2, 3:
			pcm[i] = int16(pulse/2 + noise/128)
		case 4:
			pcm[i] = int16(noise / 2)
		case 5:
			pcm[i] = int16(32767 * (1 - 2*(i/80%2)))
		case 6:
			if i%2000 == 0 {
				pcm[i] = 32767
			}
		default:
			pcm[i] = int16(pulse/8 + noise/512)
		}
	}
	return pcm
}

func loadModel(t testing.TB) *Model {
	t.Helper()
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func probabilities(m *Model, pcm []int16) []float32 {
	s := m.NewStream()
	var probs []float32
	for ; len(pcm) >= Window; pcm = pcm[Window:] {
		probs = append(probs, s.Step((*[Window]int16)(pcm)))
	}
	return probs
}

func TestProbabilitiesAgreeWithONNXRuntime(t *testing.T) {
	dumpSignals(t)
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference map[string][]float32
	if err := json.Unmarshal(b, &reference); err != nil {
		t.Fatal(err)
	}
	m := loadModel(t)
	for name, pcm := range signals(t) {
		t.Run(name, func(t *testing.T) {
			got, want := probabilities(m, pcm), reference[name]
			if len(got) != len(want) {
				t.Fatalf("%d windows, the reference has %d", len(got), len(want))
			}
			worst, speech := 0.0, 0
			for i := range got {
				diff := math.Abs(float64(got[i] - want[i]))
				worst = max(worst, diff)
				if !(diff <= tolerance) { // so that NaN fails too
					t.Errorf("window %d: probability %v, ONNX Runtime says %v", i, got[i], want[i])
				}
				if got[i] > 0.5 {
					speech++
				}
			}
			t.Logf("%d windows, %d of them speech, worst difference %.2g", len(got), speech, worst)
		})
	}
}

func dumpSignals(t *testing.T) {
	t.Helper()
	if *dump == "" {
		return
	}
	for name, pcm := range signals(t) {
		b, err := binary.Append(nil, binary.LittleEndian, pcm)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*dump, name+".s16"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("signals written, nothing compared")
}
