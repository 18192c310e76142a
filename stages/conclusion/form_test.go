package conclusion

import "testing"

// R004-23, R004-66: one form for each way to write a growth.
func TestForms(t *testing.T) {
	for want, values := range map[string][]string{
		"n log n": {"O(n log n)", "n log n", "O(n·log(n))", "Θ(N lg N)", "O of n log n", "big O of n times log n", "3n log n + 2n", "linearithmic", "nlogn", "n乘以log n"},
		"n^2":     {"O(n²)", "n^2", "n squared", "O(n*n)", "quadratic time", "O(n^2 + n log n)", "n 平方", "n**2", "n bình phương", "n mũ hai"},
		"e + v":   {"O(V+E)", "O(|V| + |E|)", "e plus v", "O(E + V)", "the number of vertices plus the number of edges"},
		"2^(n)":   {"O(2^n)", "exponential", "two to the n", "2 to the power of n", "2的n次方", "hai mũ n"},
		"m n":     {"O(mn)", "O(n*m)", "m times n", "rows times columns", "行数乘以列数"},
		"log n":   {"O(log n)", "O(log n^2)", "logarithmic", "log base two of n"},
		"(n)!":    {"O(n!)", "n factorial", "n的阶乘", "n giai thừa"},
		"n^0.5":   {"sqrt n", "the square root of n", "根号n", "căn n", "O(√n)"},
		"1":       {"O(1)", "1", "constant", "O(5)", "hằng số", "常数级"},
		"n":       {"time O(n), space O(1)", "linear time", "O(n) time", "the time complexity is O(n)", "2n", "n + 1", "n minus one"},
	} {
		for _, v := range values {
			if got, ok := Form(v); got != want || !ok {
				t.Errorf("Form(%q) = %q, %v, want %q", v, got, ok, want)
			}
		}
	}
	for _, v := range []string{"", "5", "hash map", "O(n) +", "it is linear because of the map", "n and m", "O()", "log", "linear search", "+ n"} {
		if got, ok := Form(v); ok {
			t.Errorf("Form(%q) = %q", v, got)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"n", "n", true}, {"n", "k", false}, {"m n", "k n", true}, {"m + n", "e + v", true}, {"n log k", "m log n", true}, {"n log n", "n log k", false},
		{"m n", "m + n", false}, {"n^2", "m n", false},
	} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

// The words of all languages are sound: each form is in its one form.
func TestWords(t *testing.T) {
	l, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range l.forms.first {
		for _, p := range list {
			if v := p.entry.value; v != none {
				if form, ok := Form(v); !ok || form != v {
					t.Errorf("%s: %q, its form is %q", p.entry.kind, v, form)
				}
			}
		}
	}
}
