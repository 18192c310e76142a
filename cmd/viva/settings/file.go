package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A settings file is a page or two; more is a mistake in the path.
const maxFileBytes = 1 << 20

// fileReader collects the values of one settings file and what is wrong with it.
type fileReader struct {
	path     string
	known    map[string]Definition
	keys     []string
	values   map[string]found
	problems Problems
}

// readFile returns the values of the file by key. The error is for a file that cannot be read at all;
// whatever is wrong inside it comes as Problems, with line and column.
func readFile(path string, table []Definition) (map[string]found, Problems, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read settings file: %w", err)
	}
	r := &fileReader{path: path, known: make(map[string]Definition, len(table)), values: make(map[string]found)}
	for _, d := range table {
		r.known[d.Key] = d
		r.keys = append(r.keys, d.Key)
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, Problems{r.syntaxProblem(err)}, nil
	}
	r.documents(tree.Docs)
	return r.values, r.problems, nil
}

func readAll(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the path is what the person asked for
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d KiB, which no settings file is", path, maxFileBytes>>10)
	}
	return text, nil
}

// syntaxProblem does not show the source line: it may hold a secret.
func (r *fileReader) syntaxProblem(err error) Problem {
	problem := Problem{Key: r.path, Wrong: "is not valid YAML"}
	if syntax, ok := errors.AsType[yaml.Error](err); ok {
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			problem.From = fmt.Sprintf("line %d, column %d", t.Position.Line, t.Position.Column)
		}
		problem.Fix = firstLine(syntax.GetMessage())
	}
	return problem
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (r *fileReader) documents(docs []*ast.DocumentNode) {
	seen := false
	for _, doc := range docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType || doc.Body.Type() == ast.CommentType {
			continue
		}
		if seen {
			r.complain(doc.Body, r.path, "holds a second document", "keep one, without ---")
			return
		}
		seen = true
		r.section("", doc.Body)
	}
}

// section walks one level of the file; prefix is "" at the top, else the dotted path of the section.
func (r *fileReader) section(prefix string, node ast.Node) {
	for _, pair := range pairsOf(node) {
		key := prefix + pair.Key.String()
		switch {
		case len(pairsOf(pair.Value)) > 0:
			r.section(key+".", pair.Value)
		case r.isSection(key):
			r.emptySection(key, pair.Value)
		default:
			r.setting(key, pair)
		}
	}
	if prefix == "" && len(pairsOf(node)) == 0 {
		r.complain(node, r.path, "does not hold settings", "write them as name: value, such as agent_name: viva")
	}
}

func pairsOf(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func (r *fileReader) isSection(key string) bool {
	for _, known := range r.keys {
		if strings.HasPrefix(known, key+".") {
			return true
		}
	}
	return false
}

// emptySection allows a section whose settings are all commented out.
func (r *fileReader) emptySection(key string, value ast.Node) {
	if value.Type() != ast.NullType {
		r.complain(value, key, "is a section, not a setting", "write its settings below it, indented")
	}
}

func (r *fileReader) setting(key string, pair *ast.MappingValueNode) {
	if _, ok := r.known[key]; !ok {
		r.unknown(key, pair.Key)
		return
	}
	if pair.Value.Type() == ast.NullType {
		return // "key:" alone leaves the setting as it is
	}
	text, ok := scalar(pair.Value)
	if !ok {
		r.complain(pair.Value, key, "is not one plain value", "write a single text, number, true or false")
		return
	}
	line := pair.Key.GetToken().Position.Line
	r.values[key] = found{text: text, from: fmt.Sprintf("%s:%d", r.path, line), given: true}
}

func (r *fileReader) unknown(key string, node ast.Node) {
	fix := "see docs/settings.md for the settings there are"
	if suggestion := nearestKey(key, r.keys); suggestion != "" {
		fix = "did you mean " + suggestion + "?"
	}
	if now := removedKey(key); now != "" {
		r.complain(node, key, "is no setting any more", now)
		return
	}
	r.complain(node, key, "is not a setting", fix)
}

func (r *fileReader) complain(node ast.Node, key, wrong, fix string) {
	at := node.GetToken().Position
	from := fmt.Sprintf("%s:%d:%d", r.path, at.Line, at.Column)
	r.problems = append(r.problems, Problem{Key: key, From: from, Wrong: wrong, Fix: fix})
}

// scalar returns the text of a plain value, as it was written but without quotes.
func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}
