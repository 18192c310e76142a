package candidate

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tape keeps what a microphone was given.
type tape struct {
	places []Place
	err    error
}

func (m *tape) WriteFrame(_ []byte, p Place) error {
	if m.err == nil {
		m.places = append(m.places, p)
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

func TestSenderDTX(t *testing.T) {
	var out tape
	s := sender{mic: &out, silence: []byte{0}, dtx: true}
	do := func(n int, send func() error) {
		for range n {
			if err := send(); err != nil {
				t.Fatal(err)
			}
		}
	}
	speak := func() error { return s.speak([]byte{1}) }
	do(2, speak)
	do(10+20+5, s.rest)
	do(2, speak)
	if len(out.places) != 2+10+1+2 {
		t.Fatalf("%d packets, want 2 of speech, 10 of silence, 1 update, 2 of speech", len(out.places))
	}
	if !out.places[0].Marker || out.places[1].Marker {
		t.Error("the first packet of speech, and no other, bears the marker")
	}
	got := out.places[12:]
	want := []Place{{Gap: 19 * 960}, {Gap: 5 * 960, Marker: true}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places of the update and the speech after it (-want +got):\n%s", diff)
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

func (discard) WriteFrame([]byte, Place) error { return nil }
