package playout

import (
	"testing"
	"testing/synctest"
	"time"
)

// clauses are two of them, of one and two seconds at levels of their own, with a breath of 100 ms between.
func clauses() []int16 {
	pcm := make([]int16, 3100*sampleRate/1000)
	for i := range pcm {
		switch {
		case i < sampleRate:
			pcm[i] = 8000
		case i >= sampleRate+sampleRate/10:
			pcm[i] = 10000
		}
	}
	return pcm
}

// ducked lets a voice say two clauses, ducks it at a time for a time, and then ends that.
func ducked(t *testing.T, at, lasts time.Duration, end func(*Gate)) (over End, frames []sentFrame) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g, tp := start(t, nil)
		u := open(t, g, 1, clauses(), true)
		time.Sleep(at)
		g.Duck(true)
		time.Sleep(lasts)
		end(g)
		<-u.Done()
		over, frames = u.End(), tp.heard()
	})
	return over, frames
}

func unduck(g *Gate) { g.Duck(false) }

// heardAs counts the frames that are heard at a level, and those under a duck.
func heardAs(frames []sentFrame, level int16) (loud, lowered int) {
	for _, f := range frames {
		switch got := f.pcm[frameSamples/2]; {
		case f.Ducked:
			lowered++
		case got == level:
			loud++
		}
	}
	return loud, lowered
}

func TestShortDuckGoesOn(t *testing.T) {
	u, frames := ducked(t, 1500*time.Millisecond, 400*time.Millisecond, unduck)
	for _, f := range frames {
		if got := f.pcm[frameSamples/2]; f.Ducked && got != 158 && got < 9000 { // −36 dB, but for the way back
			t.Errorf("a ducked frame at level %d, want 158", got)
		}
	}
	if n := len(frames); n != 155 || u.Heard != int64(len(clauses())) || !u.Complete {
		t.Errorf("%d frames, %+v: want all of it, once", n, u)
	}
}

// What is not heard for longer is said again, from the start of its clause, and counts once.
func TestLongDuckRepeatsTheClause(t *testing.T) {
	for name, lasts := range map[string]time.Duration{"0.7 s": 700 * time.Millisecond, "3 s": 3 * time.Second} {
		u, frames := ducked(t, 1500*time.Millisecond, lasts, unduck)
		first, _ := heardAs(frames, 8000)
		second, lowered := heardAs(frames, 10000)
		if first != 50 || second < 117 || second > 122 || lowered < 29 || lowered > 31 {
			t.Errorf("%s: %d frames of the first clause, %d of the second, %d ducked; want 50, the second again from its start, 0.6 s",
				name, first, second, lowered)
		}
		if u.Heard != int64(len(clauses())) || !u.Complete {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

// Disturbed again in the same clause, the voice goes on from where it was lowered.
func TestClauseIsRepeatedOnce(t *testing.T) {
	u, frames := ducked(t, 1500*time.Millisecond, time.Second, func(g *Gate) {
		for range 2 {
			g.Duck(false)
			time.Sleep(500 * time.Millisecond)
			g.Duck(true)
			time.Sleep(time.Second)
		}
		g.Duck(false)
	})
	second, _ := heardAs(frames, 10000)
	if second < 107 || second > 122 || !u.Complete || u.Heard != int64(len(clauses())) {
		t.Errorf("%d frames of the second clause, %+v; want it once and its beginning twice", second, u)
	}
}

// A pause under a duck holds the voice where it was lowered.
func TestPauseUnderADuckRepeatsTheClause(t *testing.T) {
	u, frames := ducked(t, 1500*time.Millisecond, 200*time.Millisecond, func(g *Gate) {
		g.Pause()
		time.Sleep(time.Second)
		g.Resume()
	})
	if second, lowered := heardAs(frames, 10000); second < 117 || second > 122 || lowered > 10 {
		t.Errorf("%d frames of the second clause, %d ducked", second, lowered)
	}
	if u.Heard != int64(len(clauses())) || !u.Complete {
		t.Errorf("%+v", u)
	}
}

// What was cut under a duck was heard up to where it was lowered.
func TestCutUnderADuckWasHeardUpToIt(t *testing.T) {
	for _, lasts := range []time.Duration{300 * time.Millisecond, time.Second} {
		u, _ := ducked(t, 1500*time.Millisecond, lasts, func(g *Gate) { g.Cancel(1) })
		heard := time.Duration(u.Heard) * time.Second / sampleRate
		if off := heard - 1530*time.Millisecond; off.Abs() > 20*time.Millisecond || u.Complete {
			t.Errorf("%v were heard, want 1.53 s", heard)
		}
	}
}

// A voice that ends shortly after it was lowered is over; one that lost more waits for what becomes of it.
func TestEndUnderADuck(t *testing.T) {
	u, _ := ducked(t, 2800*time.Millisecond, time.Second, func(*Gate) {})
	if end := u; !end.Complete || end.Heard != int64(len(clauses())) {
		t.Errorf("lowered for its last 0.3 s: %+v", end)
	}
	u, _ = ducked(t, 2300*time.Millisecond, 2*time.Second, func(g *Gate) { g.Cancel(1) })
	if end := u; end.Complete || end.Heard >= int64(len(clauses())) {
		t.Errorf("lowered for its last 0.8 s, and cut: %+v", end)
	}
}
