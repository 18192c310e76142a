package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/tts"
)

// A model of turns that cannot be run stops the start, and says which setting mends it.
func TestTurnModelThatDoesNotRun(t *testing.T) {
	model := filepath.Join(t.TempDir(), "smart-turn.onnx")
	if err := os.WriteFile(model, []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args  []string
		code  int
		wants []string
	}{
		"no file":       {[]string{"--turn-audio-model", "/nowhere.onnx", "--turn-audio-runner", "cat"}, exitFailure, []string{"/nowhere.onnx", "--turn-audio-model"}},
		"no runner":     {[]string{"--turn-audio-model", model}, exitUsage, []string{"docs/smart_turn_runner.py", "pip install"}},
		"no program":    {[]string{"--turn-audio-model", model, "--turn-audio-runner", "no-such-runner --fast"}, exitFailure, []string{"no-such-runner", "--turn-audio-runner"}},
		"another thing": {[]string{"--turn-audio-model", model, "--turn-audio-runner", "echo"}, exitFailure, []string{"--turn-audio-runner"}},
	} {
		t.Run(name, func(t *testing.T) {
			setting(t, append(server("ws://127.0.0.1:1"), noEngines...)...)
			viva(t, nobody(), append([]string{"start", "--health-address", "127.0.0.1:0"}, test.args...)...).wants(t, test.code, test.wants...)
		})
	}
}

func TestRunnersAreNotToldSecrets(t *testing.T) {
	env := []string{"PATH=/bin", "OPENAI_API_KEY=sk-1", "LIVEKIT_URL=ws://h", "LIVEKIT_API_SECRET=s", "DEEPGRAM_API_KEY=d", "EMPTY"}
	want := []string{"PATH=/bin", "LIVEKIT_URL=ws://h", "EMPTY"}
	if got := withoutSecrets(env); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// humming is a voice that counts how often it is asked.
type humming struct{ asked *int }

func (h humming) Synthesize(context.Context, tts.Request) (tts.Audio, error) {
	*h.asked++
	return &hum{left: 10}, nil
}

type hum struct{ left int }

func (h *hum) Rate() int { return openai.SpeechRate }

func (h *hum) Read(pcm []int16) (int, error) {
	n := min(len(pcm), h.left)
	h.left -= n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (h *hum) Close() error { return nil }

// What the cloud's voice said of a fixed sentence is there after a restart, for the same service, model and voice.
func TestVoiceCacheSettings(t *testing.T) {
	base := settings.Settings{Voice: settings.Voice{Cache: t.TempDir(), CacheSize: 1}, OpenAI: settings.OpenAI{TTSModel: "m", Voice: "v"}}
	for _, test := range []struct {
		name   string
		change func(*settings.Settings)
		asked  int
	}{
		{"first start", func(*settings.Settings) {}, 1},
		{"second start", func(*settings.Settings) {}, 0},
		{"another voice", func(s *settings.Settings) { s.OpenAI.Voice = "w" }, 1},
		{"another model", func(s *settings.Settings) { s.OpenAI.TTSModel = "n" }, 1},
		{"another service", func(s *settings.Settings) { s.OpenAI.BaseURL = "http://h/v1" }, 1},
		{"no directory", func(s *settings.Settings) { s.Voice.Cache = "" }, 1},
		{"no size", func(s *settings.Settings) { s.Voice.CacheSize = 0 }, 1},
	} {
		s := base
		test.change(&s)
		asked := 0
		voice, err := kept(humming{&asked}, &s, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		sound, err := voice.Synthesize(t.Context(), tts.Request{Text: "Welcome.", Fixed: true})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = sound.Read(make([]int16, 100))
		}
		if err := sound.Close(); err != nil || asked != test.asked {
			t.Errorf("%s: asked %d times, want %d; %v", test.name, asked, test.asked, err)
		}
	}
}

// The audio model that is built in needs no file and no command, and none is asked where none is set.
func TestAudioModelBuiltIn(t *testing.T) {
	for set, want := range map[string]bool{"": false, settings.AudioModelOurs: true} {
		s := &settings.Settings{Turn: settings.Turn{AudioModel: set}}
		m, closeModel, err := audioModel(t.Context(), s, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		if (m != nil) != want {
			t.Errorf("%q: a model is there: %v, want %v", set, m != nil, want)
		}
		closeModel()
	}
}
