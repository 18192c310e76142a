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

// thoughts are answers of people who think while they talk. Where a bar stands, they pause: after a conjunction, a filler or half a
// clause, never where a thought could be over.
var thoughts = []string{
	"I work as a backend engineer, and | I am proud of | cutting our checkout latency in half.",
	"We had a queue that grew every night, because | nobody had thought about | back pressure.",
	"My part was | um | the migration of the billing service to a new database.",
	"The hard part was that | a timeout does not tell you | whether the customer was charged.",
	"First I wrote a shadow reader, then | I compared the results for two weeks, and | then we switched.",
	"We chose to keep the old path for a month, although | it cost us money.",
	"I noticed that | half of the pages were about | the same two dashboards, so | I rewrote the alerts.",
	"It was used by | let me think, by | about two hundred people in three countries.",
}

// NewHesitantSpeech is NewSpeech with answers that have pauses of 0.3 to 1.5 s inside their thoughts. The same seed draws the same
// pauses. The parts between pauses are spoken one by one, so that their melody is that of short sentences.
func NewHesitantSpeech(ctx context.Context, voice Voice, threshold float64, seed uint64) (*Speech, error) {
	s, err := emptySpeech()
	if err != nil {
		return nil, err
	}
	s.pauses = true
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // reproducible on purpose
	for _, line := range thoughts {
		clip, err := hesitant(ctx, voice, line, threshold, random)
		if err != nil {
			return nil, fmt.Errorf("speak %q: %w", line, err)
		}
		s.stories = append(s.stories, clip)
	}
	if s.interruptions, err = speakAll(ctx, voice, interruptions, threshold); err != nil {
		return nil, err
	}
	return s, nil
}

// hesitant speaks the parts of a line with pauses between them.
func hesitant(ctx context.Context, voice Voice, line string, threshold float64, random *rand.Rand) (*Clip, error) {
	setDefault(&threshold, DefaultThreshold)
	var all []int16
	for i, part := range strings.Split(line, "|") {
		pcm, rate, err := voice.Synthesize(ctx, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if pcm, err = toVoiceRate(pcm, rate); err != nil {
			return nil, err
		}
		if pcm, _ = trim(pcm, threshold); len(pcm) == 0 {
			return nil, ErrNoVoice
		}
		if i > 0 {
			pause := shortestPause + time.Duration(random.Int64N(int64(longestPause-shortestPause)))
			all = append(all, make([]int16, pause*audio.VoiceRate/time.Second)...)
		}
		all = append(all, pcm...)
	}
	return newClip(strings.ReplaceAll(line, "|", "…"), all, audio.VoiceRate, threshold)
}
