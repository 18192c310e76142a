package record

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

const tick = 20 * time.Millisecond

// talker sends frames of a tone at the pace of the talk.
type talker struct {
	r        *Recorder
	position int64 // of the candidate's track
	voice    int64 // samples of the interviewer's
}

// candidate speaks for a while: each frame comes when it has been spoken.
func (s *talker) candidate(d time.Duration) {
	for range d / tick {
		time.Sleep(tick)
		s.hear()
	}
}

func (s *talker) hear() {
	s.r.Candidate(tone(440, audio.InputRate, audio.InputFrame, s.position), s.position)
	s.position += audio.InputFrame
}

// pause is a silence in which no packet comes; the track's clock goes on.
func (s *talker) pause(d time.Duration) {
	time.Sleep(d)
	s.position += int64(d * audio.InputRate / time.Second)
}

// interviewer speaks for a while: each frame is sent when it begins.
func (s *talker) interviewer(d time.Duration) {
	for range d / tick {
		s.r.Interviewer(tone(700, audio.VoiceRate, audio.VoiceFrame, s.voice))
		s.voice += audio.VoiceFrame
		time.Sleep(tick)
	}
}

// expect holds that a side is heard from one time to another, within 10 ms, and silent before and after.
func expect(t *testing.T, s *sound, side int, from, to time.Duration) {
	t.Helper()
	const near = 10 * time.Millisecond
	if at := s.onset(side, max(0, from-300*time.Millisecond)); at < from-near || at > from+near {
		t.Errorf("side %d begins at %v, want %v", side, at, from)
	}
	if l := s.level(side, from+near, to-near); l < -15 {
		t.Errorf("side %d has %.0f dB from %v to %v", side, l, from, to)
	}
	if l := s.level(side, to+3*near, to+200*time.Millisecond); l > -40 {
		t.Errorf("side %d has %.0f dB after %v", side, l, to)
	}
}

func mustDecode(t *testing.T, data []byte) *sound {
	t.Helper()
	s, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Both sides lie where they were said, each on its own channel, and what nobody said is silence of the right length: issue
// 5, "both sides, aligned".
func TestBothSidesLieWhereTheyWereSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := start(t, Options{})
		s := &talker{r: r}
		time.Sleep(500 * time.Millisecond)
		s.interviewer(2 * time.Second) // 0.5 … 2.5
		time.Sleep(time.Second)
		s.candidate(3 * time.Second) // 3.5 … 6.5
		s.pause(4 * time.Second)     // DTX: nothing is sent
		s.candidate(time.Second)     // 10.5 … 11.5
		time.Sleep(90 * time.Second) // away
		s.position = 77              // another track
		s.candidate(time.Second)     // 101.5 … 102.5
		s.interviewer(time.Second)   // 102.5 … 103.5
		time.Sleep(time.Second)
		stats := end(t, r)
		got := mustDecode(t, f.bytes())
		if !got.ended || got.duration() != 104500*time.Millisecond || stats.Duration != got.duration() {
			t.Errorf("ended %v after %v; the recorder says %v", got.ended, got.duration(), stats.Duration)
		}
		if stats.Bytes != int64(len(f.bytes())) || stats.Dropped != 0 || stats.Late != 0 || !f.closed {
			t.Errorf("%+v, %d bytes, closed %v", stats, len(f.bytes()), f.closed)
		}
		ms := time.Millisecond
		expect(t, got, right, 500*ms, 2500*ms)
		expect(t, got, left, 3500*ms, 6500*ms)
		expect(t, got, left, 10500*ms, 11500*ms)
		expect(t, got, left, 101500*ms, 102500*ms)
		expect(t, got, right, 102500*ms, 103500*ms)
		for side, from := range map[int]time.Duration{left: 600 * ms, right: 3600 * ms} { // the other one speaks
			if l := got.level(side, from, from+1800*ms); l > -45 {
				t.Errorf("side %d has %.0f dB of the other", side, l)
			}
		}
	})
}

// Both at once, one after the other late: an interruption is heard as it was.
func TestAnInterruptionIsHeardAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := start(t, Options{})
		s := &talker{r: r}
		for n := range 150 { // the candidate from 1 s, the interviewer until 1.4 s
			if n < 70 {
				r.Interviewer(tone(700, audio.VoiceRate, audio.VoiceFrame, int64(n)*audio.VoiceFrame))
			}
			time.Sleep(tick)
			if n >= 50 {
				s.hear()
			}
		}
		time.Sleep(time.Second)
		end(t, r)
		got := mustDecode(t, f.bytes())
		expect(t, got, right, 0, 1400*time.Millisecond)
		expect(t, got, left, time.Second, 3*time.Second)
	})
}

// A network that stalls and then delivers all at once moves nothing: the frames lie where they were spoken.
func TestABurstAfterAStallLiesWhereItWasSpoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := start(t, Options{})
		s := &talker{r: r}
		s.candidate(time.Second)
		time.Sleep(700 * time.Millisecond)
		for range 35 {
			s.hear()
		}
		s.candidate(time.Second) // all of it without a gap: 0 … 2.7
		time.Sleep(time.Second)
		if stats := end(t, r); stats.Late != 0 {
			t.Errorf("%v came too late", stats.Late)
		}
		got := mustDecode(t, f.bytes())
		expect(t, got, left, 0, 2700*time.Millisecond)
	})
}

// A stall longer than the lag costs what is too late, and nothing else: what follows lies where it was spoken.
func TestWhatComesTooLateIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := start(t, Options{})
		s := &talker{r: r}
		s.candidate(time.Second)
		time.Sleep(3 * time.Second)
		for range 150 {
			s.hear()
		}
		s.candidate(time.Second) // … 5.0
		time.Sleep(time.Second)
		stats := end(t, r)
		if stats.Late < 1500*time.Millisecond || stats.Late > 2300*time.Millisecond {
			t.Errorf("%v came too late, want about 2 s", stats.Late)
		}
		got := mustDecode(t, f.bytes())
		expect(t, got, left, 0, time.Second)
		if l := got.level(left, 3500*time.Millisecond, 4900*time.Millisecond); l < -15 {
			t.Errorf("%.0f dB after the stall", l)
		}
		if l := got.level(left, 5100*time.Millisecond, 5500*time.Millisecond); l > -40 {
			t.Errorf("%.0f dB after the end", l)
		}
	})
}

// The candidate's clock may be fast or slow, and the first packet slow: within an interview the sides do not drift apart.
func TestClocksThatDifferDoNotDriftApart(t *testing.T) {
	for _, ppm := range []int64{-2000, 2000} {
		synctest.Test(t, func(t *testing.T) {
			r, f := start(t, Options{})
			s := &talker{r: r}
			skewed := func(d time.Duration) time.Duration { return d + time.Duration(int64(d)*ppm/1_000_000) }
			pace := skewed(tick)
			began := time.Now()
			for n := range 2 * 60 * 50 { // 2 min: 240 ms apart
				time.Sleep(time.Until(began.Add(time.Duration(n+1) * pace)))
				if sec := n / 50; sec%20 < 1 { // a word every 20 s, no DTX
					s.hear()
				} else {
					r.Candidate(make([]int16, audio.InputFrame), s.position)
					s.position += audio.InputFrame
				}
			}
			time.Sleep(time.Second)
			end(t, r)
			got := mustDecode(t, f.bytes())
			for word := range 6 {
				want := skewed(time.Duration(word) * 20 * time.Second)
				at := got.onset(left, max(0, want-time.Second))
				if off := at - want; off.Abs() > 130*time.Millisecond {
					t.Errorf("%d ppm: word %d is off by %v", ppm, word, off)
				}
			}
		})
	}
}

// The process may be killed at any time: what is in the file by then plays, and lacks little more than two seconds.
func TestAnUnfinishedFilePlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := start(t, Options{})
		s := &talker{r: r}
		for sec := 1; sec <= 12; sec++ {
			s.candidate(time.Second)
			synctest.Wait()
			data := f.bytes()
			got, err := decode(data)
			if err != nil {
				t.Fatalf("after %d s: %v", sec, err)
			}
			if behind := time.Duration(sec)*time.Second - got.duration(); behind > 2300*time.Millisecond || got.ended {
				t.Errorf("after %d s the file is %v behind, ended %v", sec, behind, got.ended)
			}
			if torn, err := decode(data[:len(data)-7]); sec > 4 && (err != nil || torn.duration() == 0) { // killed within a write
				t.Errorf("a torn page: %v", err)
			}
		}
	})
}

// A disk that is full, a folder that cannot be written: the recording ends, says so once, keeps whole pages, and the talk
// goes on.
func TestAFileThatFailsDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []error
		full := errors.New("no space left on device")
		r, f := start(t, Options{Ended: func(err error) { ended = append(ended, err) }})
		s := &talker{r: r}
		s.candidate(5 * time.Second)
		synctest.Wait()
		whole := len(f.bytes())
		f.failWith(full)
		s.candidate(5 * time.Second)
		writes := f.writes
		s.candidate(5 * time.Second)
		synctest.Wait()
		if len(ended) != 1 || !errors.Is(ended[0], full) || !f.closed {
			t.Errorf("told %v, closed %v", ended, f.closed)
		}
		if f.writes != writes || len(f.bytes()) != whole {
			t.Errorf("%d writes after the failure; %d bytes, want %d", f.writes-writes, len(f.bytes()), whole)
		}
		mustDecode(t, f.bytes())
	})
	synctest.Test(t, func(t *testing.T) {
		var ended []error
		denied := errors.New("permission denied")
		r, _ := start(t, Options{
			Open:  func(context.Context) (Sink, error) { return nil, denied },
			Ended: func(err error) { ended = append(ended, err) },
		})
		(&talker{r: r}).candidate(time.Second)
		synctest.Wait()
		if len(ended) != 1 || !errors.Is(ended[0], denied) {
			t.Errorf("told %v", ended)
		}
	})
}

// A file that hangs fills the queue and drops, counted; nobody waits for it, and afterwards all lies in its place again.
func TestASlowFileDropsAndNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, ready := &file{}, make(chan struct{})
		r, _ := start(t, Options{Open: func(context.Context) (Sink, error) { <-ready; return f, nil }})
		s := &talker{r: r}
		began := time.Now()
		s.candidate(20 * time.Second)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("the sound was held up: %v", took)
		}
		if d := r.Stats().Dropped; d != 1000-queueLen {
			t.Errorf("%d frames dropped, want %d", d, 1000-queueLen)
		}
		close(ready)
		s.pause(time.Second)
		s.candidate(2 * time.Second) // 21 … 23
		time.Sleep(time.Second)
		end(t, r)
		got := mustDecode(t, f.bytes())
		if got.duration() != 24*time.Second {
			t.Errorf("%v long", got.duration())
		}
		expect(t, got, left, 21*time.Second, 23*time.Second)
		if l := got.level(left, 100*time.Millisecond, 10*time.Second); l < -15 {
			t.Errorf("what fitted the queue has %.0f dB", l)
		}
	})
}

// Discard writes nothing more, not even what has come already.
func TestDiscardWritesNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := 0
		r, f := start(t, Options{Ended: func(error) { ended++ }})
		s := &talker{r: r}
		s.candidate(5 * time.Second)
		synctest.Wait()
		writes := f.writes
		if err := r.Discard(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.candidate(time.Second)
		if f.writes != writes || !f.closed || ended != 0 {
			t.Errorf("%d more writes, closed %v, told %d times", f.writes-writes, f.closed, ended)
		}
	})
}

// Time and size are bounded; what was kept until then is whole.
func TestLimits(t *testing.T) {
	for _, o := range []Options{{Limit: 10 * time.Second}, {MaxBytes: 40_000}} {
		synctest.Test(t, func(t *testing.T) {
			var why error
			o.Ended = func(err error) { why = err }
			r, f := start(t, o)
			s := &talker{r: r}
			s.candidate(30 * time.Second)
			synctest.Wait()
			if !errors.Is(why, ErrLimit) || !f.closed {
				t.Errorf("%+v: told %v, closed %v", o, why, f.closed)
			}
			got := mustDecode(t, f.bytes())
			if !got.ended || o.Limit > 0 && got.duration() != o.Limit || len(f.bytes()) > 70_000 {
				t.Errorf("ended %v after %v, %d bytes", got.ended, got.duration(), len(f.bytes()))
			}
		})
	}
}

// The owner of the index may end a recording: whoever was deleted is not recorded any more.
func TestProgressMayEndIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the session is gone")
		var told []Stats
		var why error
		r, f := start(t, Options{
			Progress: func(_ context.Context, s Stats) error {
				told = append(told, s)
				if len(told) == 2 {
					return gone
				}
				return nil
			},
			Ended: func(err error) { why = err },
		})
		(&talker{r: r}).candidate(2 * time.Minute)
		synctest.Wait()
		if len(told) != 2 || told[0].Duration < 28*time.Second || told[0].Bytes == 0 || !errors.Is(why, gone) || !f.closed {
			t.Errorf("told %+v, then %v", told, why)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {Open: (&file{}).open, Limit: -1}, {Open: (&file{}).open, MaxBytes: -1}} {
		if r, err := Start(t.Context(), o); err == nil {
			end(t, r)
			t.Errorf("%+v is taken", o)
		}
	}
}

// Nothing is allocated per frame on the way of the sound, whether the queue has room or not.
func TestTapsDoNotAllocate(t *testing.T) {
	release := make(chan struct{})
	r, _ := start(t, Options{Open: func(context.Context) (Sink, error) { <-release; return &file{}, nil }})
	defer close(release)
	mic, voice := make([]int16, audio.InputFrame), make([]int16, audio.VoiceFrame)
	if n := testing.AllocsPerRun(2*queueLen, func() { r.Candidate(mic, 0); r.Interviewer(voice) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
