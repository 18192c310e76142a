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
	"unsafe"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
)

// maxText bounds the text of a request, in bytes: some 2 minutes of speech, 4 MB of samples.
const maxText = 2000

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
	voice := slices.Index(Voices(), r.Voice)
	if voice < 0 {
		voice = slices.Index(Voices(), f.voice)
	}
	return begin(ctx, VoiceRate, f.queue, func(ctx context.Context, a *sound) error {
		return speak(ctx, a, text, voice, speed(r.Speed))
	})
}

// speak says the text sentence by sentence and gives io.EOF at its end. The C library never waits for the reader, because it
// holds the turn of all others.
func speak(ctx context.Context, a *sound, text string, voice int, speed float64) error {
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

//export vivaFliteChunk
func vivaFliteChunk(handle C.uintptr_t, pcm *C.short, n C.int) C.int {
	a, ok := cgo.Handle(handle).Value().(*sound)
	if ok && a.push(unsafe.Slice((*int16)(pcm), int(n))) {
		return 1
	}
	return 0
}
