//go:build !cgo

package local

import (
	"context"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Flite is the local voice, which this build does not have.
type Flite struct{}

var _ tts.Synthesizer = (*Flite)(nil)

// NewFlite returns ErrNotBuilt.
func NewFlite(FliteOptions) (*Flite, error) { return nil, ErrNotBuilt }

// Synthesize returns ErrNotBuilt.
func (*Flite) Synthesize(context.Context, tts.Request) (tts.Audio, error) { return nil, ErrNotBuilt }

// Sphinx is the local recogniser, which this build does not have.
type Sphinx struct{}

var _ stt.Recognizer = (*Sphinx)(nil)

// NewSphinx returns ErrNotBuilt.
func NewSphinx(SphinxOptions) (*Sphinx, error) { return nil, ErrNotBuilt }

// Open returns ErrNotBuilt.
func (*Sphinx) Open(context.Context, stt.Options) (stt.Stream, error) { return nil, ErrNotBuilt }

// NewDecoder returns nil; there is no Sphinx to call it on.
func (*Sphinx) NewDecoder() stt.Decoder { return nil }

// Prewarm returns ErrNotBuilt.
func (*Sphinx) Prewarm(context.Context) error { return ErrNotBuilt }

// Close does nothing.
func (*Sphinx) Close() error { return nil }
