package local_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const sentence = "Hello, my name is Jordan and I work as a back end engineer at a payment company."

func newFlite(t *testing.T, o local.FliteOptions) *local.Flite {
	t.Helper()
	f, err := local.NewFlite(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func speak(ctx context.Context, s tts.Synthesizer, r tts.Request) (pcm []int16, err error) {
	a, err := s.Synthesize(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	buf := make([]int16, 320)
	for {
		n, err := a.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, nil
		}
		if err != nil {
			return pcm, err
		}
	}
}

func newSphinx(t *testing.T, o local.SphinxOptions) *local.Sphinx {
	t.Helper()
	if _, err := os.Stat(local.DefaultModelDir); err != nil {
		t.Skip("pocketsphinx-en-us is not installed")
	}
	s, err := local.NewSphinx(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestVoicesDifferAndObeySpeed(t *testing.T) {
	f := newFlite(t, local.FliteOptions{})
	lengths := map[int]string{}
	for _, voice := range local.Voices() {
		normal, err := speak(t.Context(), f, tts.Request{Text: sentence, Voice: voice})
		if err != nil {
			t.Fatal(err)
		}
		fast, err := speak(t.Context(), f, tts.Request{Text: sentence, Voice: voice, Speed: 1.5})
		if err != nil {
			t.Fatal(err)
		}
		if other, same := lengths[len(normal)]; same {
			t.Errorf("%s sounds as long as %s", voice, other)
		}
		lengths[len(normal)] = voice
		seconds := float64(len(normal)) / local.VoiceRate
		ratio := float64(len(normal)) / float64(len(fast))
		if seconds < 3 || seconds > 8 || ratio < 1.3 || ratio > 1.7 {
			t.Errorf("%s: %.1f s, %.2f times as long as at speed 1.5", voice, seconds, ratio)
		}
	}
}

func TestSpeechBeginsBeforeItIsWhole(t *testing.T) {
	a, err := newFlite(t, local.FliteOptions{}).Synthesize(t.Context(), tts.Request{Text: strings.Repeat(sentence+" ", 20)})
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Read(make([]int16, 100_000))
	if n == 0 || n == 100_000 || err != nil {
		t.Errorf("the first Read gave %d samples, %v; want the first ones only", n, err)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Error(err)
	}
}

func TestCancelStopsSynthesis(t *testing.T) {
	f := newFlite(t, local.FliteOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	a, err := f.Synthesize(ctx, tts.Request{Text: strings.Repeat(sentence+" ", 20)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(make([]int16, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := a.Read(make([]int16, 10)); fault.KindOf(err) != fault.Canceled {
		t.Errorf("after cancelling: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if pcm, err := speak(t.Context(), f, tts.Request{Text: "Next."}); err != nil || len(pcm) == 0 {
		t.Errorf("the next request: %d samples, %v", len(pcm), err)
	}
}

func TestManyVoicesAtOnce(t *testing.T) {
	f := newFlite(t, local.FliteOptions{MaxQueue: 8})
	alone := map[string]int{}
	for _, voice := range local.Voices() {
		pcm, err := speak(t.Context(), f, tts.Request{Text: sentence, Voice: voice})
		if err != nil {
			t.Fatal(err)
		}
		alone[voice] = len(pcm)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		voice := local.Voices()[i%len(local.Voices())]
		wg.Go(func() {
			pcm, err := speak(t.Context(), f, tts.Request{Text: sentence, Voice: voice})
			if err != nil || len(pcm) != alone[voice] {
				t.Errorf("%s among others: %d samples, %v; alone %d", voice, len(pcm), err, alone[voice])
			}
		})
	}
	wg.Wait()
}

func TestFliteRefuses(t *testing.T) {
	if _, err := local.NewFlite(local.FliteOptions{Voice: "siri"}); err == nil || !strings.Contains(err.Error(), "slt") {
		t.Errorf("unknown voice: %v, want the list of voices", err)
	}
	f := newFlite(t, local.FliteOptions{MaxQueue: 1})
	for _, text := range []string{"", " … ", "你好", strings.Repeat("a ", 1500)} {
		if _, err := speak(t.Context(), f, tts.Request{Text: text}); fault.KindOf(err) != fault.BadRequest {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	a, err := f.Synthesize(t.Context(), tts.Request{Text: strings.Repeat(sentence+" ", 20)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Synthesize(t.Context(), tts.Request{Text: "x"}); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("queue full: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// overlap is the share of the words of want that are in got, in order.
func overlap(want, got string) float64 {
	clean := func(s string) []string {
		return strings.Fields(strings.Map(func(r rune) rune {
			if r == ',' || r == '.' {
				return -1
			}
			return r
		}, strings.ToLower(s)))
	}
	w, g := clean(want), clean(got)
	found := make([][]int, len(w)+1)
	for i := range found {
		found[i] = make([]int, len(g)+1)
	}
	for i := range w {
		for j := range g {
			found[i+1][j+1] = max(found[i][j+1], found[i+1][j])
			if w[i] == g[j] {
				found[i+1][j+1] = found[i][j] + 1
			}
		}
	}
	return float64(found[len(w)][len(g)]) / float64(len(w))
}

// hear streams pcm as one segment and gives the partials that came before its end was marked, and the outcome.
func hear(t *testing.T, r stt.Recognizer, pcm []int16) (early []stt.Partial, outcome stt.Event) {
	t.Helper()
	events := make(chan stt.Event, 1000)
	s, err := r.Open(t.Context(), stt.Options{Language: "en-US", Handle: func(e stt.Event) { events <- e }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	s.Write(make([]int16, stt.SampleRate/2))
	s.SpeechStarted(1, stt.SampleRate/4)
	for start := 0; start < len(pcm); start += 320 {
		s.Write(pcm[start:min(start+320, len(pcm))])
	}
	if p, ok := (<-events).(stt.Partial); ok { // the speech has not ended yet
		early = append(early, p)
	}
	s.SpeechEnded(1)
	for e := range events {
		if _, ok := e.(stt.Partial); !ok {
			return early, e
		}
	}
	return early, nil
}

func TestRecogniserUnderstandsTheVoice(t *testing.T) {
	f := newFlite(t, local.FliteOptions{})
	r := newSphinx(t, local.SphinxOptions{})
	if err := r.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	pcm, err := speak(t.Context(), f, tts.Request{Text: sentence})
	if err != nil {
		t.Fatal(err)
	}
	quiet := make([]int16, len(pcm))
	for i, s := range pcm {
		quiet[i] = s / 12
	}
	for name, audio := range map[string][]int16{"as spoken": pcm, "22 dB quieter": quiet} {
		early, outcome := hear(t, r, audio)
		final, ok := outcome.(stt.Final)
		if !ok {
			t.Fatalf("%s: %#v", name, outcome)
		}
		score := overlap(sentence, final.Text)
		t.Logf("%s: %q, overlap %.2f, confidence %.2f", name, final.Text, score, final.Confidence)
		if score < 0.5 || final.Confidence <= 0.2 || final.Confidence > 1 {
			t.Errorf("%s: overlap %.2f, confidence %.2f", name, score, final.Confidence)
		}
		if len(early) == 0 {
			t.Errorf("%s: no partial came before the end", name)
		}
	}
}

func TestSilenceHasNoWords(t *testing.T) {
	r := newSphinx(t, local.SphinxOptions{})
	s, err := r.Open(t.Context(), stt.Options{Handle: func(stt.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	events := make(chan stt.Event, 100)
	s, err = r.Open(t.Context(), stt.Options{Handle: func(e stt.Event) { events <- e }})
	if err != nil {
		t.Fatal(err)
	}
	s.SpeechStarted(1, 0)
	s.Write(make([]int16, stt.SampleRate))
	s.SpeechEnded(1)
	if final, ok := (<-events).(stt.Final); !ok || final.Text != "" || final.Confidence != 0 {
		t.Errorf("silence: %+v", final)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestSegmentsShareAPoolOfOne(t *testing.T) {
	pcm, err := speak(t.Context(), newFlite(t, local.FliteOptions{}), tts.Request{Text: "I designed a queue."})
	if err != nil {
		t.Fatal(err)
	}
	r := newSphinx(t, local.SphinxOptions{Decoders: 1})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			outcome := make(chan stt.Event, 100)
			s, err := r.Open(t.Context(), stt.Options{Handle: func(e stt.Event) {
				if _, partial := e.(stt.Partial); !partial {
					outcome <- e
				}
			}})
			if err != nil {
				t.Error(err)
				return
			}
			s.SpeechStarted(1, 0)
			s.Write(pcm)
			s.SpeechEnded(1)
			if final, ok := (<-outcome).(stt.Final); !ok || final.Text == "" {
				t.Errorf("got %+v", final)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestPoolThatStaysBusyIsReported(t *testing.T) {
	r := newSphinx(t, local.SphinxOptions{Decoders: 1})
	events := make(chan stt.Event, 100)
	s, err := r.Open(t.Context(), stt.Options{Handle: func(e stt.Event) { events <- e }})
	if err != nil {
		t.Fatal(err)
	}
	s.SpeechStarted(1, 0)
	pcm, err := speak(t.Context(), newFlite(t, local.FliteOptions{}), tts.Request{Text: sentence})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(pcm)
	<-events // it has the decoder, and keeps it: the segment does not end
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := r.Prewarm(ctx); fault.KindOf(err) != fault.Timeout || !strings.Contains(err.Error(), "decoders") {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Prewarm(t.Context()); err != nil {
		t.Errorf("after Close the decoder is free: %v", err)
	}
}

func TestSphinxRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	if _, err := local.NewSphinx(local.SphinxOptions{ModelDir: missing}); err == nil || !strings.Contains(err.Error(), "pocketsphinx-en-us") {
		t.Errorf("no models: %v, want the package that has them", err)
	}
	broken := t.TempDir()
	for _, name := range []string{"en-us", "en-us.lm.bin", "cmudict-en-us.dict"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := local.NewSphinx(local.SphinxOptions{ModelDir: broken})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Prewarm(t.Context()); err == nil {
		t.Error("broken models were loaded")
	}
	s := newSphinx(t, local.SphinxOptions{})
	if _, err := s.Open(t.Context(), stt.Options{Language: "de", Handle: func(stt.Event) {}}); fault.KindOf(err) != fault.BadRequest {
		t.Errorf("German: %v", err)
	}
}
