package candidate

import (
	"context"
	_ "embed" // the words
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	// speechBitrate is about what browsers use for a microphone in mono, bit/s.
	speechBitrate = 32_000
	// maxUtterance is the longest utterance taken from a file.
	maxUtterance = 2 * time.Minute
	// maxFileRate is the highest sample rate of a file, Hz; it bounds what is read.
	maxFileRate = 48_000
)

// ErrNoVoice says that an utterance holds nothing above the threshold.
var ErrNoVoice = errors.New("no sound above the threshold; is it silence, or the threshold too high?")

// Voice speaks, for the built-in words.
type Voice interface {
	// Synthesize returns 16-bit mono samples and their rate in Hz.
	Synthesize(ctx context.Context, text string) (pcm []int16, rate int, err error)
}

// words are what the candidates of a load test say, unless they say recordings.
var words = sync.OnceValues(func() (said struct{ Introductions, Stories, Interruptions, Thoughts []string }, err error) {
	if err = yaml.Unmarshal(wordsFile, &said); err != nil {
		err = fmt.Errorf("read the candidates' words: %w", err)
	}
	return said, err
})

//go:embed words.yaml
var wordsFile []byte

// Clip is one utterance, encoded. It is read-only and shared by all candidates.
type Clip struct {
	frames [][]byte // 20 ms Opus packets
	voiced []bool   // which of them are above the threshold
}

// Speech is what the candidates of a run say. It is read-only and safe for concurrent use.
type Speech struct {
	introductions []*Clip
	stories       []*Clip
	interruptions []*Clip
	silence       []byte // 20 ms of Opus
	pauses        bool   // the answers have pauses inside their thoughts
}

// NewSpeech speaks the built-in words with the voice and encodes them.
func NewSpeech(ctx context.Context, voice Voice) (*Speech, error) {
	s, err := emptySpeech()
	if err != nil {
		return nil, err
	}
	said, err := words()
	if err != nil {
		return nil, err
	}
	if s.introductions, err = speakAll(ctx, voice, said.Introductions); err != nil {
		return nil, err
	}
	if s.stories, err = speakAll(ctx, voice, said.Stories); err != nil {
		return nil, err
	}
	if s.interruptions, err = speakAll(ctx, voice, said.Interruptions); err != nil {
		return nil, err
	}
	return s, nil
}

func speakAll(ctx context.Context, voice Voice, lines []string) ([]*Clip, error) {
	var clips []*Clip
	for _, line := range lines {
		pcm, rate, err := voice.Synthesize(ctx, line)
		if err != nil {
			return nil, fmt.Errorf("speak %q: %w", line, err)
		}
		clip, err := newClip(pcm, rate)
		if err != nil {
			return nil, fmt.Errorf("speak %q: %w", line, err)
		}
		clips = append(clips, clip)
	}
	return clips, nil
}

// LoadSpeech reads the utterances from WAV files: answers in the order in which they are given, and, when there are any, interruptions.
// Without interruptions the answers serve as such.
func LoadSpeech(answers, interruptions []string) (*Speech, error) {
	if len(answers) == 0 {
		return nil, errors.New("no WAV file with an answer was given")
	}
	s, err := emptySpeech()
	if err != nil {
		return nil, err
	}
	if s.stories, err = loadClips(answers); err != nil {
		return nil, err
	}
	if s.interruptions, err = loadClips(interruptions); err != nil {
		return nil, err
	}
	if len(s.interruptions) == 0 {
		s.interruptions = s.stories
	}
	return s, nil
}

func emptySpeech() (*Speech, error) {
	encoder, err := audio.NewEncoder(speechBitrate)
	if err != nil {
		return nil, err
	}
	silence, err := audio.SilencePacket(encoder)
	if err != nil {
		return nil, err
	}
	return &Speech{silence: silence}, nil
}

func loadClips(files []string) ([]*Clip, error) {
	var clips []*Clip
	for _, file := range files {
		clip, err := loadClip(file)
		if err != nil {
			return nil, fmt.Errorf("read utterance %s: %w", file, err)
		}
		clips = append(clips, clip)
	}
	return clips, nil
}

func loadClip(file string) (*Clip, error) {
	f, err := os.Open(file) //nolint:gosec // the files are named by the person who runs the test
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pcm, rate, err := audio.ReadWAV(f, int(maxUtterance.Seconds())*maxFileRate)
	if err != nil {
		return nil, err
	}
	return newClip(pcm, rate)
}

// newClip encodes an utterance without the silence around it.
func newClip(pcm []int16, rate int) (*Clip, error) {
	pcm, err := toVoiceRate(pcm, rate)
	if err != nil {
		return nil, err
	}
	pcm, voiced := trim(pcm)
	if len(voiced) == 0 {
		return nil, ErrNoVoice
	}
	encoder, err := audio.NewEncoder(speechBitrate)
	if err != nil {
		return nil, err
	}
	clip := &Clip{voiced: voiced}
	for i := range voiced {
		packet, err := encoder.Encode(nil, pcm[i*audio.VoiceFrame:(i+1)*audio.VoiceFrame])
		if err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		clip.frames = append(clip.frames, packet)
	}
	return clip, nil
}

func toVoiceRate(pcm []int16, rate int) ([]int16, error) {
	if rate == audio.VoiceRate {
		return pcm, nil
	}
	resampler, err := audio.NewResampler(rate, audio.VoiceRate)
	if err != nil {
		return nil, err
	}
	return resampler.Flush(resampler.Resample(nil, pcm)), nil
}

// trim cuts pcm to the frames between the first and the last voiced one, and says which of them are voiced.
func trim(pcm []int16) ([]int16, []bool) {
	if rest := len(pcm) % audio.VoiceFrame; rest > 0 {
		pcm = append(pcm[:len(pcm):len(pcm)], make([]int16, audio.VoiceFrame-rest)...)
	}
	first, last := -1, -1
	voiced := make([]bool, len(pcm)/audio.VoiceFrame)
	for i := range voiced {
		voiced[i] = audio.Level(pcm[i*audio.VoiceFrame:(i+1)*audio.VoiceFrame]) > Threshold
		if !voiced[i] {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
	}
	if first < 0 {
		return nil, nil
	}
	return pcm[first*audio.VoiceFrame : (last+1)*audio.VoiceFrame], voiced[first : last+1]
}

// answer is the utterance of a candidate's turn: candidates differ in their introduction and begin with different stories.
func (s *Speech) answer(candidate, turn int) *Clip {
	if len(s.introductions) > 0 && turn == 0 {
		return s.introductions[candidate%len(s.introductions)]
	}
	if len(s.introductions) > 0 || s.pauses {
		turn += candidate - 1
	}
	return s.stories[turn%len(s.stories)]
}

func (s *Speech) interruption(candidate, turn int) *Clip {
	return s.interruptions[(candidate+turn)%len(s.interruptions)]
}

// Pauses inside a thought are drawn between these: as long as people search for a word, and as long as they search for an idea.
const (
	shortestPause = 300 * time.Millisecond
	longestPause  = 1500 * time.Millisecond
)

// NewHesitantSpeech is NewSpeech with answers that have pauses of 0.3 to 1.5 s inside their thoughts, as people have who think while they talk. The same seed draws the same
// pauses. The parts between pauses are spoken one by one, so that their melody is that of short sentences.
func NewHesitantSpeech(ctx context.Context, voice Voice, seed uint64) (*Speech, error) {
	s, err := emptySpeech()
	if err != nil {
		return nil, err
	}
	said, err := words()
	if err != nil {
		return nil, err
	}
	s.pauses = true
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // reproducible on purpose
	for _, line := range said.Thoughts {
		clip, err := hesitant(ctx, voice, line, random)
		if err != nil {
			return nil, fmt.Errorf("speak %q: %w", line, err)
		}
		s.stories = append(s.stories, clip)
	}
	if s.interruptions, err = speakAll(ctx, voice, said.Interruptions); err != nil {
		return nil, err
	}
	return s, nil
}

// hesitant speaks the parts of a line with pauses between them.
func hesitant(ctx context.Context, voice Voice, line string, random *rand.Rand) (*Clip, error) {
	var all []int16
	for i, part := range strings.Split(line, "|") {
		pcm, rate, err := voice.Synthesize(ctx, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if pcm, err = toVoiceRate(pcm, rate); err != nil {
			return nil, err
		}
		if pcm, _ = trim(pcm); len(pcm) == 0 {
			return nil, ErrNoVoice
		}
		if i > 0 {
			pause := shortestPause + time.Duration(random.Int64N(int64(longestPause-shortestPause)))
			all = append(all, make([]int16, pause*audio.VoiceRate/time.Second)...)
		}
		all = append(all, pcm...)
	}
	return newClip(all, audio.VoiceRate)
}

// ErrLongUtterance says that words take longer to speak than anybody would listen.
var ErrLongUtterance = fmt.Errorf("the words take more than %v to speak", maxUtterance)

// Whole gives a candidate whole utterances of an engine, at most two minutes each. like says in which voice, language and at what
// speed; its text is not used.
func Whole(engine tts.Synthesizer, like tts.Request) Voice { return whole{engine, like} }

type whole struct {
	engine tts.Synthesizer
	like   tts.Request
}

func (w whole) Synthesize(ctx context.Context, text string) (pcm []int16, rate int, err error) {
	request := w.like
	request.Text = text
	a, err := w.engine.Synthesize(ctx, request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	longest := int(maxUtterance.Seconds()) * a.Rate()
	buf := make([]int16, 4096)
	for len(pcm) <= longest {
		n, err := a.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, a.Rate(), nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, ErrLongUtterance
}
