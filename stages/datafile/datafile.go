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
	good   bool              // it is YAML
	places map[string][2]int // line and column of every path
	found  []Finding
}

// Open parses the text. What is wrong with it shows in Err.
func Open(name string, text []byte) *File {
	f := &File{name: name, places: make(map[string][2]int)}
	if len(text) > MaxBytes {
		f.Add("", "the file has %d bytes; at most %d are read", len(text), MaxBytes)
		return f
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil || len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		f.decoding(err)
		return f
	}
	f.good, f.text = true, text
	f.walk(tree.Docs[0].Body, "")
	return f
}

// Name returns the name the file was opened with.
func (f *File) Name() string { return f.name }

// Decode reads the file into v, which must be a pointer to a struct with yaml tags. It reports false when there is
// nothing to check further; an unknown key is noted and left out.
func (f *File) Decode(v any) bool {
	if !f.good {
		return false
	}
	err := yaml.UnmarshalWithOptions(f.text, v, yaml.Strict())
	if err == nil {
		return true
	}
	f.decoding(err)
	var unknown *yaml.UnknownFieldError
	return errors.As(err, &unknown) && yaml.Unmarshal(f.text, v) == nil
}

// Add notes something wrong at a path such as facts.focus_skill[2], or at its nearest parent that stands in the file.
func (f *File) Add(path, format string, args ...any) {
	found := Finding{Path: path, Text: fmt.Sprintf(format, args...)}
	for at := path; ; {
		if place, ok := f.places[at]; ok {
			found.Line, found.Column = place[0], place[1]
			break
		}
		if at == "" {
			break
		}
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	f.found = append(f.found, found)
}

// Err returns an *Error with all findings in the order of the file, or nil.
func (f *File) Err() error {
	if len(f.found) == 0 {
		return nil
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
	})
	return &Error{File: f.name, Findings: slices.Compact(f.found)}
}

// decoding notes an error of the YAML library; nil means that there is no document.
func (f *File) decoding(err error) {
	var at yaml.Error
	switch {
	case errors.As(err, &at) && at.GetToken() != nil:
		pos := at.GetToken().Position
		f.found = append(f.found, Finding{Line: pos.Line, Column: pos.Column, Text: at.GetMessage()})
	case err != nil:
		line, _, _ := strings.Cut(err.Error(), "\n")
		f.Add("", "%s", line)
	default:
		f.Add("", "this is not a YAML document")
	}
}

// walk notes where every path stands.
func (f *File) walk(node ast.Node, path string) {
	if _, known := f.places[path]; !known && node.GetToken() != nil && node.GetToken().Position != nil {
		pos := node.GetToken().Position
		f.places[path] = [2]int{pos.Line, pos.Column}
	}
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
