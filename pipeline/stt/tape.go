package stt

// tape remembers the newest samples of a stream, up to a size fixed at the start.
type tape struct {
	ring []int16
	pos  int // next write position
	n    int
}

func newTape(samples int) *tape { return &tape{ring: make([]int16, samples)} }

func (t *tape) add(frame []int16) {
	size := len(t.ring)
	if len(frame) > size {
		frame = frame[len(frame)-size:]
	}
	n := copy(t.ring[t.pos:], frame)
	copy(t.ring, frame[n:])
	t.pos = (t.pos + len(frame)) % size
	t.n = min(t.n+len(frame), size)
}

// last gives the last n samples (fewer if there are not so many) in two parts, oldest first. They are valid until add.
func (t *tape) last(n int) (older, newer []int16) {
	n = max(0, min(n, t.n))
	from := t.pos - n
	if from >= 0 {
		return t.ring[from:t.pos], nil
	}
	return t.ring[from+len(t.ring):], t.ring[:t.pos]
}
