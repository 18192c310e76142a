package speak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	// signalMost is how long a listening signal may last. Longer ones would still sound when the turn is decided.
	signalMost = 800 * time.Millisecond
	// signalGain is how much quieter than the voice it is, in dB.
	signalGain = -10.0
	// signalFade is the ramp at either end: 10 ms.
	signalFade = audio.VoiceRate / 100
)

// Signal returns the sound of a word with which a voice says that it listens, for playout.Gate.Signal: 24 kHz mono, without the silence
// around it, and 10 dB below the voice. Where the engine is a Cache, it keeps the word. A sound of more than 0.8 s is refused.
func Signal(ctx context.Context, engine tts.Synthesizer, r tts.Request) ([]int16, error) {
	if c, ok := engine.(*Cache); ok {
		if err := c.prefetch(ctx, r); err != nil {
			return nil, err
		}
	}
	sound, err := engine.Synthesize(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("synthesise listening signal: %w", err)
	}
	pcm, err := whole(sound)
	if err := errors.Join(err, sound.Close()); err != nil {
		return nil, fmt.Errorf("read listening signal: %w", err)
	}
	pcm = loud(pcm)
	if long := time.Duration(len(pcm)) * time.Second / audio.VoiceRate; long > signalMost {
		return nil, fmt.Errorf("listening signal lasts %v, more than %v", long, signalMost)
	}
	if len(pcm) == 0 {
		return nil, ErrNoAudio
	}
	gain := audio.NewGain()
	gain.Set(audio.Decibels(signalGain), 0)
	gain.Apply(pcm)
	ramp := min(signalFade, len(pcm)/2)
	audio.FadeIn(pcm[:ramp])
	audio.FadeOut(pcm[len(pcm)-ramp:])
	return pcm, nil
}

// whole reads a sound to its end, at the rate of the voice. It gives up where that is far longer than a word.
func whole(sound tts.Audio) ([]int16, error) {
	convert, err := audio.NewResampler(sound.Rate(), audio.VoiceRate)
	if err != nil {
		return nil, err
	}
	in := make([]int16, sound.Rate()/25) // 40 ms
	var pcm []int16
	for len(pcm) < 4*audio.VoiceRate {
		n, err := sound.Read(in)
		pcm = convert.Resample(pcm, in[:n])
		if errors.Is(err, io.EOF) {
			return convert.Flush(pcm), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return pcm, nil
}

// loud is pcm without the silence around it.
func loud(pcm []int16) []int16 {
	from, to := 0, len(pcm)
	for from < to && !sounds(pcm[from]) {
		from++
	}
	for to > from && !sounds(pcm[to-1]) {
		to--
	}
	return pcm[from:to]
}

func sounds(v int16) bool { return v > audible || v < -audible }
