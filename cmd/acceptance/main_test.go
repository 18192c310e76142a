package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sources = `package a

// R000-3: around the function.
func TestOne(t *testing.T) {
	// R000-4 inside.
	_ = "R000-5: in a table"
}

func TestR000_6(t *testing.T) {}
`

func TestTable(t *testing.T) {
	pass := `{"Action":"pass","Package":"github.com/vivavoice/viva/a","Test":"TestOne"}` + "\n" +
		`{"Action":"pass","Package":"github.com/vivavoice/viva/a","Test":"TestR000_6"}` + "\n"
	for name, c := range map[string]struct{ list, results, want, fails string }{
		"all pass":       {"R000-3 a\nR000-4 b\nR000-5 c\nR000-6 d\n", pass, "| R000-5 | c | a.TestOne | pass |", ""},
		"a failure":      {"R000-3 a\n", strings.Replace(pass, "pass", "fail", 1), "| FAIL |", "R000-3 FAIL"},
		"uncited":        {"R000-9 z\n", pass, "| no test |", "R000-9 no test"},
		"not run":        {"R000-6 d\n", pass[:strings.Index(pass, "\n")+1], "| not run |", "R000-6 not run"},
		"no results":     {"R000-3 a\n", "ok  a\n", "", "go test -json"},
		"nothing listed": {"# nothing\n", pass, "", "names no requirement"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "list.txt"), c.list)
			write(t, filepath.Join(root, "a", "a_test.go"), sources)
			var out strings.Builder
			err := run(strings.NewReader(c.results), &out, filepath.Join(root, "list.txt"), root)
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("got %s, want it to hold %s", out.String(), c.want)
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("error %v, want %q", err, c.fails)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
