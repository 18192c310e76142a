package understand

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// RM-20, RM-27: how many of what somebody speaks of, and whether of all of them.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		locale, text string
		want         []Count
	}{
		{"en", "It's in forty shops now.", []Count{{40, "shop", false, "forty shops", 0}}},
		{"en", "the fourteen shops call me directly now", []Count{{14, "shop", true, "fourteen shops", 0}}},
		{"en", "all twenty-one small lighthouses, and 1,200 readings", []Count{{21, "lighthouse", true, "twenty-one small lighthouses", 0}, {1200, "reading", false, "1,200 readings", 0}}},
		{"en", "we were three hundred and it took six hours, five times, at ninety percent", nil},
		{"en", "two versions, three. Cats came", nil},
		{"en", "one hundred twenty people", []Count{{120, "people", false, "one hundred twenty people", 0}}},
		{"en", "For two thousand pages I need eleven readers. So thirty readers for two thousand, then.", []Count{{2000, "page", false, "two thousand pages", 0}, {11, "reader", false, "eleven readers", 2000}, {30, "reader", false, "thirty readers", 2000}}},
		{"zh", "现在四十家店在用，那十四家店会直接打给我", []Count{{40, "家店", false, "四十家店在", 0}, {14, "家店", true, "十四家店会", 0}}},
		{"zh", "花了三个月，三个小时，十二个点", nil},
		{"vi", "bốn mươi cửa hàng dùng rồi, mười bốn cửa hàng đó gọi em", []Count{{40, "cửa", false, "bốn mươi cửa hàng", 0}, {14, "cửa", true, "mười bốn cửa hàng", 0}}},
		{"vi", "mất ba tháng, năm lần", nil},
		{"fr", "une boutique", nil},
		{"en", "", nil},
	} {
		if diff := cmp.Diff(test.want, Counts(test.text, test.locale)); diff != "" && (len(test.want) > 0 || len(Counts(test.text, test.locale)) > 0) {
			t.Errorf("%s %q: %s", test.locale, test.text, diff)
		}
	}
}

func FuzzCounts(f *testing.F) {
	f.Add("the fourteen shops, two hundred thousand one million badges 99999999999999999999 bolts")
	f.Add("那一百万万万个店铺")
	f.Add("hai mươi trăm mươi cái bàn đó")
	f.Fuzz(func(_ *testing.T, text string) {
		for _, locale := range []string{"en", "zh", "vi"} {
			Counts(text, locale)
		}
	})
}
