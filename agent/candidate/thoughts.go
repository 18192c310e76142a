package candidate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

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
