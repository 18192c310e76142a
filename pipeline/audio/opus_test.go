package audio

import (
	"errors"
	"math"
	"testing"
	"time"

	"gopkg.in/hraban/opus.v2"
)

func newEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := NewEncoder(VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newDecoder(t testing.TB) *Decoder {
	t.Helper()
	d, err := NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func encode(t testing.TB, e *Encoder, pcm []int16) []byte {
	t.Helper()
	packet, err := e.Encode(nil, pcm)
	if err != nil {
		t.Fatal(err)
	}
	return packet
}

func TestVoiceSurvivesOpus(t *testing.T) {
	e, d := newEncoder(t), newDecoder(t)
	voice := sine(VoiceRate, VoiceRate, 300, 10000)
	var frame [maxPacketSamples]int16
	var heard []int16
	bytes := 0
	for ; len(voice) > 0; voice = voice[VoiceFrame:] {
		packet := encode(t, e, voice[:VoiceFrame])
		bytes += len(packet)
		n, err := d.Decode(frame[:], packet)
		if err != nil || n != InputFrame {
			t.Fatalf("decoded %d samples, error %v", n, err)
		}
		heard = append(heard, frame[:n]...)
	}
	if rate := 8 * bytes; rate < 15000 || rate > 45000 {
		t.Errorf("%d bit/s, want some %d", rate, VoiceBitrate)
	}
	if level, want := Level(heard[len(heard)/2:]), 20*math.Log10(10000/32768.0)-3.01; math.Abs(level-want) > 1.5 {
		t.Errorf("heard at %.1f dBFS, spoken at %.1f", level, want)
	}
}

func TestDecoderTakesEveryKindOfPacket(t *testing.T) {
	for _, channels := range []int{1, 2} {
		for _, length := range []time.Duration{2500 * time.Microsecond, 5e6, 10e6, 20e6, 40e6, 60e6} {
			enc, err := opus.NewEncoder(48000, channels, opus.AppAudio)
			if err != nil {
				t.Fatal(err)
			}
			samples := int(length * 48000 / time.Second)
			packet := make([]byte, 4000)
			n, err := enc.Encode(make([]int16, samples*channels), packet)
			if err != nil {
				t.Fatal(err)
			}
			var dst [maxPacketSamples]int16
			got, err := newDecoder(t).Decode(dst[:], packet[:n])
			if want := samples / 3; err != nil || got != want || packetSamples(packet[:n]) != want {
				t.Errorf("%d channels, %v: decoded %d, header says %d, want %d; error %v", channels, length, got, packetSamples(packet[:n]), want, err)
			}
		}
	}
}

func TestDecoderKeepsWithinTheBuffer(t *testing.T) {
	packet := encode(t, newEncoder(t), make([]int16, VoiceFrame))
	buf := constant(2*InputFrame, 77)
	d := newDecoder(t)
	if n, err := d.Decode(buf[:InputFrame-1], packet); err == nil {
		t.Errorf("decoded %d samples into a buffer too short", n)
	}
	if err := d.Conceal(buf[:40]); err != nil {
		t.Error(err)
	}
	if err := d.Recover(buf[:40], packet); err != nil {
		t.Error(err)
	}
	for i, v := range buf[40:] {
		if v != 77 {
			t.Fatalf("sample %d beyond the buffer was written", 40+i)
		}
	}
}

func TestDecoderRefuses(t *testing.T) {
	d := newDecoder(t)
	var dst [maxPacketSamples]int16
	for name, packet := range map[string][]byte{"nothing": nil, "no frames": {3, 0}, "garbage": {0xff, 0xff, 0xff, 0xff}} {
		if n, err := d.Decode(dst[:], packet); err == nil {
			t.Errorf("%s decoded to %d samples", name, n)
		}
	}
	for _, n := range []int{0, 1, 41} {
		if err := d.Conceal(dst[:n]); !errors.Is(err, ErrFrameLength) {
			t.Errorf("concealing %d samples: error %v", n, err)
		}
		if err := d.Recover(dst[:n], []byte{8, 0}); !errors.Is(err, ErrFrameLength) {
			t.Errorf("recovering %d samples: error %v", n, err)
		}
	}
	if _, err := d.Decode(nil, []byte{8, 0}); err == nil {
		t.Error("decoded into nothing")
	}
}

func TestRecoverUsesForwardErrorCorrection(t *testing.T) {
	voice := sine(VoiceRate, VoiceRate, 400, 12000)
	level := func(fec bool) float64 {
		e, d := newEncoder(t), newDecoder(t)
		if err := errors.Join(e.opus.SetBitrate(24000), e.opus.SetInBandFEC(fec), e.opus.SetPacketLossPerc(20)); err != nil {
			t.Fatal(err)
		}
		var dst [InputFrame]int16
		decode := func(pcm []int16) {
			if _, err := d.Decode(dst[:], encode(t, e, pcm)); err != nil {
				t.Fatal(err)
			}
		}
		silence := make([]int16, VoiceFrame)
		for range 20 {
			decode(silence)
		}
		encode(t, e, voice[:VoiceFrame]) // lost: the first frame of speech after silence
		next := encode(t, e, voice[VoiceFrame:2*VoiceFrame])
		if err := d.Recover(dst[:], next); err != nil {
			t.Fatal(err)
		}
		return Level(dst[:])
	}
	with, without := level(true), level(false)
	if with < -30 || without > -50 {
		t.Errorf("the lost onset comes back at %.0f dBFS with FEC, %.0f without", with, without)
	}
}

func TestSilencePacket(t *testing.T) {
	packet, err := SilencePacket(newEncoder(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(packet) <= 2 || len(packet) > 40 {
		t.Errorf("%d bytes", len(packet))
	}
	e, d := newEncoder(t), newDecoder(t)
	var dst [InputFrame]int16
	for frame := range 10 {
		from := frame * VoiceFrame
		if _, err := d.Decode(dst[:], encode(t, e, sine(from+VoiceFrame, VoiceRate, 300, 8000)[from:])); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		if n, err := d.Decode(dst[:], packet); err != nil || n != InputFrame {
			t.Fatalf("decoded %d samples, error %v", n, err)
		}
	}
	if level := Level(dst[:]); level > -60 {
		t.Errorf("silence after speech is heard at %.0f dBFS", level)
	}
}

func TestEncoderRefuses(t *testing.T) {
	if _, err := NewEncoder(-10); err == nil {
		t.Error("a bad bitrate is accepted")
	}
	dst := []byte("head")
	got, err := newEncoder(t).Encode(dst, make([]int16, VoiceFrame-1))
	if !errors.Is(err, ErrFrameLength) || string(got) != "head" {
		t.Errorf("a short frame gives %q, error %v", got, err)
	}
}

// Issue 2: zero allocations per audio frame on decode and encode.
func TestCodecAllocatesNothing(t *testing.T) {
	e := newEncoder(t)
	r, err := NewReceiver()
	if err != nil {
		t.Fatal(err)
	}
	voice := sine(VoiceFrame, VoiceRate, 300, 8000)
	packet := make([]byte, 0, maxPayload)
	now, p, frames := time.Unix(1, 0), Packet{}, 0
	var frame [InputFrame]int16
	send := func() {
		p.Seq, p.Timestamp, now = p.Seq+1, p.Timestamp+960, now.Add(FrameDuration)
		if p.Seq%7 == 0 { // lost
			return
		}
		packet, err = e.Encode(packet[:0], voice)
		p.Payload = packet
		r.Push(p, now)
		for {
			if _, ok := r.Pop(&frame, now); !ok {
				return
			}
			frames++
		}
	}
	for range 500 { // until every slot has met its largest packet
		send()
	}
	if allocs := testing.AllocsPerRun(300, send); allocs != 0 || err != nil {
		t.Errorf("%v allocations per packet from encoder to frame, want 0; error %v", allocs, err)
	}
	if frames < 790 {
		t.Errorf("%d frames out of 800 packets", frames)
	}
}

func BenchmarkEncode(b *testing.B) {
	e := newEncoder(b)
	voice := sine(VoiceFrame, VoiceRate, 300, 8000)
	packet := make([]byte, 0, maxPayload)
	for b.Loop() {
		if _, err := e.Encode(packet, voice); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	d := newDecoder(b)
	packet := encode(b, newEncoder(b), sine(VoiceFrame, VoiceRate, 300, 8000))
	var dst [maxPacketSamples]int16
	for b.Loop() {
		if _, err := d.Decode(dst[:], packet); err != nil {
			b.Fatal(err)
		}
	}
}
