package mel

import (
	"math"
	"math/cmplx"
)

// transform is a discrete Fourier transform of Window points by mixed radices, in Stockham's form: the results come in order, for
// one more buffer. It belongs to one goroutine.
type transform struct {
	roots   [Window]complex128 // powers of the root of unity, clockwise
	scratch [Window]complex128
}

// radices multiply to Window.
var radices = [...]int{5, 5, 4, 4}

// maxRadix is the largest of them.
const maxRadix = 5

func newTransform() *transform {
	f := &transform{}
	for i := range f.roots {
		f.roots[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/Window)
	}
	return f
}

// run writes the transform of src to dst. It overwrites src; both hold Window points.
func (f *transform) run(dst, src []complex128) {
	in, out := src, f.scratch[:]
	size := 1
	for _, radix := range radices {
		f.pass(out, in, radix, size)
		in, out = out, in
		size *= radix
	}
	copy(dst, in)
}

// pass joins transforms of size points, of every n-th sample, into transforms of radix×size points. Line k of the transform
// that begins at sample g is at k·n + g, before and behind.
func (f *transform) pass(out, in []complex128, radix, size int) {
	n := Window / (radix * size) // behind; before there are radix times as many
	var turn [maxRadix]complex128
	for line := range radix * size {
		for p := range radix {
			turn[p] = f.roots[p*line*n%Window]
		}
		from := in[line%size*n*radix:][:n*radix]
		to := out[line*n:][:n]
		for g := range to {
			sum := from[g]
			for p := 1; p < radix; p++ {
				sum += from[g+p*n] * turn[p]
			}
			to[g] = sum
		}
	}
}
