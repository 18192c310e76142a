package local

/*
#cgo pkg-config: pocketsphinx
#include <stdlib.h>
#include "sphinx.h"
*/
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

const opTranscribe = "transcribe"

// Sphinx is the local recogniser: a pool of PocketSphinx decoders for English.
type Sphinx struct {
	segments *stt.Segmented
	models   [3]string // acoustic model, language model, dictionary
	leases   chan struct{}

	mu     sync.Mutex
	idle   []*C.ps_decoder_t // guarded by mu
	closed bool              // guarded by mu
}

var _ stt.Recognizer = (*Sphinx)(nil)

// NewSphinx checks that the models are there. They are loaded by Prewarm or by the first segment. Close frees them.
func NewSphinx(o SphinxOptions) (*Sphinx, error) {
	dir := cmp.Or(o.ModelDir, DefaultModelDir)
	s := &Sphinx{
		models: [3]string{
			filepath.Join(dir, "en-us"), filepath.Join(dir, "en-us.lm.bin"), filepath.Join(dir, "cmudict-en-us.dict"),
		},
		leases: make(chan struct{}, cmp.Or(o.Decoders, DefaultDecoders)),
	}
	for _, path := range s.models {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("local recogniser: %w; install pocketsphinx-en-us, or name the folder of its models", err)
		}
	}
	C.viva_sphinx_quiet()
	s.segments = stt.NewSegmented(provider, func(context.Context, string, func(string)) stt.Decoder { return s.NewDecoder() }, stt.Limits{})
	return s, nil
}

// Open starts a stream. Only English is understood.
func (s *Sphinx) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if base, _, _ := strings.Cut(strings.ToLower(o.Language), "-"); base != "" && base != "en" {
		return nil, &fault.Error{
			Op: opTranscribe, Provider: provider, Kind: fault.BadRequest,
			Err:  fmt.Errorf("the local recogniser does not understand %q, only English", o.Language),
			Hint: "choose openai for stt",
		}
	}
	return s.segments.Open(ctx, o)
}

// NewDecoder returns a decoder without a stream around it, for measurements that must not depend on how fast this machine is. It is
// for one goroutine.
func (s *Sphinx) NewDecoder() stt.Decoder { return &sphinxDecoder{pool: s} }

// Prewarm loads the models of one decoder, which takes some 0.2 s, so that the first segment does not wait and a broken model
// is known at once.
func (s *Sphinx) Prewarm(ctx context.Context) error {
	ps, err := s.lease(ctx)
	if err != nil {
		return err
	}
	s.release(ps)
	return nil
}

// Close frees the decoders. Streams must have been closed before.
func (s *Sphinx) Close() error {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, ps := range idle {
		C.ps_free(ps)
	}
	return nil
}

// lease waits for a free decoder, and loads one while there are fewer than allowed.
func (s *Sphinx) lease(ctx context.Context) (*C.ps_decoder_t, error) {
	select {
	case s.leases <- struct{}{}:
	case <-ctx.Done():
		return nil, s.busy(ctx)
	}
	if ps := s.takeIdle(); ps != nil {
		return ps, nil
	}
	var paths [3]*C.char
	for i, m := range s.models {
		paths[i] = C.CString(m)
		defer C.free(unsafe.Pointer(paths[i]))
	}
	ps := C.viva_sphinx_new(paths[0], paths[1], paths[2])
	if ps == nil {
		<-s.leases
		return nil, &fault.Error{
			Op: opTranscribe, Provider: provider, Kind: fault.BadRequest,
			Err: fmt.Errorf("pocketsphinx cannot load %s", s.models[0]), Hint: "reinstall pocketsphinx-en-us",
		}
	}
	return ps, nil
}

func (s *Sphinx) busy(ctx context.Context) error {
	e := fault.From(opTranscribe, provider, context.Cause(ctx))
	if e.Kind == fault.Timeout {
		e.Err = fmt.Errorf("all %d decoders are busy", cap(s.leases))
		e.Hint = "allow more local decoders, or choose openai for stt"
	}
	return e
}

func (s *Sphinx) takeIdle() *C.ps_decoder_t {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.idle)
	if n == 0 {
		return nil
	}
	ps := s.idle[n-1]
	s.idle = s.idle[:n-1]
	return ps
}

func (s *Sphinx) release(ps *C.ps_decoder_t) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.idle = append(s.idle, ps)
	}
	s.mu.Unlock()
	if closed {
		C.ps_free(ps)
	}
	<-s.leases
}

// sphinxDecoder recognises the segments of one stream on decoders leased from the pool.
type sphinxDecoder struct {
	pool  *Sphinx
	ps    *C.ps_decoder_t
	level leveller
	buf   []int16
	hyp   string
}

var _ stt.Decoder = (*sphinxDecoder)(nil)

var errDecode = errors.New("pocketsphinx refused the audio")

// Start leases a decoder.
func (d *sphinxDecoder) Start(ctx context.Context) error {
	ps, err := d.pool.lease(ctx)
	if err != nil {
		return err
	}
	d.ps, d.hyp = ps, ""
	if C.ps_start_stream(ps) < 0 || C.ps_start_utt(ps) < 0 {
		d.giveBack()
		return d.failed()
	}
	return nil
}

// Feed decodes pcm at once; 100 ms of it take some 20 ms, in noise 25.
func (d *sphinxDecoder) Feed(ctx context.Context, pcm []int16) (string, error) {
	if err := ctx.Err(); err != nil || len(pcm) == 0 {
		return d.hyp, err
	}
	d.buf = d.level.apply(append(d.buf[:0], pcm...))
	if C.ps_process_raw(d.ps, (*C.short)(unsafe.Pointer(&d.buf[0])), C.size_t(len(d.buf)), 0, 0) < 0 {
		return "", d.failed()
	}
	d.hypothesis()
	return d.hyp, nil
}

// Finish takes the best way through what was found of the whole segment: about a hundredth of its length, in noise too.
func (d *sphinxDecoder) Finish(context.Context) (stt.Transcript, error) {
	defer d.giveBack()
	if C.ps_end_utt(d.ps) < 0 {
		return stt.Transcript{}, d.failed()
	}
	d.hyp = ""
	d.hypothesis()
	out := stt.Transcript{Text: d.hyp}
	if d.hyp != "" {
		out.Confidence = min(1, float64(C.viva_sphinx_confidence(d.ps)))
	}
	return out, nil
}

// Abort gives the decoder back.
func (d *sphinxDecoder) Abort() {
	C.ps_end_utt(d.ps)
	d.giveBack()
}

func (d *sphinxDecoder) giveBack() {
	d.pool.release(d.ps)
	d.ps = nil
}

// hypothesis reads the text so far; the library's string lives only until its next call.
func (d *sphinxDecoder) hypothesis() {
	c := C.ps_get_hyp(d.ps, nil)
	if c == nil {
		return
	}
	if now := C.GoString(c); now != d.hyp {
		d.hyp = now
	}
}

func (d *sphinxDecoder) failed() error {
	return &fault.Error{Op: opTranscribe, Provider: provider, Kind: fault.Server, Err: errDecode}
}
