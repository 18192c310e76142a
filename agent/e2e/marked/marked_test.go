package marked

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
)

// play sends samples at audio.VoiceRate through Opus onto a tape.
func play(t *testing.T, pcm []int16) *Tape {
	t.Helper()
	tape, err := NewTape()
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; (i+1)*audio.VoiceFrame <= len(pcm); i++ {
		packet, err := encoder.Encode(nil, pcm[i*audio.VoiceFrame:(i+1)*audio.VoiceFrame])
		if err != nil {
			t.Fatal(err)
		}
		tape.Hear(packet, uint16(65_530+i), uint32(i*960), time.Now())
	}
	return tape
}

// faded lowers the first and the last 10 ms, as the gate does around a pause.
func faded(pcm []int16) []int16 {
	const fade = audio.VoiceFrame / 2
	pcm = append([]int16(nil), pcm...)
	for i := range fade {
		pcm[i] = int16(int(pcm[i]) * i / fade)
		pcm[len(pcm)-1-i] = int16(int(pcm[len(pcm)-1-i]) * i / fade)
	}
	return pcm
}

func TestEveryMarkIsTold(t *testing.T) {
	var pcm []int16
	for mark := range Marks {
		pcm = append(pcm, Signal(mark, 10*audio.VoiceFrame)...)
	}
	pcm = append(pcm, make([]int16, 10*audio.VoiceFrame)...)
	tape := play(t, pcm)
	for i, f := range tape.Frames() {
		want := i / 10
		if want == Marks {
			want = None
		}
		if f.Mark != want && i%10 > 1 { // the codec's delay and its settling take two frames
			t.Errorf("frame %d has mark %d, want %d", i, f.Mark, want)
		}
	}
	if n := tape.Lost(); n != 0 {
		t.Errorf("%d packets lost, over the wrap of the numbers", n)
	}
}

// A voice that pauses is followed to the sample: nothing lost, nothing twice, and two samples too many or too few are found. A high
// tone is so alike one period later that the codec's noise can decide between the two.
func TestPlacesAreExact(t *testing.T) {
	const half = audio.VoiceFrame / 2
	for mark, slack := range map[int]int{0: 1, 3: 1, 7: 10} {
		for _, slip := range []int{0, 3, -half} { // 3 samples at 24 kHz are 2 at 16 kHz
			source := Signal(mark, 3*audio.VoiceRate)
			cut := 40*audio.VoiceFrame + half
			pcm := faded(source[:cut])
			pcm = append(pcm, make([]int16, half+20*audio.VoiceFrame)...)
			pcm = append(pcm, faded(source[cut+slip:cut+slip+40*audio.VoiceFrame])...)
			tape := play(t, pcm)
			passages := Passages(tape.Frames())
			if len(passages) != 2 || passages[0].Mark != mark || passages[1].Mark != mark {
				t.Fatalf("mark %d: passages %+v", mark, passages)
			}
			reader, err := NewReader(tape, passages[0])
			if err != nil {
				t.Fatal(err)
			}
			end, err := reader.End(passages[0], 40*audio.InputFrame)
			if err != nil || apart(end, 40*audio.InputFrame) > slack {
				t.Errorf("mark %d: the last frame before the pause begins at %d (%v), want %d", mark, end, err, 40*audio.InputFrame)
			}
			want := 40*audio.InputFrame + audio.InputFrame/2 + slip*audio.InputRate/audio.VoiceRate
			start, err := reader.Start(passages[1], want+50)
			if err != nil || apart(start, want) > slack {
				t.Errorf("mark %d: the voice goes on at %d (%v), want %d", mark, start, err, want)
			}
		}
	}
}

func apart(a, b int) int { return max(a-b, b-a) }

func TestPlaceNeedsTheRightSound(t *testing.T) {
	tape := play(t, Signal(2, audio.VoiceRate))
	passage := Passage{Mark: 3, Frames: 50}
	if _, err := NewReader(tape, passage); !errors.Is(err, ErrUnlike) {
		t.Errorf("error %v, want ErrUnlike", err)
	}
	if _, err := NewReader(tape, Passage{Mark: 2, Frames: window}); !errors.Is(err, ErrShort) {
		t.Errorf("error %v, want ErrShort", err)
	}
}

func TestStale(t *testing.T) {
	tests := []struct {
		marks []int
		want  int
	}{
		{[]int{0, 0, 1, None, 2, 2}, 0},
		{[]int{0, 1, 2, 1, None, 0, 2}, 2},
		{[]int{0, None, None, 3, 3, 1}, 1},
		{[]int{0, 1, 0}, 0}, // nothing new has begun
	}
	for _, test := range tests {
		var frames []Frame
		for _, m := range test.marks {
			frames = append(frames, Frame{Mark: m})
		}
		if got := Stale(frames, 2); got != test.want {
			t.Errorf("%v: %d stale frames, want %d", test.marks, got, test.want)
		}
	}
}

func TestLostPackets(t *testing.T) {
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	packet, err := audio.SilencePacket(encoder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sequences []uint16
		want      int
	}{{[]uint16{1, 2, 3}, 0}, {[]uint16{65_535, 0, 1}, 0}, {[]uint16{1, 4}, 2}, {[]uint16{1, 3, 2}, 2}} {
		tape, err := NewTape()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range test.sequences {
			tape.Hear(packet, s, 0, time.Now())
		}
		if tape.Lost() != test.want {
			t.Errorf("%v: %d lost, want %d", test.sequences, tape.Lost(), test.want)
		}
	}
}

func TestVoiceCountsItsSentences(t *testing.T) {
	v := NewVoice(50 * time.Millisecond)
	sound, err := v.Synthesize(t.Context(), tts.Request{Text: "Hello"})
	if err != nil {
		t.Fatal(err)
	}
	total, buf := 0, make([]int16, 1000)
	for {
		n, err := sound.Read(buf)
		total += n
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if want := audio.VoiceRate / 4; total != want || v.Samples("Hello") != want {
		t.Errorf("%d samples for 5 characters, want %d", total, want)
	}
	if n := v.Before(time.Now().Add(time.Second)); n != 1 || v.Sentences()[0].Text != "Hello" || v.Before(time.Time{}) != 0 {
		t.Errorf("sentences %+v", v.Sentences())
	}
	for range Marks - 1 {
		if _, err := v.Synthesize(t.Context(), tts.Request{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Synthesize(t.Context(), tts.Request{Text: "x"}); err == nil {
		t.Error("a sentence without a mark of its own")
	}
}
