package problem

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

// MaxFile bounds a problem file in bytes.
const MaxFile = 256 << 10

// Finding is one thing wrong with a file.
type Finding struct {
	Line, Column int    // counted from 1; 0 = the file as a whole
	Path         string // such as hints.en[1]
	Text         string // what is wrong and what to do
}

// Error is everything that is wrong with one file.
type Error struct {
	File     string
	Findings []Finding
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "problem file %s:", e.File)
	for _, f := range e.Findings {
		b.WriteString("\n  ")
		if f.Line > 0 {
			fmt.Fprintf(&b, "%d:%d: ", f.Line, f.Column)
		}
		if f.Path != "" {
			b.WriteString(f.Path + ": ")
		}
		b.WriteString(f.Text)
	}
	return b.String()
}

// Parse decodes and checks one file. The error is an *Error that lists everything that is wrong.
func Parse(file string, text []byte) (*Problem, error) {
	f := &findings{places: make(map[string][2]int)}
	if len(text) > MaxFile {
		f.add("", "the file has %d bytes; at most %d are read", len(text), MaxFile)
		return nil, f.err(file)
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil || len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		f.decoding(err, "this is not a YAML document")
		return nil, f.err(file)
	}
	f.walk(tree.Docs[0].Body, "")
	var p Problem
	if err := yaml.UnmarshalWithOptions(text, &p, yaml.Strict()); err != nil {
		f.decoding(err, "")
		var unknown *yaml.UnknownFieldError
		if p = (Problem{}); !errors.As(err, &unknown) || yaml.Unmarshal(text, &p) != nil {
			return nil, f.err(file)
		}
	}
	f.check(&p, file)
	if err := f.err(file); err != nil {
		return nil, err
	}
	return &p, nil
}

// findings collects what is wrong and knows where in the file each path stands.
type findings struct {
	places map[string][2]int // line and column
	list   []Finding
}

// add notes something wrong at path, or at its nearest parent that stands in the file.
func (f *findings) add(path, format string, args ...any) {
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
	f.list = append(f.list, found)
}

// decoding notes an error of the YAML library.
func (f *findings) decoding(err error, otherwise string) {
	var at yaml.Error
	switch {
	case errors.As(err, &at) && at.GetToken() != nil:
		pos := at.GetToken().Position
		f.list = append(f.list, Finding{Line: pos.Line, Column: pos.Column, Text: at.GetMessage()})
	case err != nil:
		line, _, _ := strings.Cut(err.Error(), "\n")
		f.add("", "%s", line)
	default:
		f.add("", "%s", otherwise)
	}
}

func (f *findings) err(file string) error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
	})
	return &Error{File: file, Findings: f.list}
}

// walk notes where every path stands.
func (f *findings) walk(node ast.Node, path string) {
	if _, known := f.places[path]; !known {
		if pos := node.GetToken().Position; pos != nil {
			f.places[path] = [2]int{pos.Line, pos.Column}
		}
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

func (f *findings) pair(pair *ast.MappingValueNode, path string) {
	key := pair.Key.String()
	if path != "" {
		key = path + "." + key
	}
	if pos := pair.Key.GetToken().Position; pos != nil {
		f.places[key] = [2]int{pos.Line, pos.Column}
	}
	f.walk(pair.Value, key)
}
