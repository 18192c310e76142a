package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
)

var errHere = errors.New("the English voice was asked")

// englishman is an English voice that only says that it was asked.
type englishman struct{}

func (englishman) Synthesize(context.Context, tts.Request) (tts.Audio, error) { return nil, errHere }

// RX-17: the voice follows the text, and the interview's language where the text does not tell; English is never read by the
// Chinese voice, nor Chinese by the English one.
func TestVoiceByLanguage(t *testing.T) {
	b := local.NewByLanguage(englishman{}, newEspeak(t, local.EspeakOptions{Program: program(t, `echo "$2" >&2; exit 1`)}))
	for _, c := range []struct{ text, tag, want string }{
		{"Which book is it?", "", "en"}, {"Which book is it?", "en-GB", "en"}, {"你好，我们开始吧。", "zh", "cmn"}, {"你好，我们开始吧。", "zh-CN", "cmn"},
		{"你好，我们开始吧。", "en", "cmn"}, {"Hello 李明, good to have you here.", "en", "en"}, {"你可以用 hash map 来记住见过的价格吗？", "zh", "cmn"},
		{"O(n log n)", "zh", "cmn"}, {"O(n log n)", "en", "en"}, {"Hash map.", "zh", "cmn"}, {"That is a good idea, go on.", "zh", "en"},
		{"Xin chào bạn.", "vi", "vi"}, {"Xin chào bạn.", "en", "vi"}, {"Anh tên là gì?", "vi", "vi"}, {"Guten Tag.", "de", `speaks "de"`},
	} {
		_, err := speak(t.Context(), b, tts.Request{Text: c.text, Language: c.tag})
		switch {
		case err == nil:
			t.Errorf("%q: the script speaks", c.text)
		case c.want == "en" && !errors.Is(err, errHere), c.want != "en" && !strings.Contains(err.Error(), c.want):
			t.Errorf("%q in %q: %v, want %s", c.text, c.tag, err, c.want)
		}
	}
}

// Without espeak-ng Chinese is refused, in words that help: it is not left to the English voice.
func TestNoVoiceForChinese(t *testing.T) {
	b := local.NewByLanguage(englishman{}, nil)
	for _, text := range []string{chinese, vietnamese} {
		_, err := b.Synthesize(t.Context(), tts.Request{Text: text, Language: "zh"})
		if fault.KindOf(err) != fault.BadRequest || !errors.Is(err, local.ErrNoEspeak) || !strings.Contains(err.Error(), "apt-get install espeak-ng") {
			t.Errorf("%.12q: %v", text, err)
		}
	}
}
