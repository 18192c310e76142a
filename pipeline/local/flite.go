//go:build cgo

package local

/*
#cgo LDFLAGS: -lflite_cmu_us_slt -lflite_cmu_us_rms -lflite_cmu_us_awb -lflite_cmu_us_kal16 -lflite_usenglish -lflite_cmulex -lflite -lm
#include <stdlib.h>
#include "flite.h"
*/
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
)

const (
	opSpeak = "speak"
	// defaultQueue is MaxQueue when FliteOptions names none.
	defaultQueue = 64
	// maxText bounds the text of a request, in bytes: some 2 minutes of speech, 4 MB of samples.
	maxText = 2000
	// minSpeed and maxSpeed are the range in which Flite can be understood.
	minSpeed, maxSpeed = 0.5, 2.0
)

// fliteTurn is held by the one request that may be inside the C library, whose voices are shared by the whole process.
var fliteTurn = make(chan struct{}, 1)

// Flite is the local voice.
type Flite struct {
	voice string
	queue chan struct{} // a slot for each request that waits or speaks
}

var _ tts.Synthesizer = (*Flite)(nil)

// NewFlite makes a synthesizer. It fails for a voice that is not among Voices.
func NewFlite(o FliteOptions) (*Flite, error) {
	voice := cmp.Or(o.Voice, DefaultVoice)
	if !slices.Contains(Voices(), voice) {
		return nil, fmt.Errorf("local voice %q does not exist; choose one of %s", voice, strings.Join(Voices(), ", "))
	}
	return &Flite{voice: voice, queue: make(chan struct{}, cmp.Or(o.MaxQueue, defaultQueue))}, nil
}

// Synthesize starts speaking in a goroutine that ends with the text, with ctx or with Audio.Close, whichever is first. An
// unknown voice gives the default one.
func (f *Flite) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	text := speakable(r.Text)
	switch {
	case text == "":
		return nil, refuse(fault.BadRequest, errors.New("the text has no English words"))
	case len(text) > maxText:
		return nil, refuse(fault.BadRequest, fmt.Errorf("the text is longer than %d characters", maxText))
	}
	select {
	case f.queue <- struct{}{}:
	default:
		return nil, refuse(fault.RateLimited, fmt.Errorf("%d requests are waiting already", cap(f.queue)))
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &fliteAudio{cancel: cancel, ready: make(chan struct{}, 1), stop: ctx.Done(), cause: func() error { return context.Cause(ctx) }}
	voice := slices.Index(Voices(), r.Voice)
	if voice < 0 {
		voice = slices.Index(Voices(), f.voice)
	}
	a.done.Go(func() {
		defer func() { <-f.queue }()
		a.finish(a.speak(ctx, text, voice, speed(r.Speed)))
	})
	return a, nil
}

func refuse(kind fault.Kind, err error) error {
	return &fault.Error{Op: opSpeak, Provider: provider, Kind: kind, Err: err}
}

func speed(s float64) float64 {
	if s == 0 {
		return 1
	}
	return max(minSpeed, min(s, maxSpeed))
}

// fliteAudio holds what was synthesised and not yet read. The C library runs far ahead of the reader and never waits for it,
// because it holds the turn of all others.
type fliteAudio struct {
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

var _ tts.Audio = (*fliteAudio)(nil)

// speak says the text sentence by sentence and gives io.EOF at its end.
func (a *fliteAudio) speak(ctx context.Context, text string, voice int, speed float64) error {
	defer context.AfterFunc(ctx, a.quit)()
	handle := cgo.NewHandle(a)
	defer handle.Delete()
	for _, piece := range sentences(text) {
		if err := speakPiece(ctx, piece, voice, speed, handle); err != nil {
			return err
		}
	}
	return io.EOF
}

// speakPiece waits for its turn and has the C library say a piece.
func speakPiece(ctx context.Context, piece string, voice int, speed float64, handle cgo.Handle) error {
	select {
	case fliteTurn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-fliteTurn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	cText := C.CString(piece)
	defer C.free(unsafe.Pointer(cText))
	switch C.viva_flite_speak(cText, C.int(voice), C.float(speed), C.uintptr_t(handle)) {
	case 0:
		return nil
	case 1:
		return context.Canceled
	default:
		return errors.New("flite could not say the text")
	}
}

// quit makes the next callback stop the synthesis.
func (a *fliteAudio) quit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// push takes samples from the C library and reports whether it should go on.
func (a *fliteAudio) push(pcm []C.short) bool {
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return false
	}
	for _, s := range pcm {
		a.pcm = append(a.pcm, int16(s))
	}
	a.mu.Unlock()
	a.signal()
	return true
}

func (a *fliteAudio) finish(err error) {
	if !errors.Is(err, io.EOF) {
		err = fault.From(opSpeak, provider, err)
	}
	a.mu.Lock()
	a.err = err
	a.mu.Unlock()
	a.signal()
}

func (a *fliteAudio) signal() {
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

// Rate is VoiceRate.
func (a *fliteAudio) Rate() int { return VoiceRate }

// Read waits for samples, the end, or cancellation.
func (a *fliteAudio) Read(pcm []int16) (int, error) {
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

func (a *fliteAudio) take(pcm []int16) (int, error) {
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
func (a *fliteAudio) Close() error {
	a.cancel()
	a.done.Wait()
	return nil
}

//export vivaFliteChunk
func vivaFliteChunk(handle C.uintptr_t, pcm *C.short, n C.int) C.int {
	a, ok := cgo.Handle(handle).Value().(*fliteAudio)
	if ok && a.push(unsafe.Slice(pcm, int(n))) {
		return 1
	}
	return 0
}
