package room

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pion/rtp"

	"github.com/vivavoice/viva/pipeline/playout"
)

// tape keeps what is written, relative to the first packet.
type tape struct {
	first *rtp.Header
	got   []stamp
	size  int
}

type stamp struct {
	Seq    uint16
	Time   uint32
	Marker bool
}

func (tp *tape) WriteRTP(p *rtp.Packet) error {
	if tp.first == nil {
		h := p.Header
		tp.first = &h
	}
	tp.got = append(tp.got, stamp{p.SequenceNumber - tp.first.SequenceNumber, p.Timestamp - tp.first.Timestamp, p.Marker})
	tp.size += len(p.Payload)
	return nil
}

func TestVoiceTiming(t *testing.T) {
	tp := &tape{}
	v := &Voice{stream: newPacketiser(tp)}
	v.stream.packet.SequenceNumber = 65534 // both clocks wrap
	v.stream.next = 1<<32 - 1000
	for _, f := range []playout.FrameInfo{
		{Samples: 480, Marker: true},
		{Samples: 480},
		{Samples: 480, Gap: 2400, Marker: true}, // 100 ms of nothing
		{Samples: 480},
	} {
		if err := v.WriteFrame([]byte{1, 2, 3}, f); err != nil {
			t.Fatal(err)
		}
	}
	want := []stamp{{0, 0, true}, {1, 960, false}, {2, 1920 + 4800, true}, {3, 2880 + 4800, false}}
	if diff := cmp.Diff(want, tp.got); diff != "" {
		t.Error(diff)
	}
	if tp.size != 12 || tp.first.Version != 2 {
		t.Errorf("size = %d, version = %d", tp.size, tp.first.Version)
	}
}

type sink struct{}

func (sink) WriteRTP(*rtp.Packet) error { return nil }

func TestVoiceDoesNotAllocate(t *testing.T) {
	v := &Voice{stream: newPacketiser(sink{})}
	var w playout.FrameWriter = v
	frame := make([]byte, 80)
	if n := testing.AllocsPerRun(1000, func() { _ = w.WriteFrame(frame, playout.FrameInfo{Samples: 480}) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
