package local

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	// espeakText bounds the text of a request, in characters: some 3 minutes of Chinese.
	espeakText = 800
	// espeakLimit bounds how long the program may take for a text; it needs a hundredth of that.
	espeakLimit = 30 * time.Second
	// maxSound bounds what it may write.
	maxSound = 10 * time.Minute
	// killDelay is how long the output of a killed program is waited for.
	killDelay = 500 * time.Millisecond
	// maxComplaint bounds what is kept of its error output, in bytes.
	maxComplaint = 300
)

// espeakVoice is one of espeak-ng's voices.
type espeakVoice struct {
	name  string
	older string  // what it is called in versions that do not know the name
	pace  float64 // the usual speed, in its words per minute: some four syllables a second
	// terms is the voice for English terms, where this one cannot read them.
	terms string
}

// espeakVoices are those of the languages. The voice cmn of version 1.51, which Debian 12 and Ubuntu 24.04 have, reads Chinese
// characters as English names of their sounds (espeak-ng's issues 1028 and 1044); cmn-latn-pinyin reads them right, and English
// terms wrong. Version 1.50 of Ubuntu 22.04 has cmn only, which reads them right there.
var espeakVoices = map[string]espeakVoice{
	"zh": {name: "cmn-latn-pinyin", older: "cmn", pace: 200, terms: english}, "vi": {name: "vi", pace: 165},
}

// timbres are espeak-ng's variants that stand for the names of Flite's voices, so that those who differ in English differ
// in other languages too.
var timbres = map[string]string{"slt": "f3", "rms": "m3", "awb": "m1", "kal16": "m7"}

// ErrNoEspeak says that the program that speaks Chinese and Vietnamese is not there.
var ErrNoEspeak = errors.New("espeak-ng, the voice for Chinese and Vietnamese on this machine, is not installed: run deploy/setup.sh, or " +
	"apt-get install espeak-ng, or name the program with --local-espeak, or choose --tts openai")

// Espeak speaks Chinese and Vietnamese through the program espeak-ng.
type Espeak struct {
	program string
	voice   string
	queue   chan struct{} // a slot for each process
}

var _ tts.Synthesizer = (*Espeak)(nil)

// NewEspeak makes a synthesizer. It fails with ErrNoEspeak where the program is not found, and for a voice that is not
// among Voices.
func NewEspeak(o EspeakOptions) (*Espeak, error) {
	voice := cmp.Or(o.Voice, DefaultVoice)
	if timbres[voice] == "" {
		return nil, fmt.Errorf("local voice %q does not exist; choose one of %s", voice, strings.Join(Voices(), ", "))
	}
	program, err := exec.LookPath(cmp.Or(o.Program, DefaultEspeak))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoEspeak, err)
	}
	return &Espeak{program: program, voice: voice, queue: make(chan struct{}, cmp.Or(o.MaxQueue, defaultQueue))}, nil
}

// Languages are those that it speaks, as BCP 47 has them.
func (*Espeak) Languages() []string { return slices.Sorted(maps.Keys(espeakVoices)) }

// Synthesize starts the program in a goroutine that ends with the text, with ctx or with Audio.Close, whichever is first.
// The request's language is one of Languages. An unknown voice gives the default one.
func (e *Espeak) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	language := baseOf(r.Language)
	voice, known := espeakVoices[language]
	text := pronounceable(r.Text)
	switch {
	case !known:
		return nil, refuse(fault.BadRequest, fmt.Errorf("espeak-ng is used for %s here, not for %q", strings.Join(e.Languages(), " and "), r.Language))
	case text == "":
		return nil, refuse(fault.BadRequest, errors.New("the text has no words"))
	case utf8.RuneCountInString(text) > espeakText:
		return nil, refuse(fault.BadRequest, fmt.Errorf("the text is longer than %d characters", espeakText))
	}
	timbre, pace := cmp.Or(timbres[r.Voice], timbres[e.voice]), strconv.Itoa(int(math.Round(voice.pace*speed(r.Speed))))
	return begin(ctx, EspeakRate, e.queue, func(ctx context.Context, a *sound) error {
		err := e.speak(ctx, a, text, voice, timbre, pace)
		if voice.older != "" && fault.KindOf(err) == fault.Server {
			voice.name = voice.older
			err = e.speak(ctx, a, text, voice, timbre, pace)
		}
		return err
	})
}

func (e *Espeak) speak(ctx context.Context, a *sound, text string, voice espeakVoice, timbre, pace string) error {
	args := []string{"-v", voice.name + "+" + timbre, "-s", pace, "-b", "1", "--stdin", "--stdout"}
	if voice.terms != "" {
		text, args = marked(text, voice, timbre), append(args, "-m")
	}
	return e.run(ctx, a, text, args...)
}

// runs are pieces of words in plain letters, with what stands between them.
var runs = regexp.MustCompile(`[A-Za-z][A-Za-z'\-]*(?: +[A-Za-z][A-Za-z'\-]*)*`)

// marked is the text as markup that has English terms read by the voice for them. Every piece names its voice: after a change
// espeak-ng does not find back to the first by itself. Letters that stand alone, as in formulas, are no terms.
func marked(text string, voice espeakVoice, timbre string) string {
	var b strings.Builder
	say := func(name, piece string) {
		if strings.TrimSpace(piece) != "" {
			b.WriteString(`<voice name="` + name + "+" + timbre + `">` + piece + "</voice>")
		}
	}
	rest := 0
	for _, at := range runs.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(strings.Fields(text[at[0]:at[1]]), func(word string) bool { return len(word) < 2 }) {
			continue
		}
		say(voice.name, text[rest:at[0]])
		say(voice.terms, text[at[0]:at[1]])
		rest = at[1]
	}
	say(voice.name, text[rest:])
	return b.String()
}

// run has the program say the text, and gives io.EOF at its end. The text goes in by the input: arguments can be read by other
// users of the machine.
func (e *Espeak) run(ctx context.Context, a *sound, text string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, espeakLimit)
	defer cancel()
	var complaint head
	out := &wave{to: a, left: int(maxSound.Seconds()) * EspeakRate}
	cmd := exec.CommandContext(ctx, e.program, args...) //nolint:gosec // the program is the operator's own, the arguments are numbers and names of ours
	cmd.Env, cmd.WaitDelay = []string{"ESPEAK_DATA_PATH=" + os.Getenv("ESPEAK_DATA_PATH")}, killDelay
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, &complaint
	if cmd.Env[0] == "ESPEAK_DATA_PATH=" {
		cmd.Env = []string{}
	}
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("wait for espeak-ng: %w", ctx.Err())
	case out.err != nil:
		return out.err
	case err != nil && out.samples > 0:
		return &fault.Error{Op: opSpeak, Provider: provider, Kind: fault.Connection, Err: fmt.Errorf("%s broke off: %w%s", e.program, err, complaint.words())}
	case err != nil:
		return &fault.Error{Op: opSpeak, Provider: provider, Kind: fault.Server, Err: fmt.Errorf("%s: %w%s", e.program, err, complaint.words())}
	case out.samples == 0:
		return &fault.Error{Op: opSpeak, Provider: provider, Kind: fault.Empty, Err: fmt.Errorf("%s said nothing%s", e.program, complaint.words())}
	}
	return io.EOF
}

// pronounceable is a text on one line without what espeak-ng would read as orders: [[phonemes]], markup and control characters.
// Text without a letter or digit gives "".
func pronounceable(text string) string {
	spoken := false
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("[]<>&", r) || unicode.IsControl(r) || r == utf8.RuneError:
			return ' '
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			spoken = true
		}
		return r
	}, norm.NFC.String(text))
	if !spoken {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// Layout of the header that espeak-ng writes: RIFF and WAVE, a format block of 16 bytes, the head of the data block.
const waveHeader = 44

// wave reads a WAV file from the program's output into a sound. Its lengths are not to be believed: the program writes them
// before it knows them.
type wave struct {
	to      *sound
	left    int // samples that may still come
	samples int
	err     error

	head []byte // of the header, until it is whole
	odd  []byte // the first byte of a sample whose second has not come
	pcm  []int16
}

// errFormat is the error of an output that is no sound.
var errFormat = &fault.Error{Op: opSpeak, Provider: provider, Kind: fault.Malformed,
	Err: fmt.Errorf("espeak-ng does not write 16-bit mono sound at %d Hz", EspeakRate)}

// Write implements io.Writer.
func (w *wave) Write(p []byte) (int, error) {
	n := len(p)
	if missing := waveHeader - len(w.head); missing > 0 {
		take := min(missing, len(p))
		w.head = append(w.head, p[:take]...)
		p = p[take:]
		if len(w.head) == waveHeader && !sixteenBitMono(w.head) {
			w.err = errFormat
			return 0, w.err
		}
	}
	if err := w.take(p); err != nil {
		return 0, err
	}
	return n, nil
}

func sixteenBitMono(head []byte) bool {
	number := binary.LittleEndian
	return bytes.Equal(head[:4], []byte("RIFF")) && bytes.Equal(head[8:16], []byte("WAVEfmt ")) && bytes.Equal(head[36:40], []byte("data")) &&
		number.Uint16(head[22:]) == 1 && number.Uint32(head[24:]) == EspeakRate && number.Uint16(head[34:]) == 16
}

// errQuit ends the writing of a program whose sound nobody wants any more.
var errQuit = errors.New("the sound is not wanted any more")

func (w *wave) take(p []byte) error {
	p = append(w.odd, p...)
	whole := len(p) / 2
	w.odd = bytes.Clone(p[2*whole:])
	if w.left -= whole; w.left < 0 {
		w.err = &fault.Error{Op: opSpeak, Provider: provider, Kind: fault.Malformed, Err: fault.ErrTooMuch}
		return w.err
	}
	w.pcm = w.pcm[:0]
	for i := range whole {
		w.pcm = append(w.pcm, int16(binary.LittleEndian.Uint16(p[2*i:])))
	}
	w.samples += whole
	if whole > 0 && !w.to.push(w.pcm) {
		return errQuit
	}
	return nil
}

// head keeps the first bytes of what is written.
type head struct{ kept []byte }

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), maxComplaint-len(h.kept))]...)
	return len(p), nil
}

// words are those that were kept, for the end of an error.
func (h *head) words() string {
	if text := strings.Join(strings.Fields(string(h.kept)), " "); text != "" {
		return ": " + text
	}
	return ""
}
