package phrase

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "count the words of ordinary talk anew, into words")

type sentence struct {
	Say   string   `yaml:"say"`
	About []string `yaml:"about"`
}

func sentences(t *testing.T) map[string][]sentence {
	t.Helper()
	text, err := os.ReadFile("testdata/pieces.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string][]sentence
	if err := yaml.UnmarshalWithOptions(text, &out, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return out
}

// RM-18: the talk refers to what was told. At least so many of the answers get a piece that holds what they are about, and nothing is
// said back of the others.
func TestPickTakesWhatIsParticular(t *testing.T) {
	least := map[string]int{"en": 30, "zh": 18, "vi": 16}
	for locale, list := range sentences(t) {
		r, well := For(locale), 0
		for _, s := range list {
			got := r.Pick(s.Say, Past{})
			held := slices.ContainsFunc(s.About, func(w string) bool { return strings.Contains(strings.ToLower(got), strings.ToLower(w)) })
			switch {
			case len(s.About) == 0 && got == "", len(s.About) > 0 && held:
				well++
				t.Logf("%s  ok %q  of %q", locale, got, s.Say)
			default:
				t.Logf("%s  -- %q  of %q", locale, got, s.Say)
			}
			checkPiece(t, r, s.Say, got)
			if len(s.About) == 0 && got != "" {
				t.Errorf("%s: %q is said back of %q, of which nothing should be", locale, got, s.Say)
			}
		}
		if t.Logf("%s: %d of %d come out well", locale, well, len(list)); well < least[locale] {
			t.Errorf("%s: %d of %d come out well, want at least %d", locale, well, len(list), least[locale])
		}
	}
}

// checkPiece holds a piece to its form: word for word, of a bounded length, no filler in it.
func checkPiece(t *testing.T, r *Rules, said, piece string) {
	t.Helper()
	if piece == "" {
		return
	}
	tokens := r.tokens(piece)
	if !strings.Contains(said, piece) || len(tokens) < r.shortest || len(tokens) > r.longest {
		t.Errorf("%q of %q is not a piece of %d to %d words", piece, said, r.shortest, r.longest)
	}
	for i := range tokens {
		if tokens[i].is(banned) {
			t.Errorf("%q of %q holds %q", piece, said, tokens[i].word)
		}
	}
}

// TestCounts counts the words of what candidates say in the examples, and of the corpus of turns.
func TestCounts(t *testing.T) {
	if !*update {
		t.Skip("run with -update after the examples have changed")
	}
	for _, locale := range locales {
		counts := map[string]int{}
		files, _ := filepath.Glob("../../pipeline/turn/turneval/corpus/*/*.txt")
		more, _ := filepath.Glob("../../pipeline/turn/turneval/corpus/*.txt")
		if files = append(files, more...); locale != "en" {
			files = nil
		}
		for _, f := range append(files, "../understand/examples/"+locale+".yaml") {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			r := &Rules{wide: locale == "zh"}
			for _, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "\"") {
					continue
				}
				for _, w := range r.cut(line) {
					counts[w.word]++
				}
			}
		}
		writeCounts(t, locale, counts)
	}
}

func writeCounts(t *testing.T, locale string, counts map[string]int) {
	t.Helper()
	byCount := map[int][]string{}
	for w, n := range counts {
		if n > 1 {
			byCount[n] = append(byCount[n], w)
		}
	}
	var b strings.Builder
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byCount))) {
		slices.Sort(byCount[n])
		fmt.Fprintf(&b, "%d %s\n", n, strings.Join(byCount[n], " "))
	}
	if err := os.WriteFile("words/"+locale+".txt", []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
