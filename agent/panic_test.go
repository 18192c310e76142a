package agent

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// guardedFolders hold the goroutines of an interview; folders below them are looked at, too.
var guardedFolders = []string{".", "../pipeline"}

// otherFolders are below those, and hold none: programs and services of their own.
var otherFolders = []string{"candidate", "assessment/webhook", "devserver", "e2e", "eval", "evaluator", "web", "worker", "../pipeline/guard", "../pipeline/openai/openaitest", "../pipeline/stt/socket/sockettest"}

// unguarded are the places that may start what they start, by file and function, each with the reason.
var unguarded = map[string]string{
	"survive.go hold":                                "hands the interview over under its guard, and cancels a context",
	"session/session.go waitFor":                     "waits for a group, and closes a channel",
	"room/goodbye.go say":                            "closes a channel",
	"../pipeline/fault/watch.go Open":                "cancels a context",
	"../pipeline/local/sound.go begin":               "wakes who waits for the sound",
	"../pipeline/openai/request.go closeBody":        "closes a body",
	"../pipeline/stt/replace.go open":                "cancels a context",
	"../pipeline/stt/socket/keeper.go interruptible": "closes a connection",
	"../pipeline/turn/smartturn/child.go ask":        "kills a process",
}

// A goroutine or timer of an interview that is not guarded can end all interviews of its worker. What starts one here goes
// through package guard.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	found := make(map[string]bool)
	for _, folder := range guardedFolders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains(otherFolders, filepath.ToSlash(path)):
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				for _, at := range starts(t, path) {
					found[at] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for at := range found {
		if unguarded[at] == "" {
			t.Errorf("%s starts a goroutine or a timer without a guard: a panic in it would end all interviews of the worker", at)
		}
	}
	for at := range unguarded {
		if !found[at] {
			t.Errorf("%s starts nothing any more: take it off the list", at)
		}
	}
}

// A journal that cannot be folded, because of an event in it that panics each time, is an error and not the end of the worker.
func TestPoisonInTheJournal(t *testing.T) {
	counted := 0
	a := &attendance{interview: &engine.Interview{}, guard: guard.New(zap.NewNop(), func(string) { counted++ })}
	e, err := engine.Encode(1, 0, engine.Started{Session: "s", Locale: "en"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.refold(&store.Session{ID: "s", Began: time.Now()}, []state.Entry{e}); !guard.Is(err) || counted != 1 {
		t.Errorf("folding ended with %v, and %d panics were counted", err, counted)
	}
}

// starts are the functions of a file in which something is started without a guard: a go statement, the method Go of a group,
// which takes one argument where the guard's takes three, and functions called AfterFunc.
func starts(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if bare(n) {
				name := "a variable"
				if f, is := d.(*ast.FuncDecl); is {
					name = f.Name.Name
				}
				all = append(all, filepath.ToSlash(path)+" "+name)
			}
			return true
		})
	}
	return all
}

func bare(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		called, is := n.Fun.(*ast.SelectorExpr)
		return is && (called.Sel.Name == "Go" && len(n.Args) == 1 || called.Sel.Name == "AfterFunc")
	}
	return false
}
