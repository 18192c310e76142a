package definition_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/kinds"
)

func parsed(t *testing.T, text string) *definition.Definition {
	t.Helper()
	d, err := definition.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func kind(t *testing.T, name string) *definition.Definition {
	t.Helper()
	text, err := fs.ReadFile(kinds.FS(), name+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

// The longest way counts, with graces; a cap counts for what it holds; ways past stages shorten nothing.
func TestWorstCase(t *testing.T) {
	const stage = "    prompts: {open: a}\n    done: {turns: 1}\n"
	head := "kind: k\ntitle: K\nlocales: [en]\nprovider: {type: x}\nstages:\n"
	end := "  - {id: END, final: true, prompts: {open: a}}\n"
	for _, x := range []struct {
		name, stages string
		want         time.Duration
		bounded      bool
	}{
		{"a chain", "  - id: A\n    limits: {hard: 60s}\n" + stage + "  - id: B\n    limits: {hard: 30s, grace: 5s}\n" + stage, 105 * time.Second, true},
		{"a way past", "  - id: A\n    limits: {hard: 60s}\n    next: [{when: {turns: 2}, to: END}]\n" + stage +
			"  - id: B\n    limits: {hard: 30s, grace: 5s}\n" + stage, 105 * time.Second, true},
		{"no limit", "  - id: A\n    no_input: [{after: 9s, do: advance}]\n" + stage, 0, false},
		{"a cap", "  - id: G\n    limits: {hard: 10m}\n    stages:\n      - {id: A, prompts: {open: a}, done: {turns: 1}}\n", 610 * time.Second, true},
		{"a cap that nothing reaches", "  - id: G\n    limits: {hard: 10m}\n    stages:\n      - {id: A, prompts: {open: a}, done: {turns: 1}, limits: {hard: 20s}}\n", 30 * time.Second, true},
		{"sub-phases", "  - id: A\n    limits: {hard: 50s}\n    expand: phases\n" + stage, 12 * time.Minute, true},
	} {
		got, bounded := parsed(t, head+x.stages+end).WorstCase()
		if got != x.want || bounded != x.bounded {
			t.Errorf("%s: %s, %v; want %s, %v", x.name, got, bounded, x.want, x.bounded)
		}
	}
}

// R000-86: sub-phases have a soft and a hard limit, the whole design has a cap, and it is drawn so.
func TestTimesOfTheSystemDesignInterview(t *testing.T) {
	d := kind(t, "system_design")
	sub := d.Stage("design_sub_phase")
	if sub.Limits.Soft.Std() != 6*time.Minute || sub.Limits.Hard.Std() != 9*time.Minute || d.GroupByID("design").Limits.Hard.Std() != 40*time.Minute {
		t.Errorf("soft %s, hard %s, cap %s", sub.Limits.Soft.Std(), sub.Limits.Hard.Std(), d.GroupByID("design").Limits.Hard.Std())
	}
	graph := definition.Graph(d)
	for _, want := range []string{
		"flowchart TD", `title: "System design interview: at most 45m15s"`, `subgraph s_design ["Design: at most 40m"]`, "soft 6m · hard 9m + 15s",
		"judged by provider: 60 % passes, 3 attempts", `s_design_sub_phase -- "next sub-phase" --> s_design_sub_phase`,
		`s_routing -- "1 turn" --> s_intro`, `s_done(["Goodbye (done)"])`, "35s simplify",
	} {
		if !strings.Contains(graph, want) {
			t.Errorf("%q is not in\n%s", want, graph)
		}
	}
}

func TestGraphShowsConditionsAndQuotes(t *testing.T) {
	text := strings.Replace(whole, "title: Whole", `title: 'A "whole" one'`, 1)
	graph := definition.Graph(parsed(t, text))
	for _, want := range []string{
		`A #quot;whole#quot; one`, `s_HELLO -- "if role known" --> s_LATER`, `s_HELLO -- "required slots known" --> s_PHASES`,
		`"50 % covered or cost spoken of or candidate: skip"`, "approach known and no question left about approach and not stuck and skipped",
	} {
		if !strings.Contains(graph, want) {
			t.Errorf("%q is not in\n%s", want, graph)
		}
	}
	if strings.Count(graph, "subgraph") != strings.Count(graph, "\n  end\n") {
		t.Errorf("a group is not closed:\n%s", graph)
	}
}

// The drawing is well-formed, and every stage and way is in it.
func TestSVG(t *testing.T) {
	for _, d := range []*definition.Definition{kind(t, "system_design"), kind(t, "algorithm_coach"), parsed(t, strings.Replace(whole, "title: Whole", "title: '<&>'", 1))} {
		svg := definition.SVG(d)
		texts, paths := 0, 0
		for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", d.Kind, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				switch start.Name.Local {
				case "text":
					texts++
				case "path":
					paths++
				}
			}
		}
		if texts < 2*len(d.Stages) || paths < len(d.Stages) {
			t.Errorf("%s: %d texts and %d lines for %d stages", d.Kind, texts, paths, len(d.Stages))
		}
		for i := range d.Stages {
			if !bytes.Contains(svg, []byte(d.Stages[i].ID)) {
				t.Errorf("%s: stage %s is not drawn", d.Kind, d.Stages[i].ID)
			}
		}
	}
}
