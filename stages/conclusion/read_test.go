package conclusion

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// example is a line of testdata: what somebody says, and what a careful reader takes as the final claim; "" = none.
type example struct{ Locale, Text, Time, Space string }

func examples(t testing.TB, name string) []example {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []example
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var x example
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, x)
	}
	return out
}

// claimed returns the form of a claim, "" for none.
func claimed(c *Claim) string {
	if c == nil {
		return ""
	}
	return c.Form
}

// agrees reports whether a claim is the expected one.
func agrees(t testing.TB, want string, got *Claim) bool {
	t.Helper()
	if want == "" || got == nil {
		return want == claimed(got)
	}
	form, ok := Form(want)
	if !ok {
		t.Fatalf("%q is no form", want)
	}
	return Same(form, got.Form)
}

// RM-19, RM-30: what people say, as the author of the grammar wrote it down.
func TestConclusionsAsSaid(t *testing.T) {
	list := append(examples(t, "dev.jsonl"), examples(t, "dev2.jsonl")...)
	list = append(list, examples(t, "dev3.jsonl")...)
	list = append(list, examples(t, "dev4.jsonl")...)
	if len(list) < 120 {
		t.Fatalf("only %d examples", len(list))
	}
	for _, x := range list {
		r := Read(x.Text)
		if !agrees(t, x.Time, r.Time) || !agrees(t, x.Space, r.Space) {
			t.Errorf("%s %q: time %q, space %q; want %q, %q", x.Locale, x.Text, claimed(r.Time), claimed(r.Space), x.Time, x.Space)
		}
	}
}
