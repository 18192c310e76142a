package main

import (
	"errors"
	"io"
	"math"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// chineseOpening is what the coach says first, in Chinese.
func chineseOpening(t *testing.T) (text, language string) {
	t.Helper()
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(agent.Metadata{Interview: "algorithm_coach", Locale: "zh"})
	if err != nil {
		t.Fatal(err)
	}
	_, effects := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s", Locale: "zh", Vars: map[string]string{"problem": "gift_pair"}})
	for _, e := range effects {
		if say, is := e.(engine.Say); is {
			return say.Text, iv.Words.Locale()
		}
	}
	t.Fatal("the coach says nothing")
	return "", ""
}

func localVoice(t *testing.T, espeak string) (tts.Synthesizer, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zapcore.WarnLevel)
	s := &settings.Settings{Engines: settings.Engines{STT: settings.EngineOpenAI, TTS: settings.EngineLocal}, Local: settings.Local{Voice: "slt", Espeak: espeak}}
	home, err := localEngines(t.Context(), s, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.close(zap.NewNop()) })
	voice, err := home.synthesizer(s, nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return voice, logs
}

// spoken reads a text's sound clause by clause, as a room gets it, and gives its length in seconds and its level.
func spoken(t *testing.T, voice tts.Synthesizer, text, language string) (seconds, level float64) {
	t.Helper()
	var energy float64
	samples := 0
	buf := make([]int16, 4096)
	for _, clause := range speak.Clauses(text) {
		sound, err := voice.Synthesize(t.Context(), tts.Request{Text: clause.Text, Language: language})
		if err != nil {
			t.Fatalf("%q: %v", clause.Text, err)
		}
		for {
			n, err := sound.Read(buf)
			for _, s := range buf[:n] {
				energy += float64(s) * float64(s)
			}
			samples += n
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", clause.Text, err)
			}
		}
		seconds += float64(samples) / float64(sound.Rate())
		if err := sound.Close(); err != nil {
			t.Error(err)
		}
		energy, level, samples = 0, math.Max(level, math.Sqrt(energy/math.Max(1, float64(samples)))), 0
	}
	return seconds, level
}

// RX-17: with --tts local the coach opens in Chinese by voice: the whole opening, at the pace of speech.
func TestTheCoachOpensInChineseByVoice(t *testing.T) {
	if _, err := exec.LookPath(local.DefaultEspeak); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	voice, logs := localVoice(t, "espeak-ng")
	text, language := chineseOpening(t)
	seconds, level := spoken(t, voice, text, language)
	characters := 0
	for _, r := range text {
		if r >= 0x4e00 && r <= 0x9fff {
			characters++
		}
	}
	t.Logf("%d characters in %.1f s", characters, seconds)
	if pace := float64(characters) / seconds; characters < 30 || pace < 2.5 || pace > 6 || level < 500 {
		t.Errorf("%d characters at %.1f a second, level %.0f: %s", characters, pace, level, text)
	}
	if seconds, _ := spoken(t, voice, "What is the simplest idea that comes to mind?", "en"); seconds < 1.5 || seconds > 6 {
		t.Errorf("English takes %.1f s", seconds)
	}
	if logs.Len() > 0 {
		t.Errorf("complains: %v", logs.All())
	}
}

// Without espeak-ng the worker starts, says at once which languages have no voice and what helps, and reads no Chinese in English.
func TestWithoutEspeakChineseIsRefused(t *testing.T) {
	voice, logs := localVoice(t, "/nowhere/espeak-ng")
	told := logs.FilterMessage("voice.missing").All()
	if len(told) != 1 || !strings.Contains(told[0].ContextMap()["error"].(string), "apt-get install espeak-ng") { //nolint:forcetypeassert // an error's text
		t.Errorf("told %v", logs.All())
	}
	text, language := chineseOpening(t)
	if _, err := voice.Synthesize(t.Context(), tts.Request{Text: text, Language: language}); fault.KindOf(err) != fault.BadRequest || !errors.Is(err, local.ErrNoEspeak) {
		t.Errorf("Chinese: %v", err)
	}
	if seconds, _ := spoken(t, voice, "English is spoken all the same.", "en"); seconds < 1 {
		t.Errorf("English takes %.1f s", seconds)
	}
}
