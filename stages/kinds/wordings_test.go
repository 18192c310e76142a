package kinds_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// wordingBar is how many of the listed ways to say one thing have to be dealt with, in percent.
const wordingBar = 91

// RM-1, RM-6 … RM-15: of every class there are many ways to say it, and they are dealt with where they belong.
func TestWaysToSayOneThing(t *testing.T) {
	for _, locale := range []string{"en", "zh", "vi"} {
		text, err := os.ReadFile(filepath.Join("..", "understand", "testdata", "acts_"+locale+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var classes map[string][]string
		if err := yaml.Unmarshal(text, &classes); err != nil {
			t.Fatal(err)
		}
		all, good := 0, 0
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			n := 0
			for _, said := range classes[class] {
				e := offbeat{Text: said, Is: []string{class}}
				e.Interview, e.At = sayable(class, locale)
				if why := dealtWith(t, locale, e); why == "" {
					n++
				} else if testing.Verbose() {
					t.Logf("%s %q %s", locale, said, why)
				}
			}
			all, good = all+len(classes[class]), good+n
			t.Logf("%s %s: %d of %d", locale, class, n, len(classes[class]))
		}
		share := 100 * float64(good) / float64(all)
		t.Logf("%s: %d of %d, %.1f %%", locale, good, all, share)
		if share < wordingBar {
			t.Errorf("%s: %.1f %% are dealt with, want %d %%", locale, share, wordingBar)
		}
	}
}

// sayable is where somebody may say what is of a class.
func sayable(class, locale string) (kind, at string) {
	switch _, what, _ := strings.Cut(class, ":"); what {
	case "size", "negative", "empty", "duplicates", "order", "none_found", "memory", "index", "types", "example":
		if locale == "vi" {
			return "evaluation", "the problem was read (room_plan)"
		}
		return "algorithm_coach", "idea (gift_pair)"
	case "users", "scale", "reads_writes", "regions", "consistency", "scope", "latency", "go_to":
		return "system_design", "requirements gathering (short_links)"
	}
	return "persona_interview", "second question"
}
