package audio

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func eachPair(t *testing.T, test func(t *testing.T, from, to int)) {
	t.Helper()
	for _, from := range Rates() {
		for _, to := range Rates() {
			t.Run(fmt.Sprintf("%d to %d", from, to), func(t *testing.T) { test(t, from, to) })
		}
	}
}

func newResampler(t testing.TB, from, to int) *Resampler {
	t.Helper()
	r, err := NewResampler(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResamplerKeepsSines(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to int) {
		for _, hz := range []float64{100, 1000, 3000} {
			r := newResampler(t, from, to)
			got := r.Flush(r.Resample(nil, sine(from/2, from, hz, 20000)))
			want := sine(len(got), to, hz, 20000)
			edge := to / 50 // the sine starts and ends abruptly
			if snr := ratio(got[edge:len(got)-edge], want[edge:len(got)-edge]); snr < 60 {
				t.Errorf("%v Hz comes out with a signal-to-noise ratio of %.1f dB, want 60", hz, snr)
			}
		}
	})
}

// ratio is the level of want over that of the difference, in dB.
func ratio(got, want []int16) float64 {
	var signal, noise float64
	for i := range got {
		d := float64(got[i]) - float64(want[i])
		signal += float64(want[i]) * float64(want[i])
		noise += d * d
	}
	return 10 * math.Log10(signal/noise)
}

func TestResamplerRemovesWhatWouldAlias(t *testing.T) {
	for _, tt := range []struct{ from, to int }{{48000, 16000}, {44100, 16000}, {24000, 8000}, {48000, 24000}, {22050, 16000}} {
		r := newResampler(t, tt.from, tt.to)
		got := r.Flush(r.Resample(nil, sine(tt.from, tt.from, 0.6*float64(tt.to), 20000)))
		edge := tt.to / 50
		if level := Level(got[edge : len(got)-edge]); level > -70 {
			t.Errorf("%d to %d Hz lets %.1f dBFS of a tone above half the new rate through", tt.from, tt.to, level)
		}
	}
}

func TestResamplerLengthIsExactHoweverCut(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to int) {
		r := newResampler(t, from, to)
		src := sine(5003, from, 440, 10000)
		whole := r.Flush(r.Resample(nil, src))
		if want := (len(src)*to + from - 1) / from; len(whole) != want {
			t.Fatalf("%d samples, want %d", len(whole), want)
		}
		var pieces []int16
		for rest, n := src, 1; len(rest) > 0; n = n*7%613 + 1 {
			n = min(n, len(rest))
			before := len(pieces)
			pieces = r.Resample(pieces, rest[:n])
			if grown := len(pieces) - before; grown > r.Capacity(n) {
				t.Fatalf("%d samples out of %d, Capacity says %d", grown, n, r.Capacity(n))
			}
			rest = rest[n:]
		}
		if diff := cmp.Diff(whole, r.Flush(pieces)); diff != "" {
			t.Errorf("in one call and in pieces differ:\n%s", diff)
		}
	})
}

func TestResamplerDoesNotDrift(t *testing.T) {
	r := newResampler(t, 44100, 16000)
	src, dst := sine(441, 44100, 1000, 20000), make([]int16, 0, 256)
	total, last := 0, []int16(nil)
	const blocks = 1000000 / 441
	for range blocks {
		dst = r.Resample(dst[:0], src)
		total += len(dst)
		last = append(last[:0], dst...)
	}
	// 441 samples of 44.1 kHz are 160 of 16 kHz and ten periods of the sine, so that every block is the same.
	if want := blocks*160 - r.Delay()*160/441; total < want-1 || total > want+1 {
		t.Errorf("%d samples, want %d", total, want)
	}
	phase := total - len(last)
	want := sine(phase+len(last), 16000, 1000, 20000)[phase:]
	if snr := ratio(last, want); snr < 60 {
		t.Errorf("after a million samples the sine is off: %.1f dB", snr)
	}
}

func TestResamplerAllocatesNothing(t *testing.T) {
	r := newResampler(t, 22050, 16000)
	src := sine(441, 22050, 440, 10000)
	dst := make([]int16, 0, r.Capacity(len(src)))
	if allocs := testing.AllocsPerRun(100, func() { r.Resample(dst, src) }); allocs != 0 {
		t.Errorf("%v allocations per frame, want 0", allocs)
	}
}

func TestResamplerRefusesRates(t *testing.T) {
	for _, rates := range [][2]int{{11025, 16000}, {16000, 0}, {-8000, 8000}} {
		if _, err := NewResampler(rates[0], rates[1]); !errors.Is(err, ErrRate) {
			t.Errorf("%v: error %v, want ErrRate", rates, err)
		}
	}
}
