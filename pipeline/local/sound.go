package local

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	opSpeak = "speak"
	// defaultQueue bounds the requests of an engine where its options do not.
	defaultQueue = 64
	// minSpeed and maxSpeed are the range in which these voices can be understood.
	minSpeed, maxSpeed = 0.5, 2.0
)

// sound holds what was synthesised and not yet read. The engine runs far ahead of the reader and never waits for it.
type sound struct {
	rate   int
	cancel context.CancelFunc
	ready  chan struct{} // capacity 1: pcm or err changed
	stop   <-chan struct{}
	cause  func() error
	done   sync.WaitGroup

	mu   sync.Mutex
	pcm  []int16 // guarded by mu
	at   int     // guarded by mu
	err  error   // guarded by mu: why no more comes, io.EOF at the end
	over bool    // guarded by mu: closed or cancelled
}

var _ tts.Audio = (*sound)(nil)

// begin has speak fill a sound at the given rate, in a goroutine that ends with speak, with ctx or with Close, whichever is
// first. speak returns io.EOF at the end of the text. queue holds a slot of the engine until then; with none left begin
// refuses.
func begin(ctx context.Context, rate int, queue chan struct{}, speak func(context.Context, *sound) error) (tts.Audio, error) {
	select {
	case queue <- struct{}{}:
	default:
		return nil, refuse(fault.RateLimited, errQueue)
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &sound{rate: rate, cancel: cancel, ready: make(chan struct{}, 1), stop: ctx.Done(), cause: func() error { return context.Cause(ctx) }}
	g := guard.From(ctx)
	g.Beside(&a.done, "tts", func() {
		defer func() { <-queue }()
		defer context.AfterFunc(ctx, a.quit)()
		a.finish(g.Try("tts", func() error { return speak(ctx, a) }))
	})
	return a, nil
}

var errQueue = errors.New("too many requests are waiting already")

func refuse(kind fault.Kind, err error) error {
	return &fault.Error{Op: opSpeak, Provider: provider, Kind: kind, Err: err}
}

// speed is the rate of speech that is asked for, within what can be understood; 0 means the usual one.
func speed(s float64) float64 {
	if s == 0 {
		return 1
	}
	return max(minSpeed, min(s, maxSpeed))
}

// quit makes the next push refuse.
func (a *sound) quit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// push takes samples from the engine and reports whether it should go on. It does not keep pcm.
func (a *sound) push(pcm []int16) bool {
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return false
	}
	a.pcm = append(a.pcm, pcm...)
	a.mu.Unlock()
	a.signal()
	return true
}

func (a *sound) finish(err error) {
	if !errors.Is(err, io.EOF) {
		err = fault.From(opSpeak, provider, err)
	}
	a.mu.Lock()
	a.err = err
	a.mu.Unlock()
	a.signal()
}

func (a *sound) signal() {
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

// Rate implements tts.Audio.
func (a *sound) Rate() int { return a.rate }

// Read waits for samples, the end, or cancellation.
func (a *sound) Read(pcm []int16) (int, error) {
	for {
		if cause := a.cause(); cause != nil {
			return 0, fault.From(opSpeak, provider, cause)
		}
		n, err := a.take(pcm)
		if n > 0 || err != nil || len(pcm) == 0 {
			return n, err
		}
		select {
		case <-a.ready:
		case <-a.stop:
		}
	}
}

func (a *sound) take(pcm []int16) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := copy(pcm, a.pcm[a.at:])
	a.at += n
	if n > 0 {
		return n, nil
	}
	return 0, a.err
}

// Close stops the synthesis and waits for its goroutine.
func (a *sound) Close() error {
	a.cancel()
	a.done.Wait()
	return nil
}
