package listen

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/turn"
)

// oracle is an AudioModel that answers by script, after a while.
type oracle struct {
	probability float64
	err         error
	after       time.Duration

	mu      sync.Mutex
	lengths []int
}

func (o *oracle) Complete(ctx context.Context, pcm []int16) (float64, error) {
	o.mu.Lock()
	o.lengths = append(o.lengths, len(pcm))
	o.mu.Unlock()
	select {
	case <-time.After(o.after):
		return o.probability, o.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// judgedAfter plays one turn and returns how long after its end it was decided.
func judgedAfter(t *testing.T, model AudioModel) (after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, scribe: &scribe{script: []answer{{text: "We worked on a payment service", after: soon}}}}
		l, err := New(t.Context(), Options{VAD: newEar(), Recognizer: s.scribe, Handle: s.note, AudioModel: model})
		if err != nil {
			t.Fatal(err)
		}
		s.Listener = l
		s.quiet(time.Second)
		s.speak(2 * time.Second)
		s.quiet(4 * time.Second)
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		after = first[Turn](t, s).DecidedAfter
	})
	return after
}

func TestAudioModelMovesTheDecision(t *testing.T) {
	without := judgedAfter(t, nil)
	sure := judgedAfter(t, &oracle{probability: 0.98, after: 50 * time.Millisecond})
	unsure := judgedAfter(t, &oracle{probability: 0.01, after: 50 * time.Millisecond})
	if sure >= without || without >= unsure {
		t.Errorf("decided after %v when the model says over, %v without it, %v when it says not over", sure, without, unsure)
	}
}

func TestAudioModelThatFailsChangesNothing(t *testing.T) {
	without := judgedAfter(t, nil)
	for name, model := range map[string]*oracle{
		"fails":          {err: errors.New("no such file"), probability: 0.01},
		"late":           {after: time.Hour, probability: 0.01},
		"no probability": {probability: 17},
	} {
		if got := judgedAfter(t, model); got != without {
			t.Errorf("%s: decided after %v, want %v", name, got, without)
		}
		if len(model.lengths) != 1 {
			t.Errorf("%s: asked %d times", name, len(model.lengths))
		}
	}
}

func TestAudioModelHearsTheLastSeconds(t *testing.T) {
	model := &oracle{probability: 0.5}
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, scribe: &scribe{script: []answer{{text: "Short.", after: soon}, {text: "Long.", after: soon}}}}
		l, err := New(t.Context(), Options{VAD: newEar(), Recognizer: s.scribe, Handle: s.note, AudioModel: model})
		if err != nil {
			t.Fatal(err)
		}
		s.Listener = l
		s.speak(time.Second)
		s.quiet(2 * time.Second)
		s.speak(10 * time.Second)
		s.quiet(2 * time.Second)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if len(model.lengths) != 2 || model.lengths[1] != audioMemory {
		t.Fatalf("lengths %v, want two and the last %d", model.lengths, audioMemory)
	}
	if d := turn.Duration(int64(model.lengths[0])); d < 1200*time.Millisecond || d > 1350*time.Millisecond {
		t.Errorf("first question holds %v, want 1 s of speech and some silence", d)
	}
}
