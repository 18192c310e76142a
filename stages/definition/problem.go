package definition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Problem is one thing wrong with a definition file.
type Problem struct {
	Line, Column int    // counted from 1; 0 = the file as a whole
	Path         string // such as stages[1].limits.hard
	Text         string // what is wrong and what to do
}

// Error is every problem of one file.
type Error struct {
	File     string
	Problems []Problem
}

func (e *Error) Error() string {
	var b strings.Builder
	noun := "problems"
	if len(e.Problems) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "%s: %d %s", e.File, len(e.Problems), noun)
	for _, p := range e.Problems {
		b.WriteString("\n  ")
		if p.Line > 0 {
			fmt.Fprintf(&b, "%d:%d: ", p.Line, p.Column)
		}
		if p.Path != "" {
			fmt.Fprintf(&b, "%s: ", p.Path)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

type place struct{ line, column int }

// findings collects problems and knows where in the file each path stands.
type findings struct {
	places   map[string]place
	problems []Problem
	anchors  map[string]ast.Node // values that were given a name
	filled   int                 // nodes read so far
}

// maxNodes bounds what a file may hold: names that stand for names could make a small file huge.
const maxNodes = 50_000

func newFindings() *findings {
	return &findings{places: make(map[string]place), anchors: make(map[string]ast.Node)}
}

// add notes a problem at path, or at its nearest parent that stands in the file.
func (f *findings) add(path, format string, args ...any) {
	f.problems = append(f.problems, locate(f.places, path, fmt.Sprintf(format, args...)))
}

func locate(places map[string]place, path, text string) Problem {
	p := Problem{Path: path, Text: text}
	for at := path; ; at = parent(at) {
		if pl, ok := places[at]; ok {
			p.Line, p.Column = pl.line, pl.column
			break
		}
		if at == "" {
			break
		}
	}
	return p
}

// Problem makes one of something wrong at a path, such as stages[1].gate.by, for checks that look beyond the file.
func (d *Definition) Problem(path, format string, args ...any) Problem {
	return locate(d.places, path, fmt.Sprintf(format, args...))
}

func (f *findings) sorted() []Problem {
	slices.SortStableFunc(f.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.problems
}

func parent(path string) string {
	if i := strings.LastIndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// nearest returns the known word closest to got, or "" when none is close.
func nearest(got string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := distance(got, k); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			prev, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, prev+cost)
		}
	}
	return row[len(b)]
}
