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
		at := e.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d", at, f.Line, f.Column)
		}
		if f.Path != "" {
			at += ": " + f.Path
		}
		lines[i] = at + ": " + f.Text
	}
	return strings.Join(lines, "\n")
}

// File is one file, with what has been found wrong so far.
type File struct {
	name   string
	text   []byte
	body   ast.Node // nil = it is not YAML
	places Places
	found  []Finding

	anchors map[string]ast.Node // values that were given a name, as far as Fill has come
	filled  int                 // nodes that Fill has read
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
		f.decoding("this is not YAML: ", err)
		return f
	case len(tree.Docs) > 1:
		f.Add("", "the file holds %d documents; exactly one belongs in it", len(tree.Docs))
		return f
	case len(tree.Docs) == 0 || tree.Docs[0].Body == nil:
		f.Add("", "this is not a YAML document: there is nothing in it")
		return f
	}
	f.body, f.text = tree.Docs[0].Body, text
	f.walk(f.body, "")
	return f
}

// Name returns the name the file was opened with.
func (f *File) Name() string { return f.name }

// Decode reads the file into v, which must be a pointer to a struct with yaml tags. It reports false when there is
// nothing to check further; an unknown key is noted and left out.
func (f *File) Decode(v any) bool {
	if f.body == nil {
		return false
	}
	err := yaml.UnmarshalWithOptions(f.text, v, yaml.Strict())
	if err == nil {
		return true
	}
	f.decoding("", err)
	var unknown *yaml.UnknownFieldError
	return errors.As(err, &unknown) && yaml.Unmarshal(f.text, v) == nil
}

// Add notes something wrong at a path such as facts.focus_skill[2], or at its nearest parent that stands in the file.
func (f *File) Add(path, format string, args ...any) {
	found := Finding{Path: path, Text: fmt.Sprintf(format, args...)}
	found.Line, found.Column = f.places.Find(path)
	f.found = append(f.found, found)
}

// Places returns where everything stands that was read; the caller must not change it.
func (f *File) Places() Places { return f.places }

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

// decoding notes an error of the YAML library.
func (f *File) decoding(what string, err error) {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		pos := at.GetToken().Position
		f.found = append(f.found, Finding{Line: pos.Line, Column: pos.Column, Text: what + at.GetMessage()})
		return
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	f.Add("", "%s%s", what, line)
}

// walk notes where every path stands.
func (f *File) walk(node ast.Node, path string) {
	f.place(node, path)
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			f.pair(pair, path)
		}
	case *ast.MappingValueNode:
		f.pair(n, path)
	case *ast.SequenceNode:
		for i, item := range n.Values {
			f.walk(item, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

func (f *File) pair(pair *ast.MappingValueNode, path string) {
	key := pair.Key.String()
	if path != "" {
		key = path + "." + key
	}
	if pos := pair.Key.GetToken().Position; pos != nil {
		f.places[key] = [2]int{pos.Line, pos.Column}
	}
	f.walk(pair.Value, key)
}
