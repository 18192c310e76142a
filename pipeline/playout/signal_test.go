package playout

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/audio"
)

// level is n samples of one value.
func level(n int, v int16) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = v
	}
	return pcm
}

func TestSignalIsHeardAsNoUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		pcm := counting(2*frameSamples + 100)
		if !g.Signal(pcm) {
			t.Fatal("nothing was in its way")
		}
		if g.Signal(pcm) {
			t.Error("two at a time")
		}
		time.Sleep(time.Second)
		frames := tp.heard()
		if len(frames) != 3+tailFrames || len(tp.started()) > 0 {
			t.Fatalf("%d frames, started %v", len(frames), tp.started())
		}
		if diff := cmp.Diff(append(pcm, make([]int16, 380)...), tp.speech(0)); diff != "" {
			t.Errorf("it sounds otherwise:\n%s", diff)
		}
		for i, f := range frames {
			if f.Silence != (i >= 3) || f.Marker != (i == 0) {
				t.Errorf("frame %d: %+v", i, f.FrameInfo)
			}
		}
		if !g.Signal(pcm) {
			t.Error("not a second time")
		}
	})
}

func TestSignalGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		if !g.Signal(level(sampleRate, 8000)) {
			t.Fatal("nothing was in its way")
		}
		time.Sleep(50 * time.Millisecond)
		opened := time.Now()
		speech := counting(4 * frameSamples)
		u := open(t, g, 1, speech, true)
		if g.Signal(level(frameSamples, 1)) {
			t.Error("one beside an utterance")
		}
		<-u.Done()
		time.Sleep(time.Second)
		if diff := cmp.Diff(speech, tp.speech(1)); diff != "" {
			t.Errorf("what was said differs:\n%s", diff)
		}
		if late := u.End().Began.Sub(opened); late > 2*frameTime || u.End().Heard != int64(len(speech)) {
			t.Errorf("it began %v late: %+v", late, u.End())
		}
		sound := tp.speech(0)
		fade := sound[len(sound)-frameSamples:]
		if sound[len(sound)-frameSamples-1] != 8000 || fade[0] < 7900 || fade[fadeSamples/2] > 4100 || fade[fadeSamples-1] != 0 || fade[frameSamples-1] != 0 {
			t.Errorf("it does not fade out: %v", fade[:fadeSamples])
		}
		if last := tp.heard()[len(tp.heard())-1]; last.Gap != 0 {
			t.Errorf("a gap in the track: %+v", last.FrameInfo)
		}
	})
}

// A reply that is prepared and held is not in its way; it is cut when that is released, and not when it is discarded.
func TestSignalBesideAHeldReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		for i, release := range []bool{false, true} {
			generation, before := uint64(i+1), len(tp.speech(0))
			u, err := g.Open(generation, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Write(t.Context(), level(5*frameSamples, 900)); err != nil {
				t.Fatal(err)
			}
			u.Finish()
			if !g.Signal(level(10*frameSamples, 300)) {
				t.Fatal("what is held is in its way")
			}
			time.Sleep(50 * time.Millisecond)
			if release {
				g.Release(generation)
			} else {
				g.Cancel(generation)
			}
			<-u.Done()
			time.Sleep(time.Second)
			heard, frames := u.End().Heard, (len(tp.speech(0))-before)/frameSamples
			if want := map[bool]int{false: 10, true: 4}[release]; frames != want || (heard > 0) != release {
				t.Errorf("released %v: %d frames of it, want %d, and %d samples of the reply", release, frames, want, heard)
			}
		}
		if diff := cmp.Diff(level(5*frameSamples, 900), tp.speech(2)); diff != "" {
			t.Errorf("the reply is not whole:\n%s", diff)
		}
	})
}

// A signal that has not begun when an utterance is opened is never heard.
func TestSignalComesTooLate(t *testing.T) {
	tp := &tape{}
	g := stepped(t, tp)
	if !g.Signal(level(frameSamples, 5)) {
		t.Fatal("nothing was in its way")
	}
	open(t, g, 1, counting(2*frameSamples), true)
	now := time.Unix(100, 0)
	for range 10 {
		g.step(now)
		now = now.Add(frameTime)
	}
	if n := len(tp.speech(0)); n > 0 || len(tp.speech(1)) != 2*frameSamples {
		t.Errorf("%d samples of it, %d of the utterance", n, len(tp.speech(1)))
	}
	g.closed = true
	if g.Signal(level(frameSamples, 5)) || g.Signal(nil) {
		t.Error("a closed gate takes one")
	}
}

func TestSignalDoesNotAllocate(t *testing.T) {
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGate(Options{Writer: discard{}, Encoder: encoder})
	if err != nil {
		t.Fatal(err)
	}
	pcm, now, given := counting(3*frameSamples), time.Unix(100, 0), 0
	allocs := testing.AllocsPerRun(500, func() {
		if g.Signal(pcm) {
			given++
		}
		g.step(now)
		now = now.Add(frameTime)
	})
	if allocs != 0 || given < 100 {
		t.Errorf("%v allocations per frame, %d given", allocs, given)
	}
}
