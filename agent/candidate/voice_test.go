package candidate

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/tts"
)

// lector is an engine that speaks for so long.
type lector struct {
	lasts  time.Duration
	broken error // in place of the end

	asked  tts.Request
	left   int
	closed bool
}

func (l *lector) Synthesize(_ context.Context, r tts.Request) (tts.Audio, error) {
	l.asked, l.left = r, int(l.lasts.Seconds()*8000)
	return l, nil
}

func (l *lector) Rate() int { return 8000 }

func (l *lector) Read(pcm []int16) (int, error) {
	n := min(len(pcm), l.left)
	if l.left -= n; n > 0 {
		return n, nil
	}
	if l.broken != nil {
		return 0, l.broken
	}
	return 0, io.EOF
}

func (l *lector) Close() error {
	l.closed = true
	return nil
}

func TestWhole(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name    string
		engine  lector
		want    error
		samples int
	}{
		{"a sentence", lector{lasts: 2 * time.Second}, nil, 16_000},
		{"as long as may be", lector{lasts: maxUtterance}, nil, 960_000},
		{"longer", lector{lasts: maxUtterance + time.Second}, ErrLongUtterance, 0},
		{"an engine that fails", lector{lasts: time.Second, broken: broken}, broken, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pcm, rate, err := Whole(&test.engine, tts.Request{Voice: "rms", Speed: 2}).Synthesize(t.Context(), "Hello.")
			if !errors.Is(err, test.want) || len(pcm) != test.samples || (err == nil && rate != 8000) {
				t.Errorf("%d samples at %d Hz, error %v, want %d, %v", len(pcm), rate, err, test.samples, test.want)
			}
			if diff := cmp.Diff(tts.Request{Text: "Hello.", Voice: "rms", Speed: 2}, test.engine.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if !test.engine.closed {
				t.Error("the sound was left open")
			}
		})
	}
}
