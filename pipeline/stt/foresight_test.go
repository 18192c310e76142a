package stt_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

// said is one segment: a second of speech, and 100 ms of the silence after it.
func said(s stt.Stream, segment uint64) {
	s.SpeechStarted(segment, 0)
	write(s, time.Second, 3)
	write(s, 100*time.Millisecond, 0)
}

// Recognition begins in the pause: its result stands when the end comes, without the silence between and without another request.
func TestRecognitionBeginsInThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{delay: 150 * time.Millisecond}
		s, j := open(t, stt.NewSegmenter("x", e, stt.SegmenterOptions{}))
		said(s, 1)
		stt.Paused(s, 1)
		time.Sleep(96 * time.Millisecond)
		write(s, 100*time.Millisecond, 0)
		s.SpeechEnded(1)
		time.Sleep(55 * time.Millisecond)
		j.want(t, "final 1 3×1000 0×100")
		if e.asked != 1 {
			t.Errorf("%d requests", e.asked)
		}
	})
}

// Late waits for the end.
func TestLateWaitsForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{delay: 150 * time.Millisecond}
		s, j := open(t, stt.NewSegmenter("x", e, stt.SegmenterOptions{Late: true}))
		said(s, 1)
		stt.Paused(s, 1)
		synctest.Wait()
		if e.asked != 0 {
			t.Errorf("%d requests", e.asked)
		}
		write(s, 100*time.Millisecond, 0)
		s.SpeechEnded(1)
		time.Sleep(time.Second)
		j.want(t, "final 1 3×1000 0×200")
	})
}

// Speech that goes on voids what was begun; what was begun in its next pause stands for all of it.
func TestSpeechThatGoesOnVoidsWhatWasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{delay: 150 * time.Millisecond}
		s, j := open(t, stt.NewSegmenter("x", e, stt.SegmenterOptions{}))
		said(s, 1)
		stt.Paused(s, 1)
		time.Sleep(10 * time.Millisecond)
		write(s, time.Second, 4)
		stt.Paused(s, 1)
		write(s, 100*time.Millisecond, 0)
		s.SpeechEnded(1)
		time.Sleep(time.Second)
		said(s, 2) // whose audio stands where that of the first one stood
		s.SpeechEnded(2)
		time.Sleep(time.Second)
		j.want(t, "final 1 3×1000 0×100 4×1000", "final 2 3×1000 0×100")
	})
}

// What failed in the pause is asked for again at the end, with all there is; a piece that is cut off at the most that may be sent at once has
// all of it.
func TestWhatFailedInThePauseIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{errs: []error{&fault.Error{Op: "transcribe", Provider: "x", Kind: fault.Timeout, Err: errors.New("slow")}}}
		s, j := open(t, stt.NewSegmenter("x", e, stt.SegmenterOptions{Limits: stt.Limits{MaxSegment: 2 * time.Second}}))
		said(s, 1)
		stt.Paused(s, 1)
		synctest.Wait()
		write(s, 100*time.Millisecond, 0)
		s.SpeechEnded(1)
		time.Sleep(time.Second)
		j.want(t, "final 1 3×1000 0×200")
		said(s, 2)
		stt.Paused(s, 2)
		synctest.Wait()
		write(s, 1500*time.Millisecond, 5)
		s.SpeechEnded(2)
		time.Sleep(time.Second)
		j.want(t, "final 1 3×1000 0×200", "final 2 3×1000 0×100 5×900 5×600")
	})
}

// A stream that is closed in a pause ends what was begun; and one whose engine does not come back in a pause keeps to its limits.
func TestClosedInThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := &engine{delay: time.Hour}
		s, j := open(t, stt.NewSegmenter("x", hang, stt.SegmenterOptions{Limits: stt.Limits{Finish: 8 * time.Second}}))
		said(s, 1)
		stt.Paused(s, 1)
		s.SpeechEnded(1)
		time.Sleep(9 * time.Second)
		j.want(t, "failed 1 no answer in time")
		said(s, 2)
		stt.Paused(s, 2)
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		j.want(t, "failed 1 no answer in time")
	})
}

// The chain of engines and the watchdog pass it on; a stream that makes nothing of it is not asked.
func TestPausesArePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, wrap := range map[string]func(stt.Recognizer) stt.Recognizer{
			"fallback": func(r stt.Recognizer) stt.Recognizer { return stt.NewFallback(time.Minute, r) },
			"watched":  func(r stt.Recognizer) stt.Recognizer { return stt.NewWatched(r, stt.WatchOptions{}) },
		} {
			e := &engine{delay: 150 * time.Millisecond}
			s, j := open(t, wrap(stt.NewSegmenter("x", e, stt.SegmenterOptions{})))
			said(s, 1)
			stt.Paused(s, 1)
			time.Sleep(150 * time.Millisecond)
			s.SpeechEnded(1)
			j.want(t, "final 1 3×1000 0×100")
			if e.asked != 1 {
				t.Errorf("%s: %d requests", name, e.asked)
			}
		}
		stt.Paused(deaf{}, 1)
	})
}

type deaf struct{ stt.Stream }
