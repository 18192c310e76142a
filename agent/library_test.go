package agent_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/problem"
)

// RX-1: the job's metadata picks the interview; without any, it is the worker's default.
func TestMetadataPicksTheInterview(t *testing.T) {
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	for metadata, want := range map[string]string{
		"":                              "two_stage",
		"  \n":                          "two_stage",
		"{}":                            "two_stage",
		`{"interview":"two_stage"}`:     "two_stage",
		`{"interview":"conversation"}`:  "conversation",
		`{"locale":"en-GB"}`:            "two_stage",
		`{"candidate":{"name":"Jo Ã"}}`: "two_stage",
	} {
		m, err := agent.ParseMetadata(metadata)
		if err != nil {
			t.Errorf("%q: %v", metadata, err)
			continue
		}
		iv, err := library.Find(m)
		if err != nil || iv.Def.Kind != want {
			t.Errorf("%q: %v, want %s", metadata, err, want)
		}
	}
	other, err := agent.LoadLibrary("", "conversation")
	if err != nil {
		t.Fatal(err)
	}
	if iv, err := other.Find(agent.Metadata{}); err != nil || iv.Def.Kind != "conversation" {
		t.Errorf("the default is not heeded: %v", err)
	}
}

// RX-1: what cannot be held is refused in words that say what can, and never repeat what was sent.
func TestMetadataThatIsRefused(t *testing.T) {
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	for metadata, want := range map[string]string{
		`{"interview":"poker"}`:                              "there are algorithm_coach, conversation, ",
		`{"locale":"tlh"}`:                                   "not there in language",
		`{"interview":`:                                      "it breaks off",
		`{"interview" two_stage}`:                            "goes wrong at byte 14",
		`{"interview":7}`:                                    "interview must be string",
		`{"interviw":"two_stage"}`:                           "interviw",
		`{} {}`:                                              "goes on after",
		`{"candidate":{"name":"a\u0007b"}}`:                  "control characters",
		`{"vars":{"v":"` + strings.Repeat("x", 1<<20):        "1048590 bytes",
		`{"candidate":{"name":"` + names(81) + `"}}`:         "more than 80 characters",
		`{"vars":{"v":"` + strings.Repeat("x", 5000) + `"}}`: `var "v" has 5000 bytes`,
	} {
		m, err := agent.ParseMetadata(metadata)
		if err == nil {
			_, err = library.Find(m)
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.60q: %v, want it to say %q", metadata, err, want)
		}
	}
}

func names(n int) string { return strings.Repeat("é", n) }

func TestLibraryThatCannotBeLoaded(t *testing.T) {
	if _, err := agent.LoadLibrary("", "poker"); err == nil || !strings.Contains(err.Error(), "there are algorithm_coach, conversation, ") {
		t.Errorf("an unknown default: %v", err)
	}
	if _, err := agent.LoadLibrary("/nowhere/at/all", ""); err == nil || !strings.Contains(err.Error(), "--interviews") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// Problems in the folder of interviews are there beside the shipped ones, and replace those of the same id; what is wrong
// with one is told when the worker starts.
func TestLibraryWithProblems(t *testing.T) {
	dir := t.TempDir()
	text, err := fs.ReadFile(problem.Shipped(), "algorithm/gift_pair.yaml")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "problems", "algorithm", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put("gift_pair.yaml", strings.Replace(string(text), "The gift card", "The voucher", 1))
	put("voucher.yaml", strings.Replace(string(text), "id: gift_pair", "id: voucher", 1))
	library, err := agent.LoadLibrary(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(agent.Metadata{Interview: "algorithm_coach"})
	if err != nil {
		t.Fatal(err)
	}
	if p := iv.Problem("gift_pair"); p == nil || p.Title["en"] != "The voucher" || iv.Problem("voucher") == nil || iv.Problem("lamp_watch") == nil {
		t.Errorf("the problems are %v", iv.Problems.IDs())
	}
	put("broken.yaml", "id: broken\ncolour: red\n")
	if _, err := agent.LoadLibrary(dir, ""); err == nil || !strings.Contains(err.Error(), "broken.yaml") || !strings.Contains(err.Error(), "colour") {
		t.Errorf("a broken problem: %v", err)
	}
}

// What an interview does not leave to the page is only for those who dispatch.
func TestOnlyWhatIsForThePageIsOffered(t *testing.T) {
	dir := t.TempDir()
	text, err := fs.ReadFile(kinds.FS(), "conversation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(text), "kind: conversation", "kind: hiring\nprompts: conversation", 1) +
		"vars:\n  budget: {default: \"100\", description: what the role may cost}\n  team: {page: true}\n"
	if err := os.WriteFile(filepath.Join(dir, "hiring.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	library, err := agent.LoadLibrary(dir, "hiring")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range library.Kinds() {
		if k.ID == "hiring" && (len(k.Vars) != 1 || k.Vars[0].Name != "team") {
			t.Errorf("candidates may set %+v", k.Vars)
		}
	}
}
