package marked

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Marks is how many sentences a Voice can tell apart; it speaks no more.
const Marks = 16

const (
	lowest    = 400.0 // Hz, of the first mark
	spacing   = 180.0 // Hz, between marks
	deviation = 60.0  // Hz, of the wandering
	wander    = 240   // samples at 24 kHz from one frequency to the next: 10 ms
	amplitude = 4000  // −21 dBFS
)

// Sentence is one that a Voice was asked for. Its index among the sentences is its mark.
type Sentence struct {
	Text string
	At   time.Time // when it was asked for
}

// Voice speaks any text as a marked tone, without delay. The zero value is not usable; see NewVoice.
type Voice struct {
	pace time.Duration

	mu        sync.Mutex
	sentences []Sentence // guarded by mu
}

var _ tts.Synthesizer = (*Voice)(nil)

// NewVoice returns a voice that takes so long for a character of text.
func NewVoice(pace time.Duration) *Voice { return &Voice{pace: pace} }

// Synthesize implements tts.Synthesizer. It fails when all marks are used up.
func (v *Voice) Synthesize(_ context.Context, r tts.Request) (tts.Audio, error) {
	v.mu.Lock()
	mark := len(v.sentences)
	v.sentences = append(v.sentences, Sentence{Text: r.Text, At: time.Now()})
	v.mu.Unlock()
	if mark >= Marks {
		return nil, fmt.Errorf("a marked voice speaks %d sentences at most", Marks)
	}
	return &sound{pcm: Signal(mark, v.Samples(r.Text))}, nil
}

// Samples is how long a text lasts, at audio.VoiceRate.
func (v *Voice) Samples(text string) int {
	return int(time.Duration(utf8.RuneCountInString(text)) * v.pace * audio.VoiceRate / time.Second)
}

// Sentences are those asked for so far, in order.
func (v *Voice) Sentences() []Sentence {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Sentence(nil), v.sentences...)
}

// Before counts the sentences that were asked for before a moment: their marks are the smaller ones.
func (v *Voice) Before(at time.Time) int {
	n := 0
	for _, s := range v.Sentences() {
		if s.At.Before(at) {
			n++
		}
	}
	return n
}

// Signal is the sound of a mark, so many samples at audio.VoiceRate. It is the same every time, and longer ones begin like
// shorter ones.
func Signal(mark, samples int) []int16 {
	random := rand.New(rand.NewPCG(uint64(mark), 1)) //nolint:gosec // reproducible on purpose
	pcm := make([]int16, samples)
	phase, from, to := 0.0, 0.0, 0.0
	for i := range pcm {
		if i%wander == 0 {
			from, to = to, deviation*(2*random.Float64()-1)
		}
		share := float64(i%wander) / wander
		phase += 2 * math.Pi * (frequency(mark) + from + share*(to-from)) / audio.VoiceRate
		pcm[i] = int16(amplitude * math.Sin(phase))
	}
	return pcm
}

func frequency(mark int) float64 { return lowest + spacing*float64(mark) }

// sound is a tts.Audio of samples that are there already.
type sound struct{ pcm []int16 }

// Rate implements tts.Audio.
func (s *sound) Rate() int { return audio.VoiceRate }

// Read implements tts.Audio.
func (s *sound) Read(pcm []int16) (int, error) {
	n := copy(pcm, s.pcm)
	s.pcm = s.pcm[n:]
	if n == 0 && len(pcm) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements tts.Audio.
func (s *sound) Close() error { return nil }
