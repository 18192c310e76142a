package agent

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/pipeline/vad"
)

// slowVoice takes 100 ms to be asked and 120 ms to its first sample.
type slowVoice struct{ err error }

func (v slowVoice) Synthesize(ctx context.Context, _ tts.Request) (tts.Audio, error) {
	if v.err != nil {
		return nil, v.err
	}
	return &slowSound{ctx: ctx, left: audio.VoiceRate / 5}, nil
}

type slowSound struct {
	ctx    context.Context
	waited bool
	left   int
}

func (s *slowSound) Rate() int { return audio.VoiceRate }

func (s *slowSound) Read(pcm []int16) (int, error) {
	if !s.waited {
		s.waited = true
		select {
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		case <-time.After(120 * time.Millisecond):
		}
	}
	n := min(len(pcm), s.left)
	s.left -= n
	for i := range n {
		pcm[i] = 5000
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *slowSound) Close() error { return nil }

// sink is a track that takes everything.
type sink struct{}

func (sink) WriteFrame([]byte, playout.FrameInfo) error { return nil }

func (sink) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 1), nil }

type oneClause struct{ said bool }

func (c *oneClause) Next(context.Context) (speak.Clause, error) {
	if c.said {
		return speak.Clause{}, io.EOF
	}
	c.said = true
	return speak.Clause{Text: "Hello there."}, nil
}

// The voice tells when its engine was asked, when the first sound came, and when it was last heard: to the millisecond, and
// silence after it does not count.
func TestVoiceTellsItsTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := newVoice(slowVoice{}, sink{}, sink{}, nil, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer v.close()
		began := time.Now()
		var asked, sounded, started time.Duration
		r := v.Speak(t.Context(), session.Utterance{
			ID: 1, Generation: 3,
			Asked:   func() { asked = time.Since(began) },
			Sounded: func() { sounded = time.Since(began) },
			Started: func() { started = time.Since(began) },
		}, &oneClause{})
		if !r.Complete || asked != 0 || sounded != 120*time.Millisecond || started < sounded || started > sounded+20*time.Millisecond {
			t.Errorf("asked after %v, sounded after %v, started after %v: %+v", asked, sounded, started, r)
		}
		time.AfterFunc(time.Second, func() {})
		synctest.Wait()
		generation, at := v.LastSound()
		// 200 ms of sound are ten frames, the first at the start.
		if last := at.Sub(began); generation != 3 || last < started+160*time.Millisecond || last > started+200*time.Millisecond {
			t.Errorf("generation %d was last heard after %v", generation, last)
		}
	})
}

func TestTimedVoicePassesErrorsOn(t *testing.T) {
	broken := errors.New("status 500")
	sounded := false
	_, err := timed{engine: slowVoice{err: broken}, sounded: func() { sounded = true }}.Synthesize(t.Context(), tts.Request{})
	if !errors.Is(err, broken) || sounded {
		t.Errorf("got %v, sounded %v", err, sounded)
	}
}

// Nothing is allocated per frame.
func TestLastFrameAllocatesNothing(t *testing.T) {
	l := &lastFrame{FrameWriter: sink{}}
	packet := make([]byte, 80)
	if n := testing.AllocsPerRun(100, func() { _ = l.WriteFrame(packet, playout.FrameInfo{Generation: 1}) }); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// level is voice activity detection that keeps how many samples it heard, and how many of them were sound.
type level struct{ heard, loud int }

func (l *level) Write(pcm []int16, _ int64, _ func(vad.Status)) {
	l.heard += len(pcm)
	for _, s := range pcm {
		if s != 0 {
			l.loud++
		}
	}
}

func (l *level) Gap() vad.Status { return vad.Status{} }

type noRecognizer struct{}

func (noRecognizer) Open(context.Context, stt.Options) (stt.Stream, error) { return noStream{}, nil }

type noStream struct{}

func (noStream) Write([]int16)             {}
func (noStream) SpeechStarted(uint64, int) {}
func (noStream) SpeechEnded(uint64)        {}
func (noStream) Close() error              { return nil }

// With the button up, the ears hear silence of the same length: positions stay true, and no sound gets through.
func TestDeafEarsHearSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &level{}
		x := &ears{log: zap.NewNop()}
		var err error
		if x.listener, err = listen.New(t.Context(), listen.Options{VAD: v, Recognizer: noRecognizer{}, Handle: x.handle}); err != nil {
			t.Fatal(err)
		}
		tone := make([]int16, 320)
		for i := range tone {
			tone[i] = 3000
		}
		long := make([]int16, 3*len(nothing)+7)
		for i := range long {
			long[i] = 3000
		}
		x.hear(tone)
		x.Hear(false)
		x.hear(tone)
		x.hear(long)
		x.Hear(true)
		x.hear(tone)
		synctest.Wait()
		x.close()
		if v.heard < 3*len(tone)+len(long)-vad.Window || v.loud > 2*len(tone) || v.loud < len(tone) {
			t.Errorf("heard %d samples, %d of them sound", v.heard, v.loud)
		}
	})
}
