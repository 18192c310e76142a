package docs_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	listed   = regexp.MustCompile(`^(R\d{3}-\d+|RX-\d+|RM-\d+)\s+\S`)
	cited    = regexp.MustCompile(`\b(R\d{3}-\d+|RX-\d+|RM-\d+)\b`)
	interval = regexp.MustCompile(`\bR\d{3}-\d+\s*(…|\.\.\.?|–|-|to|through)\s*R\d{3}-\d+`)
	secret   = regexp.MustCompile(`(Getenv|LookupEnv)\("[A-Z_]*(KEY|SECRET|TOKEN|PASSWORD)[A-Z_]*"\)`)
)

// requirements reads the ids of acceptance.txt in order.
func requirements(t *testing.T) []string {
	t.Helper()
	f, err := os.Open("acceptance.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	var ids []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		switch m := listed.FindStringSubmatch(line); {
		case m != nil:
			ids = append(ids, m[1])
		case line != "" && !strings.HasPrefix(line, "#"):
			t.Errorf("this line has no number: %q", line)
		}
	}
	return ids
}

// ignored reads from .gitignore which folders at the top are no part of the house: what make puts there, and what the program
// keeps there when it runs.
func ignored(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for line := range strings.Lines(string(text)) {
		if name, rooted := strings.CutPrefix(strings.TrimSpace(line), "/"); rooted && strings.HasSuffix(name, "/") {
			folders = append(folders, strings.TrimSuffix(name, "/"))
		}
	}
	return folders
}

// eachTest calls do with every test file of the repository but this one.
func eachTest(t *testing.T, do func(path, text string)) {
	t.Helper()
	skipped := append(ignored(t), ".git", "node_modules")
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go") || path == filepath.Join("..", "docs", "acceptance_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		do(path, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// seeds are the groups of requirements in the order of the list, and how many each has.
var seeds = []struct {
	name string
	size int
}{{"R001", 89}, {"RX", 20}, {"R000", 90}, {"R003", 100}, {"R002", 65}, {"R004", 66}, {"RM", 31}}

// superseded are those that prescribe how something is done that a later requirement has done otherwise: by which, and why. They
// stay in the list, and no test has to cite them.
var superseded = map[string]struct{ by, why string }{
	"R003-79": {"RM-26", "a model that fails is not waited for: the rules go on within the same turn"},
	"R001-4":  {"RM-24", "a part is handed over by what the reading says was done, not by a tool call"},
	"R000-32": {"RM-23", "the model that leads is told what counts and what was reached, and decides what comes next"},
	"R000-33": {"RM-25", "there is no evaluation tool: the reading says what is covered, and the guard holds it"},
	"R000-34": {"RM-25", "there is no evaluation tool: the reading says what is covered"},
	"R000-41": {"RM-25", "there is no evaluation tool: the reading says what is covered"},
	"R000-48": {"RM-24", "no tool has a result: the next brief shows which parts are done and which is on"},
	"R002-21": {"RM-23", "the model that leads asks in its one call, from the brief; skills and topics serve the bank"},
	"R002-23": {"RM-23", "a question is part of the words of the model that leads, not a call of its own"},
}

// What stands above a requirement is one that is listed, and held itself.
func TestSupersededByWhatIsHeld(t *testing.T) {
	ids := requirements(t)
	for id, s := range superseded {
		if _, too := superseded[s.by]; too || !slices.Contains(ids, id) || !slices.Contains(ids, s.by) || !strings.HasPrefix(s.by, "RM-") || s.why == "" {
			t.Errorf("%s: %+v", id, s)
		}
	}
}

func TestTheListIsWhole(t *testing.T) {
	var want []string
	for _, seed := range seeds {
		for n := 1; n <= seed.size; n++ {
			want = append(want, fmt.Sprintf("%s-%d", seed.name, n))
		}
	}
	if diff := cmp.Diff(want, requirements(t)); diff != "" {
		t.Error(diff)
	}
}

// Every requirement has a test that cites it, one by one: a range of numbers does not say which of them is tested.
func TestEveryRequirementIsTested(t *testing.T) {
	ids := requirements(t)
	tests := make(map[string]int)
	eachTest(t, func(path, text string) {
		for _, id := range cited.FindAllString(text, -1) {
			tests[id]++
			if !slices.Contains(ids, id) {
				t.Errorf("%s cites %s, which is not in acceptance.txt", path, id)
			}
		}
		if found := interval.FindString(text); found != "" {
			t.Errorf("%s cites a range, %q: name each number", path, found)
		}
	})
	tests["RX-2"]++ // TestTopLevelFolders, below
	held := func(id string) bool {
		_, otherwise := superseded[id]
		return otherwise || tests[id] > 0
	}
	if none := slices.DeleteFunc(slices.Clone(ids), held); len(none) > 0 {
		t.Errorf("no test cites %d of %d requirements: %s", len(none), len(ids), strings.Join(none, ", "))
	}
}

// RX-2: the house has these rooms and no others; documents, and what git ignores, are no part of it. So `make test` passes after
// `make run`, which keeps its interviews in viva-data.
func TestTopLevelFolders(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	others := append(ignored(t), "docs")
	if !slices.Contains(others, "viva-data") {
		t.Errorf("git would take in what make run keeps: .gitignore has only %q", others)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(others, e.Name()) {
			folders = append(folders, e.Name())
		}
	}
	if diff := cmp.Diff([]string{"agent", "cmd", "deploy", "pipeline", "prompts", "stages", "state"}, folders); diff != "" {
		t.Error(diff)
	}
}

// RX-11: no test looks for a key.
func TestNoTestNeedsAKey(t *testing.T) {
	eachTest(t, func(path, text string) {
		if found := secret.FindString(text); found != "" {
			t.Errorf("%s reads %s", path, found)
		}
	})
}
