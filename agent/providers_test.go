package agent

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Providers made of chance: they are slow, fail, break off, hang, and do not always stop when they are told to.

// Stream implements llm.Model.
func (w *world) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	rng := w.provider()
	r := &chancy{rng: rng, ctx: ctx, slow: w.slow}
	for range 1 + rng.IntN(3) {
		r.pieces = append(r.pieces, llm.Delta{Text: "That is good to hear, truly it is. "})
	}
	switch rng.IntN(20) {
	case 0, 1:
		return nil, errors.New("status 500")
	case 2, 3:
		r.end = errors.New("reset")
	case 4:
		r.slow = time.Hour
	case 5, 6, 7, 8:
		did := []string{"finish", "ask", "end", "dance"}[rng.IntN(4)]
		r.pieces = []llm.Delta{{Text: `{"say":"That is good to hear. `}, {Text: `What came next?",`}, {Text: `"reading":{"did":"` + did + `"}}`}}
	default:
		r.pieces = append(r.pieces, llm.Delta{Text: "What came next?"})
	}
	return r, nil
}

// chancy is a reply whose pieces come at random times.
type chancy struct {
	rng    *rand.Rand
	ctx    context.Context
	slow   time.Duration
	pieces []llm.Delta
	end    error
}

func (r *chancy) Next() (llm.Delta, error) {
	if err := pass(r.ctx, upTo(r.rng, r.slow)); err != nil {
		return llm.Delta{}, err
	}
	if len(r.pieces) > 0 {
		d := r.pieces[0]
		r.pieces = r.pieces[1:]
		return d, nil
	}
	if r.end != nil {
		return llm.Delta{}, r.end
	}
	return llm.Delta{}, io.EOF
}

func (r *chancy) Close() error { return nil }

func pass(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Synthesize implements tts.Synthesizer.
func (w *world) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	rng := w.provider()
	words := len(strings.Fields(r.Text))
	s := &sound{ctx: ctx, wait: upTo(rng, w.slow), left: words * int(wordTime*audio.VoiceRate/time.Second)}
	switch rng.IntN(60) {
	case 0, 1:
		s.left /= 2
		s.end = errors.New("voice broke off")
	case 2:
		s.wait = time.Hour
	case 3, 4:
		s.stubborn = upTo(rng, 300*time.Millisecond)
	}
	return s, nil
}

// sound is speech that comes after a random time, and then at once.
type sound struct {
	ctx      context.Context
	wait     time.Duration
	stubborn time.Duration // how long it goes on waiting after it was told to stop
	left     int
	end      error
}

// tone is what the voice sounds like.
var tone = func() (pcm [audio.VoiceRate / 25]int16) {
	for i := range pcm {
		pcm[i] = 5000
	}
	return pcm
}()

func (s *sound) Rate() int { return audio.VoiceRate }

func (s *sound) Read(pcm []int16) (int, error) {
	if s.wait > 0 {
		err := pass(s.ctx, s.wait)
		s.wait = 0
		if err != nil {
			_ = pass(context.Background(), s.stubborn)
			return 0, err
		}
	}
	n := copy(pcm, tone[:min(len(tone), s.left)])
	s.left -= n
	switch {
	case n > 0:
		return n, nil
	case s.end != nil:
		return 0, s.end
	}
	return 0, io.EOF
}

func (s *sound) Close() error { return nil }
