package local_test

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

// In noise a search finds much that may fit, and who searches again at the end of the speech lets the candidate wait for a quarter of its
// length. What is compared is processor time, which does not depend on what else this machine does.
func TestNoiseDoesNotDelayTheText(t *testing.T) {
	r := newSphinx(t, local.SphinxOptions{Decoders: 1})
	d := r.NewDecoder()
	if err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pcm := noisy(t)
	began := processorTime(t)
	for at := 0; at < len(pcm); at += stt.SampleRate / 10 {
		if _, err := d.Feed(t.Context(), pcm[at:min(len(pcm), at+stt.SampleRate/10)]); err != nil {
			t.Fatal(err)
		}
	}
	ended := processorTime(t)
	if _, err := d.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	hearing, finishing := ended-began, processorTime(t)-ended
	if finishing > hearing/10 {
		t.Errorf("%v for %d ms of speech while it went on, and %v more when it was over", hearing, len(pcm)/16, finishing)
	}
}

// noisy is a voice among two others and hiss, some 6 dB below it.
func noisy(t *testing.T) []int16 {
	t.Helper()
	f := newFlite(t, local.FliteOptions{})
	pcm, err := speak(t.Context(), f, tts.Request{Text: sentence + " " + sentence})
	if err != nil {
		t.Fatal(err)
	}
	for _, voice := range []string{"rms", "awb"} {
		other, err := speak(t.Context(), f, tts.Request{Text: "There were forty services, and nobody knew who had written them or why they were there at all.", Voice: voice})
		if err != nil {
			t.Fatal(err)
		}
		for i := range pcm {
			pcm[i] = pcm[i]/2 + other[i%len(other)]/5
		}
	}
	hiss := rand.New(rand.NewPCG(1, 1))
	for i := range pcm {
		pcm[i] += int16(300 * hiss.NormFloat64())
	}
	return pcm
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
