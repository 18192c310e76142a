package audio

// Tape remembers the newest samples of a stream, up to a size fixed at the start. It is for one goroutine.
type Tape struct {
	ring []int16
	pos  int // next write position
	n    int
}

// NewTape returns a tape for so many samples.
func NewTape(samples int) *Tape { return &Tape{ring: make([]int16, samples)} }

// Add takes the next samples. It does not keep the slice.
func (t *Tape) Add(frame []int16) {
	size := len(t.ring)
	if len(frame) > size {
		frame = frame[len(frame)-size:]
	}
	n := copy(t.ring[t.pos:], frame)
	copy(t.ring, frame[n:])
	t.pos = (t.pos + len(frame)) % size
	t.n = min(t.n+len(frame), size)
}

// Len is how many samples it holds.
func (t *Tape) Len() int { return t.n }

// Last gives the last n samples (fewer if there are not so many) in two parts, oldest first. They are valid until Add.
func (t *Tape) Last(n int) (older, newer []int16) {
	n = max(0, min(n, t.n))
	from := t.pos - n
	if from >= 0 {
		return t.ring[from:t.pos], nil
	}
	return t.ring[from+len(t.ring):], t.ring[:t.pos]
}
