package listen

import (
	"testing"

	"github.com/vivavoice/viva/pipeline/audio"
)

// levels lets the foreground hear windows of one level and returns the share that belonged to it.
func levels(f *foreground, n int, level float64) float64 {
	heard := 0
	for i := range n {
		if f.hear(level+float64(i%5-2), 0.95) { // ±2 dB
			heard++
		}
	}
	return float64(heard) / float64(n)
}

func TestForeground(t *testing.T) {
	tests := []struct {
		name              string
		background, voice float64
		most, least       float64 // share of background, of voice
	}{
		{"quiet room", -80, -26, 0.05, 0.95},
		{"quiet voice in a quiet room", -80, -45, 0.05, 0.95},
		{"voices 20 dB below", -46, -26, 0.05, 0.95},
		{"voices 10 dB below", -36, -26, 0.05, 0.95},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newForeground()
			for round := range 5 {
				if got := levels(&f, 40, tt.background); got > tt.most {
					t.Errorf("round %d: %.2f of the background came through", round, got)
				}
				if got := levels(&f, 60, tt.voice); got < tt.least {
					t.Errorf("round %d: only %.2f of the voice came through", round, got)
				}
			}
		})
	}
}

// The track's filled-in silence says nothing about the room.
func TestForegroundAfterDigitalSilence(t *testing.T) {
	f := newForeground()
	levels(&f, 50, audio.MinLevel)
	if got := levels(&f, 60, -40); got < 0.95 {
		t.Errorf("only %.2f of a quiet voice came through", got)
	}
}
