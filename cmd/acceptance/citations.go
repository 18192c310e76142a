package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/vivavoice/viva/"

var (
	identifier = regexp.MustCompile(`^(R\d{3}-\d+|RX-\d+|RM-\d+)$`)
	citation   = regexp.MustCompile(`\b(R\d{3}-\d+|RX-\d+|RM-\d+)\b`)
	// inName is a citation as the name of a test holds it: TestR000_45, TestRX_9.
	inName = regexp.MustCompile(`(R\d{3}|RX|RM)_(\d+)`)
)

// test is one test function: the folder of its package below the module, and its name.
type test struct{ dir, name string }

// citations finds the requirements that each test of the tree cites: in its name, its comment or its body. What stands
// outside the functions of a file speaks for all of its tests.
func citations(root string) (map[string][]test, error) {
	out := make(map[string][]test)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "node_modules", "artifacts"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		return cite(path, filepath.ToSlash(dir), out)
	})
	if err != nil {
		return nil, fmt.Errorf("read the tests: %w", err)
	}
	for id := range out {
		slices.SortFunc(out[id], func(a, b test) int { return strings.Compare(a.dir+"."+a.name, b.dir+"."+b.name) })
		out[id] = slices.Compact(out[id])
	}
	return out, nil
}

func cite(path, dir string, out map[string][]test) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	var all []test // the tests of the file
	spans := make(map[test][2]token.Pos)
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !isTest(fn.Name.Name) {
			continue
		}
		t, from := test{dir, fn.Name.Name}, fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		all, spans[t] = append(all, t), [2]token.Pos{from, fn.End()}
		for _, m := range inName.FindAllStringSubmatch(fn.Name.Name, -1) {
			out[m[1]+"-"+m[2]] = append(out[m[1]+"-"+m[2]], t)
		}
	}
	note := func(pos token.Pos, text string) {
		for _, id := range citation.FindAllString(text, -1) {
			out[id] = append(out[id], speakers(pos, all, spans)...)
		}
	}
	for _, group := range file.Comments {
		note(group.Pos(), group.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			note(lit.Pos(), lit.Value)
		}
		return true
	})
	return nil
}

// speakers are the tests that a place in a file belongs to: the one around it, or all.
func speakers(pos token.Pos, all []test, spans map[test][2]token.Pos) []test {
	for _, t := range all {
		if span := spans[t]; span[0] <= pos && pos <= span[1] {
			return []test{t}
		}
	}
	return all
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}
