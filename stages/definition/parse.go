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
	f := &findings{places: make(map[string]place)}
	if len(text) > MaxFile {
		f.add("", "the file has %d bytes; at most %d are read", len(text), MaxFile)
		return nil, f.err(file)
	}
	body := f.body(text)
	if body == nil {
		return nil, f.err(file)
	}
	var d Definition
	f.fill(body, reflect.ValueOf(&d).Elem(), "")
	f.check(&d)
	if err := f.err(file); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	d.hash = hex.EncodeToString(sum[:8])
	return &d, nil
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
