// Package datafile reads a YAML file of Viva's own data and remembers where in it everything stands, so that all that is
// wrong with it can be reported at once, each problem with its line and column.
//
// A File belongs to one goroutine; nothing here keeps anything between files.
package datafile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxBytes bounds a file.
const MaxBytes = 1 << 20

// Finding is one thing wrong with a file.
type Finding struct {
	Line, Column int    // counted from 1; 0 = the file as a whole
	Path         string // such as facts.focus_skill[2]
	Text         string // what is wrong and what to do
}

// Error is everything that is wrong with one file.
type Error struct {
	File     string
	Findings []Finding
}

// Error lists the findings, one a line, in the order of the file.
func (e *Error) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.In(e.File)
	}
	return strings.Join(lines, "\n")
}

// In tells the finding with its place in the file: "file:line:column: path: text".
func (f Finding) In(file string) string {
	if f.Line > 0 {
		file = fmt.Sprintf("%s:%d:%d", file, f.Line, f.Column)
	}
	if f.Path != "" {
		file += ": " + f.Path
	}
	return file + ": " + f.Text
}

// File is one file, with what has been found wrong so far.
type File struct {
	name   string
	body   ast.Node // nil = there is nothing to read
	places Places
	found  []Finding

	anchors map[string]ast.Node // values that were given a name, as far as Decode has come
	filled  int                 // nodes that Decode has read
}

// Places are the line and the column of every path in a file, such as facts.focus_skill[2].
type Places map[string][2]int

// Find returns where a path stands, or its nearest parent that does; 0, 0 where none does.
func (p Places) Find(path string) (line, column int) {
	for at := path; ; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		if place, ok := p[at]; ok || at == "" {
			return place[0], place[1]
		}
	}
}

// Open parses the text. What is wrong with it shows in Err.
func Open(name string, text []byte) *File {
	f := &File{name: name, places: make(Places), anchors: make(map[string]ast.Node)}
	if len(text) > MaxBytes {
		f.Add("", "the file has %d bytes; at most %d are read", len(text), MaxBytes)
		return f
	}
	tree, err := parser.ParseBytes(text, 0)
	switch {
	case err != nil:
		f.syntax(err)
	case len(tree.Docs) > 1:
		f.Add("", "the file holds %d documents; exactly one belongs in it", len(tree.Docs))
	case len(tree.Docs) == 1 && tree.Docs[0].Body != nil && tree.Docs[0].Body.Type() != ast.NullType:
		f.body = tree.Docs[0].Body
	}
	return f
}

// Name returns the name the file was opened with.
func (f *File) Name() string { return f.name }

// Empty reports whether there is nothing in the file, so that Decode would find that wrong.
func (f *File) Empty() bool { return f.body == nil && len(f.found) == 0 }

// Add notes something wrong at a path such as facts.focus_skill[2], or at its nearest parent that stands in the file.
func (f *File) Add(path, format string, args ...any) {
	found := Finding{Path: path, Text: fmt.Sprintf(format, args...)}
	found.Line, found.Column = f.places.Find(path)
	f.found = append(f.found, found)
}

// Places returns where everything stands that was read; the caller must not change it.
func (f *File) Places() Places { return f.places }

// OneOf notes a word that is not among those there are; what says what it is a word for. It reports whether it is one.
func (f *File) OneOf(path, what, got string, known []string) bool {
	ok := slices.Contains(known, got)
	if !ok {
		f.Add(path, "%s", Unknown(what, got, known))
	}
	return ok
}

// Distinct notes what is there twice in a list; key is where an entry's name stands in it, such as ".id".
func (f *File) Distinct(path, key, what string, names []string) {
	for i, name := range names {
		if name != "" && slices.Index(names, name) < i {
			f.Add(fmt.Sprintf("%s[%d]%s", path, i, key), "%s %q is there twice", what, name)
		}
	}
}

// Names lists the names of what is in a list.
func Names[T any](list []T, name func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = name(&list[i])
	}
	return out
}

// Share notes a number that is no share of a whole.
func (f *File) Share(path string, v float64) {
	if !(v >= 0 && v <= 1) { // NaN is none either
		f.Add(path, "%v is no share between 0 and 1", v)
	}
}

// Findings returns what was found wrong so far, in the order of the file.
func (f *File) Findings() []Finding {
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
	})
	f.found = slices.Compact(f.found)
	return f.found
}

// Err returns an *Error with all findings in the order of the file, or nil.
func (f *File) Err() error {
	if len(f.found) == 0 {
		return nil
	}
	return &Error{File: f.name, Findings: f.Findings()}
}

// syntax notes why the file is not YAML. What the library shows of the text is left out: it may hold a secret.
func (f *File) syntax(err error) {
	const what = "this is not YAML: "
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		pos := at.GetToken().Position
		f.found = append(f.found, Finding{Line: pos.Line, Column: pos.Column, Text: what + firstLine(at.GetMessage())})
		return
	}
	f.Add("", "%s%s", what, firstLine(err.Error()))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
