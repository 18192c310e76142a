package twostage_test

import (
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// FuzzParseRubric: a rubric that is taken has its pin and its weights; what is refused is no rubric at all.
func FuzzParseRubric(f *testing.F) {
	f.Add([]byte("id: x\nversion: 1\nweights: {construction: .nan, reasoning: .inf}\n"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("version: \"1\"\nid: x\nweights: {construction: -1, reasoning: 1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := twostage.ParseRubric(text)
		if err != nil {
			return
		}
		if again, err := twostage.ParseRubric(text); err != nil || again.Pin() != r.Pin() || r.Pin() == "" {
			t.Errorf("%s and %s, %v", r.Pin(), again.Pin(), err)
		}
	})
}
