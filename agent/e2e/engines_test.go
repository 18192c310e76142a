package e2e

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/pipeline/vad"
)

// The interviewers' voice and the candidates', so that one can be told from the other in a recording.
const (
	agentVoice     = "slt"
	candidateVoice = "rms"
)

// loaded are the engines of this machine, loaded once for all tests.
var loaded struct {
	once   sync.Once
	vad    *vad.Model
	sphinx *local.Sphinx
	flite  *local.Flite
	voice  tts.Synthesizer
	err    error
}

func load() error {
	loaded.once.Do(func() {
		var errVAD, errSTT, errTTS error
		loaded.vad, errVAD = vad.Load()
		loaded.sphinx, errSTT = local.NewSphinx(local.SphinxOptions{})
		loaded.flite, errTTS = local.NewFlite(local.FliteOptions{Voice: agentVoice})
		if loaded.err = errors.Join(errVAD, errSTT, errTTS); loaded.err != nil {
			return
		}
		loaded.voice = speak.NewCache(loaded.flite, 32<<20)
		loaded.err = loaded.sphinx.Prewarm(context.Background())
	})
	return loaded.err
}

func closeEngines() error {
	if loaded.sphinx == nil {
		return nil
	}
	return loaded.sphinx.Close()
}

// localEngines are PocketSphinx and Flite, and scripted words.
func localEngines(t *testing.T) agent.Engines {
	t.Helper()
	if err := load(); err != nil {
		t.Fatal(err)
	}
	return agent.Engines{VAD: loaded.vad, STT: loaded.sphinx, TTS: loaded.voice}
}

// provider is an OpenAI-compatible service with the delays of a good one, which understands whatever it was told to.
type provider struct {
	*openaitest.Server
	words atomic.Pointer[string] // what it hears next
	sound atomic.Int64           // the length of the longest recording that it got, ns
}

// cloudEngines hear and think with the provider. The voice is this machine's, for it has words that can be recognised.
func cloudEngines(t *testing.T) (agent.Engines, *provider) {
	t.Helper()
	e := localEngines(t)
	p := &provider{}
	options := openaitest.Typical()
	options.Transcribe = func(r openaitest.Recording) string {
		for longest := p.sound.Load(); int64(r.Duration) > longest && !p.sound.CompareAndSwap(longest, int64(r.Duration)); {
			longest = p.sound.Load()
		}
		if words := p.words.Load(); words != nil {
			return *words
		}
		return ""
	}
	p.Server = openaitest.New(options)
	site := httptest.NewServer(p)
	t.Cleanup(site.Close)
	client, err := openai.New(openai.Config{BaseURL: site.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	e.STT, e.LLM = client.Recognizer(), client.Model()
	return e, p
}

func (p *provider) hears(words string) { p.words.Store(&words) }

// spoken is the text in the candidate's voice, at audio.VoiceRate.
func spoken(t *testing.T, text string) []int16 {
	t.Helper()
	return resampled(t, synthesized(t, text), audio.VoiceRate)
}

// synthesized is the text in the candidate's voice, at local.VoiceRate.
func synthesized(t *testing.T, text string) []int16 {
	t.Helper()
	return synthesizedAt(t, text, 1)
}

// synthesizedAt is it at a multiple of the voice's usual speed.
func synthesizedAt(t *testing.T, text string, speed float64) []int16 {
	t.Helper()
	if err := load(); err != nil {
		t.Fatal(err)
	}
	sound, err := loaded.flite.Synthesize(t.Context(), tts.Request{Text: text, Voice: candidateVoice, Speed: speed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sound.Close() }() // read to its end
	var pcm []int16
	buf := make([]int16, 4096)
	for {
		n, err := sound.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func resampled(t *testing.T, pcm []int16, rate int) []int16 {
	t.Helper()
	r, err := audio.NewResampler(local.VoiceRate, rate)
	if err != nil {
		t.Fatal(err)
	}
	return r.Flush(r.Resample(nil, pcm))
}

// recognised are the words that the local recogniser finds in speech at audio.InputRate.
func recognised(t *testing.T, pcm []int16) string {
	t.Helper()
	result := make(chan stt.Event, 1)
	stream, err := loaded.sphinx.Open(t.Context(), stt.Options{Handle: func(e stt.Event) {
		switch e.(type) {
		case stt.Final, stt.Failed:
			result <- e
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }() // its result was taken
	stream.SpeechStarted(1, 0)
	for rest := pcm; len(rest) > 0; rest = rest[min(len(rest), audio.InputFrame):] {
		stream.Write(rest[:min(len(rest), audio.InputFrame)])
	}
	stream.SpeechEnded(1)
	select {
	case e := <-result:
		if final, ok := e.(stt.Final); ok {
			return strings.ToLower(final.Text)
		}
		t.Fatalf("recognise: %+v", e)
	case <-time.After(patience):
		t.Fatal("recognise: no result in time")
	}
	return ""
}
