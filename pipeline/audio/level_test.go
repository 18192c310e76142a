package audio

import (
	"math"
	"testing"
)

func sine(n, rate int, hz, amplitude float64) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(math.Round(amplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate))))
	}
	return pcm
}

func constant(n int, v int16) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = v
	}
	return pcm
}

func TestLevel(t *testing.T) {
	tests := []struct {
		name string
		pcm  []int16
		want float64
	}{
		{"nothing", nil, MinLevel},
		{"silence", constant(320, 0), MinLevel},
		{"full scale", constant(320, -32768), 0},
		{"half", constant(320, 16384), -6.02},
		{"the quietest", constant(320, 1), -90.31},
		{"sine at full scale", sine(1600, 16000, 1000, 32767), -3.01},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Level(tt.pcm); math.Abs(got-tt.want) > 0.01 {
				t.Errorf("%.2f dBFS, want %.2f", got, tt.want)
			}
		})
	}
}

func TestFades(t *testing.T) {
	in, out := constant(100, -30000), constant(100, 30000)
	FadeIn(in)
	FadeOut(out)
	if in[0] != 0 || in[50] != -15000 || in[99] != -29700 {
		t.Errorf("fade in goes %d, %d, %d", in[0], in[50], in[99])
	}
	if out[0] != 29700 || out[49] != 15000 || out[99] != 0 {
		t.Errorf("fade out goes %d, %d, %d", out[0], out[49], out[99])
	}
	FadeIn(nil)
	FadeOut(nil)
}

func TestGainRampsAcrossFrames(t *testing.T) {
	g := NewGain()
	frame := constant(480, 10000)
	g.Apply(frame)
	if frame[479] != 10000 {
		t.Fatalf("a gain of 1 gives %d", frame[479])
	}
	g.Set(Decibels(-20), 960)
	var got []int16
	for range 3 {
		frame := constant(480, 10000)
		g.Apply(frame)
		got = append(got, frame...)
	}
	for i := 1; i < len(got); i++ {
		if step := int(got[i-1]) - int(got[i]); step < 0 || step > 11 {
			t.Fatalf("sample %d steps by %d", i, step)
		}
	}
	if got[479] < 5400 || got[479] > 5600 || got[959] > 1010 || got[1439] != 1000 || !g.Settled() {
		t.Errorf("ramp to a tenth goes %d, %d, %d", got[479], got[959], got[1439])
	}
	g.Set(4, 0)
	loud := []int16{10000, -10000}
	g.Apply(loud)
	if loud[0] != math.MaxInt16 || loud[1] != math.MinInt16 {
		t.Errorf("clipped to %d and %d", loud[0], loud[1])
	}
}
