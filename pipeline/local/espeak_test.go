package local_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	chinese    = "你好，欢迎参加今天的面试。请用你自己的话说说这道题要做什么？"
	vietnamese = "Xin chào, cảm ơn bạn đã tham gia buổi phỏng vấn hôm nay."
)

func newEspeak(t *testing.T, o local.EspeakOptions) *local.Espeak {
	t.Helper()
	if _, err := exec.LookPath(local.DefaultEspeak); err != nil && o.Program == "" {
		t.Skip("espeak-ng is not installed")
	}
	e, err := local.NewEspeak(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// loudness is the share of 20 ms windows with sound in them, and the level of the whole.
func loudness(pcm []int16) (voiced, level float64) {
	const window = local.EspeakRate / 50
	var sum float64
	loud := 0
	for start := 0; start+window <= len(pcm); start += window {
		var energy float64
		for _, s := range pcm[start : start+window] {
			energy += float64(s) * float64(s)
		}
		sum += energy
		if math.Sqrt(energy/window) > 200 {
			loud++
		}
	}
	return float64(loud*window) / float64(len(pcm)), math.Sqrt(sum / float64(len(pcm)))
}

// RX-17: Chinese and Vietnamese are spoken on this machine: as long as a person takes for them, and it is speech, not silence.
func TestEspeakSpeaks(t *testing.T) {
	e := newEspeak(t, local.EspeakOptions{})
	for language, c := range map[string]struct {
		text     string
		min, max float64 // seconds
	}{
		// At four characters a second; espeak-ng's voice cmn, which takes them for English, would need ten seconds.
		"zh": {chinese, 5.5, 8}, "zh-CN": {chinese, 5.5, 8}, "vi": {vietnamese, 2.5, 5},
	} {
		pcm, err := speak(t.Context(), e, tts.Request{Text: c.text, Language: language})
		if err != nil {
			t.Fatalf("%s: %v", language, err)
		}
		seconds := float64(len(pcm)) / local.EspeakRate
		voiced, level := loudness(pcm)
		t.Logf("%s: %.1f s, voiced %.2f, level %.0f", language, seconds, voiced, level)
		if seconds < c.min || seconds > c.max || voiced < 0.5 || level < 500 {
			t.Errorf("%s: %.1f s, voiced %.2f, level %.0f", language, seconds, voiced, level)
		}
		half, err := speak(t.Context(), e, tts.Request{Text: c.text[:strings.IndexAny(c.text, "。,")], Language: language})
		if err != nil || len(half) >= len(pcm)*4/5 {
			t.Errorf("%s: a part of the text takes %d of %d samples, %v", language, len(half), len(pcm), err)
		}
	}
}

// The language is heard: the same characters, read in another language, take another time; so do other voices and speeds.
func TestEspeakObeys(t *testing.T) {
	e := newEspeak(t, local.EspeakOptions{})
	length := func(r tts.Request) int {
		t.Helper()
		pcm, err := speak(t.Context(), e, r)
		if err != nil {
			t.Fatal(err)
		}
		return len(pcm)
	}
	usual := length(tts.Request{Text: chinese, Language: "zh"})
	if fast := length(tts.Request{Text: chinese, Language: "zh", Speed: 1.5}); float64(usual)/float64(fast) < 1.25 {
		t.Errorf("%d samples, and %d at speed 1.5", usual, fast)
	}
	woman, err := speak(t.Context(), e, tts.Request{Text: chinese, Language: "zh", Voice: "slt"})
	if err != nil {
		t.Fatal(err)
	}
	man, err := speak(t.Context(), e, tts.Request{Text: chinese, Language: "zh", Voice: "rms"})
	if err != nil {
		t.Fatal(err)
	}
	if pitch(woman) < 1.2*pitch(man) {
		t.Errorf("slt crosses zero %.0f times a second, rms %.0f", pitch(woman), pitch(man))
	}
	// English terms in a Chinese sentence are words, and not spelt as Chinese syllables.
	without, with := length(tts.Request{Text: "你可以用吗？", Language: "zh"}), length(tts.Request{Text: "你可以用 hash map 吗？", Language: "zh"})
	if more := float64(with-without) / local.EspeakRate; more < 0.5 || more > 1.3 {
		t.Errorf("two English words take %.2f s", more)
	}
	// What espeak-ng would take for phonemes or markup is read as text: it does not swallow what stands in brackets.
	if plain, marked := length(tts.Request{Text: "一二三四", Language: "zh"}), length(tts.Request{Text: "[[一二三四]]<voice name='en'>", Language: "zh"}); plain > marked {
		t.Errorf("%d samples, and %d in brackets", plain, marked)
	}
}

// pitch is the fundamental of the speech in Hz: the lag at which its loudest second is most like itself.
func pitch(pcm []int16) float64 {
	start, most := 0, 0.0
	for i := 0; i+local.EspeakRate/5 < len(pcm); i += local.EspeakRate / 10 {
		var energy float64
		for _, s := range pcm[i : i+local.EspeakRate/5] {
			energy += float64(s) * float64(s)
		}
		if energy > most {
			start, most = i, energy
		}
	}
	window := pcm[start : start+local.EspeakRate/5]
	best, lag := 0.0, 1
	for l := local.EspeakRate / 400; l <= local.EspeakRate/70; l++ {
		var sum float64
		for i := 0; i+l < len(window); i++ {
			sum += float64(window[i]) * float64(window[i+l])
		}
		if sum > best {
			best, lag = sum, l
		}
	}
	return float64(local.EspeakRate) / float64(lag)
}

func TestEspeakRefuses(t *testing.T) {
	e := newEspeak(t, local.EspeakOptions{MaxQueue: 1})
	for name, r := range map[string]tts.Request{
		"no words": {Text: " …[ ]", Language: "zh"}, "no language": {Text: "你好"}, "English": {Text: "Hello", Language: "en"},
		"a speech": {Text: strings.Repeat("你好", 500), Language: "zh"},
	} {
		if _, err := speak(t.Context(), e, r); fault.KindOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := local.NewEspeak(local.EspeakOptions{Voice: "siri"}); err == nil || !strings.Contains(err.Error(), "slt") {
		t.Errorf("unknown voice: %v", err)
	}
	if _, err := local.NewEspeak(local.EspeakOptions{Program: "/nowhere/espeak-ng"}); !errors.Is(err, local.ErrNoEspeak) || !strings.Contains(err.Error(), "apt-get install espeak-ng") {
		t.Errorf("no program: %v, want how to get it", err)
	}
}

// program writes a script that stands in for espeak-ng.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "espeak-ng")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// header is what espeak-ng writes first, as printf has it.
const header = `printf 'RIFF\044\000\000\200WAVEfmt \020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\000\000\000\200'` + "\n"

// A program that fails, hangs, writes nonsense or never stops is dealt with, and told apart.
func TestProgramsThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		kind   fault.Kind
		words  string
	}{
		"fails":          {"echo 'no such voice' >&2; exit 3", fault.Server, "no such voice"},
		"breaks off":     {"cat >/dev/null; " + header + "head -c 2000 /dev/zero; exit 4", fault.Connection, "broke off"},
		"writes text":    {"cat >/dev/null; for i in 1 2 3 4 5 6 7 8 9; do echo hello; done", fault.Malformed, "16-bit"},
		"writes nothing": {"cat >/dev/null; " + header, fault.Empty, ""},
		"never stops":    {header + "exec cat /dev/zero", fault.Malformed, fault.ErrTooMuch.Error()},
	} {
		e := newEspeak(t, local.EspeakOptions{Program: program(t, c.script)})
		_, err := speak(t.Context(), e, tts.Request{Text: chinese, Language: "zh"})
		if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version that does not know the voice is asked for the one that it has in its place.
func TestOlderEspeak(t *testing.T) {
	e := newEspeak(t, local.EspeakOptions{Program: program(t, `cat >/dev/null; case "$2" in cmn+f3) `+header+`head -c 3000 /dev/zero ;; *) echo no such voice >&2; exit 1 ;; esac`)})
	if pcm, err := speak(t.Context(), e, tts.Request{Text: chinese, Language: "zh"}); err != nil || len(pcm) != 1500 {
		t.Errorf("%d samples, %v", len(pcm), err)
	}
}

// Whoever goes away takes the program along, however it behaves; the slot is free again.
func TestEspeakEndsWithItsRequest(t *testing.T) {
	e := newEspeak(t, local.EspeakOptions{Program: program(t, header+"head -c 20000 /dev/zero; exec sleep 60"), MaxQueue: 1})
	for name, end := range map[string]func(tts.Audio, context.CancelFunc){
		"cancelled": func(_ tts.Audio, cancel context.CancelFunc) { cancel() },
		"closed":    func(a tts.Audio, _ context.CancelFunc) { _ = a.Close() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		a, err := e.Synthesize(ctx, tts.Request{Text: chinese, Language: "zh"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		buf := make([]int16, 100)
		if _, err := a.Read(buf); err != nil {
			t.Errorf("%s: the first samples: %v", name, err)
		}
		if _, err := e.Synthesize(t.Context(), tts.Request{Text: chinese, Language: "zh"}); fault.KindOf(err) != fault.RateLimited {
			t.Errorf("%s: a second process: %v", name, err)
		}
		begun := time.Now()
		end(a, cancel)
		for err == nil {
			_, err = a.Read(buf)
		}
		if fault.KindOf(err) != fault.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if err := a.Close(); err != nil || time.Since(begun) > 10*time.Second {
			t.Errorf("%s: closed after %v, %v", name, time.Since(begun), err)
		}
		cancel()
	}
}
