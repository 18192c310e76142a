package turneval

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/stt"
)

// counting understands how much sound it was given.
type counting struct{ samples int }

func (c *counting) Start(context.Context) error { c.samples = 0; return nil }

func (c *counting) Feed(_ context.Context, pcm []int16) (string, error) {
	c.samples += len(pcm)
	return fmt.Sprintf("%d ms", c.samples/ms(1)), nil
}

func (c *counting) Finish(context.Context) (stt.Transcript, error) {
	return stt.Transcript{Text: fmt.Sprintf("all %d ms", c.samples/ms(1))}, nil
}

func (c *counting) Abort() {}

func TestAnEngineHearsTheSoundItself(t *testing.T) {
	var events []stt.Event
	d := &decoding{ctx: t.Context(), decoder: &counting{}, slow: 1}
	s, err := d.Open(t.Context(), stt.Options{Handle: func(e stt.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	hear := func(length int) {
		for range length / 20 {
			s.Write(make([]int16, ms(20)))
		}
	}
	hear(500)
	s.SpeechStarted(1, ms(60))
	hear(180)
	s.SpeechEnded(1)
	if n := len(events); n > 2 || n > 0 && events[n-1] == (stt.Final{Segment: 1, Text: "all 240 ms"}) {
		t.Errorf("before time has passed: %v", events)
	}
	hear(2000) // nobody speaks, and the engine gets none of it
	want := []stt.Event{
		stt.Partial{Segment: 1, Text: "100 ms"}, stt.Partial{Segment: 1, Text: "200 ms"}, stt.Partial{Segment: 1, Text: "240 ms"},
		stt.Final{Segment: 1, Text: "all 240 ms"},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
