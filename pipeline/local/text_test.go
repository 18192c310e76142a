package local

import (
	"math"
	"strings"
	"testing"
)

func TestSpeakable(t *testing.T) {
	tests := map[string]string{
		"José’s “idea” — great…": `Jose's "idea" , great.`,
		"a\x00b\nc\t d":          "a b c d",
		"R&D, 50%":               "R and D, 50 percent",
		"?!":                     "",
		"你好":                     "",
	}
	for in, want := range tests {
		if got := speakable(in); got != want {
			t.Errorf("speakable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	long := strings.Repeat("word ", 60) + "and so on, " + strings.Repeat("more ", 30)
	for in, want := range map[string]int{
		"Thank you. What is 3.5, e.g. this one? I see": 3,
		"One.": 1, "... Well.": 1, long: 3, strings.Repeat("x", 450): 3,
	} {
		got := sentences(in)
		if len(got) != want {
			t.Errorf("%.30q: %d pieces %q, want %d", in, len(got), got, want)
		}
		for _, piece := range got {
			if len(piece) > maxPiece {
				t.Errorf("a piece of %d bytes", len(piece))
			}
		}
	}
}

func TestLeveller(t *testing.T) {
	tone := func(amplitude float64) []int16 {
		pcm := make([]int16, 16000)
		for i := range pcm {
			pcm[i] = int16(amplitude * math.Sin(float64(i)/10))
		}
		return pcm
	}
	rms := func(pcm []int16) float64 {
		var sum float64
		for _, s := range pcm {
			sum += float64(s) * float64(s)
		}
		return math.Sqrt(sum / float64(len(pcm)))
	}
	tests := []struct {
		name                string
		amplitude, min, max float64
	}{
		{"loud speech is left alone", 20000, 14000, 14300},
		{"quiet speech is raised", 600, 2000, 2500},
		{"very quiet speech is raised by 20 dB at most", 200, 1300, 1500},
		{"noise is left alone", 50, 30, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l leveller
			if got := rms(l.apply(tone(tt.amplitude))); got < tt.min || got > tt.max {
				t.Errorf("level %.0f, want %.0f…%.0f", got, tt.min, tt.max)
			}
		})
	}
	var l leveller
	l.apply(tone(600))
	if pcm := l.apply(tone(32000)); pcm[100] < 0 != (math.Sin(10) < 0) {
		t.Error("a sudden shout wrapped around")
	}
}
