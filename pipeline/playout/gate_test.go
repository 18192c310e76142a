package playout

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rawEncoder passes samples through, so that tests can read what was heard.
type rawEncoder struct{}

func (rawEncoder) Encode(dst []byte, pcm []int16) ([]byte, error) {
	for _, s := range pcm {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(s))
	}
	return dst, nil
}

func decodeRaw(packet []byte) []int16 {
	pcm := make([]int16, len(packet)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(packet[2*i:]))
	}
	return pcm
}

type sentFrame struct {
	FrameInfo
	at  time.Time
	pcm []int16
}

// tape is a track that remembers what it was given, and which utterances were started.
type tape struct {
	mu     sync.Mutex
	frames []sentFrame
	starts []uint64
	fail   error
}

func (tp *tape) WriteFrame(opus []byte, f FrameInfo) error {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	if tp.fail != nil {
		return tp.fail
	}
	tp.frames = append(tp.frames, sentFrame{f, time.Now(), decodeRaw(opus)})
	return nil
}

func (tp *tape) begun(generation uint64) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.starts = append(tp.starts, generation)
}

func (tp *tape) heard() []sentFrame {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	return append([]sentFrame(nil), tp.frames...)
}

func (tp *tape) started() []uint64 {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	return slices.Clone(tp.starts)
}

// speech returns the samples of one generation, frame after frame.
func (tp *tape) speech(generation uint64) (pcm []int16) {
	for _, f := range tp.heard() {
		if f.Generation == generation && !f.Silence {
			pcm = append(pcm, f.pcm...)
		}
	}
	return pcm
}

func start(t *testing.T, change func(*Options)) (*Gate, *tape) {
	t.Helper()
	tp := &tape{}
	o := Options{Writer: tp, Encoder: rawEncoder{}, Started: tp.begun}
	if change != nil {
		change(&o)
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, tp
}

// counting returns n samples that tell their own position: 1, 2, 3 …
func counting(n int) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(i%30000 + 1)
	}
	return pcm
}

func open(t *testing.T, g *Gate, generation uint64, pcm []int16, finish bool) *Utterance {
	t.Helper()
	u, err := g.Open(generation, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(t.Context(), pcm); err != nil {
		t.Fatal(err)
	}
	if finish {
		u.Finish()
	}
	return u
}

func TestUtteranceIsPacedAndReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		began := time.Now()
		pcm := counting(3*frameSamples + 100)
		u := open(t, g, 1, pcm, true)
		<-u.Done()
		synctest.Wait()
		if took := time.Since(began); took != 60*time.Millisecond || !slices.Equal(tp.started(), []uint64{1}) {
			t.Errorf("over after %v, started %v", took, tp.started())
		}
		if diff := cmp.Diff(End{Heard: int64(len(pcm)), Complete: true, Began: began}, u.End()); diff != "" {
			t.Errorf("end (-want +got):\n%s", diff)
		}
		time.Sleep(time.Second)
		frames := tp.heard()
		if len(frames) != 4+5 {
			t.Fatalf("%d frames, want 4 of speech and a tail of 5", len(frames))
		}
		for i, f := range frames {
			if want := began.Add(time.Duration(i) * frameTime); !f.at.Equal(want) {
				t.Errorf("frame %d at %v, want %v", i, f.at, want)
			}
			if f.Index != uint64(i) || f.Silence != (i >= 4) || f.Marker != (i == 0) || f.Gap != 0 {
				t.Errorf("frame %d: %+v", i, f.FrameInfo)
			}
		}
		if diff := cmp.Diff(append(pcm, make([]int16, 380)...), tp.speech(1)); diff != "" {
			t.Errorf("sound differs:\n%s", diff)
		}
	})
}

func TestSilenceAdvancesTheMediaClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		<-open(t, g, 1, counting(frameSamples), true).Done()
		time.Sleep(time.Second)
		<-open(t, g, 2, counting(frameSamples), true).Done()
		frames := tp.heard()
		last := frames[len(frames)-1]
		// One frame of speech and five of tail cover 120 ms of the second.
		if want := 880 * sampleRate / 1000; last.Generation != 2 || last.Gap != want || !last.Marker {
			t.Errorf("first frame after a pause: %+v, want a gap of %d", last.FrameInfo, want)
		}
	})
}

func TestCancelFadesAndEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		loud := make([]int16, sampleRate)
		for i := range loud {
			loud[i] = 10000
		}
		u := open(t, g, 3, loud, false)
		time.Sleep(50 * time.Millisecond)
		before := time.Now()
		g.Cancel(3)
		if took := time.Since(before); took > time.Millisecond {
			t.Errorf("cancel took %v", took)
		}
		heard := tp.heard()
		last := heard[len(heard)-1]
		if last.Generation != 3 || last.pcm[0] < 9000 || last.pcm[fadeSamples-1] != 0 || last.pcm[frameSamples-1] != 0 {
			t.Errorf("last frame does not fade out: %+v %v", last.FrameInfo, last.pcm[:fadeSamples])
		}
		if err := u.Write(t.Context(), loud); !errors.Is(err, ErrCancelled) {
			t.Errorf("write after cancel: %v", err)
		}
		time.Sleep(time.Second)
		for _, f := range tp.heard()[len(heard):] {
			if !f.Silence || f.Generation != 0 {
				t.Errorf("stale frame %+v", f.FrameInfo)
			}
		}
		end := u.End()
		if want := int64(3*frameSamples + fadeSamples); end.Heard != want || end.Complete || end.Err != nil {
			t.Errorf("end %+v, want %d samples cancelled", end, want)
		}
		if got := g.Dropped(); got != uint64(len(loud))-uint64(end.Heard) {
			t.Errorf("dropped %d", got)
		}
	})
}

func TestGenerationsOnlyGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		first := open(t, g, 5, counting(sampleRate), true)
		time.Sleep(30 * time.Millisecond)
		second := open(t, g, 6, counting(frameSamples), true)
		g.Cancel(9)
		for _, generation := range []uint64{0, 6, 9} {
			if _, err := g.Open(generation, false); !errors.Is(err, ErrStale) {
				t.Errorf("open %d: %v, want ErrStale", generation, err)
			}
		}
		synctest.Wait()
		if diff := cmp.Diff(End{Began: tp.heard()[0].at, Heard: 2*frameSamples + fadeSamples}, first.End()); diff != "" {
			t.Errorf("end of the one before (-want +got):\n%s", diff)
		}
		<-second.Done()
		if second.End() != (End{}) || !slices.Equal(tp.started(), []uint64{5}) {
			t.Errorf("the cancelled one ended with %+v, started were %v", second.End(), tp.started())
		}
	})
}

func TestPauseResumesFromTheExactSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		pcm := counting(10 * frameSamples)
		u := open(t, g, 1, pcm, true)
		time.Sleep(45 * time.Millisecond)
		g.Duck(true)
		g.Pause()
		synctest.Wait()
		if frames := tp.heard(); time.Since(frames[len(frames)-1].at) != 0 {
			t.Error("pause waited for the next frame")
		}
		at := u.Heard()
		time.Sleep(3 * time.Second)
		if now := u.Heard(); now != at {
			t.Errorf("position moved from %d to %d while paused", at, now)
		}
		before := len(tp.heard())
		g.Resume()
		<-u.Done()
		frames := tp.heard()[before:]
		if got := frames[0].pcm[frameSamples-1]; got != pcm[at+frameSamples-1] {
			t.Errorf("resumed with sample %d, want %d", got, pcm[at+frameSamples-1])
		}
		if first := frames[0].pcm[0]; first > pcm[at]/100 {
			t.Errorf("resumed without a fade: %d", first)
		}
		if end := u.End(); end.Heard != int64(len(pcm)) || !end.Complete {
			t.Errorf("end %+v", end)
		}
	})
}

func TestPauseBeforeTheFirstFrameHoldsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		u, err := g.Open(1, false)
		if err != nil {
			t.Fatal(err)
		}
		g.Pause()
		if err := u.Write(t.Context(), counting(frameSamples)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := len(tp.heard()); n != 0 {
			t.Fatalf("%d frames while paused", n)
		}
		g.Resume()
		u.Finish()
		<-u.Done()
		if n := len(tp.heard()); n != 1 {
			t.Errorf("%d frames after resume", n)
		}
	})
}

func TestHeldUtteranceWaitsForRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		u, err := g.Open(1, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Write(t.Context(), counting(frameSamples)); err != nil {
			t.Fatal(err)
		}
		u.Finish()
		time.Sleep(time.Second)
		if len(tp.heard()) != 0 || u.End() != (End{}) {
			t.Fatal("held speech was heard or ended")
		}
		g.Release(1)
		<-u.Done()
		if !u.End().Complete {
			t.Errorf("end %+v", u.End())
		}
	})
}

// A decision may overtake the goroutine that is about to open the utterance.
func TestReleaseBeforeOpenHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		g.Release(1)
		for generation := range uint64(2) {
			u, err := g.Open(generation+1, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Write(t.Context(), counting(frameSamples)); err != nil {
				t.Fatal(err)
			}
			u.Finish()
			time.Sleep(time.Second)
		}
		if !slices.Equal(tp.started(), []uint64{1}) {
			t.Errorf("started %v: the released utterance alone, the one after it is held", tp.started())
		}
	})
}

func TestUnderrunIsSilentAndStallIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		g, tp := start(t, func(o *Options) { o.Logger = zap.New(core) })
		u := open(t, g, 1, counting(frameSamples+100), false)
		time.Sleep(stall + frameTime - time.Millisecond)
		if n := logs.Len(); n != 0 {
			t.Errorf("%d warnings after less than %v", n, stall)
		}
		time.Sleep(2 * stall)
		if n, frames := logs.FilterMessage("playout.stalled").Len(), len(tp.heard()); n != 1 || frames != int((3*stall+frameTime)/frameTime) {
			t.Errorf("%d warnings, %d frames", n, frames)
		}
		if err := u.Write(t.Context(), counting(frameSamples)); err != nil {
			t.Fatal(err)
		}
		u.Finish()
		<-u.Done()
		if end := u.End(); end.Heard != 2*frameSamples+100 || !end.Complete {
			t.Errorf("end %+v", end)
		}
	})
}

func TestWriteWaitsForTheLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := start(t, func(o *Options) { o.Lead = time.Second })
		began := time.Now()
		u := open(t, g, 1, counting(3*sampleRate), false)
		if took := time.Since(began); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("3 s of sound were taken after %v with a lead of 1 s", took)
		}
		if err := u.WaitLead(t.Context(), sampleRate/2); err != nil || u.Lead() >= sampleRate/2 {
			t.Errorf("wait for lead: %v, %d left", err, u.Lead())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := u.Write(ctx, counting(sampleRate)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("write past a deadline: %v", err)
		}
		u.Finish()
		if err := u.Write(t.Context(), counting(1)); !errors.Is(err, ErrFinished) {
			t.Errorf("write after finish: %v", err)
		}
	})
}

func TestDeadTrackEndsTheUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("track is gone")
		g, tp := start(t, nil)
		tp.fail = broken
		u := open(t, g, 1, counting(4*sampleRate), true)
		<-u.Done()
		if end := u.End(); end.Complete || !errors.Is(end.Err, broken) || end.Heard != 0 || len(tp.started()) != 0 {
			t.Errorf("end %+v, started %v", end, tp.started())
		}
	})
}

func TestEmptyUtteranceEndsUnstarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		u := open(t, g, 1, nil, true)
		<-u.Done()
		g.Close()
		if u.End() != (End{Complete: true}) || len(tp.started()) != 0 {
			t.Errorf("end %+v, started %v", u.End(), tp.started())
		}
	})
}

func TestCloseEndsWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := start(t, nil)
		u := open(t, g, 1, counting(sampleRate), false)
		time.Sleep(30 * time.Millisecond)
		g.Close()
		g.Close()
		g.Cancel(1)
		if end := u.End(); end.Complete || end.Heard != 2*frameSamples+fadeSamples {
			t.Errorf("end %+v", end)
		}
		if _, err := g.Open(2, false); !errors.Is(err, ErrClosed) {
			t.Errorf("open after close: %v", err)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	tp := &tape{}
	for name, o := range map[string]Options{
		"no writer":     {Encoder: rawEncoder{}},
		"no encoder":    {Writer: tp},
		"negative lead": {Writer: tp, Encoder: rawEncoder{}, Lead: -1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
