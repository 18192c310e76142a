package problem

import "testing"

// RM-3, RM-19: a statement is what is held to be so: not what is denied, even in the middle, asked, supposed, or held by others.
func TestStatements(t *testing.T) {
	l := Listen([]Statement{{ID: "linear", Plain: map[string][]string{
		"en": {"sorting … linear", "down by 300_percent"}, "zh": {"排序 … 线性"}, "vi": {"sắp_xếp … tuyến_tính"},
	}}})
	for _, test := range []struct {
		text, locale string
		made         bool
	}{
		{"Sorting is linear.", "en", true},
		{"We start there, and sorting would be linear, right?", "en", true},
		{"It is down by 300%.", "en", true},
		{"It is down by 300.", "en", false},
		{"Sorting is not linear.", "en", false},
		{"Is sorting linear?", "en", false},
		{"is sorting linear", "en", false},
		{"If sorting were linear we would be done.", "en", false},
		{"Sorting is linear only if the values are small.", "en", false},
		{"People say that sorting is linear.", "en", false},
		{"Sorting comes first, the rest is short, and linear.", "en", false},
		{"排序是线性的。", "zh", true},
		{"排序不是线性的。", "zh", false},
		{"有人说排序是线性的。", "zh", false},
		{"Sắp xếp là tuyến tính.", "vi", true},
		{"Nhiều người nghĩ sắp xếp là tuyến tính.", "vi", false},
	} {
		if got := len(l.Hear(test.text, test.locale)) > 0; got != test.made {
			t.Errorf("%q: made %v, want %v", test.text, got, test.made)
		}
	}
}
