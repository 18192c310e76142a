package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxFile bounds a definition file in bytes.
const MaxFile = 1 << 20

// Parse decodes and checks one definition. The error is an *Error that lists every problem of the file.
func Parse(file string, text []byte) (*Definition, error) {
	d, problems := Read(text)
	if len(problems) > 0 {
		return nil, &Error{File: file, Problems: problems}
	}
	return d, nil
}

// Read is Parse for those who want to look further: it returns the definition as far as it can be read, never nil, with
// all its problems in the order of the file.
func Read(text []byte) (*Definition, []Problem) {
	f, d := newFindings(), new(Definition)
	f.read(text, d)
	d.places = f.places
	return d, f.sorted()
}

func (f *findings) read(text []byte, d *Definition) {
	if len(text) > MaxFile {
		f.add("", "the file has %d bytes; at most %d are read", len(text), MaxFile)
		return
	}
	sum := sha256.Sum256(text)
	d.hash = hex.EncodeToString(sum[:8])
	body := f.body(text)
	if body == nil {
		return
	}
	f.fill(body, reflect.ValueOf(d).Elem(), "")
	if f.filled > maxNodes {
		f.add("", "the file holds more than %d values: do not nest names in names", maxNodes)
	}
	d.flatten()
	f.check(d)
}

func (f *findings) body(text []byte) ast.Node {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			f.places[""] = place{syntax.Token.Position.Line, syntax.Token.Position.Column}
			f.add("", "this is not YAML: %s", syntax.Message)
			return nil
		}
		f.add("", "this is not YAML: %s", firstLine(err))
		return nil
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		f.add("", "the file holds %d documents; exactly one belongs in it", len(tree.Docs))
		return nil
	}
	return tree.Docs[0].Body
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// LoadAll parses every *.yaml of the file systems, later ones replacing earlier ones of the same kind. The error
// joins the problems of all files; definitions without problems are returned all the same.
func LoadAll(from ...fs.FS) (map[string]*Definition, error) {
	defs := make(map[string]*Definition)
	var problems []error
	for _, fsys := range from {
		names, err := fs.Glob(fsys, "*.yaml")
		if err != nil {
			return nil, fmt.Errorf("list definitions: %w", err)
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				problems = append(problems, fmt.Errorf("read %s: %w", name, err))
				continue
			}
			d, err := Parse(path.Base(name), text)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			defs[d.Kind] = d
		}
	}
	return defs, errors.Join(problems...)
}
