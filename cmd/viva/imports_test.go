package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vivavoice/viva/"

// Families of packages that the rules name.
const (
	liveKit       = "github.com/livekit/"
	pion          = "github.com/pion/"
	liveKitServer = "github.com/livekit/livekit-server"
)

// rules are the lines of docs/architecture.md, "Who may import whom": packages below `from` must not import `never`.
// They hold for code, not for tests: a test may start a LiveKit server.
var rules = []struct {
	from   string
	never  []string
	except []string // prefixes of importing packages that may
}{
	{from: "agent/", never: []string{module + "cmd/"}},
	{from: "pipeline/", never: []string{module + "cmd/", module + "agent/", module + "stages/", liveKit, pion}},
	{from: "stages/", never: []string{module + "cmd/", module + "agent/", module + "pipeline/", liveKit, pion}},
	// An interview is a folder: only who gathers, checks or plays the shipped ones knows them.
	{from: "stages/", never: []string{module + "stages/kinds"}, except: []string{"stages/kinds", "stages/lint", "stages/simulate"}},
	{from: "state", never: []string{module + "cmd/", module + "agent/", module + "pipeline/", module + "stages/", module + "prompts", liveKit, pion}},
	{from: "prompts", never: []string{module + "cmd/", module + "agent/", module + "pipeline/", module + "stages/", module + "state", liveKit, pion}},
	{from: "", never: []string{liveKitServer}, except: []string{"agent/devserver"}},
	// Providers are known only where they are registered.
	{from: "", never: []string{module + "pipeline/openai", module + "pipeline/deepgram", module + "pipeline/local"},
		except: []string{"cmd/", "pipeline/openai", "pipeline/deepgram", "pipeline/local"}},
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath string
	Imports    []string
}

// list runs `go list -json` at the top of the module.
func list(t *testing.T, args ...string) []listed {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here to list packages with")
	}
	command := exec.CommandContext(t.Context(), tool, append([]string{"list", "-e", "-json=ImportPath,Imports"}, args...)...)
	command.Dir = "../.."
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, complaint.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func hasPrefix(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

func TestWhoMayImportWhom(t *testing.T) {
	packages := list(t, "-tags", "devserver,pdf", "./...")
	if len(packages) < 2 {
		t.Fatalf("only %d packages listed", len(packages))
	}
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, module)
		for _, rule := range rules {
			if !strings.HasPrefix(path, rule.from) || hasPrefix(path, rule.except) {
				continue
			}
			for _, imported := range p.Imports {
				if hasPrefix(imported, rule.never) {
					t.Errorf("%s must not import %s", path, imported)
				}
			}
		}
	}
}

// RM-29: the engine imports no single interview, nor does anything that it imports.
func TestEngineImportsNoInterview(t *testing.T) {
	packages := list(t, "-deps", "./stages/engine")
	if !slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == module+"stages/engine" }) {
		t.Fatal("the engine is not listed")
	}
	for _, p := range packages {
		if strings.HasPrefix(p.ImportPath, module+"stages/kinds") {
			t.Errorf("the engine links %s", p.ImportPath)
		}
	}
}

func TestProductionBinaryHasNoServer(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/viva") {
		if strings.HasPrefix(p.ImportPath, liveKitServer) {
			t.Errorf("without the devserver tag, cmd/viva still links %s", p.ImportPath)
		}
	}
}

// RX-10: a sleep on the real clock makes a test slow or wrong; in a bubble of testing/synctest it is virtual and exact.
func TestSleepsAreVirtual(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"node_modules", ".git", "bin"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("time."+"Sleep(")) && !bytes.Contains(text, []byte(`"testing/synctest"`)) {
			t.Errorf("%s sleeps and does not use testing/synctest", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
