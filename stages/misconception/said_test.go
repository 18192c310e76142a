package misconception

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// said is a sentence of testdata: one that makes a statement, by its id, or none.
type said struct{ ID, Locale, Text string }

// heardOf is how many in a hundred of the sentences in other words than ours are recognised.
const heardOf = 70

// RM-19: a misconception is heard in other words than those on the list.
func TestSaidInOtherWords(t *testing.T) {
	all := everything(t)
	list, heard := sentences(t, "said.jsonl"), make(map[string]int)
	total := make(map[string]int)
	for _, s := range list {
		total[s.Locale]++
		got := all.Hear(s.Text, s.Locale)
		if slices.ContainsFunc(got, func(h Heard) bool { return h.ID == s.ID }) {
			heard[s.Locale]++
		} else {
			t.Logf("%s: %q is not heard, got %s", s.ID, s.Text, ids(got))
		}
	}
	for locale, n := range total {
		t.Logf("%s: %d of %d heard", locale, heard[locale], n)
		if 100*heard[locale] < heardOf*n {
			t.Errorf("%s: %d of %d are heard, want %d %%", locale, heard[locale], n, heardOf)
		}
	}
}

// RM-3, RM-19: who is right, asks, denies or tells what others hold is never doubted.
func TestWhatIsTrueIsNotDoubted(t *testing.T) {
	all := everything(t)
	list := sentences(t, "true.jsonl")
	if len(list) < 150 {
		t.Errorf("%d true sentences", len(list))
	}
	for _, s := range list {
		if got := all.Hear(s.Text, s.Locale); len(got) > 0 {
			t.Errorf("%s: %q is taken for %s", s.Locale, s.Text, ids(got))
		}
	}
}

// RM-19: plain answers, written for other ends, are not doubted either.
func TestPlainAnswersAreNotDoubted(t *testing.T) {
	all := everything(t)
	n := 0
	check := func(text string) {
		n++
		if got := all.Hear(text, "en"); len(got) > 0 {
			t.Errorf("%q is taken for %s", text, ids(got))
		}
	}
	corpus := filepath.Join("..", "..", "pipeline", "turn", "turneval", "corpus")
	for _, file := range []string{"pauses.txt", "heldout/pauses.txt", "independent/pauses.txt", "independent/gaps.txt"} {
		for line := range strings.Lines(content(t, filepath.Join(corpus, filepath.FromSlash(file)))) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if _, rest, labelled := strings.Cut(line, "\t"); labelled {
				line = rest
			}
			check(strings.ReplaceAll(line, " | ", " "))
		}
	}
	for line := range strings.Lines(content(t, filepath.Join("..", "evaluate", "twostage", "testdata", "answers.jsonl"))) {
		var sample struct {
			Answer string `json:"answer"`
		}
		if err := json.Unmarshal([]byte(line), &sample); err != nil {
			t.Fatal(err)
		}
		check(sample.Answer)
	}
	if n < 500 {
		t.Errorf("only %d answers", n)
	}
}

func everything(t *testing.T) *Subject {
	t.Helper()
	s, err := Of(Subjects()...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sentences(t *testing.T, file string) []said {
	t.Helper()
	var out []said
	for line := range strings.Lines(content(t, filepath.Join("testdata", file))) {
		var s said
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%s: %v in %q", file, err, line)
		}
		out = append(out, s)
	}
	return out
}

func ids(list []Heard) string {
	var out []string
	for _, h := range list {
		out = append(out, h.ID)
	}
	return strings.Join(out, ", ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
