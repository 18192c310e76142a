package playout

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrCancelled is returned by Write once the utterance was cancelled, superseded, given up or closed.
	ErrCancelled = errors.New("utterance was cancelled")
	// ErrFinished is returned by Write after Finish.
	ErrFinished = errors.New("utterance is finished")
)

// Utterance is one piece of speech on its way to the track. One goroutine writes it.
type Utterance struct {
	gate       *Gate
	generation uint64
	stale      chan struct{} // closed under the gate's lock when nothing more is taken
	done       chan struct{} // closed by the gate's goroutine; end is fixed then
	space      chan struct{} // capacity 1; the gate sends after taking samples
	began      time.Time     // when Started was called; belongs to the gate's goroutine

	// Guarded by gate.mu.
	held     bool
	started  bool
	finished bool
	stalled  bool
	dry      time.Time // since when there was no audio to send; zero while there is
	read     int64     // position behind the last sample taken from the queue
	repeated int64     // position of the clause that was repeated last
	counted  int64     // position up to which heard is counted
	heard    int64
	end      End
}

func newUtterance(g *Gate, generation uint64, held bool) *Utterance {
	return &Utterance{
		gate:       g,
		generation: generation,
		held:       held,
		stale:      make(chan struct{}),
		done:       make(chan struct{}),
		space:      make(chan struct{}, 1),
	}
}

// Write appends 24 kHz mono samples. It copies them and waits while the lead is full. It returns ErrCancelled once the
// utterance is stale, ErrFinished after Finish, or the context's error; part of pcm may have been taken then.
func (u *Utterance) Write(ctx context.Context, pcm []int16) error {
	for {
		n, err := u.put(pcm)
		if err != nil {
			return err
		}
		if pcm = pcm[n:]; len(pcm) == 0 {
			return nil
		}
		if err := u.await(ctx); err != nil {
			return err
		}
	}
}

func (u *Utterance) put(pcm []int16) (int, error) {
	g := u.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != u {
		return 0, ErrCancelled
	}
	if u.finished {
		return 0, ErrFinished
	}
	n := g.queue.Write(pcm)
	if !u.started {
		g.wake()
	}
	return n, nil
}

// await waits until the gate has taken samples.
func (u *Utterance) await(ctx context.Context) error {
	select {
	case <-u.space:
		return nil
	case <-u.stale:
		return ErrCancelled
	case <-ctx.Done():
		return fmt.Errorf("wait for playout: %w", ctx.Err())
	}
}

// signal tells a waiting writer that samples were taken.
func (u *Utterance) signal() {
	select {
	case u.space <- struct{}{}:
	default:
	}
}

// Lead returns how many samples wait in front of the track, or 0 when the utterance is stale.
func (u *Utterance) Lead() int {
	u.gate.mu.Lock()
	defer u.gate.mu.Unlock()
	if u.gate.current != u {
		return 0
	}
	return u.gate.queue.Len()
}

// WaitLead waits until fewer than limit samples wait in front of the track. It belongs to the goroutine that writes, and
// returns the errors of Write.
func (u *Utterance) WaitLead(ctx context.Context, limit int) error {
	for {
		if _, err := u.put(nil); err != nil {
			return err
		}
		if u.Lead() < limit {
			return nil
		}
		if err := u.await(ctx); err != nil {
			return err
		}
	}
}

// Finish says that nothing more will be written; the utterance ends once all of it was handed to the track.
func (u *Utterance) Finish() {
	u.gate.mu.Lock()
	u.finished = true
	u.gate.mu.Unlock()
	u.gate.wake()
}

// Heard returns how many samples the track has accepted, once each, and without those of a duck that lasts.
func (u *Utterance) Heard() int64 {
	u.gate.mu.Lock()
	defer u.gate.mu.Unlock()
	return u.heard
}

// Done is closed when the utterance is over; End is fixed then.
func (u *Utterance) Done() <-chan struct{} { return u.done }

// End tells how the utterance ended. It is zero before Done is closed.
func (u *Utterance) End() End {
	select {
	case <-u.done:
		return u.end
	default:
		return End{}
	}
}
