package audio

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Payloads understood by fakeDecoder: a real first byte, which tells the length, and a letter that fills the samples.
const (
	toc10ms = 0 << 3
	toc20ms = 1 << 3
	toc60ms = 3 << 3
)

// fakeDecoder fills samples with the payload's letter, 'c' where it conceals and the letter in lower case where it recovers.
type fakeDecoder struct{}

var errFake = errors.New("not decodable")

func (fakeDecoder) Decode(dst []int16, packet []byte) (int, error) {
	n := packetSamples(packet)
	if letter(packet) == '!' {
		return 0, errFake
	}
	fill(dst[:n], letter(packet))
	return n, nil
}

// letter returns a payload's letter; the announcement of a pause has '.'.
func letter(packet []byte) byte {
	if len(packet) > 2 {
		return packet[2]
	}
	return '.'
}

func (fakeDecoder) Conceal(dst []int16) error {
	fill(dst, 'c')
	return nil
}

func (fakeDecoder) Recover(dst []int16, next []byte) error {
	fill(dst, letter(next)|0x20)
	return nil
}

func fill(dst []int16, letter byte) {
	for i := range dst {
		dst[i] = int16(letter)
	}
}

// sent is one packet of a script. Its arrival and timestamp are counted in frames of 20 ms.
type sent struct {
	seq    int
	ts     float64
	toc    byte
	letter byte // 0: a pause is announced; ' ': padding
	at     float64
	ssrc   uint32
}

// run plays a script and ticks for some frames after it. What comes out is spelt one letter per frame, with "_" for silence, "?" for a
// frame of several kinds, and "[n]" in front of a frame that does not follow the one before.
func run(t *testing.T, r *Receiver, script []sent, seq0 uint16, ts0 uint32, ticks int) string {
	t.Helper()
	origin := time.Unix(1000, 0)
	at := func(frames float64) time.Time { return origin.Add(time.Duration(frames * float64(FrameDuration))) }
	var spelt strings.Builder
	var next int64
	pop := func(now time.Time) {
		var frame [InputFrame]int16
		for {
			position, ok := r.Pop(&frame, now)
			if !ok {
				return
			}
			if position != next {
				fmt.Fprintf(&spelt, "[%d]", position/InputFrame)
			}
			if position%InputFrame != 0 {
				t.Errorf("position %d is not on a frame", position)
			}
			next = position + InputFrame
			spelt.WriteByte(letterOf(frame[:]))
		}
	}
	for _, p := range script {
		payload := []byte{p.toc, 0, p.letter}
		switch p.letter {
		case 0:
			payload = payload[:1]
		case ' ':
			payload = nil
		}
		r.Push(Packet{Seq: seq0 + uint16(p.seq), Timestamp: ts0 + uint32(int64(p.ts*960)), SSRC: p.ssrc, Payload: payload}, at(p.at))
		pop(at(p.at))
	}
	last := script[len(script)-1].at
	for i := 1; i <= ticks; i++ {
		pop(at(last + float64(i)))
	}
	return spelt.String()
}

func letterOf(frame []int16) byte {
	for _, v := range frame {
		if v != frame[0] {
			return '?'
		}
	}
	if frame[0] == 0 {
		return '_'
	}
	return byte(frame[0])
}

// steady spells packets of 20 ms in sequence, one per letter, from number n on; a space is one that is lost.
func steady(n int, letters string) []sent {
	var script []sent
	for i, c := range []byte(letters) {
		if c != ' ' {
			script = append(script, sent{seq: n + i, ts: float64(n + i), toc: toc20ms, letter: c, at: float64(n + i)})
		}
	}
	return script
}

func join(scripts ...[]sent) []sent {
	var all []sent
	for _, s := range scripts {
		all = append(all, s...)
	}
	return all
}

// later moves packets in timestamp (dts) and arrival (dat), in frames.
func later(script []sent, dts, dat float64) []sent {
	for i := range script {
		script[i].ts += dts
		script[i].at += dat
	}
	return script
}

func ofSSRC(ssrc uint32, script []sent) []sent {
	for i := range script {
		script[i].ssrc = ssrc
	}
	return script
}

func TestReceiver(t *testing.T) {
	silence := func(n int) string { return strings.Repeat("_", n) }
	tests := []struct {
		name   string
		script []sent
		ticks  int
		want   string
		stats  ReceiverStats
	}{
		{"in order", steady(0, "ABCDE"), 0, "ABCDE",
			ReceiverStats{Packets: 5, Decoded: 5 * 320}},
		{"two packets swapped", []sent{{0, 0, toc20ms, 'A', 0, 0}, {2, 2, toc20ms, 'C', 2, 0}, {1, 1, toc20ms, 'B', 2.5, 0}}, 0, "ABC",
			ReceiverStats{Packets: 3, Decoded: 3 * 320}},
		{"one lost: recovered from the next", steady(0, "AB DEFG"), 0, "ABdDEFG",
			ReceiverStats{Packets: 6, Decoded: 6 * 320, Concealed: 320, Lost: 1}},
		{"three lost", steady(0, "AB   FGHI"), 0, "ABccfFGHI",
			ReceiverStats{Packets: 6, Decoded: 6 * 320, Concealed: 3 * 320, Lost: 3}},
		{"time alone ends the wait", steady(0, "A C"), 3, "AcC",
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Concealed: 320, Lost: 1}},
		{"not before the window is over", steady(0, "A C"), 2, "A",
			ReceiverStats{Packets: 2, Decoded: 320}},
		{"ten lost: concealed, then silent", steady(0, "A          LMNO"), 0, "Accccc" + silence(5) + "LMNO",
			ReceiverStats{Packets: 5, Decoded: 5 * 320, Concealed: 5 * 320, Silence: 5 * 320, Lost: 10}},
		{"a hundred lost: the clock leaps", join(steady(0, "A"), steady(101, "B")), 0, "Accccc" + silence(20) + "[101]B",
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Concealed: 5 * 320, Silence: 20 * 320, Skipped: 75 * 320, Lost: 100}},
		{"a pause is not loss", join(steady(0, "A"), later(steady(1, "B"), 10, 10)), 0, "A" + silence(10) + "B",
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Silence: 10 * 320}},
		{"a long pause", join(steady(0, "A"), later(steady(1, "B"), 100, 100)), 0, "A" + silence(25) + "[101]B",
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Silence: 25 * 320, Skipped: 75 * 320}},
		{"an announced pause passes in real time", steady(0, "A\x00"), 9, "A." + silence(6),
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Silence: 6 * 320}},
		{"an announced pause has an end", steady(0, "A\x00"), 100, "A." + silence(25),
			ReceiverStats{Packets: 2, Decoded: 2 * 320, Silence: 25 * 320}},
		{"a pause not announced brings nothing", steady(0, "AB"), 100, "AB",
			ReceiverStats{Packets: 2, Decoded: 2 * 320}},
		{"speech after an announced pause", join(steady(0, "A\x00"), later(steady(2, "C"), 48, 48)), 0, "A." + silence(25) + "[50]C",
			ReceiverStats{Packets: 3, Decoded: 3 * 320, Silence: 25 * 320, Skipped: 23 * 320}},
		{"a duplicate of what waits", []sent{{0, 0, toc20ms, 'A', 0, 0}, {2, 2, toc20ms, 'C', 2, 0}, {2, 2, toc20ms, 'X', 2, 0}, {1, 1, toc20ms, 'B', 3, 0}}, 0, "ABC",
			ReceiverStats{Packets: 4, Duplicates: 1, Decoded: 3 * 320}},
		{"a duplicate of what was heard, and one too late", join(steady(0, "AB DEFG"), later(steady(1, "B"), 0, 6), later(steady(2, "C"), 0, 5), steady(7, "H")), 0, "ABdDEFGH",
			ReceiverStats{Packets: 9, Late: 2, Lost: 1, Decoded: 7 * 320, Concealed: 320}},
		{"padding takes no time", []sent{{0, 0, toc20ms, 'A', 0, 0}, {1, 0, 0, ' ', 0, 0}, {2, 1, toc20ms, 'B', 1, 0}}, 0, "AB",
			ReceiverStats{Packets: 3, Decoded: 2 * 320}},
		{"not Opus", steady(0, "AB!DE"), 0, "ABcDE",
			ReceiverStats{Packets: 5, Undecodable: 1, Decoded: 4 * 320, Concealed: 320}},
		{"never Opus", steady(0, "!!!!!!!"), 0, "ccccc__",
			ReceiverStats{Packets: 7, Undecodable: 7, Concealed: 5 * 320, Silence: 2 * 320}},
		{"a new SSRC after 200 ms", join(steady(0, "AB"), ofSSRC(7, later(steady(9000, "CD"), 5e5, -9000+11))), 0, "AB" + silence(9) + "CD",
			ReceiverStats{Packets: 4, Resets: 1, Decoded: 4 * 320, Silence: 9 * 320}},
		{"counting anew is believed the second time", join(steady(0, "AB"), later(steady(20000, "CDE"), 5e5, -20000+2)), 0, "AB_DE",
			ReceiverStats{Packets: 5, Resets: 1, Malformed: 1, Decoded: 4 * 320, Silence: 320}},
		{"one stray packet is not believed", join(steady(0, "AB"), later(steady(20000, "X"), 0, -20000+2), steady(2, "CD")), 0, "ABCD",
			ReceiverStats{Packets: 5, Malformed: 1, Decoded: 4 * 320}},
		{"timestamps anew, sequence not", join(steady(0, "AB"), later(steady(2, "CD"), -5e5, 0)), 0, "ABCD",
			ReceiverStats{Packets: 4, Resets: 1, Decoded: 4 * 320}},
		{"packets of 10 ms", []sent{{0, 0, toc10ms, 'A', 0, 0}, {1, .5, toc10ms, 'A', .5, 0}, {2, 1, toc10ms, 'B', 1, 0}, {3, 1.5, toc10ms, 'C', 1.5, 0}}, 0, "A?",
			ReceiverStats{Packets: 4, Decoded: 4 * 160}},
		{"packets of 60 ms", []sent{{0, 0, toc60ms, 'A', 0, 0}, {1, 3, toc60ms, 'B', 3, 0}}, 0, "AAABBB",
			ReceiverStats{Packets: 2, Decoded: 6 * 320}},
		{"overlapping packets", []sent{{0, 0, toc60ms, 'A', 0, 0}, {1, 2, toc60ms, 'B', 3, 0}, {2, 3, toc20ms, 'C', 4, 0}, {3, 5, toc20ms, 'D', 5, 0}}, 0, "AAABBD",
			ReceiverStats{Packets: 4, Decoded: 6 * 320}},
		{"a leap in the middle of a frame ends on a frame", []sent{{0, 0, toc10ms, 'A', 0, 0}, {1, 100, toc20ms, 'B', 100, 0}, {2, 101, toc20ms, 'B', 101, 0}}, 0, "?" + silence(24) + "[100]BB",
			ReceiverStats{Packets: 3, Decoded: 160 + 2*320, Silence: 24*320 + 160, Skipped: 75 * 320}},
	}
	starts := []struct {
		name string
		seq  uint16
		ts   uint32
	}{{"", 1000, 1 << 20}, {", sequence and timestamp wrap", 65534, 1<<32 - 1500}}
	for _, tt := range tests {
		for _, start := range starts {
			t.Run(tt.name+start.name, func(t *testing.T) {
				r := newReceiver(fakeDecoder{})
				if got := run(t, r, tt.script, start.seq, start.ts, tt.ticks); got != tt.want {
					t.Errorf("frames\n got %s\nwant %s", got, tt.want)
				}
				if diff := cmp.Diff(tt.stats, r.Stats()); diff != "" {
					t.Errorf("stats (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestReceiverRefusesHugePackets(t *testing.T) {
	r := newReceiver(fakeDecoder{})
	r.Push(Packet{Payload: make([]byte, maxPayload+1)}, time.Unix(1, 0))
	if got := r.Stats(); got != (ReceiverStats{Packets: 1, Malformed: 1}) {
		t.Errorf("stats %+v", got)
	}
}

// FuzzReceiver sends any packets at all, and holds the receiver to what it promises: frames in order, on a clock that never runs back,
// and no more made up than the limits allow.
func FuzzReceiver(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 1, 1, 5, 1, 1, 0, 1, 1})
	f.Add([]byte{0, 1, 1, 200, 90, 3, 0, 1, 1, 1, 0, 0, 255, 255, 255})
	f.Fuzz(func(t *testing.T, script []byte) {
		r := newReceiver(fakeDecoder{})
		p := Packet{Seq: 65500, Timestamp: 1<<32 - 5000}
		now, next := time.Unix(0, 0), int64(0)
		var frame [InputFrame]int16
		for ; len(script) >= 3; script = script[3:] {
			p.Seq += uint16(int16(int8(script[0]))) * uint16(1+script[2]>>5)
			p.Timestamp += uint32(int32(int8(script[1]))) * 240 * uint32(1+script[2]&15)
			p.SSRC = uint32(script[2] >> 7)
			p.Payload = []byte{script[0], script[1], script[2]}[:script[2]&3]
			now = now.Add(time.Duration(script[1]) * time.Millisecond)
			r.Push(p, now)
			for frames := 0; ; frames++ {
				position, ok := r.Pop(&frame, now)
				if !ok {
					break
				}
				if position < next {
					t.Fatalf("position %d after %d", position, next)
				}
				if frames > slots*(maxFill+maxPacketSamples)/InputFrame {
					t.Fatal("no end of frames")
				}
				next = position + InputFrame
			}
		}
		s := r.Stats()
		if clock, total := r.position+int64(r.ready.Len()), int64(s.Decoded+s.Concealed+s.Silence+s.Skipped); clock != total {
			t.Errorf("the clock is at %d, the counts add up to %d: %+v", clock, total, s)
		}
	})
}
