package stt_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frame is 20 ms of samples of one value.
func frame(value int16) []int16 {
	f := make([]int16, stt.SampleRate/50)
	for i := range f {
		f[i] = value
	}
	return f
}

// write gives a stream d of audio.
func write(s stt.Stream, d time.Duration, value int16) {
	for f := frame(value); d > 0; d -= 20 * time.Millisecond {
		s.Write(f)
	}
}

// summary is the text of a piece of audio as the fakes understand it: each run of equal samples as value×milliseconds.
func summary(pcm []int16) string {
	var out []string
	for start := 0; start < len(pcm); {
		end := start
		for end < len(pcm) && pcm[end] == pcm[start] {
			end++
		}
		out = append(out, fmt.Sprintf("%d×%d", pcm[start], (end-start)*1000/stt.SampleRate))
		start = end
	}
	return strings.Join(out, " ")
}

// engine is a batch engine that gives the summary of what it heard.
type engine struct {
	delay time.Duration
	mu    sync.Mutex
	errs  []error // for the first requests
	asked int
}

func (e *engine) Transcribe(ctx context.Context, pcm []int16, _ string) (stt.Transcript, error) {
	e.mu.Lock()
	n := e.asked
	e.asked++
	e.mu.Unlock()
	select {
	case <-time.After(e.delay):
	case <-ctx.Done():
		return stt.Transcript{}, ctx.Err()
	}
	if n < len(e.errs) && e.errs[n] != nil {
		return stt.Transcript{}, e.errs[n]
	}
	return stt.Transcript{Text: summary(pcm), Confidence: 0.5}, nil
}

// journal collects events as lines.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) handle(e stt.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := e.(type) {
	case stt.Partial:
		j.lines = append(j.lines, fmt.Sprintf("partial %d %s", e.Segment, e.Text))
	case stt.Final:
		j.lines = append(j.lines, fmt.Sprintf("final %d %s", e.Segment, e.Text))
	case stt.Failed:
		j.lines = append(j.lines, fmt.Sprintf("failed %d %v", e.Segment, fault.KindOf(e.Err)))
	}
}

func (j *journal) sort() {
	j.mu.Lock()
	defer j.mu.Unlock()
	slices.Sort(j.lines)
}

func (j *journal) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if diff := cmp.Diff(want, j.lines); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func open(t *testing.T, r stt.Recognizer) (stt.Stream, *journal) {
	t.Helper()
	j := &journal{}
	s, err := r.Open(t.Context(), stt.Options{Handle: j.handle})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, j
}

func TestSegmentHasItsPreRollAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, j := open(t, stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}))
		write(s, 2*time.Second, 1)
		write(s, 100*time.Millisecond, 2)
		s.SpeechStarted(7, stt.SampleRate*300/1000)
		write(s, time.Second, 3)
		s.SpeechEnded(7)
		write(s, time.Second, 4)
		j.want(t, "final 7 1×200 2×100 3×1000")
		s.SpeechStarted(8, 10*stt.SampleRate) // more than is kept
		s.SpeechEnded(8)
		j.want(t, "final 7 1×200 2×100 3×1000", "final 8 4×500")
	})
}

func TestEverySpeechEndedIsAnswered(t *testing.T) {
	tests := []struct {
		name  string
		drive func(stt.Stream)
		want  []string
	}{
		{"too short to ask", func(s stt.Stream) { s.SpeechStarted(1, 0); write(s, 40*time.Millisecond, 1); s.SpeechEnded(1) }, []string{"final 1 "}},
		{"no audio", func(s stt.Stream) { s.SpeechStarted(1, 0); s.SpeechEnded(1) }, []string{"final 1 "}},
		{"end without start", func(s stt.Stream) { s.SpeechEnded(3) }, []string{"final 3 "}},
		{"end twice", func(s stt.Stream) { s.SpeechStarted(1, 0); s.SpeechEnded(1); s.SpeechEnded(1) }, []string{"final 1 "}},
		{"end of another", func(s stt.Stream) {
			s.SpeechStarted(1, 0)
			write(s, time.Second, 5)
			s.SpeechEnded(9)
			s.SpeechEnded(1)
		}, []string{"final 1 5×1000", "final 9 "}},
		{"start without end", func(s stt.Stream) {
			s.SpeechStarted(1, 0)
			write(s, time.Second, 5)
			s.SpeechStarted(2, 0)
			write(s, time.Second, 6)
			s.SpeechEnded(1)
			s.SpeechEnded(2)
		}, []string{"final 1 5×1000", "final 2 6×1000"}},
	}
	for _, tt := range tests {
		for name, r := range map[string]stt.Recognizer{
			"segmenter": stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}),
			"fallback":  stt.NewFallback(0, stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{})),
			"watched":   stt.NewWatched(stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}), stt.WatchOptions{Answer: time.Minute}),
		} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, j := open(t, r)
					tt.drive(s)
					synctest.Wait()
					j.sort() // an end without a start has no place in the order
					j.want(t, tt.want...)
				})
			})
		}
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		name   string
		engine *engine
		asked  int
		want   string
	}{
		{"retried", &engine{errs: []error{&fault.Error{Kind: fault.Server}, context.DeadlineExceeded}}, 3, "final 1 5×1000"},
		{"bad key", &engine{errs: []error{&fault.Error{Kind: fault.Auth}}}, 1, "failed 1 the key was refused"},
		{"never answers", &engine{delay: time.Hour}, 1, "failed 1 no answer in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				s, j := open(t, stt.NewSegmenter("x", tt.engine, stt.SegmenterOptions{}))
				s.SpeechStarted(1, 0)
				write(s, time.Second, 5)
				s.SpeechEnded(1)
				time.Sleep(15 * time.Second)
				j.want(t, tt.want)
				if tt.engine.asked != tt.asked {
					t.Errorf("asked %d times within %v, want %d", tt.engine.asked, time.Since(start), tt.asked)
				}
			})
		})
	}
}

func TestLongSegmentIsCutAndJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{}
		s, j := open(t, stt.NewSegmenter("x", e, stt.SegmenterOptions{}))
		s.SpeechStarted(1, 0)
		for range 130 {
			write(s, time.Second, 5)
			synctest.Wait()
		}
		s.SpeechEnded(1)
		j.want(t, "final 1 5×60000 5×60000 5×10000")
	})
}

func TestBacklogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &engine{delay: 5 * time.Second}
		s, j := open(t, stt.NewSegmenter("x", slow, stt.SegmenterOptions{Limits: stt.Limits{Backlog: 2 * time.Second}}))
		s.SpeechStarted(1, 0)
		write(s, time.Second, 1)
		s.SpeechEnded(1)
		synctest.Wait()
		s.SpeechStarted(2, 0)
		write(s, 3*time.Second, 2)
		s.SpeechEnded(2)
		time.Sleep(11 * time.Second)
		j.want(t, "final 1 1×1000", "failed 2 no answer in time")
		s.SpeechStarted(3, 0)
		write(s, time.Second, 3)
		s.SpeechEnded(3)
		time.Sleep(6 * time.Second)
		j.want(t, "final 1 1×1000", "failed 2 no answer in time", "final 3 3×1000")
	})
}

func TestCloseStopsARequestAtOnceAndNothingFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, j := open(t, stt.NewSegmenter("x", &engine{delay: time.Minute}, stt.SegmenterOptions{}))
		s.SpeechStarted(1, 0)
		write(s, time.Second, 1)
		s.SpeechEnded(1)
		synctest.Wait()
		start := time.Now()
		if err := s.Close(); err != nil || time.Since(start) != 0 {
			t.Errorf("Close took %v: %v", time.Since(start), err)
		}
		s.Write(frame(1)) // late audio does no harm
		s.SpeechEnded(1)
		j.want(t)
	})
}

// Whatever the order of marks and audio and the engine's failures, each segment that ends gets one answer, in order.
func TestAnswersAreCompleteAndOrdered(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		failures := rapid.SliceOfN(rapid.Bool(), 0, 6).Draw(r, "failures")
		ops := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 30).Draw(r, "ops")
		chain := rapid.Bool().Draw(r, "chain")
		synctest.Test(t, func(t *testing.T) {
			e := &engine{delay: 300 * time.Millisecond}
			for _, f := range failures {
				e.errs = append(e.errs, map[bool]error{true: &fault.Error{Kind: fault.Auth}}[f])
			}
			var recognizer stt.Recognizer = stt.NewSegmenter("x", e, stt.SegmenterOptions{})
			if chain {
				recognizer = stt.NewFallback(time.Second, recognizer, stt.NewSegmenter("y", &engine{delay: time.Second}, stt.SegmenterOptions{}))
			}
			s, j := open(t, recognizer)
			want := drive(s, ops)
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			var got []uint64
			for _, line := range j.lines {
				var kind string
				var n uint64
				if _, err := fmt.Sscan(line, &kind, &n); err != nil {
					t.Fatal(err)
				}
				got = append(got, n)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	})
}

// drive plays a random script and gives the segments that must be answered.
func drive(s stt.Stream, ops []int) (ended []uint64) {
	var segment uint64
	open := false
	for _, op := range ops {
		switch op {
		case 0:
			if open {
				ended = append(ended, segment) // ended by the next one
			}
			segment, open = segment+1, true
			s.SpeechStarted(segment, stt.PreRoll/2)
		case 1:
			if open {
				ended = append(ended, segment)
			}
			open = false
			if segment > 0 {
				s.SpeechEnded(segment)
			}
		case 2:
			write(s, 400*time.Millisecond, int16(segment))
		case 3:
			time.Sleep(250 * time.Millisecond)
		}
	}
	return ended
}

func TestWriteDoesNotAllocate(t *testing.T) {
	for name, r := range map[string]stt.Recognizer{
		"segmenter": stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}),
		"fallback":  stt.NewFallback(0, stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{})),
		"watched":   stt.NewWatched(stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}), stt.WatchOptions{Answer: time.Minute}),
	} {
		t.Run(name, func(t *testing.T) {
			final := make(chan struct{}, 1)
			s, err := r.Open(t.Context(), stt.Options{Handle: func(stt.Event) { final <- struct{}{} }})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			s.SpeechStarted(1, 0) // warm up: buffers grow to 10 s
			write(s, 10*time.Second, 1)
			s.SpeechEnded(1)
			<-final
			f := frame(1)
			if n := testing.AllocsPerRun(500, func() { s.Write(f) }); n != 0 {
				t.Errorf("%v allocations per frame outside speech", n)
			}
			s.SpeechStarted(2, 0)
			if n := testing.AllocsPerRun(200, func() { s.Write(f) }); n != 0 {
				t.Errorf("%v allocations per frame of speech", n)
			}
		})
	}
}

func TestOpenRefusesAMissingHandler(t *testing.T) {
	for _, r := range []stt.Recognizer{
		stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{}), stt.NewFallback(0), stt.NewWatched(stt.NewFallback(0), stt.WatchOptions{}),
	} {
		if _, err := r.Open(t.Context(), stt.Options{}); err == nil {
			t.Error("a stream without a handler was opened")
		}
	}
}
