package sockettest_test

import (
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

func TestReveal(t *testing.T) {
	for audio, want := range map[time.Duration]string{
		0: "", 299 * time.Millisecond: "", 300 * time.Millisecond: "one", 700 * time.Millisecond: "one two", time.Hour: "one two three",
	} {
		if got := sockettest.Reveal("one two  three", audio); got != want {
			t.Errorf("after %v: %q, want %q", audio, got, want)
		}
	}
}
