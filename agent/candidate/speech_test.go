package candidate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

func TestNewSpeechSpeaksEveryLine(t *testing.T) {
	s, err := NewSpeech(t.Context(), toneVoice{})
	if err != nil {
		t.Fatal(err)
	}
	said, err := words()
	if err != nil || len(s.introductions) != len(said.Introductions) || len(s.stories) != len(said.Stories) || len(s.interruptions) != len(said.Interruptions) {
		t.Fatalf("%d introductions, %d stories, %d interruptions", len(s.introductions), len(s.stories), len(s.interruptions))
	}
	if first := s.answer(5, 0); first != s.introductions[1] {
		t.Error("the first answer is no introduction")
	}
	if one, other := s.answer(1, 1), s.answer(2, 1); one == other {
		t.Error("two candidates tell the same story first")
	}
}

func TestNewSpeechFails(t *testing.T) {
	broken := errors.New("no engine")
	if _, err := NewSpeech(t.Context(), toneVoice{broken}); !errors.Is(err, broken) {
		t.Errorf("error %v, want the voice's", err)
	}
}

// A clip is trimmed to its voice, and what is decoded from it is as loud as what went in.
func TestClip(t *testing.T) {
	for _, rate := range []int{8000, 16_000, 22_050, 24_000, 44_100, 48_000} {
		pcm := append(make([]int16, rate/2), tone(rate, 400)...) // half a second of silence before …
		pcm = append(pcm, make([]int16, rate/5)...)              // … a pause inside …
		pcm = append(pcm, tone(rate, 400)...)
		pcm = append(pcm, make([]int16, rate)...) // … and a second after
		clip, err := newClip(pcm, rate)
		if err != nil {
			t.Fatalf("%d Hz: %v", rate, err)
		}
		if d := time.Duration(len(clip.frames)) * audio.FrameDuration; d < time.Second || d > 1060*time.Millisecond {
			t.Errorf("%d Hz: clip of %v, want 1 s", rate, d)
		}
		if !clip.voiced[0] || !clip.voiced[len(clip.voiced)-1] || clip.voiced[len(clip.voiced)/2] {
			t.Errorf("%d Hz: voiced %v, want voice at both ends and a pause between", rate, clip.voiced)
		}
		var h hearing
		for i, frame := range clip.frames {
			s, pcm := h.listen(Packet{Payload: frame})
			if len(pcm) != audio.InputFrame {
				t.Fatalf("%d Hz: frame of %d samples", rate, len(pcm))
			}
			if i == 10 && s.Levels[0] < -25 {
				t.Errorf("%d Hz: decoded at %.0f dBFS, want about -15", rate, s.Levels[0])
			}
		}
	}
}

func TestClipNeedsVoice(t *testing.T) {
	if _, err := newClip(make([]int16, 16_000), 16_000); !errors.Is(err, ErrNoVoice) {
		t.Errorf("error %v, want ErrNoVoice", err)
	}
	if _, err := newClip(tone(12_345, 400), 12_345); !errors.Is(err, audio.ErrRate) {
		t.Errorf("error %v, want audio.ErrRate", err)
	}
}

func TestLoadSpeech(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.wav"), filepath.Join(dir, "bad.wav")
	f, err := os.Create(good)
	if err != nil {
		t.Fatal(err)
	}
	w, err := audio.NewWAVWriter(f, 16_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(tone(16_000, 600)), w.Close(), f.Close(), os.WriteFile(bad, []byte("not sound"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSpeech([]string{good}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if clip := s.answer(1, 0); clip != s.stories[0] || clip != s.interruption(1, 0) {
		t.Error("the file is not said for both, the answer and the interruption")
	}
	if _, err := LoadSpeech([]string{good}, []string{bad}); !errors.Is(err, audio.ErrNotWAV) {
		t.Errorf("bad file: error %v, want audio.ErrNotWAV", err)
	}
	if _, err := LoadSpeech([]string{filepath.Join(dir, "none.wav")}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: error %v, want os.ErrNotExist", err)
	}
	if _, err := LoadSpeech(nil, nil); err == nil {
		t.Error("no files: no error")
	}
}
