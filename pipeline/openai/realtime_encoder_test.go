package openai

import (
	"testing"

	"github.com/vivavoice/viva/pipeline/stt"
)

func TestRealtimeEncoderDoesNotAllocate(t *testing.T) {
	e, err := newRealtimeEncoder()
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, stt.SampleRate/10)
	var message []byte
	message = e.Append(message[:0], pcm)
	message = e.Append(message[:0], pcm)
	if n := testing.AllocsPerRun(100, func() { message = e.Append(message[:0], pcm) }); n != 0 {
		t.Errorf("%v allocations per 100 ms", n)
	}
}
