package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// RX-18: a file says itself where in the talk it belongs, also when its recorder died; something else says nothing.
func TestOffsetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "talk.ogg")
		r, _ := start(t, Options{Open: onDisk(path), Offset: 97_250 * time.Millisecond})
		time.Sleep(3 * time.Second)
		if _, err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if at, err := OffsetIn(f); err != nil || at != 97_250*time.Millisecond {
			t.Errorf("%s, %v", at, err)
		}
	})
	for _, text := range []string{"", "OggS", "RIFF" + strings.Repeat("x", 100)} {
		if at, err := OffsetIn(strings.NewReader(text)); err == nil {
			t.Errorf("%.8q begins at %s", text, at)
		}
	}
}
