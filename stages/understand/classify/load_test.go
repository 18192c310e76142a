package classify

import "testing"

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load("en"); err != nil {
			b.Fatal(err)
		}
	}
}
