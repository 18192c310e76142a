package playout

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/pipeline/audio"
)

func TestPacer(t *testing.T) {
	t0 := time.Unix(100, 0)
	ms := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Millisecond) }
	tests := []struct {
		name            string
		now             int // ms after a frame was sent at 0
		frames, skipped int
		next            int // ms, after sending what was due
	}{
		{"early", 10, 0, 0, 20},
		{"on time", 20, 1, 0, 40},
		{"late keeps the schedule", 33, 1, 0, 40},
		{"one lost tick is caught up", 41, 2, 0, 60},
		{"burst is bounded", 69, 3, 0, 80},
		{"the rest is given up", 205, 3, 7, 220},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p pacer
			if gap := p.start(t0); gap != 0 {
				t.Fatalf("first start reports a gap of %v", gap)
			}
			p.sent()
			frames, skipped := p.due(ms(tt.now))
			for range frames {
				p.sent()
			}
			if frames != tt.frames || skipped != tt.skipped || !p.next.Equal(ms(tt.next)) {
				t.Errorf("got %d frames, %d skipped, next %v", frames, skipped, p.next.Sub(t0))
			}
		})
	}
}

func TestPacerMeasuresGaps(t *testing.T) {
	t0 := time.Unix(100, 0)
	var p pacer
	p.start(t0)
	p.sent()
	p.stop()
	if gap := p.start(t0.Add(70 * time.Millisecond)); gap != 50*time.Millisecond {
		t.Errorf("gap %v, want 50ms", gap)
	}
	p.stop()
	p.sent() // ahead of the clock
	if gap := p.start(t0.Add(80 * time.Millisecond)); gap != 0 || !p.next.Equal(t0.Add(90*time.Millisecond)) {
		t.Errorf("gap %v, next %v after a frame sent early", gap, p.next.Sub(t0))
	}
}

// stepped returns a gate whose goroutine does not run.
func stepped(t testing.TB, w FrameWriter) *Gate {
	t.Helper()
	g, err := newGate(Options{Writer: w, Encoder: rawEncoder{}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestLateTickBecomesAGap(t *testing.T) {
	tp := &tape{}
	g := stepped(t, tp)
	open(t, g, 1, counting(sampleRate), true)
	now := time.Unix(100, 0)
	g.step(now)
	now = now.Add(205 * time.Millisecond)
	g.step(now)
	if n := len(tp.frames); n != 1+maxBurst {
		t.Fatalf("%d frames, want the first and a burst of %d", n, maxBurst)
	}
	media := 0
	for _, f := range tp.frames {
		media += f.Gap + f.Samples
	}
	if want := 11 * frameSamples; media != want {
		t.Errorf("media clock at %d samples, want %d as the wall clock", media, want)
	}
}

type discard struct{}

func (discard) WriteFrame([]byte, FrameInfo) error { return nil }

func TestTickDoesNotAllocate(t *testing.T) {
	opus, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	for name, encoder := range map[string]Encoder{"raw": rawEncoder{}, "opus": opus} {
		t.Run(name, func(t *testing.T) { tickWithoutAllocation(t, encoder) })
	}
}

func tickWithoutAllocation(t *testing.T, encoder Encoder) {
	g, err := newGate(Options{Writer: discard{}, Encoder: encoder})
	if err != nil {
		t.Fatal(err)
	}
	u := open(t, g, 1, nil, false)
	now := time.Unix(100, 0)
	frame := 0
	pcm := counting(frameSamples)
	ctx := context.Background()
	allocs := testing.AllocsPerRun(500, func() {
		if err := u.Write(ctx, pcm); err != nil {
			t.Fatal(err)
		}
		g.Duck(frame%50 < 20)
		frame++
		g.step(now)
		now = now.Add(frameTime)
	})
	if allocs != 0 {
		t.Errorf("%v allocations per frame", allocs)
	}
	if n := u.Heard(); n < 500*frameSamples {
		t.Errorf("the frames were not speech: %d samples heard", n)
	}
}

// fence fails when a frame of a cancelled generation arrives.
type fence struct {
	mu        sync.Mutex
	cancelled uint64
	stale     int
	frames    int
}

func (f *fence) WriteFrame(_ []byte, i FrameInfo) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames++
	if i.Generation != 0 && i.Generation <= f.cancelled {
		f.stale++
	}
	return nil
}

func (f *fence) raise(generation uint64) {
	f.mu.Lock()
	f.cancelled = max(f.cancelled, generation)
	f.mu.Unlock()
}

// R001-45, R001-76: after Cancel or Open returned, no older frame reaches the track, whoever writes meanwhile.
func TestNoStaleFrameUnderConcurrency(t *testing.T) {
	f := &fence{}
	g, err := New(Options{Writer: f, Encoder: rawEncoder{}, Lead: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var writers sync.WaitGroup
	for generation := uint64(1); generation <= 100; generation++ {
		u, err := g.Open(generation, false)
		if err != nil {
			t.Fatal(err)
		}
		f.raise(generation - 1)
		for range 2 {
			writers.Go(func() {
				pcm := counting(1000)
				for u.Write(context.Background(), pcm) == nil {
				}
			})
		}
		for f.count() < int(generation) { // let some of it be heard
			runtime.Gosched()
		}
		if generation%3 == 0 {
			g.Cancel(generation)
			f.raise(generation)
		}
	}
	g.Cancel(100)
	writers.Wait()
	if f.stale != 0 {
		t.Errorf("%d stale frames", f.stale)
	}
}

func (f *fence) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.frames
}

// Voice-pipeline invariants 3 and 4: whatever happens in whatever order, each utterance starts at most once, ends exactly
// once, and nothing of it is heard afterwards.
func TestUtterancesEndExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tp := &tape{}
		var all []*Utterance
		g, err := newGate(Options{Writer: tp, Encoder: rawEncoder{}, Started: func(generation uint64) {
			tp.begun(generation)
			for _, u := range all[:generation-1] {
				if !over(u) {
					t.Errorf("%d started before %d was over", generation, u.generation)
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(100, 0)
		ops := map[string]func(){
			"open":   func() { all = append(all, g.openQuietly(uint64(len(all)+1))) },
			"write":  func() { writeSome(all) },
			"finish": func() { finish(all) },
			"cancel": func() { g.mu.Lock(); g.cutLocked(nil); g.mu.Unlock(); g.step(now) },
			"pause":  g.Pause,
			"resume": g.Resume,
			"duck":   func() { g.Duck(true) },
			"unduck": func() { g.Duck(false) },
			"tick":   func() { now = now.Add(frameTime); g.step(now) },
			"late":   func() { now = now.Add(3 * frameTime / 2); g.step(now) },
		}
		names := []string{"open", "write", "finish", "cancel", "pause", "resume", "duck", "unduck", "tick", "tick", "late"}
		for _, op := range rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "ops") {
			ops[op]()
		}
		g.shutdown()
		if err := lifecycles(tp, all); err != nil {
			t.Fatal(err)
		}
	})
}

// openQuietly opens without waiting for run, which these tests play themselves.
func (g *Gate) openQuietly(generation uint64) *Utterance {
	close(g.done) // nobody waits for a gate that is done
	u, _ := g.Open(generation, false)
	g.done = make(chan struct{})
	return u
}

func writeSome(all []*Utterance) {
	if n := len(all); n > 0 {
		_ = all[n-1].Write(context.Background(), counting(3*frameSamples/2)) // a cancelled utterance refuses; that is fine here
	}
}

func finish(all []*Utterance) {
	if n := len(all); n > 0 {
		all[n-1].Finish()
	}
}

func over(u *Utterance) bool {
	select {
	case <-u.Done(): // closing it twice would panic
		return true
	default:
		return false
	}
}

// lifecycles checks that every utterance is over, that each was started at most once, and that they were heard in order.
func lifecycles(tp *tape, all []*Utterance) error {
	for _, u := range all {
		if !over(u) {
			return fmt.Errorf("%d is not over", u.generation)
		}
	}
	for i, generation := range tp.starts {
		if i > 0 && generation <= tp.starts[i-1] {
			return fmt.Errorf("started in the order %v", tp.starts)
		}
	}
	newest := uint64(0)
	for _, f := range tp.frames {
		if f.Generation != 0 && f.Generation < newest {
			return fmt.Errorf("frame of %d after %d", f.Generation, newest)
		}
		newest = max(newest, f.Generation)
	}
	return nil
}
