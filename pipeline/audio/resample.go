package audio

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrRate reports a sample rate that the package does not convert.
var ErrRate = errors.New("unsupported sample rate")

// Rates returns the sample rates, in Hz, between which a Resampler converts.
func Rates() []int { return []int{8000, 16000, 22050, 24000, 44100, 48000} }

// The filter is a sinc, cut off at cutoff of the lower Nyquist frequency and windowed (Kaiser, beta) to lobes zero crossings on each
// side: about 80 dB down in the stop band, by Kaiser's formula beta = 0.1102·(A − 8.7).
const (
	lobes  = 24
	cutoff = 0.90
	beta   = 7.86

	// resampleBlock is how many input samples are taken at a time.
	resampleBlock = 512
)

// Resampler converts a stream from one rate to another with a polyphase filter: up by L, down by M, computing only the samples kept.
// Output sample n lies at the time of input sample n·M/L exactly, however the stream is cut into calls; so nothing drifts.
type Resampler struct {
	up, down int       // L and M
	taps     int       // per phase
	filter   []float32 // [up][taps]

	buf   []float32 // input not yet used up
	have  int       // samples in buf
	pos   int       // where in buf the next output's first tap lies; may lie beyond have
	phase int       // of the next output
}

// NewResampler returns a resampler between two of Rates(), or an error wrapping ErrRate.
func NewResampler(from, to int) (*Resampler, error) {
	if !slices.Contains(Rates(), from) || !slices.Contains(Rates(), to) {
		return nil, fmt.Errorf("resample %d Hz to %d Hz: %w, want two of %v", from, to, ErrRate, Rates())
	}
	g := gcd(from, to)
	r := &Resampler{up: to / g, down: from / g}
	if from == to {
		return r, nil
	}
	scale := min(1, float64(to)/float64(from)) // of the band that both rates hold
	half := int(math.Ceil(lobes / scale))
	half += half % 2 // the dot product takes four at a time
	r.taps = 2 * half
	r.filter = polyphase(r.up, half, scale*cutoff)
	r.buf = make([]float32, r.taps+resampleBlock)
	r.Reset()
	return r, nil
}

// Delay returns by how many input samples the output lags: that much must follow a sample before it comes out.
func (r *Resampler) Delay() int { return r.taps / 2 }

// Reset forgets the stream so far.
func (r *Resampler) Reset() {
	clear(r.buf)
	r.have, r.pos, r.phase = max(0, r.taps/2-1), 0, 0 // silence before the first sample centres the filter on it
}

// Resample converts src, the next samples of the stream, appends the result to dst and returns the extended slice. It allocates only
// what dst is short of; Capacity says how much that can be.
func (r *Resampler) Resample(dst, src []int16) []int16 {
	if r.taps == 0 {
		return append(dst, src...)
	}
	for len(src) > 0 {
		n := min(len(src), len(r.buf)-r.have)
		for i, v := range src[:n] {
			r.buf[r.have+i] = float32(v)
		}
		r.have += n
		src = src[n:]
		dst = r.drain(dst)
	}
	return dst
}

// Flush appends the rest of the stream to dst, as if silence followed, and resets. A stream of n input samples then has given
// ⌈n·to/from⌉ output samples in all.
func (r *Resampler) Flush(dst []int16) []int16 {
	for rest := r.taps / 2; rest > 0; {
		n := min(rest, len(r.buf)-r.have)
		clear(r.buf[r.have : r.have+n])
		r.have += n
		rest -= n
		dst = r.drain(dst)
	}
	r.Reset()
	return dst
}

// Capacity returns the largest number of samples that Resample can append for n input samples.
func (r *Resampler) Capacity(n int) int { return (n*r.up+r.down-1)/r.down + 1 }

// drain computes every output that the buffer has the input for, and moves what is still needed to the front.
func (r *Resampler) drain(dst []int16) []int16 {
	for r.pos+r.taps <= r.have {
		dst = append(dst, toInt16(dotProduct(r.buf[r.pos:r.pos+r.taps], r.filter[r.phase*r.taps:])))
		r.phase += r.down
		r.pos += r.phase / r.up
		r.phase %= r.up
	}
	used := min(r.pos, r.have)
	r.have = copy(r.buf, r.buf[used:r.have])
	r.pos -= used
	return dst
}

// dotProduct multiplies x, whose length is a multiple of 4, with the first elements of w.
func dotProduct(x, w []float32) float32 {
	w = w[:len(x)]
	var s0, s1, s2, s3 float32
	for i := 0; i+4 <= len(x); i += 4 {
		a, b := x[i:i+4:i+4], w[i:i+4:i+4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	return (s0 + s1) + (s2 + s3)
}

// polyphase returns the filter's taps for each of up phases, 2·half of them, for a cut-off of band times the input's Nyquist frequency.
// Tap k of phase p lies at input offset k − (half − 1) from the output's place, less p/up. Each phase sums to 1.
func polyphase(up, half int, band float64) []float32 {
	taps := 2 * half
	filter := make([]float32, up*taps)
	row := make([]float64, taps)
	for p := range up {
		sum := 0.0
		for k := range row {
			x := float64(k-(half-1)) - float64(p)/float64(up)
			row[k] = sinc(band*x) * kaiser(x/float64(half))
			sum += row[k]
		}
		for k, v := range row {
			filter[p*taps+k] = float32(v / sum)
		}
	}
	return filter
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser is the Kaiser window on −1 … 1, up to a factor.
func kaiser(x float64) float64 {
	if x < -1 || x > 1 {
		return 0
	}
	return bessel0(beta * math.Sqrt(1-x*x))
}

// bessel0 is the modified Bessel function of the first kind and order zero, by its power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
