package audio

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrRingSize reports a capacity that a Ring cannot have.
var ErrRingSize = errors.New("ring capacity must be a power of two")

// Ring is a bounded queue of samples for one goroutine. When it is full, Write takes what fits and says how much that was: the writer
// decides whether to wait or to drop.
type Ring struct {
	buf        []int16
	head, tail uint64 // samples ever read and written
}

// NewRing returns a ring for capacity samples, a power of two, or an error wrapping ErrRingSize.
func NewRing(capacity int) (*Ring, error) {
	if capacity <= 0 || bits.OnesCount(uint(capacity)) != 1 {
		return nil, fmt.Errorf("%w, not %d", ErrRingSize, capacity)
	}
	return &Ring{buf: make([]int16, capacity)}, nil
}

// Len returns the number of samples waiting.
func (r *Ring) Len() int { return int(r.tail - r.head) }

// Free returns the number of samples that still fit.
func (r *Ring) Free() int { return len(r.buf) - r.Len() }

// Write copies as many samples of src as fit and returns their number.
func (r *Ring) Write(src []int16) int {
	src = src[:min(len(src), r.Free())]
	n := copy(r.buf[r.index(r.tail):], src)
	copy(r.buf, src[n:])
	r.tail += uint64(len(src))
	return len(src)
}

// WriteSilence adds n samples of silence, or as many as fit, and returns their number.
func (r *Ring) WriteSilence(n int) int {
	n = max(0, min(n, r.Free()))
	from := r.index(r.tail)
	first := min(n, len(r.buf)-from)
	clear(r.buf[from : from+first])
	clear(r.buf[:n-first])
	r.tail += uint64(n)
	return n
}

// Read moves as many samples as are there into dst and returns their number.
func (r *Ring) Read(dst []int16) int {
	dst = dst[:min(len(dst), r.Len())]
	n := copy(dst, r.buf[r.index(r.head):])
	copy(dst[n:], r.buf)
	r.head += uint64(len(dst))
	return len(dst)
}

// Discard drops up to n of the oldest samples and returns how many there were to drop.
func (r *Ring) Discard(n int) int {
	n = max(0, min(n, r.Len()))
	r.head += uint64(n)
	return n
}

// Reset drops everything.
func (r *Ring) Reset() { r.head = r.tail }

func (r *Ring) index(position uint64) int {
	return int(position & uint64(len(r.buf)-1))
}
