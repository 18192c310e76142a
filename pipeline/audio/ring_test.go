package audio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A ring of any history behaves like a slice that is cut at its capacity.
func TestRingIsABoundedQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 17
		r := NewRing(capacity)
		var model []int16
		value := int16(0)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			n := rapid.IntRange(0, capacity+4).Draw(t, "n")
			switch rapid.SampledFrom([]string{"write", "read", "discard"}).Draw(t, "op") {
			case "write":
				src := make([]int16, n)
				for i := range src {
					value++
					src[i] = value
				}
				if got, want := r.Write(src), min(n, capacity-len(model)); got != want {
					t.Fatalf("wrote %d, want %d", got, want)
				} else {
					model = append(model, src[:want]...)
				}
			case "read":
				dst := make([]int16, n)
				got, want := dst[:r.Read(dst)], model[:min(n, len(model))]
				if len(got) != len(want) || len(got) > 0 && !cmp.Equal(got, want) {
					t.Fatalf("read %v, want %v", got, want)
				}
				model = model[len(got):]
			case "discard":
				model = model[r.Discard(n):]
			}
			if r.Len() != len(model) || r.Free() != capacity-len(model) {
				t.Fatalf("%d waiting and %d free, want %d waiting", r.Len(), r.Free(), len(model))
			}
		}
		if r.Reset(); r.Len() != 0 {
			t.Fatal("samples left after Reset")
		}
	})
}
