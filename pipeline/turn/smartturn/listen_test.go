package smartturn_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn/smartturn"
	"github.com/vivavoice/viva/pipeline/vad"
)

var _ listen.AudioModel = (*smartturn.Model)(nil)

// loudness is voice activity detection by loudness.
type loudness struct{ detector *vad.Detector }

func (l loudness) Write(pcm []int16, at int64, report func(vad.Status)) {
	for ; len(pcm) >= vad.Window; pcm, at = pcm[vad.Window:], at+vad.Window {
		p := float32(0.05)
		if pcm[0] != 0 {
			p = 0.95
		}
		report(l.detector.Update(at, p))
	}
}

func (l loudness) Gap() vad.Status { return l.detector.Gap() }

// scribe understands the same words of every segment.
type scribe struct {
	text   string
	handle func(stt.Event)
}

func (s *scribe) Open(_ context.Context, o stt.Options) (stt.Stream, error) {
	s.handle = o.Handle
	return s, nil
}

func (s *scribe) Write([]int16)             {}
func (s *scribe) SpeechStarted(uint64, int) {}
func (s *scribe) Close() error              { return nil }

func (s *scribe) SpeechEnded(segment uint64) {
	s.handle(stt.Final{Segment: segment, Text: s.text})
}

// network is a Runner that has learned one thing: what ends in silence is over, or is not.
type network struct {
	over  float32
	err   error
	takes time.Duration

	asked int
	ends  bool // the last question ended with silence, after sound
}

func (n *network) Run(ctx context.Context, features []float32) (float32, error) {
	n.asked++
	last := features[smartturn.Frames-1]          // of the lowest band
	before := features[smartturn.Frames-1-100]    // one second earlier
	n.ends = before > last && features[0] == last // and silence in front
	select {
	case <-time.After(n.takes):
		return n.over, n.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// decidedAfter lets somebody say that in two seconds and returns how long afterwards the turn was taken to be over.
func decidedAfter(t *testing.T, text string, n *network) (after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		o := listen.Options{VAD: loudness{vad.NewDetector(250 * time.Millisecond)}, Recognizer: &scribe{text: text}, Handle: func(e listen.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e, ok := e.(listen.Turn); ok {
				after = e.DecidedAfter
			}
		}}
		if n != nil {
			o.AudioModel = smartturn.New(n)
		}
		l, err := listen.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		const window = vad.Window * time.Second / 16000
		for at := time.Duration(0); at < 8*time.Second; at += window {
			pcm := make([]int16, vad.Window)
			for i := range pcm {
				if at > time.Second && at < 3*time.Second {
					pcm[i] = int16(1000 + 8*i%3000)
				}
			}
			l.Write(pcm)
			time.Sleep(window)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
	})
	return after
}

// TestListenerTakesTheModelsWord: a sure model ends a turn earlier whose words go on, a doubtful one later whose words are
// complete, and one that fails or is late changes nothing.
func TestListenerTakesTheModelsWord(t *testing.T) {
	const complete, open = "We worked on a payment service.", "We worked on a payment service and"
	for _, test := range []struct {
		text   string
		over   float32
		effect func(with, without time.Duration) bool
	}{
		{open, 0.98, func(with, without time.Duration) bool { return with < without }},
		{complete, 0.02, func(with, without time.Duration) bool { return with > without }},
	} {
		without := decidedAfter(t, test.text, nil)
		if without == 0 {
			t.Fatal("no turn was taken")
		}
		with := decidedAfter(t, test.text, &network{over: test.over, takes: 50 * time.Millisecond})
		if with == 0 || !test.effect(with, without) {
			t.Errorf("%q: decided after %v where the model says %v, %v without it", test.text, with, test.over, without)
		}
	}
	without := decidedAfter(t, complete, nil)
	for name, n := range map[string]*network{
		"fails": {over: 0.02, err: errors.New("no session")}, "is late": {over: 0.02, takes: time.Second}, "makes no sense": {over: 17},
	} {
		if got := decidedAfter(t, complete, n); got != without {
			t.Errorf("a model that %s: decided after %v, want %v", name, got, without)
		}
		if n.asked != 1 || !n.ends {
			t.Errorf("a model that %s: asked %d times, about speech that ends in silence: %v", name, n.asked, n.ends)
		}
	}
}
