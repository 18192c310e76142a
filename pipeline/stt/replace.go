package stt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
)

const (
	// markEvery is how much audio lies between the partials that are kept for the beginning of a long segment, in samples.
	markEvery = SampleRate
	// markLag is how far a partial is behind the audio when it comes, in samples: about 0.3 s.
	markLag = 3 * SampleRate / 10
)

// spoken is a segment that has no answer yet. It is guarded by the stream's mu.
type spoken struct {
	segment        uint64
	from, to       int64 // samples written before its first and, once it has ended, its last
	started, ended time.Time
	blamed         bool  // the stream was replaced because of it
	replayed       bool  // its audio went to another stream
	failed         bool  // the current stream gave it up, in a way that another may mend
	failure        error // why, and why those before it did
	partial        string
	told           string // last partial delivered
	outcome        Event
	head           string // understood before the audio that was replayed
	marks          []mark // oldest first
}

// mark is a partial and the audio that had been written when it came.
type mark struct {
	at   int64
	text string
}

func (k *spoken) finish(now time.Time, written int64) { k.ended, k.to = now, written }

// take notes an event of the current stream.
func (k *spoken) take(e Event, written int64) {
	switch e := e.(type) {
	case Partial:
		text := joinHead(k.head, e.Text)
		k.mark(written, text)
		// A replay begins again from nothing; what was shown is not taken back for that.
		if !k.replayed || len(text) > len(k.told) {
			k.partial = text
		}
	case Final:
		e.Text = joinHead(k.head, e.Text)
		k.settle(e)
	case Failed:
		if mendable(e.Err) {
			k.failed, k.failure = true, errors.Join(k.failure, e.Err)
			return
		}
		k.settle(e)
	}
}

func (k *spoken) settle(e Event) { k.partial, k.outcome = "", e }

// mark keeps a partial for the case that its audio is no longer on the tape when it is needed.
func (k *spoken) mark(written int64, text string) {
	if n := len(k.marks); n > 0 && written-k.marks[n-1].at < markEvery {
		return
	}
	old := 0
	for old+1 < len(k.marks) && k.marks[old+1].at <= written-tapeSamples {
		old++
	}
	k.marks = append(k.marks[:copy(k.marks, k.marks[old:])], mark{written, text})
}

// rewind prepares for a replay of the audio after position from.
func (k *spoken) rewind(from int64) {
	k.failed, k.replayed, k.partial = false, true, ""
	head := ""
	for _, m := range k.marks {
		if k.from < from && m.at <= from+markLag {
			head = m.text
		}
	}
	k.head = head
}

// mendable reports whether another connection may do better: not for a refused key, request or account, nor for a stream that
// was closed.
func mendable(err error) bool {
	switch fault.KindOf(err) {
	case fault.Auth, fault.BadRequest, fault.Quota, fault.Canceled:
		return false
	default:
		return true
	}
}

func joinHead(head, text string) string {
	if head == "" || text == "" {
		return head + text
	}
	return head + " " + text
}

// replace makes a new stream because of segment k, and replays to it what is unanswered.
func (s *watchedStream) replace(ctx context.Context, k *spoken, quiet bool) {
	s.mu.Lock()
	k.blamed = true
	cause := k.failure
	s.mu.Unlock()
	s.engine.options.Logger.Warn("stt.replaced",
		zap.String("engine", s.engine.options.Name), zap.Uint64("segment", k.segment),
		zap.Bool("in_speech", quiet), zap.Error(cause))
	stream, err := s.open(ctx, s.retire())
	s.mu.Lock()
	s.dog.replaced(time.Now(), quiet)
	if err != nil {
		k.failed, k.failure = true, errors.Join(cause, fmt.Errorf("replace the recogniser's stream: %w", err))
	}
	s.mu.Unlock()
	if err == nil {
		s.replay(stream)
	}
}

// retire takes the current stream out of use, and gives the number of the next one.
func (s *watchedStream) retire() (generation int) {
	s.feed.Lock()
	old := s.current
	s.current = nil
	s.feed.Unlock()
	if old != nil {
		s.guard.Beside(&s.done, "stt", func() { _ = old.Close() }) // it has failed already
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orphan = true
	s.generation++
	return s.generation
}

// engaged is a stream of the engine with what bounds its life.
type engaged struct {
	Stream
	release context.CancelFunc
}

// Close closes the stream and releases its context. It is idempotent as the stream's is.
func (e *engaged) Close() error {
	defer e.release()
	return e.Stream.Close()
}

// open opens a stream within openLimit. Its life is bounded by ctx.
func (s *watchedStream) open(ctx context.Context, generation int) (*engaged, error) {
	ctx, cancel := context.WithCancel(ctx)
	limit := time.AfterFunc(openLimit, cancel)
	defer limit.Stop()
	stream, err := s.engine.engine.Open(ctx, Options{Language: s.language, Handle: s.handler(generation)})
	if err != nil {
		cancel()
		return nil, err
	}
	return &engaged{stream, cancel}, nil
}

// replay makes stream the current one, after giving it the segments without an outcome as far as the tape has them.
func (s *watchedStream) replay(stream *engaged) {
	s.feed.Lock()
	defer s.feed.Unlock()
	s.mu.Lock()
	start := s.written - int64(s.tape.Len())
	var again []spoken
	for _, k := range s.pending {
		if k.outcome == nil {
			k.rewind(start)
			again = append(again, *k)
		}
	}
	s.orphan = false
	s.mu.Unlock()
	open := false
	for i := range again {
		open = s.replaySegment(stream, &again[i])
	}
	if !open {
		s.playback(stream, s.written-PreRoll, s.written)
	}
	s.current = stream
}

// replaySegment gives a segment to a stream and reports whether it is still being spoken.
func (s *watchedStream) replaySegment(stream Stream, k *spoken) (open bool) {
	open = k.ended.IsZero()
	to := k.to
	if open {
		to = s.written
	}
	stream.SpeechStarted(k.segment, 0)
	s.playback(stream, k.from, to)
	if !open {
		stream.SpeechEnded(k.segment)
	}
	return open
}

// playback writes the audio between two positions, as far as the tape has it.
func (s *watchedStream) playback(stream Stream, from, to int64) {
	older, newer := s.tape.Last(int(s.written - from))
	surplus := int(s.written - to)
	cut := min(surplus, len(newer))
	newer = newer[:len(newer)-cut]
	older = older[:max(0, len(older)-(surplus-cut))]
	if len(older) > 0 {
		stream.Write(older)
	}
	if len(newer) > 0 {
		stream.Write(newer)
	}
}
