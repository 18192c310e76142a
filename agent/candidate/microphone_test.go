package candidate

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/room"
)

// tape keeps what a microphone was given.
type tape struct {
	places []room.Packet
	sizes  []int
	err    error
}

func (m *tape) WritePacket(payload []byte, p room.Packet) error {
	if m.err == nil {
		m.places, m.sizes = append(m.places, p), append(m.sizes, len(payload))
	}
	return m.err
}

// The schedule is absolute: late frames are caught up with, until it is too late for that, and then the clock leaps.
func TestSenderSchedule(t *testing.T) {
	var out tape
	s := sender{mic: &out, silence: []byte{0}, due: epoch}
	for _, late := range []int{0, 4, 90, 70, 50, 30, 10, 0} { // one stall of 90 ms
		now := s.due.Add(ms(late))
		s.keepTime(now)
		if err := s.rest(); err != nil {
			t.Fatal(err)
		}
	}
	if want := epoch.Add(8 * 20 * time.Millisecond); !s.due.Equal(want) {
		t.Errorf("the ninth frame is due %v late", s.due.Sub(want))
	}
	s.keepTime(s.due.Add(ms(250)))
	if err := s.rest(); err != nil {
		t.Fatal(err)
	}
	if want := (SenderStats{Frames: 9, Late: 6, Skipped: 12}); s.stats != want {
		t.Errorf("stats %+v, want %+v", s.stats, want)
	}
	if want := epoch.Add((9 + 12) * 20 * time.Millisecond); !s.due.Equal(want) {
		t.Errorf("after the leap the next frame is due %v late", s.due.Sub(want))
	}
	if got := out.places[8].Gap; got != 12*960 {
		t.Errorf("the RTP clock leaps by %d, want %d", got, 12*960)
	}
}

// The first packet of speech after silence, and no other, bears the marker.
func TestSenderMarks(t *testing.T) {
	var out tape
	s := sender{mic: &out, silence: []byte{0}}
	speak := func() error { return s.speak([]byte{1}) }
	for _, send := range []func() error{speak, speak, s.rest, s.rest, speak, speak} {
		if err := send(); err != nil {
			t.Fatal(err)
		}
	}
	var marked []bool
	for _, p := range out.places {
		marked = append(marked, p.Marker)
	}
	if diff := cmp.Diff([]bool{true, false, false, false, true, false}, marked); diff != "" {
		t.Error(diff)
	}
}

// With discontinuous transmission most of the silence is left out, the RTP clock goes on, and speech is whole.
func TestSenderLeavesSilenceOut(t *testing.T) {
	var out tape
	s := sender{mic: &out, silence: []byte{0xf8, 0xff, 0xfe}, dtx: true}
	send := func(frames int, one func() error) {
		for range frames {
			if err := one(); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(5, func() error { return s.speak([]byte{1, 2, 3, 4}) })
	send(10+20+20+5, s.rest)
	send(1, func() error { return s.speak([]byte{1, 2, 3, 4}) })
	if want := 5 + 10 + 3 + 1; len(out.places) != want {
		t.Fatalf("%d packets, want %d: speech, 0.2 s of silence, three that announce more of it, speech", len(out.places), want)
	}
	var sizes []int
	clock := uint32(0)
	for i, p := range out.places {
		clock += p.Gap + p.Length
		if i >= 14 {
			sizes = append(sizes, out.sizes[i])
		}
	}
	if diff := cmp.Diff([]int{3, 1, 1, 1, 4}, sizes); diff != "" {
		t.Errorf("sizes of the last packets: %s", diff)
	}
	if want := uint32(5+55+1) * rtpFrame; clock != want || !out.places[18].Marker {
		t.Errorf("the clock is at %d, want %d; the last packet %+v must begin a talk spurt", clock, want, out.places[18])
	}
}

func TestSenderGivesUp(t *testing.T) {
	out := tape{err: errors.New("broken")}
	s := sender{mic: &out}
	for i := range maxFailures - 1 {
		if err := s.rest(); err != nil {
			t.Fatalf("gave up after %d failures: %v", i+1, err)
		}
	}
	if err := s.rest(); !errors.Is(err, out.err) {
		t.Errorf("error %v after 5 s, want the connection's", err)
	}
	if s.stats.Failed != maxFailures {
		t.Errorf("%d failures counted", s.stats.Failed)
	}
}

func TestSenderAllocatesNothing(t *testing.T) {
	s := sender{mic: discard{}, silence: []byte{0}, due: epoch}
	allocs := testing.AllocsPerRun(100, func() {
		s.keepTime(s.due)
		_ = s.rest()
		_ = s.speak(s.silence)
	})
	if allocs != 0 {
		t.Errorf("%v allocations per frame, want 0", allocs)
	}
}

type discard struct{}

func (discard) WritePacket([]byte, room.Packet) error { return nil }
