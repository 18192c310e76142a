package docs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/lint"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/understand"
)

const (
	guideDefinition = "my-interviews/book_talk.yaml"
	guideWords      = "my-interviews/prompts/book_talk/en.yaml"
)

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n# ([^\n]*)\n(.*?)^```$")

// guide is what somebody has who follows the guide: files by name.
type guide map[string]string

// follow does what a block of the guide says.
func (g guide) follow(t *testing.T, head, text string) {
	t.Helper()
	place, add := strings.CutPrefix(head, "add to ")
	stage, toStage := strings.CutPrefix(place, "stage ")
	switch {
	case !add:
		g[head] = "# " + head + "\n" + text // the first line is part of the file
	case toStage:
		before := g[guideDefinition]
		g[guideDefinition] = strings.Replace(before, "  - id: "+stage+"\n", "  - id: "+stage+"\n"+text, 1)
		if g[guideDefinition] == before {
			t.Fatalf("there is no stage %s to add to", stage)
		}
	case place == "the definition":
		g[guideDefinition] = strings.Replace(g[guideDefinition], "stages:\n", text+"stages:\n", 1)
	default:
		if g[place] == "" {
			t.Fatalf("there is no file %s to add to", place)
		}
		g[place] += text
	}
}

func (g guide) words() fs.FS {
	return fstest.MapFS{"book_talk/en.yaml": {Data: []byte(g[guideWords])}}
}

func (g guide) findings() []lint.Finding {
	return lint.Interview(guideDefinition, []byte(g[guideDefinition]), lint.World{Words: []fs.FS{g.words()}})
}

// hold holds the interview with every kind of candidate.
func (g guide) hold(t *testing.T) {
	t.Helper()
	def, err := definition.Parse(guideDefinition, []byte(g[guideDefinition]))
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(g.words(), def.Catalogue(), "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(def, words, rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range simulate.Candidates() {
		r := simulate.Run(iv, simulate.Options{Candidate: c, Seed: 1})
		if r.State.Ended == "" || len(r.Violations) > 0 {
			t.Errorf("%s: ended %q, %v", c, r.State.Ended, r.Violations)
		}
	}
	if worst, bounded := def.WorstCase(); !bounded || worst.Minutes() > 6 {
		t.Errorf("it lasts up to %s", worst)
	}
}

// RX-3, RX-4, RX-6: every step of the guide, the treatment of turns that are no answers among them, leads to an interview that has no findings and can be held to its end.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("write-an-interview.md")
	if err != nil {
		t.Fatal(err)
	}
	g, steps := make(guide), 0
	for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
		g.follow(t, block[1], block[2])
		steps++
		if g[guideDefinition] == "" || g[guideWords] == "" {
			continue
		}
		found := g.findings()
		if onlyMissingWords(found) {
			continue // the words come in the next block
		}
		for _, f := range found {
			t.Errorf("after %q: %s", block[1], f)
		}
		g.hold(t)
	}
	if steps != strings.Count(string(text), "```yaml") || steps < 8 {
		t.Errorf("%d of %d blocks were followed", steps, strings.Count(string(text), "```yaml"))
	}
	for _, f := range g.findings() {
		t.Errorf("at the end: %s", f)
	}
}

// onlyMissingWords reports whether all that is wrong is that words are still to be written.
func onlyMissingWords(found []lint.Finding) bool {
	for _, f := range found {
		if !strings.Contains(f.Text, "has no say in") {
			return false
		}
	}
	return len(found) > 0
}

// The mistake that the guide makes is told as it says.
func TestGuideTellsTheMistake(t *testing.T) {
	text, err := os.ReadFile("write-an-interview.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllSubmatch(text, 2)
	wrong := strings.Replace("# "+string(blocks[0][1])+"\n"+string(blocks[0][2]), "    done:", "    dune:", 1)
	told := 0
	for _, f := range lint.Interview(guideDefinition, []byte(wrong), lint.World{Words: []fs.FS{fstest.MapFS{"book_talk/en.yaml": {Data: blocks[1][2]}}}}) {
		told++
		if line := fmt.Sprintf("\n  %d:%d: %s: %s\n", f.Line, f.Column, f.Path, f.Text); !bytes.Contains(text, []byte(line)) {
			t.Errorf("the guide does not tell of%s", line)
		}
	}
	if told != 2 {
		t.Errorf("%d problems", told)
	}
}
