package stt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

// manner is how one stream of the scripted engine behaves.
type manner struct {
	unopened error         // Open fails
	dumb     bool          // says nothing at all
	deafAt   time.Duration // of audio in a segment, after which it says nothing more; 0 means never
	late     time.Duration // the outcome comes so much after the end
	fail     error         // the outcome is a failure
	partials bool          // a partial with the seconds heard, each second
}

// scripted is a streaming engine whose streams behave as told, one after the other, and the last for all that follow. The
// text of a segment is the summary of its audio.
type scripted struct {
	mu      sync.Mutex
	manners []manner
	opened  int
	open    int
}

func (e *scripted) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.manners[min(e.opened, len(e.manners)-1)]
	e.opened++
	if m.unopened != nil {
		return nil, m.unopened
	}
	e.open++
	s := &scriptedStream{engine: e, manner: m, handle: o.Handle, events: make(chan func() stt.Event, 1000)}
	ctx, s.cancel = context.WithCancel(ctx)
	s.done.Go(func() { s.deliver(ctx) })
	return s, nil
}

type scriptedStream struct {
	engine *scripted
	manner manner
	handle func(stt.Event)
	events chan func() stt.Event
	cancel context.CancelFunc
	done   sync.WaitGroup
	closed sync.Once

	before  []int16
	open    bool
	segment uint64
	pcm     []int16
	told    int
}

func (s *scriptedStream) deliver(ctx context.Context) {
	for {
		select {
		case make := <-s.events:
			if e := make(); ctx.Err() == nil {
				s.handle(e)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *scriptedStream) mute() bool {
	heard := time.Duration(len(s.pcm)) * time.Second / stt.SampleRate
	return s.manner.dumb || s.manner.deafAt > 0 && heard > s.manner.deafAt
}

func (s *scriptedStream) Write(frame []int16) {
	if !s.open {
		s.before = append(s.before, frame...)
		return
	}
	s.pcm = append(s.pcm, frame...)
	if seconds := len(s.pcm) / stt.SampleRate; s.manner.partials && seconds > s.told && !s.mute() {
		segment := s.segment
		s.told = seconds
		s.events <- func() stt.Event { return stt.Partial{Segment: segment, Text: fmt.Sprint(seconds, "s")} }
	}
}

func (s *scriptedStream) SpeechStarted(segment uint64, prefix int) {
	s.open, s.segment, s.told = true, segment, 0
	s.pcm = append([]int16(nil), s.before[max(0, len(s.before)-prefix):]...)
}

func (s *scriptedStream) SpeechEnded(segment uint64) {
	if s.open && segment != s.segment {
		segment = s.segment
	}
	final := stt.Event(stt.Final{Segment: segment, Text: summary(s.pcm)})
	if s.manner.fail != nil {
		final = stt.Failed{Segment: segment, Err: s.manner.fail}
	}
	mute, due := s.mute(), time.Now().Add(s.manner.late)
	s.open, s.before = false, nil
	if !mute {
		s.events <- func() stt.Event { time.Sleep(time.Until(due)); return final }
	}
}

func (s *scriptedStream) Close() error {
	s.cancel()
	s.done.Wait()
	s.closed.Do(func() {
		s.engine.mu.Lock()
		s.engine.open--
		s.engine.mu.Unlock()
	})
	return nil
}

// watch opens a watched stream on an engine of such manners, with 3 s to answer and 4 s of quiet.
func watch(t *testing.T, manners ...manner) (*scripted, stt.Stream, *journal) {
	t.Helper()
	e := &scripted{manners: manners}
	w := stt.NewWatched(e, stt.WatchOptions{Answer: 3 * time.Second, Quiet: 4 * time.Second})
	s, j := open(t, w)
	t.Cleanup(func() {
		if err := s.Close(); err != nil || e.open != 0 {
			t.Errorf("%d streams of the engine left open, %v", e.open, err)
		}
	})
	return e, s, j
}

// live writes audio in real time.
func live(s stt.Stream, d time.Duration, value int16) {
	for ; d > 0; d -= 100 * time.Millisecond {
		write(s, 100*time.Millisecond, value)
		time.Sleep(100 * time.Millisecond)
	}
}

// LK 7206 and its like: the socket is half open, and nobody notices.
func TestDumbStreamIsReplacedAndTheAudioReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s, j := watch(t, manner{dumb: true}, manner{})
		write(s, time.Second, 9)
		say(s, 1, 5)
		time.Sleep(2900 * time.Millisecond)
		j.want(t)
		time.Sleep(200 * time.Millisecond)
		j.want(t, "final 1 9×100 5×1000")
		say(s, 2, 6) // the new stream has what came before this segment, too
		j.want(t, "final 1 9×100 5×1000", "final 2 5×100 6×1000")
		if e.opened != 2 {
			t.Errorf("%d streams opened, want 2", e.opened)
		}
	})
}

func TestStreamThatGoesDumbInSpeechIsReplacedInSpeech(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s, j := watch(t, manner{partials: true, deafAt: 2 * time.Second}, manner{partials: true})
		s.SpeechStarted(1, 0)
		live(s, 2*time.Second, 5)
		j.want(t, "partial 1 1s", "partial 1 2s")
		live(s, 3800*time.Millisecond, 5)
		if e.opened != 1 {
			t.Errorf("%d streams opened while 4 s of quiet are not over", e.opened)
		}
		live(s, 1200*time.Millisecond, 5)
		if e.opened != 2 {
			t.Errorf("%d streams opened, want 2", e.opened)
		}
		s.SpeechEnded(1)
		// What was shown is not taken back while the replay catches up.
		synctest.Wait()
		j.mu.Lock()
		last := j.lines[len(j.lines)-1]
		j.mu.Unlock()
		if last != "final 1 5×7000" {
			t.Errorf("last event %q", last)
		}
		for _, line := range j.lines[2:] {
			if line == "partial 1 1s" {
				t.Errorf("a shorter partial after a longer one: %q", j.lines)
			}
		}
	})
}

func TestSegmentFailsWhenTheReplacementIsDumbToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s, j := watch(t, manner{dumb: true}, manner{dumb: true}, manner{})
		say(s, 1, 5)
		time.Sleep(5900 * time.Millisecond)
		j.want(t)
		time.Sleep(200 * time.Millisecond)
		j.want(t, "failed 1 no answer in time")
		s.SpeechStarted(2, 0) // gets a third stream at once
		synctest.Wait()
		if e.opened != 3 {
			t.Errorf("%d streams opened when the next segment began, want 3", e.opened)
		}
		write(s, time.Second, 6)
		s.SpeechEnded(2)
		j.want(t, "failed 1 no answer in time", "final 2 6×1000")
	})
}

func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	tests := []struct {
		kind fault.Kind
		want string
		n    int // streams beyond the first
	}{
		{fault.Connection, "final 1 5×1000", 1},
		{fault.Malformed, "final 1 5×1000", 1},
		{fault.Unknown, "final 1 5×1000", 1},
		{fault.Auth, "failed 1 the key was refused", 0},
		{fault.BadRequest, "failed 1 the request was refused", 0},
		{fault.Quota, "failed 1 the account has no credit left", 0},
	}
	for _, tt := range tests {
		t.Run(tt.kind.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, s, j := watch(t, manner{fail: &fault.Error{Kind: tt.kind}}, manner{})
				say(s, 1, 5)
				j.want(t, tt.want)
				if e.opened != 1+tt.n {
					t.Errorf("%d streams opened, want %d", e.opened, 1+tt.n)
				}
			})
		})
	}
}

func TestBothFailuresAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, third := &fault.Error{Kind: fault.Server}, errors.New("no socket left"), &fault.Error{Kind: fault.Connection}
		for name, manners := range map[string][]manner{
			"the replacement does not open": {{fail: first}, {unopened: second}},
			"the replacement fails":         {{fail: first}, {fail: third}},
		} {
			var got stt.Event
			w := stt.NewWatched(&scripted{manners: manners}, stt.WatchOptions{})
			s, err := w.Open(t.Context(), stt.Options{Handle: func(e stt.Event) { got = e }})
			if err != nil {
				t.Fatal(err)
			}
			say(s, 1, 5)
			synctest.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			failed, ok := got.(stt.Failed)
			if !ok || !errors.Is(failed.Err, first) || !errors.Is(failed.Err, second) && !errors.Is(failed.Err, third) {
				t.Errorf("%s: %#v", name, got)
			}
		}
	})
}

func TestOrderIsKeptAndTheOldStreamIsNotHeardAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The first stream answers 3.5 s late; by then it has been replaced.
		e, s, j := watch(t, manner{late: 3500 * time.Millisecond}, manner{late: time.Second})
		say(s, 1, 5)
		s.SpeechStarted(2, 0)
		live(s, 3200*time.Millisecond, 6)
		j.want(t)
		s.SpeechEnded(2)
		time.Sleep(time.Second)
		j.want(t, "final 1 5×1000", "final 2 6×3200")
		time.Sleep(time.Minute)
		j.want(t, "final 1 5×1000", "final 2 6×3200")
		if e.opened != 2 {
			t.Errorf("%d streams opened, want 2", e.opened)
		}
	})
}

func TestLongSegmentKeepsWhatWasUnderstoodBeforeTheTape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, j := watch(t, manner{partials: true, deafAt: 35 * time.Second}, manner{})
		s.SpeechStarted(1, 0)
		live(s, 38*time.Second, 5)
		s.SpeechEnded(1)
		time.Sleep(3100 * time.Millisecond)
		synctest.Wait()
		// 38 s were spoken; the last 15 are on the tape, and the partial of the 23rd second tells the rest.
		if last := j.lines[len(j.lines)-1]; last != "final 1 23s 5×15000" {
			t.Errorf("last event %q", last)
		}
	})
}

func TestNoiseDoesNotCostAConnectionEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s, _ := watch(t, manner{}) // it answers, but understands nothing while the noise lasts
		for segment := range uint64(20) {
			s.SpeechStarted(segment, 0)
			live(s, 10*time.Second, 5)
			s.SpeechEnded(segment)
			synctest.Wait()
		}
		if e.opened != 3 { // after 4 s, then after 8 s, then no more within 10 s
			t.Errorf("%d streams opened for 20 segments of noise", e.opened)
		}
	})
}

func TestCloseInAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s, j := watch(t, manner{dumb: true})
		say(s, 1, 5)
		time.Sleep(4 * time.Second)
		start := time.Now()
		if err := s.Close(); err != nil || e.open != 0 || time.Since(start) != 0 {
			t.Errorf("Close: %v after %v, %d streams open", err, time.Since(start), e.open)
		}
		s.Write(frame(1)) // late audio does no harm
		time.Sleep(time.Minute)
		j.want(t)
	})
}

func TestWatchedOpensOrSaysWhyNot(t *testing.T) {
	broken := errors.New("no model")
	w := stt.NewWatched(&scripted{manners: []manner{{unopened: broken}}}, stt.WatchOptions{})
	if _, err := w.Open(t.Context(), stt.Options{Handle: func(stt.Event) {}}); !errors.Is(err, broken) {
		t.Errorf("Open: %v", err)
	}
}

// Whatever the streams do, each segment that ends gets one answer, in order, and no stream is left.
func TestWatchedAnswersAreCompleteAndOrdered(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		manners := rapid.SliceOfN(rapid.SampledFrom([]manner{
			{}, {dumb: true}, {partials: true, deafAt: time.Second}, {late: time.Second}, {late: 5 * time.Second},
			{fail: &fault.Error{Kind: fault.Server}}, {fail: &fault.Error{Kind: fault.Auth}}, {unopened: errors.New("x")},
		}), 1, 8).Draw(r, "manners")
		ops := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 40).Draw(r, "ops")
		synctest.Test(t, func(t *testing.T) {
			_, s, j := watch(t, append([]manner{{}}, manners...)...)
			want := driveSlow(s, ops)
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			var got []uint64
			for _, line := range j.lines {
				var kind string
				var n uint64
				if _, err := fmt.Sscan(line, &kind, &n); err != nil {
					t.Fatal(err)
				}
				if kind == "partial" {
					if len(got) > 0 && n <= got[len(got)-1] {
						t.Errorf("a partial after its outcome: %q", strings.Join(j.lines, ", "))
					}
					continue
				}
				got = append(got, n)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	})
}

// driveSlow is drive with pauses in which a watchdog loses its patience.
func driveSlow(s stt.Stream, ops []int) []uint64 {
	var ended []uint64
	segment, open := uint64(0), false
	end := func() {
		if open {
			ended = append(ended, segment)
			s.SpeechEnded(segment)
		}
		open = false
	}
	for _, op := range ops {
		switch op {
		case 0:
			end()
			segment, open = segment+1, true
			s.SpeechStarted(segment, stt.PreRoll/2)
		case 1:
			end()
		case 2:
			write(s, 400*time.Millisecond, int16(segment))
		case 3:
			time.Sleep(250 * time.Millisecond)
		case 4:
			time.Sleep(3 * time.Second)
		}
	}
	return ended
}
