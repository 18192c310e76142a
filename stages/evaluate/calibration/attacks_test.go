package calibration

import (
	"bufio"
	"bytes"
	_ "embed" // the attacks
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vivavoice/viva/stages/evaluate/registry"
)

// attacks are answers of answers.jsonl with something put in to raise their levels: {base} stands for the answer.
//
//go:embed attacks.jsonl
var attacks []byte

type attack struct {
	ID, Base, Attack, Answer string
}

// attacked are the attacks with the labels of their answers, as they are said without and with the attack.
func attacked(t *testing.T, do func(a attack, without, with Label)) {
	t.Helper()
	labels, err := Read(bytes.NewReader(Shipped))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(attacks)); lines.Scan(); n++ {
		var a attack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(labels, func(l Label) bool { return l.ID == a.Base })
		if i < 0 || !strings.Contains(a.Answer, "{base}") {
			t.Fatalf("%s attacks no answer", a.ID)
		}
		with := labels[i]
		with.Answer = strings.ReplaceAll(a.Answer, "{base}", with.Answer)
		do(a, labels[i], with)
	}
	if n < 60 {
		t.Errorf("only %d attacks", n)
	}
}

// Nothing that is put into an answer to raise its levels raises one: not by rules.
func TestAttacks(t *testing.T) {
	moved := 0
	attacked(t, func(a attack, without, with Label) {
		rules := registry.Rules(without.judge())
		before, err := rules.Evaluate(without.item())
		if err != nil {
			t.Fatal(err)
		}
		after, err := rules.Evaluate(with.item())
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
			return
		}
		was, is := judged(&without, before, nil).Levels, judged(&with, after, nil).Levels
		raised := after.Score > before.Score
		for c, level := range is {
			raised = raised || level > was[c]
		}
		for i, m := range after.Marks {
			raised = raised || m.Norm > before.Marks[i].Norm
		}
		if raised {
			moved++
			t.Errorf("%s: %v and %.1f became %v and %.1f", a.ID, was, before.Score, is, after.Score)
		}
	})
	t.Logf("%d moved", moved)
}

// What a model is asked of an attacked answer is what it is asked of the answer: what stands between the same fences is another text,
// without signs that nobody sees.
func TestAttacksOnModels(t *testing.T) {
	ask := func(l *Label) (system, before, after, said string) {
		q, err := registry.Judge(l.judge()).Ask(l.item())
		if err != nil {
			t.Fatal(err)
		}
		before, rest, _ := strings.Cut(q.User, "<candidate>")
		said, after, _ = strings.Cut(rest, "</candidate>")
		return q.System, before, after, said
	}
	unheard := 0
	attacked(t, func(a attack, without, with Label) {
		system, before, after, said := ask(&without)
		system2, before2, after2, said2 := ask(&with)
		if system != system2 || before != before2 || after != after2 {
			t.Errorf("%s: more than the answer changes", a.ID)
		}
		if strings.ContainsFunc(said2, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%s: a model is told what nobody sees: %q", a.ID, said2)
		}
		if said == said2 {
			unheard++
		}
	})
	t.Logf("%d of the attacks are not told a model", unheard)
}
