package classify

import (
	"reflect"
	"testing"
)

// The words of a language are read in one order, whatever that of a map is: a turn is understood the same way in every process.
func TestWordsAreReadInOneOrder(t *testing.T) {
	for _, name := range []string{"en", "zh", "vi"} {
		first, err := readLanguage(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if again, err := readLanguage(name); err != nil || !reflect.DeepEqual(again, first) {
				t.Fatalf("%s is not read twice the same way (%v)", name, err)
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load("en", "en"); err != nil {
			b.Fatal(err)
		}
	}
}
