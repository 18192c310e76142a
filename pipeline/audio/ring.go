package audio

// Ring is a bounded queue of samples for one goroutine. When it is full, Write takes what fits and says how much that was: the writer
// decides whether to wait or to drop.
type Ring struct {
	buf  []int16
	head int // of the oldest sample
	n    int // samples waiting
	keep int // samples that stay behind head once they were read
	past int // samples there now
}

// NewRing returns a ring for capacity samples, at least one.
func NewRing(capacity int) *Ring { return NewRewindRing(capacity, 0) }

// NewRewindRing returns a ring for capacity samples that can go back over the last keep that were read.
func NewRewindRing(capacity, keep int) *Ring {
	return &Ring{buf: make([]int16, capacity+keep), keep: keep}
}

// Len returns the number of samples waiting.
func (r *Ring) Len() int { return r.n }

// Free returns the number of samples that still fit.
func (r *Ring) Free() int { return max(0, len(r.buf)-r.keep-r.n) }

// Write copies as many samples of src as fit and returns their number.
func (r *Ring) Write(src []int16) int {
	src = src[:min(len(src), r.Free())]
	n := copy(r.buf[(r.head+r.n)%len(r.buf):], src)
	copy(r.buf, src[n:])
	r.n += len(src)
	return len(src)
}

// Read moves as many samples as are there into dst and returns their number.
func (r *Ring) Read(dst []int16) int {
	dst = dst[:min(len(dst), r.n)]
	n := copy(dst, r.buf[r.head:])
	copy(dst[n:], r.buf)
	return r.Discard(len(dst))
}

// Discard drops up to n of the oldest samples and returns how many there were to drop.
func (r *Ring) Discard(n int) int {
	n = max(0, min(n, r.n))
	r.head = (r.head + n) % len(r.buf)
	r.n -= n
	r.past = min(r.past+n, r.keep)
	return n
}

// Back lets up to n of the samples read last wait again, and returns how many.
func (r *Ring) Back(n int) int {
	n = max(0, min(n, r.past))
	r.head = (r.head - n + len(r.buf)) % len(r.buf)
	r.n += n
	r.past -= n
	return n
}

// Past copies samples read before, from back of them behind the oldest that waits, and returns their number: 0 where they are gone.
func (r *Ring) Past(dst []int16, back int) int {
	if back > r.past {
		return 0
	}
	dst = dst[:min(len(dst), back)]
	from := (r.head - back + len(r.buf)) % len(r.buf)
	n := copy(dst, r.buf[from:])
	copy(dst[n:], r.buf)
	return len(dst)
}

// Reset drops everything.
func (r *Ring) Reset() { r.n, r.past = 0, 0 }
