package listen

import (
	"context"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
)

// atOnce is a recogniser that has the words of a segment with the first audio behind it.
type atOnce struct {
	text    string
	handle  func(stt.Event)
	segment uint64
}

func (r *atOnce) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	r.handle = o.Handle
	return r, nil
}

func (r *atOnce) Write([]int16) {
	if r.segment != 0 {
		r.handle(stt.Final{Segment: r.segment, Text: r.text})
		r.segment = 0
	}
}

func (r *atOnce) SpeechStarted(uint64, int)  {}
func (r *atOnce) SpeechEnded(segment uint64) { r.segment = segment }
func (r *atOnce) Close() error               { return nil }

// Recorded sound is judged by its sound, too, so that what is measured is what a session does.
func TestOfflineAsksTheAudioModel(t *testing.T) {
	decided := func(model AudioModel) (after time.Duration) {
		o := Options{VAD: newEar(), Recognizer: &atOnce{text: "We worked on a payment service"}, AudioModel: model, Handle: func(e Event) {
			if turn, over := e.(Turn); over {
				after = turn.DecidedAfter
			}
		}}
		ears, err := NewOffline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		loud := make([]int16, 2*turn.Rate)
		for i := range loud {
			loud[i] = 1000
		}
		ears.Hear(loud)
		ears.Hear(make([]int16, 4*turn.Rate))
		if err := ears.Close(); err != nil {
			t.Error(err)
		}
		return after
	}
	without, sure, unsure := decided(nil), decided(&oracle{probability: 0.98}), decided(&oracle{probability: 0.01})
	if sure >= without || without >= unsure {
		t.Errorf("decided after %v when the model says over, %v without it, %v when it says not over", sure, without, unsure)
	}
}
