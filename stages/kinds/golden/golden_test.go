package golden_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

var update = flag.Bool("update", false, "write the prompts of the conversations anew")

// scenario is one conversation.
type scenario struct {
	About  string            `yaml:"about"`
	Kind   string            `yaml:"kind"`
	Locale string            `yaml:"locale"`
	Name   string            `yaml:"name"`   // the candidate's
	Vars   map[string]string `yaml:"vars"`   // as dispatch gives them
	Change map[string]string `yaml:"change"` // texts of the definition that are replaced
	Steps  []step            `yaml:"steps"`
	// Never are words that the interviewer says in no step.
	Never []string `yaml:"never"`
}

// step is a turn of the candidate, what the model answers to what it is then asked, and what has to come of it.
type step struct {
	Say   string   `yaml:"say"`
	Code  string   `yaml:"code"` // typed in the editor, before anything is said
	Model []string `yaml:"model"`
	Want  want     `yaml:"want"`
}

// want is what has to be true after a step; what is empty is not looked at.
type want struct {
	Stage    string            `yaml:"stage"`
	Item     string            `yaml:"item"`
	Reason   string            `yaml:"reason"` // why the stage before was left
	Move     string            `yaml:"move"`
	Says     []string          `yaml:"says"`
	Not      []string          `yaml:"not"` // not said in this step
	Attempts *int              `yaml:"attempts"`
	Score    *float64          `yaml:"score"`  // of the latest judgement
	Fields   map[string]string `yaml:"fields"` // "" = nothing is known
	Slots    map[string]string `yaml:"slots"`
	Ended    string            `yaml:"ended"`
}

func scenarios(t *testing.T) map[string]scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]scenario)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scenario
		if err := yaml.UnmarshalWithOptions(text, &s, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".yaml")] = s
	}
	return out
}

// compiled joins the scenario's interview with its words.
func compiled(t *testing.T, s *scenario) *engine.Interview {
	t.Helper()
	text, err := fs.ReadFile(kinds.FS(), s.Kind+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, replacement := range s.Change {
		if !bytes.Contains(text, []byte(old)) {
			t.Fatalf("the definition does not say %q", old)
		}
		text = bytes.ReplaceAll(text, []byte(old), []byte(replacement))
	}
	def, err := definition.Parse(s.Kind+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(prompts.Shipped(), def.Catalogue(), s.Locale)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), s.Locale)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := engine.New(def, words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// R000-25, R000-33, R000-41, R003-31, R003-95, R003-96, RX-15: what models are asked in these conversations is what it was, and what is
// decided is right, whatever candidates dictate and models give away.
func TestGoldenConversations(t *testing.T) {
	all := scenarios(t)
	seen := make(map[string]bool)
	for name, s := range all {
		seen[s.Kind+" "+s.Locale] = true
		t.Run(name, func(t *testing.T) {
			c := newConversation(t, compiled(t, &s), &s)
			c.hold()
			file := filepath.Join("testdata", name+".golden")
			got := c.log.String()
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kept, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v: run this test with -update", err)
			}
			if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the prompts have changed (-kept +now); if that is meant, run this test with -update:\n%s", diff)
			}
		})
	}
	for _, wanted := range []string{"conversation en", "two_stage en", "system_design en", "system_design zh"} {
		if !seen[wanted] {
			t.Errorf("there is no conversation for %s", wanted)
		}
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil || len(all) < 7 || len(kept) != len(all) {
		t.Errorf("%d conversations, %d kept (%v)", len(all), len(kept), err)
	}
}

// A changed word of a prompt is noticed: the log of one and the same conversation differs exactly there.
func TestGoldenNoticesAChange(t *testing.T) {
	s := scenarios(t)["two_stage_en"]
	log := func(words fs.FS) []string {
		iv := compiled(t, &s)
		var err error
		if iv.Words, err = prompts.Load(words, "two_stage", "en"); err != nil {
			t.Fatal(err)
		}
		c := newConversation(t, iv, &s)
		c.hold()
		return strings.Split(c.log.String(), "\n")
	}
	text, err := fs.ReadFile(prompts.Shipped(), "two_stage/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "two_stage"), 0o750); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "never instructions", "rarely instructions", 1)
	if changed == string(text) {
		t.Fatal("the prompt of the interviewer has no such words")
	}
	if err := os.WriteFile(filepath.Join(dir, "two_stage", "en.yaml"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	before, after := log(prompts.Shipped()), log(os.DirFS(dir))
	differ := 0
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			differ++
			if !strings.Contains(after[i], "rarely") {
				t.Errorf("line %d is now %q", i, after[i])
			}
		}
	}
	if len(before) != len(after) || differ == 0 || slices.Equal(before, after) {
		t.Errorf("%d lines differ, of %d and %d", differ, len(before), len(after))
	}
}
