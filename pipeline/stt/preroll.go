package stt

// preroll remembers the last PreRoll samples.
type preroll struct {
	ring [PreRoll]int16
	pos  int // next write position
	n    int
}

func (p *preroll) add(frame []int16) {
	if len(frame) > PreRoll {
		frame = frame[len(frame)-PreRoll:]
	}
	n := copy(p.ring[p.pos:], frame)
	copy(p.ring[:], frame[n:])
	p.pos = (p.pos + len(frame)) % PreRoll
	p.n = min(p.n+len(frame), PreRoll)
}

// last gives the last n samples (fewer if there are not so many) in two parts, oldest first. They are valid until add.
func (p *preroll) last(n int) (older, newer []int16) {
	n = max(0, min(n, p.n))
	from := p.pos - n
	if from >= 0 {
		return p.ring[from:p.pos], nil
	}
	return p.ring[from+PreRoll:], p.ring[:p.pos]
}
