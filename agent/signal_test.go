package agent

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// askedVoice is a voice engine that notes what it is asked for.
type askedVoice struct {
	slowVoice

	mu       sync.Mutex
	requests []tts.Request // guarded by mu
	hang     bool
}

func (a *askedVoice) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	a.mu.Lock()
	a.requests = append(a.requests, r)
	a.mu.Unlock()
	if a.hang && r.Fixed {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return a.slowVoice.Synthesize(ctx, r)
}

func (a *askedVoice) signals() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.requests {
		if r.Text == "Mm-hm." {
			n++
		}
	}
	return n
}

// aside counts those of sound that belong to no utterance.
type aside struct {
	mu    sync.Mutex
	n     int       // guarded by mu
	first time.Time // guarded by mu
}

func (f *aside) WriteFrame(_ []byte, info playout.FrameInfo) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if info.Generation == 0 && !info.Silence {
		if f.n++; f.n == 1 {
			f.first = time.Now()
		}
	}
	return nil
}

func (f *aside) signal() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// The word is made ready while the voice speaks first, once for each voice, and is heard in that voice and as nothing that was said.
func TestVoiceSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, track := &askedVoice{}, &aside{}
		v, err := newVoice(engine, track, sink{}, nil, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer v.close()
		u := session.Utterance{Name: "alloy", Language: "en", Speed: 1.1, Listening: "Mm-hm."}
		if v.Signal(u) {
			t.Error("a word that nobody has made")
		}
		for generation := range uint64(3) {
			u.Generation = generation + 1
			if r := v.Speak(t.Context(), u, &oneClause{}); !r.Complete {
				t.Fatal(r.Err)
			}
		}
		time.Sleep(time.Second)
		generation, at := v.LastSound()
		if n := engine.signals(); n != 1 {
			t.Fatalf("made %d times", n)
		}
		for _, r := range engine.requests {
			if r.Text == u.Listening && r != (tts.Request{Text: "Mm-hm.", Voice: "alloy", Language: "en", Speed: 1.1, Fixed: true}) {
				t.Errorf("asked for %+v", r)
			}
		}
		other := u
		other.Name = "verse"
		if v.Signal(other) || v.Signal(session.Utterance{}) {
			t.Error("in a voice that nobody has heard")
		}
		if !v.Signal(u) || v.Signal(u) {
			t.Error("not once")
		}
		time.Sleep(time.Second)
		if n := track.signal(); n != 10 { // 200 ms
			t.Errorf("%d frames of it", n)
		}
		if g, last := v.LastSound(); g != generation || !last.Equal(at) {
			t.Errorf("it counts as something that was said: %d at %v, before %d at %v", g, last, generation, at)
		}
	})
}

// A word that cannot be made is done without, and is not asked for again.
func TestVoiceWithoutSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		engine := &askedVoice{slowVoice: slowVoice{err: errors.New("status 500")}}
		v, err := newVoice(engine, sink{}, sink{}, nil, zap.New(core))
		if err != nil {
			t.Fatal(err)
		}
		defer v.close()
		u := session.Utterance{Listening: "Mm-hm."}
		for generation := range uint64(3) {
			u.Generation = generation + 1
			v.Speak(t.Context(), u, &oneClause{})
			synctest.Wait()
		}
		if n := engine.signals(); n != 1 || v.Signal(u) || logs.FilterMessage("listening.unprepared").Len() != 1 {
			t.Errorf("asked %d times, logged %v", n, logs.All())
		}
	})
}

// A voice that is closed while its word is made waits for nobody; one that nobody makes is given up.
func TestSignalInTheMaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := newVoice(&askedVoice{hang: true}, sink{}, sink{}, nil, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		u := session.Utterance{Generation: 1, Listening: "Mm-hm."}
		v.Speak(t.Context(), u, &oneClause{})
		before := time.Now()
		v.close()
		if took := time.Since(before); took > 0 {
			t.Errorf("closing took %v", took)
		}
		v.signals.prepare(t.Context(), v.speaker, session.Utterance{Listening: "Hm."})
		v.signals.tasks.Wait() // nothing is made any more
	})
}

// Through the real ears and the real voice: in the pause of a story the candidate hears that somebody listens, once, half a second into the
// silence, and may go on. The journal, to the millisecond, is that of an interview without.
func TestSignalThroughTheChain(t *testing.T) {
	held := func(on bool) (entries []state.Entry, heard int, into time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			const stops = 9 * time.Second
			track := &aside{}
			story := func(st *definition.Stage) { st.Expect = "story" }
			b := openBooth(t, track, story, on, func(since time.Duration) bool {
				return since >= 3*time.Second && since < stops || since >= stops+900*time.Millisecond && since < 12*time.Second
			})
			ctx, cancel := context.WithTimeoutCause(t.Context(), 15*time.Second, session.Reason("enough"))
			defer cancel()
			if _, err := b.s.Run(ctx); err != nil {
				t.Fatal(err)
			}
			var err error
			if entries, err = b.store.Read(t.Context(), "booth"); err != nil {
				t.Fatal(err)
			}
			heard, into = track.signal(), track.first.Sub(b.began)-stops
		})
		return entries, heard, into
	}
	with, frames, into := held(true)
	without, none, _ := held(false)
	if frames != 10 || none != 0 || into < 450*time.Millisecond || into > 560*time.Millisecond {
		t.Errorf("%d frames, %v after the end of speech; %d where it is off", frames, into, none)
	}
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("the journal differs:\n%s", diff)
	}
	if len(with) < 8 {
		t.Errorf("nothing was held: %d entries", len(with))
	}
}
