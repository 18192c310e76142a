package problem_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/problem"
)

func everySet(t *testing.T) []*problem.Problem {
	t.Helper()
	var out []*problem.Problem
	for _, name := range []string{"algorithm", "evaluation"} {
		s, err := problem.Load(name, problem.Shipped())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s.All()...)
	}
	return out
}

// heldOut reads the wordings by problem, approach and language.
func heldOut(t *testing.T) map[string]map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/wordings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := make(map[string]map[string]map[string]string)
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]map[string]map[string][]string)
	for p, approaches := range file {
		out[p] = make(map[string]map[string][]string)
		for a, langs := range approaches {
			out[p][a] = make(map[string][]string)
			for lang, lines := range langs {
				out[p][a][lang] = strings.Split(strings.TrimSpace(lines), "\n")
			}
		}
	}
	return out
}

// RM-4: held-out wordings of every approach are recognised, and few of them as another one.
func TestApproachesAreHeardInPlainWords(t *testing.T) {
	all := heldOut(t)
	rates := map[string]*[3]int{}
	for _, p := range everySet(t) {
		for _, a := range ids(p) {
			for lang := range p.Text {
				list := all[p.ID][a][lang]
				_, wrong := p.Wrong(a)
				if least := map[bool]int{false: 12, true: 6}[wrong]; len(list) < least {
					t.Errorf("%s, %s: %d held-out wordings of %s, want %d", p.ID, lang, len(list), a, least)
				}
				for _, text := range list {
					r := rates[lang]
					if r == nil {
						r = new([3]int)
						rates[lang] = r
					}
					r[0]++
					switch got := p.Named(text, lang); {
					case !slices.Contains(got, a):
						t.Logf("missed  %s %s %s: %q is heard as %v", p.ID, lang, a, text, got)
					case len(got) > 1:
						r[1]++
						r[2]++
						t.Logf("besides %s %s %s: %q is heard as %v", p.ID, lang, a, text, got)
					default:
						r[1]++
					}
				}
			}
		}
	}
	for lang, r := range rates {
		t.Logf("%s: %d of %d wordings recognised (%.1f%%), %d as something else besides", lang, r[1], r[0], 100*float64(r[1])/float64(r[0]), r[2])
		if 100*r[1] < 90*r[0] {
			t.Errorf("%s: only %d of %d wordings are recognised", lang, r[1], r[0])
		}
	}
}

func ids(p *problem.Problem) []string {
	var out []string
	for _, a := range p.Approaches {
		out = append(out, a.ID)
	}
	for _, m := range p.Mistakes {
		out = append(out, m.ID)
	}
	return out
}

var _ = fmt.Sprint
