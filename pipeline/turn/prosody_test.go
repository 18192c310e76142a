package turn

import (
	"math"
	"testing"
)

// voice makes a sound like a vowel: a fundamental that moves from one frequency to another, with harmonics, at an amplitude that moves
// as well.
func voice(seconds, fromHz, toHz, from, to float64) []int16 {
	pcm := make([]int16, int(seconds*Rate))
	phase := 0.0
	for i := range pcm {
		t := float64(i) / float64(len(pcm))
		phase += 2 * math.Pi * (fromHz + (toHz-fromHz)*t) / Rate
		v := math.Sin(phase) + 0.5*math.Sin(2*phase) + 0.3*math.Sin(3*phase)
		pcm[i] = int16(v / 1.8 * (from + (to-from)*t))
	}
	return pcm
}

// hiss makes noise without a pitch, from a fixed sequence.
func hiss(seconds float64, amplitude int) []int16 {
	pcm := make([]int16, int(seconds*Rate))
	state := uint32(1)
	for i := range pcm {
		state = state*1664525 + 1013904223
		pcm[i] = int16(int(state>>16)%(2*amplitude+1) - amplitude)
	}
	return pcm
}

func TestPitch(t *testing.T) {
	tests := []struct {
		name string
		pcm  []int16
		want float64
	}{
		{"low voice", voice(0.032, 85, 85, 3000, 3000), 85},
		{"man", voice(0.032, 120, 120, 3000, 3000), 120},
		{"woman", voice(0.032, 210, 210, 3000, 3000), 210},
		{"high voice", voice(0.032, 350, 350, 3000, 3000), 350},
		{"quiet", voice(0.032, 150, 150, 40, 40), 150},
		{"hiss", hiss(0.032, 3000), 0},
		{"silence", make([]int16, toneWindow), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Pitch((*[PitchSamples]int16)(tt.pcm))
			if math.Abs(got-tt.want) > 0.03*tt.want {
				t.Errorf("%.1f Hz, want %.1f", got, tt.want)
			}
		})
	}
}

// hearAll lets p hear speech in frames of 20 ms from position 0, then 0.2 s of silence, and returns where the speech ended.
func hearAll(p *Prosody, pieces ...[]int16) int64 {
	at := int64(0)
	say := func(pcm []int16, speech bool) {
		for len(pcm) > 0 {
			n := min(len(pcm), Rate/50)
			p.Hear(pcm[:n], at, speech)
			at += int64(n)
			pcm = pcm[n:]
		}
	}
	for _, piece := range pieces {
		say(piece, true)
	}
	end := at
	say(make([]int16, Rate/5), false)
	return end
}

func TestTail(t *testing.T) {
	steady := voice(1, 150, 150, 4000, 4000)
	tests := []struct {
		name  string
		tail  []int16
		check func(Tail) bool
	}{
		{"falling pitch", voice(0.4, 150, 110, 4000, 4000), func(t Tail) bool { return t.PitchSlope < -8 && t.PitchEnd < -3 }},
		{"rising pitch", voice(0.4, 150, 200, 4000, 4000), func(t Tail) bool { return t.PitchSlope > 8 && t.PitchEnd > 2 }},
		{"level pitch", voice(0.4, 150, 150, 4000, 4000), func(t Tail) bool { return math.Abs(t.PitchSlope) < 1 && math.Abs(t.PitchEnd) < 0.5 }},
		{"fading", voice(0.3, 150, 150, 4000, 800), func(t Tail) bool { return t.LevelSlope < -20 && t.LevelEnd < -3 }},
		{"lengthened", voice(0.5, 150, 150, 4000, 4000), func(t Tail) bool { return t.Lengthening > 0.45 }},
		{"short last vowel", append(hiss(0.2, 2000), voice(0.08, 150, 150, 4000, 4000)...), func(t Tail) bool { return t.Lengthening > 0.04 && t.Lengthening < 0.15 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Prosody
			end := hearAll(&p, steady, tt.tail)
			// Voice activity ends late by up to 0.1 s: the same tail must be found.
			for _, late := range []int64{0, Rate / 10} {
				if got := p.Tail(end + late); !got.Known || !tt.check(got) {
					t.Errorf("%d samples late: %+v", late, got)
				}
			}
		})
	}
}

func TestTailOfNothing(t *testing.T) {
	var p Prosody
	if got := p.Tail(0); got != (Tail{}) {
		t.Errorf("before any sound: %+v", got)
	}
	p.Hear(make([]int16, Rate), 0, false)
	if got := p.Tail(Rate); got.Known {
		t.Errorf("after silence: %+v", got)
	}
	p.Hear(voice(1, 150, 150, 4000, 4000), Rate, true)
	p.Hear(make([]int16, 512), 100*Rate, false)
	if got := p.Tail(2 * Rate); got.Known {
		t.Errorf("across a gap: %+v", got)
	}
}

// The ears hear a frame every 20 ms in every session; nothing of it may allocate.
func TestProsodyDoesNotAllocate(t *testing.T) {
	var p Prosody
	frame, at := voice(0.02, 150, 150, 4000, 4000), int64(0)
	var tail Tail
	allocs := testing.AllocsPerRun(200, func() {
		p.Hear(frame, at, true)
		at += int64(len(frame))
		tail = p.Tail(at)
	})
	if allocs != 0 || !tail.Known {
		t.Errorf("%v allocations per frame; tail %+v", allocs, tail)
	}
}
