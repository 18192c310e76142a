package candidate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHearing(t *testing.T) {
	speech := speechForTest(t)
	voiced := speech.stories[0].frames[10]
	tests := []struct {
		name        string
		payload     []byte
		levels      int
		voiced      bool
		undecodable int64
	}{
		{"voice", voiced, 1, true, 0},
		{"silence", speech.silence, 1, false, 0},
		{"padding", nil, 0, false, 0},
		{"not Opus", []byte{0xff, 0xff, 0xff}, 0, false, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var h hearing
			s, _ := h.listen(Packet{Track: "a", Payload: test.payload, At: epoch})
			if len(s.Levels) != test.levels || h.undecodable != test.undecodable || s.Bytes != len(test.payload) {
				t.Fatalf("levels %v, %d undecodable, %d bytes", s.Levels, h.undecodable, s.Bytes)
			}
			if test.levels > 0 && (s.Levels[0] > Threshold) != test.voiced {
				t.Errorf("level %.0f dBFS, want voice: %v", s.Levels[0], test.voiced)
			}
			if test.levels > 0 && s.Frame != 20*time.Millisecond {
				t.Errorf("frame of %v, want 20 ms", s.Frame)
			}
		})
	}
}

func TestHearingBoundsTracks(t *testing.T) {
	var h hearing
	packet := speechForTest(t).silence
	for i := range maxTracks + 3 {
		h.listen(Packet{Track: string(rune('a' + i)), Payload: packet})
	}
	if len(h.decoders) != maxTracks || h.undecodable != 3 {
		t.Errorf("%d decoders, %d refused; want %d and 3", len(h.decoders), h.undecodable, maxTracks)
	}
}

func TestHearingAllocatesNothingPerPacket(t *testing.T) {
	var h hearing
	in, speech := newInbox(), speechForTest(t)
	p := Packet{Track: "a", Payload: speech.stories[0].frames[10]}
	step := func() {
		in.Packet(p)
		got := <-in.packets
		h.listen(got)
		in.done(got)
	}
	for range packetQueue + 1 { // every buffer is made once
		step()
	}
	if allocs := testing.AllocsPerRun(500, step); allocs != 0 {
		t.Errorf("%v allocations per packet, want 0", allocs)
	}
}

func TestInboxDropsWhenFull(t *testing.T) {
	in := newInbox()
	payload := []byte{1, 2, 3}
	for range packetQueue + 5 {
		in.Packet(Packet{Payload: payload})
	}
	in.Packet(Packet{Payload: make([]byte, maxPacket+1)})
	if got := in.dropped.Load(); got != 6 {
		t.Errorf("dropped %d, want 6", got)
	}
	payload[0] = 9
	p := <-in.packets
	if diff := cmp.Diff([]byte{1, 2, 3}, p.Payload); diff != "" {
		t.Errorf("the payload was not copied: %s", diff)
	}
	in.done(p)
	in.Packet(Packet{Payload: payload})
	if got := in.dropped.Load(); got != 6 {
		t.Errorf("dropped %d although a place was free", got)
	}
}

func TestInboxEndReleasesEvents(t *testing.T) {
	in := newInbox()
	released := make(chan struct{})
	go func() {
		defer close(released)
		for range eventQueue + 1 {
			in.Event(Event{})
		}
	}()
	in.end()
	<-released
}
