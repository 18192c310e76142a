// Command acceptance shows which test holds which requirement of docs/acceptance.txt, and whether it passes. It reads the
// sources of the tests and, on standard input, what `go test -json` says; `make acceptance` joins the two.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Stdin, os.Stdout, "docs/acceptance.txt", "."); err != nil {
		fmt.Fprintf(os.Stderr, "acceptance: %v\n", err)
		os.Exit(1)
	}
}

// run writes the table. It fails for a requirement that no test cites, and for one of whose tests one failed or never ran.
func run(results io.Reader, out io.Writer, list, root string) error {
	requirements, err := read(list)
	if err != nil {
		return err
	}
	tests, err := citations(root)
	if err != nil {
		return err
	}
	outcome, err := outcomes(results)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	_, _ = fmt.Fprint(w, "| id | requirement | held by | result |\n|---|---|---|---|\n") // Flush reports what fails here
	var bad []string
	for _, r := range requirements {
		result := verdict(tests[r.id], outcome)
		if result != passed {
			bad = append(bad, r.id+" "+result)
		}
		_, _ = fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.id, strings.ReplaceAll(r.text, "|", "\\|"), names(tests[r.id]), result)
	}
	_, _ = fmt.Fprintf(w, "\n%d requirements, %d of them held by passing tests.\n", len(requirements), len(requirements)-len(bad))
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d requirements are not held: %s", len(bad), strings.Join(bad, ", "))
	}
	return nil
}

// The results of a requirement.
const (
	passed  = "pass"
	failed  = "FAIL"
	missing = "no test"
	notRun  = "not run"
)

// verdict joins the outcomes of a requirement's tests: one that failed spoils it, and one at least must have passed.
func verdict(tests []test, outcome map[test]string) string {
	if len(tests) == 0 {
		return missing
	}
	result := notRun
	for _, t := range tests {
		switch outcome[t] {
		case "fail":
			return failed
		case "pass":
			result = passed
		}
	}
	return result
}

// shown is how many tests of a requirement are named in the table.
const shown = 4

func names(tests []test) string {
	var out []string
	for i, t := range tests {
		if i == shown {
			out = append(out, fmt.Sprintf("and %d more", len(tests)-shown))
			break
		}
		out = append(out, t.dir+"."+t.name)
	}
	return strings.Join(out, ", ")
}

type requirement struct{ id, text string }

func read(path string) ([]requirement, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the path is that of a file of this repository
	if err != nil {
		return nil, fmt.Errorf("read the requirements: %w", err)
	}
	var out []requirement
	for line := range strings.Lines(string(text)) {
		if id, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && identifier.MatchString(id) {
			out = append(out, requirement{id, strings.TrimSpace(rest)})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s names no requirement", path)
	}
	return out, nil
}

// outcomes reads the last result of every test from the output of go test -json. Lines of anything else are passed over.
func outcomes(r io.Reader) (map[test]string, error) {
	out := make(map[test]string)
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 8<<20)
	for sc.Scan() {
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil || e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			out[test{dir: strings.TrimPrefix(e.Package, module), name: e.Test}] = e.Action
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read the results: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("there are no results: pipe the output of go test -json into this command")
	}
	return out, nil
}
