package problem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/problem"
)

// FuzzParse: a file is a problem or an error that says where; never both, and never neither.
func FuzzParse(f *testing.F) {
	f.Add([]byte("id: x\ntitle: {en: T}\ntext: {en: A}\ndifficulty: easy\n"))
	f.Add([]byte("a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n"))
	f.Add([]byte("a: &a {<<: *a}\n"))
	f.Add([]byte("? [a]\n: b\n- c"))
	f.Add([]byte("id: !!binary \x00\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := problem.Parse("f.yaml", text)
		var found *datafile.Error
		if (p == nil) == (err == nil) || err != nil && !errors.As(err, &found) {
			t.Fatalf("%v, %v", p, err)
		}
		if err != nil && !strings.Contains(err.Error(), "f.yaml") {
			t.Errorf("the file is not named: %v", err)
		}
	})
}
