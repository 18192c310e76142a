package mel

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// The transform is what its definition says, and of a sine one line.
func TestTransform(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	in := make([]complex128, Window)
	for i := range in {
		in[i] = complex(random.NormFloat64(), random.NormFloat64())
	}
	want := make([]complex128, Window)
	for k := range want {
		for i, v := range in {
			want[k] += v * cmplx.Rect(1, -2*math.Pi*float64(k*i%Window)/Window)
		}
	}
	got := make([]complex128, Window)
	newTransform().run(got, in)
	for k := range want {
		if cmplx.Abs(got[k]-want[k]) > 1e-9 {
			t.Fatalf("line %d: %v, want %v", k, got[k], want[k])
		}
	}
}
