package listen

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/turn"
)

// AudioModel judges by its sound whether a turn is over, as Smart Turn does. It is safe for concurrent use.
type AudioModel interface {
	// Complete returns the probability, between 0 and 1, that the turn which ends with pcm is over. pcm is 16 kHz mono, at most
	// the last 8 s, and ends with the silence after which the detector reports the end of speech. It is the model's until Complete
	// returns. Complete returns promptly when ctx is cancelled, which it is when the budget is spent; the answer is then not used.
	Complete(ctx context.Context, pcm []int16) (float64, error)
}

const (
	// audioMemory is how much sound an AudioModel is given: 8 s, as Smart Turn v3 takes.
	audioMemory = 8 * turn.Rate
	// audioBudget is how long an AudioModel may take. With 200 ms of silence before the question, the answer comes before a turn is
	// first decided.
	audioBudget = 250 * time.Millisecond
)

// audioJudge asks an AudioModel at each pause, one question at a time. Its methods but run belong to the listener's goroutine.
type audioJudge struct {
	model  AudioModel
	log    *zap.Logger
	answer func(segment uint64, probability float64) // called from where judge is
	hand   func(question)                            // gets a question to judge

	recent *audio.Tape

	questions chan question // capacity 1
	mu        sync.Mutex
	spare     []int16 // guarded by mu: the buffer for the next question; nil while it is with the model
}

// question is the sound at the end of a segment.
type question struct {
	segment uint64
	pcm     []int16
}

func newAudioJudge(model AudioModel, log *zap.Logger) *audioJudge {
	j := &audioJudge{
		model: model, log: log, recent: audio.NewTape(audioMemory), spare: make([]int16, 0, audioMemory),
		questions: make(chan question, 1),
	}
	j.hand = func(q question) { j.questions <- q } // there is room: the buffer was free
	return j
}

// ask puts the question to the model, unless it is still busy with the one before.
func (j *audioJudge) ask(segment uint64) {
	pcm, free := j.take()
	if !free {
		j.log.Debug("listen.audio_model_busy", zap.Uint64("segment", segment))
		return
	}
	older, newer := j.recent.Last(audioMemory)
	j.hand(question{segment, append(append(pcm, older...), newer...)})
}

func (j *audioJudge) take() (pcm []int16, free bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	pcm, j.spare = j.spare, nil
	return pcm, pcm != nil
}

// run answers questions until ctx ends.
func (j *audioJudge) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-j.questions:
			j.judge(ctx, q)
		}
	}
}

// judge answers a question and takes its buffer back.
func (j *audioJudge) judge(ctx context.Context, q question) {
	defer func() {
		j.mu.Lock()
		j.spare = q.pcm[:0]
		j.mu.Unlock()
	}()
	ctx, cancel := context.WithTimeout(ctx, audioBudget)
	defer cancel()
	p, err := j.model.Complete(ctx, q.pcm)
	switch {
	case err != nil:
		j.log.Warn("listen.audio_model_failed", zap.Uint64("segment", q.segment), zap.Error(err))
	case ctx.Err() != nil:
		j.log.Warn("listen.audio_model_late", zap.Uint64("segment", q.segment), zap.Duration("budget", audioBudget))
	case !(p >= 0 && p <= 1):
		j.log.Warn("listen.audio_model_failed", zap.Uint64("segment", q.segment), zap.Float64("probability", p))
	default:
		j.answer(q.segment, p)
	}
}
