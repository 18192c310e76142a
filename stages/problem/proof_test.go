package problem_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/problem"
)

// proof is what shows that a problem's data are right: two solutions that have nothing in common, and every wrong approach as
// candidates mean it. The arguments are those of Case.Data.
type proof struct {
	reference, brute func(args) any
	wrong            map[string]func(args) any
}

// args are the arguments of one case.
type args []json.RawMessage

// arg decodes one of them.
func arg[T any](a args, i int) T {
	var v T
	if err := json.Unmarshal(a[i], &v); err != nil {
		panic(fmt.Sprintf("argument %d of %s: %v", i, a, err))
	}
	return v
}

// Every example, edge case and counter-example of every problem has the result that the file gives, by the reference and by brute
// force, and each wrong approach really fails on its counter-example (RM-19).
func TestDataAreProved(t *testing.T) {
	for _, p := range everySet(t) {
		t.Run(p.ID, func(t *testing.T) {
			one, there := proofs[p.ID]
			if !there {
				t.Fatal("nothing proves the data of this problem: write its solutions here")
			}
			for i := range p.Examples {
				one.holds(t, fmt.Sprintf("examples[%d]", i), &p.Examples[i])
			}
			for i := range p.EdgeCases {
				one.holds(t, "edge case "+p.EdgeCases[i].ID, &p.EdgeCases[i].Case)
			}
			for i := range p.Mistakes {
				m := &p.Mistakes[i]
				one.holds(t, "counter-example of "+m.ID, &m.Counter.Case)
				wrong := one.wrong[m.ID]
				if wrong == nil {
					t.Errorf("the wrong approach %s is not tried", m.ID)
					continue
				}
				if got := result(t, wrong, &m.Counter.Case); got == compact(t, m.Counter.Want) {
					t.Errorf("%s gets %s right on %s, so that it is no counter-example", m.ID, got, m.Counter.Data)
				}
				solvesSome(t, m.ID, wrong, p)
			}
			if len(one.wrong) != len(p.Mistakes) {
				t.Errorf("%d wrong approaches are tried, the file has %d", len(one.wrong), len(p.Mistakes))
			}
		})
	}
}

// solvesSome makes sure that a wrong approach is a plausible one, which gets something right.
func solvesSome(t *testing.T, id string, wrong func(args) any, p *problem.Problem) {
	t.Helper()
	for i := range p.Examples {
		if result(t, wrong, &p.Examples[i]) == compact(t, p.Examples[i].Want) {
			return
		}
	}
	for i := range p.EdgeCases {
		if result(t, wrong, &p.EdgeCases[i].Case) == compact(t, p.EdgeCases[i].Want) {
			return
		}
	}
	t.Errorf("%s, as it is tried here, gets nothing right at all", id)
}

func (one proof) holds(t *testing.T, what string, c *problem.Case) {
	t.Helper()
	want := compact(t, c.Want)
	if got := result(t, one.reference, c); got != want {
		t.Errorf("%s: the reference makes %s of %s, the file says %s", what, got, c.Data, want)
	}
	if got := result(t, one.brute, c); got != want {
		t.Errorf("%s: brute force makes %s of %s, the file says %s", what, got, c.Data, want)
	}
}

func result(t *testing.T, solve func(args) any, c *problem.Case) string {
	t.Helper()
	var a args
	if err := json.Unmarshal([]byte(c.Data), &a); err != nil {
		t.Fatalf("data %q: %v", c.Data, err)
	}
	text, err := json.Marshal(solve(a))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "null", "[]")
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("want %q: %v", text, err)
	}
	return b.String()
}
