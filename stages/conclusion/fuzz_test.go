package conclusion

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FuzzRead: whatever is said, reading it ends soon, and what it yields stands in the text and is read again the same.
func FuzzRead(f *testing.F) {
	for _, x := range examples(f, "dev.jsonl") {
		f.Add(x.Text)
	}
	f.Add(strings.Repeat("(", 3000) + "n")
	f.Add(strings.Repeat("log ", 3000) + "n")
	f.Add(strings.Repeat("each element … once ", 200))
	f.Add("O(n^n^n^n) \xff\xfe ²²²")
	f.Fuzz(func(t *testing.T, text string) {
		began := time.Now()
		r := Read(text)
		if d := time.Since(began); d > time.Second+time.Duration(len(text))*100*time.Microsecond {
			t.Errorf("%d bytes took %v", len(text), d)
		}
		if again := Read(text); !reflect.DeepEqual(r, again) {
			t.Errorf("%q is read as %+v, then as %+v", text, r, again)
		}
		source, letters := norm.NFC.String(text), 0
		for _, c := range r.Claims {
			if letters += len(c.Form); source[c.From:c.To] != c.Quote {
				t.Errorf("%q does not stand at %d of %q", c.Quote, c.From, text)
			}
			if c.From < 0 || c.To <= c.From || c.Form == "" || c.Of != Time && c.Of != Space || utf8.ValidString(text) && !utf8.ValidString(c.Quote) {
				t.Errorf("%+v of %q", c, text)
			}
			if again, ok := Form(c.Form); len(c.Form) < 100 && (!ok || again != c.Form) {
				t.Errorf("%q is read as %q, %v", c.Form, again, ok)
			}
		}
		if letters > 20*len(text)+200 {
			t.Errorf("%d bytes make forms of %d", len(text), letters)
		}
	})
}

// FuzzForm: a form is its own form, and what is none does no harm.
func FuzzForm(f *testing.F) {
	for _, s := range []string{"O(n log n)", "2^n", "n!", "O(|V| + |E|)", "((((n", "n^2^2", "log log log n", "O(", "1", "n平方", "căn n", "O(n)!"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, ok := Form(text)
		if !ok {
			return
		}
		if len(form) > maxExpression*maxTerms {
			t.Errorf("%d bytes make a form of %d", len(text), len(form))
		}
		if len(form) > 100 {
			return
		}
		if again, ok := Form(form); !ok || again != form {
			t.Errorf("%q gives %q, which gives %q, %v", text, form, again, ok)
		}
		if !Same(form, form) {
			t.Errorf("%q is not itself", form)
		}
	})
}

// The work grows with the length of the text only.
func TestReadingIsLinear(t *testing.T) {
	for _, filler := range []string{
		"each element of the list of the list once and ", "o of n log n plus ", "n times n times ", "(((((((", "if i used two loops it would be n squared but ",
		"每个元素都看一遍然后", "not quadratic, ", "memory is constant and time is linear and ", "log log log ", "double the input and the input ", "you said ", "n squared ", "each ", "space ", "not n or n time and ", "每个", "O(n) ",
	} {
		cost := func(n int) time.Duration {
			text := strings.Repeat(filler, n/len(filler)+1)
			best := time.Hour
			for range 3 {
				began := time.Now()
				Read(text)
				best = min(best, time.Since(began))
			}
			return best
		}
		short, long := cost(4_000), cost(16_000)
		if long > 16*short+50*time.Millisecond { // linear is 4
			t.Errorf("%q: %v for 4 kB, %v for 16 kB", filler, short, long)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	const text = "so okay we keep a hash map from each value to its index and we go over the list one time for every number we look up whether " +
		"the difference is already in there so at first i would have said n squared but each lookup is constant so the time complexity is linear " +
		"and the space complexity is also O of n because of the map"
	if n := len(strings.Fields(text)); n < 60 {
		b.Fatalf("%d words", n)
	}
	Read(text)
	b.ReportAllocs()
	for b.Loop() {
		Read(text)
	}
}
