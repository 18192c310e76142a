package speak

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
)

// tone is an engine that gives silence, a tone, and silence again.
type tone struct {
	rate         int
	before, long time.Duration
	endless      bool
	asked        int
}

func (e *tone) Synthesize(context.Context, tts.Request) (tts.Audio, error) {
	e.asked++
	quiet, n := make([]int16, int(e.before.Seconds()*float64(e.rate))), int(e.long.Seconds()*float64(e.rate))
	pcm := slices.Clone(quiet)
	for i := range n {
		pcm = append(pcm, int16(10000*math.Sin(2*math.Pi*200*float64(i)/float64(e.rate))))
	}
	return &toneSound{rate: e.rate, pcm: append(pcm, quiet...), endless: e.endless}, nil
}

type toneSound struct {
	rate    int
	pcm     []int16
	endless bool
}

func (s *toneSound) Rate() int    { return s.rate }
func (s *toneSound) Close() error { return nil }
func (s *toneSound) Read(pcm []int16) (int, error) {
	n := copy(pcm, s.pcm)
	s.pcm = s.pcm[n:]
	if n == 0 && s.endless {
		pcm[0], n = 9000, 1
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestSignalIsShortAndQuiet(t *testing.T) {
	const long = 400 * time.Millisecond
	for _, rate := range []int{16000, audio.VoiceRate} {
		engine := &tone{rate: rate, before: 200 * time.Millisecond, long: long}
		pcm, err := Signal(t.Context(), engine, tts.Request{Text: "Mm-hm."})
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Duration(len(pcm)) * time.Second / audio.VoiceRate; got < long-10*time.Millisecond || got > long+10*time.Millisecond {
			t.Errorf("at %d Hz it lasts %v, without its silence it would %v", rate, got, long)
		}
		middle := pcm[len(pcm)/4 : 3*len(pcm)/4]
		loud := 20 * math.Log10(10000/math.Sqrt2/32768)
		if lower := loud - audio.Level(middle); lower < 9.5 || lower > 10.5 {
			t.Errorf("at %d Hz it is %.1f dB below the voice", rate, lower)
		}
		if pcm[0] != 0 || pcm[len(pcm)-1] != 0 {
			t.Errorf("at %d Hz it begins with %d and ends with %d", rate, pcm[0], pcm[len(pcm)-1])
		}
	}
}

func TestSignalIsKept(t *testing.T) {
	engine := &tone{rate: audio.VoiceRate, long: 300 * time.Millisecond}
	cache := NewCache(engine, 1<<20)
	var before []int16
	for range 3 {
		pcm, err := Signal(t.Context(), cache, tts.Request{Text: "Mm-hm.", Fixed: true})
		if err != nil || before != nil && !slices.Equal(pcm, before) {
			t.Fatalf("another sound, or %v", err)
		}
		before = pcm
	}
	if engine.asked != 1 {
		t.Errorf("the engine was asked %d times", engine.asked)
	}
}

func TestSignalThatCannotBeOne(t *testing.T) {
	for name, engine := range map[string]*tone{
		"a sentence":   {rate: audio.VoiceRate, long: 850 * time.Millisecond},
		"without end":  {rate: audio.VoiceRate, long: 100 * time.Millisecond, endless: true},
		"silence":      {rate: audio.VoiceRate, before: 300 * time.Millisecond},
		"unknown rate": {rate: 12345, long: 300 * time.Millisecond},
	} {
		if pcm, err := Signal(t.Context(), engine, tts.Request{}); err == nil {
			t.Errorf("%s: %d samples", name, len(pcm))
		}
	}
	if _, err := Signal(t.Context(), &tone{rate: audio.VoiceRate, before: time.Second}, tts.Request{}); !errors.Is(err, ErrNoAudio) {
		t.Errorf("silence: %v", err)
	}
}
