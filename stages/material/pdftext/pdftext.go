//go:build pdf

package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/vivavoice/viva/stages/material"
)

// Extractor reads PDFs in this process.
type Extractor struct{}

var _ material.Extractor = Extractor{}

// readFactor bounds how much of the file is read over and over, as a multiple of its size: what needs more goes in circles.
const readFactor = 200

// readLeast is how many bytes may always be read.
const readLeast = 32 << 20

// Extract implements material.Extractor.
func (Extractor) Extract(ctx context.Context, data []byte, limits material.Limits) (got material.Extracted, err error) {
	if len(data) > limits.Bytes {
		return got, material.ErrTooLarge
	}
	src := &source{ctx: ctx, data: bytes.NewReader(data), left: readLeast + readFactor*int64(len(data))}
	defer func() {
		if p := recover(); p != nil {
			got, err = material.Extracted{}, fmt.Errorf("%w: %v", material.ErrUnread, p)
		}
	}()
	r, err := pdf.NewReader(src, int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return got, material.ErrProtected
	case err != nil:
		return got, fmt.Errorf("%w: %w", material.ErrUnread, err)
	}
	if got.Pages = r.NumPage(); got.Pages > limits.Pages || got.Pages < 0 {
		return got, material.ErrPages
	}
	var b strings.Builder
	left := limits.Characters
	for n := 1; n <= got.Pages && left > 0 && !src.enough; n++ {
		p := r.Page(n)
		if p.V.IsNull() {
			continue
		}
		text, hidden, err := readPage(p, src, left)
		if err != nil {
			return material.Extracted{}, err
		}
		left -= utf8.RuneCountInString(text)
		got.Hidden = got.Hidden || hidden
		b.WriteString(text + "\n\n")
	}
	if got.Text = strings.TrimSpace(b.String()); got.Text == "" {
		return got, material.ErrNoText
	}
	return got, nil
}

// source is the file. It stops giving when the time is over, when a page said that it has enough, and when more is read
// than any honest file needs: the library then stops with a panic that Extract takes.
type source struct {
	ctx  context.Context //nolint:containedctx // the library has no contexts: this is the one way to stop it
	data *bytes.Reader
	left int64
	// enough: a page has given all that is wanted. What the library says of its end then is no failure.
	enough bool
}

var _ io.ReaderAt = (*source)(nil)

var (
	errCircles = errors.New("the file goes in circles")
	errEnough  = errors.New("no more is wanted")
)

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.enough {
		return 0, errEnough
	}
	n, err := s.data.ReadAt(p, at)
	if s.left -= int64(n); s.left < 0 {
		return 0, errCircles
	}
	return n, err
}

// stop makes every further read fail.
func (s *source) stop() { s.enough = true }
