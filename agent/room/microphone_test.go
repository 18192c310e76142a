package room

import (
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/rtp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
)

// script is a remote track that plays steps: packets, errors, or silence until a deadline.
type script struct {
	steps []any // []byte, error or pause{}

	mu       sync.Mutex
	deadline time.Time
	moved    chan struct{} // closed when the deadline is moved
}

// pause lets a read wait for the deadline.
type pause struct{}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func (s *script) SetReadDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = at
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
	return nil
}

func (s *script) Read(b []byte) (int, interceptor.Attributes, error) {
	if len(s.steps) == 0 {
		return 0, nil, io.EOF
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	switch v := step.(type) {
	case []byte:
		return copy(b, v), nil, nil
	case error:
		return 0, nil, v
	}
	s.wait()
	return 0, nil, timeoutError{}
}

func (s *script) wait() {
	for {
		s.mu.Lock()
		deadline := s.deadline
		moved := make(chan struct{})
		s.moved = moved
		s.mu.Unlock()
		var due <-chan time.Time
		if !deadline.IsZero() {
			due = time.After(time.Until(deadline))
		}
		select {
		case <-due:
			return
		case <-moved:
		}
	}
}

func packets(t testing.TB, n int, payload []byte) []any {
	t.Helper()
	var steps []any
	for i := range n {
		p := rtp.Packet{
			Header:  rtp.Header{Version: 2, SequenceNumber: uint16(i), Timestamp: uint32(i * 960), SSRC: 7},
			Payload: payload,
		}
		raw, err := p.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, raw)
	}
	return steps
}

func silentOpus(t testing.TB) []byte {
	t.Helper()
	enc, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	p, err := enc.Encode(nil, make([]int16, audio.VoiceFrame))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newTestReader(s *script, frames *int) *reader {
	rd := &reader{log: zap.NewNop(), source: s, hear: func(f []int16, _ int64) {
		if len(f) == audio.InputFrame {
			*frames++
		}
	}}
	rd.heard.Store(true)
	return rd
}

func TestReaderDecodesAndEndsInSilence(t *testing.T) {
	frames, raw := 0, 0
	s := &script{steps: packets(t, 10, silentOpus(t))}
	s.steps = append(s.steps, []byte{1, 2, 3}, errors.New("cannot be parsed"))
	rd := newTestReader(s, &frames)
	rd.raw = func(_ Track, p *rtp.Packet, at time.Time) {
		if p.SSRC == 7 && !at.IsZero() {
			raw++
		}
	}
	rd.run()
	if frames != 10+tailFrames || raw != 10 || rd.bad != 2 {
		t.Errorf("frames = %d, raw = %d, bad = %d", frames, raw, rd.bad)
	}
}

func TestReaderDecodesOnlyWhatIsHeard(t *testing.T) {
	frames := 0
	rd := newTestReader(&script{steps: packets(t, 10, silentOpus(t))}, &frames)
	rd.heard.Store(false)
	rd.run()
	if frames != 0 || rd.receiver != nil {
		t.Errorf("frames = %d", frames)
	}
}

// TestReaderFillsAnnouncedPause: after a packet that announces a pause, silence comes as time passes and not with the next
// packet.
func TestReaderFillsAnnouncedPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames := 0
		s := &script{steps: packets(t, 2, silentOpus(t))}
		dtx := packets(t, 3, []byte{0x08})[2]
		s.steps = append(s.steps, dtx)
		for range 15 {
			s.steps = append(s.steps, pause{})
		}
		rd := newTestReader(s, &frames)
		rd.run()
		filled := frames - 3 - tailFrames
		if filled < 10 || filled > 15 {
			t.Errorf("%d frames of silence in 300 ms", filled)
		}
	})
}

// TestReaderStops however it waits.
func TestReaderStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames := 0
		rd := newTestReader(&script{steps: []any{pause{}, pause{}, pause{}}}, &frames)
		var rs readers
		ended := make(chan struct{})
		if !rs.start(rd, func() { close(ended) }) {
			t.Fatal("not started")
		}
		synctest.Wait()
		rs.close()
		<-ended
		rs.tasks.Wait()
		if rs.start(newTestReader(&script{}, &frames), func() {}) {
			t.Error("started after close")
		}
	})
}

func TestReaderSurvivesAPanic(t *testing.T) {
	frames := 0
	rd := newTestReader(&script{steps: packets(t, 30, silentOpus(t))}, &frames)
	rd.guard = guard.New(zap.NewNop(), nil)
	broken, stop := rd.guard.Watch(t.Context())
	defer stop()
	read := 0
	rd.raw = func(Track, *rtp.Packet, time.Time) {
		if read++; read == 3 || read == 5 {
			panic("a bug")
		}
	}
	rd.run()
	if read != 30 || frames < 20 || broken.Err() != nil {
		t.Errorf("%d packets were read and %d frames heard after two panics, interview broken: %v", read, frames, broken.Err())
	}
}

// A track that breaks again and again is given up, with the interview that would be deaf without it.
func TestReaderThatKeepsPanicking(t *testing.T) {
	frames := 0
	rd := newTestReader(&script{steps: packets(t, 30, silentOpus(t))}, &frames)
	rd.guard = guard.New(zap.NewNop(), nil)
	broken, stop := rd.guard.Watch(t.Context())
	defer stop()
	rd.raw = func(Track, *rtp.Packet, time.Time) { panic("a bug") }
	rd.run()
	if guard.Broken(broken) == nil {
		t.Error("nobody was told")
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	frames := 0
	s := &script{}
	rd := newTestReader(s, &frames)
	all := packets(t, 2000, silentOpus(t))
	rd.take(all[0].([]byte), time.Now())
	i := 0
	if n := testing.AllocsPerRun(1000, func() { i++; rd.take(all[i].([]byte), time.Now()) }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
	if frames < 1000 {
		t.Errorf("frames = %d", frames)
	}
}

// TestOneFrameAtATime: while one microphone takes over from another, frames do not overlap.
func TestOneFrameAtATime(t *testing.T) {
	r := &Room{}
	r.hear(nil, 0) // nobody listens
	calls := 0
	r.OnMicrophone(func(frame []int16, _ int64) {
		calls++
		r.hear(frame, 0) // what a second reader does meanwhile
	})
	r.hear(make([]int16, audio.InputFrame), 0)
	r.OnMicrophone(nil)
	r.hear(nil, 0)
	if calls != 1 {
		t.Errorf("calls = %d", calls)
	}
}

// TestFramesTellWhereTheyLie: positions follow the clock of the track, over a gap too, and go on through the silence at its end.
func TestFramesTellWhereTheyLie(t *testing.T) {
	r := &Room{}
	var positions []int64
	r.OnMicrophone(func(frame []int16, position int64) {
		if len(frame) == audio.InputFrame {
			positions = append(positions, position)
		}
	})
	s := &script{steps: packets(t, 10, silentOpus(t))}
	late := packets(t, 110, silentOpus(t)) // as if 100 of them had been lost
	s.steps = append(s.steps, late[100:]...)
	rd := &reader{log: zap.NewNop(), source: s, hear: r.hear}
	rd.heard.Store(true)
	rd.run()
	if len(positions) < 45 || positions[0] != 0 {
		t.Fatalf("positions: %v", positions)
	}
	leaps, to := 0, int64(0)
	for i, p := range positions[1:] {
		if p != positions[i]+audio.InputFrame {
			leaps, to = leaps+1, p
		}
	}
	last := positions[len(positions)-1]
	if want := int64(110+tailFrames-1) * audio.InputFrame; leaps != 1 || last != want {
		t.Errorf("%d leaps, to %d; the last at %d, want %d", leaps, to, last, want)
	}
}
