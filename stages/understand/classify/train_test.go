package classify

import (
	"bytes"
	"flag"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "train the models again")

// example is a clause whose class is known.
type example struct{ class, text string }

// examplesOf reads the examples of a language, in the order of their classes, and a number that tells this list from others.
func examplesOf(t testing.TB, locale string) (list []example, sum int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", locale+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	words, err := wordFiles.ReadFile("words/" + strings.TrimSuffix(locale, distressed) + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var by map[string][]string
	if err := yaml.Unmarshal(text, &by); err != nil {
		t.Fatal(err)
	}
	for _, class := range slices.Sorted(maps.Keys(by)) {
		for _, clause := range by[class] {
			list = append(list, example{class, clause})
		}
	}
	h := fnv.New32a()
	h.Write(text)
	h.Write(words)
	return list, int(h.Sum32())
}

func (m *trainer) model(t testing.TB, sum int) *Model {
	t.Helper()
	out, err := decode(m.encode(sum))
	if err != nil {
		t.Fatal(err)
	}
	out.language = m.l
	return out
}

func languageOf(t testing.TB, locale string) *language {
	t.Helper()
	l, err := readLanguage(locale)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// dangers reads the examples of distress, and of what only looks like it, in a language; all other examples are none.
func dangers(t testing.TB, locale string) (list []example, sum int) {
	t.Helper()
	all, first := examplesOf(t, locale)
	own, second := examplesOf(t, locale+distressed)
	for _, e := range slices.Concat(all, own) {
		if e.class != Distress {
			e.class = Answer
		}
		list = append(list, e)
	}
	return list, first ^ second
}

// trained reads a model's file, after it was made anew where that is asked for. It has to be of the examples that there are.
func trained(t *testing.T, locale, name string, sum int, learn func(*language) *trainer) (m *Model, data []byte) {
	t.Helper()
	file := filepath.Join("models", name+".bin")
	if *update {
		if err := os.WriteFile(file, learn(languageOf(t, locale)).encode(sum), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := (&decoder{data: data}); d.number() != version || d.number() != sum {
		t.Fatalf("%s: the examples or words have changed since the model was trained: go test ./stages/understand/classify -run TestTrain -update", name)
	}
	if m, err = decode(data); err != nil {
		t.Fatal(err)
	}
	m.language = languageOf(t, locale)
	return m, data
}

// The models of distress fit their examples. With -update they are trained anew.
func TestTrainDistress(t *testing.T) {
	for _, locale := range Languages {
		list, sum := dangers(t, locale)
		m, data := trained(t, locale, locale+distressed, sum, func(l *language) *trainer { return fitted(l, list, nil, members) })
		found, dire, alarms := 0, 0, 0
		for _, e := range list {
			c, _ := m.Whole(e.text)
			switch is := c.Class == Distress && c.P >= 0.5; {
			case e.class == Distress && is:
				found, dire = found+1, dire+1
			case e.class == Distress:
				dire++
			case is:
				alarms++
			}
		}
		t.Logf("%s: %d kB; %d of %d found, %d alarms in %d others", locale, len(data)/1000, found, dire, alarms, len(list)-dire)
		if 100*found < 95*dire || 1000*alarms > len(list)-dire {
			t.Errorf("%s: the model does not fit its examples", locale)
		}
	}
}

// sure is how likely a class has to be, as in stages/understand.
const sure = 0.45

// The models fit the examples that they were trained from. With -update they are trained anew.
func TestTrain(t *testing.T) {
	for _, locale := range Languages {
		list, sum := examplesOf(t, locale)
		m, data := trained(t, locale, locale, sum, func(l *language) *trainer { return train(l, list) })
		right, answers, alarms := fit(m, list)
		t.Logf("%s: %d examples, %d classes, %d weights, %d kB, %.1f %% right; %d of %d answers read as something else", locale, len(list), len(m.classes), len(m.weights), len(data)/1000, right, alarms, answers)
		if right < 95 {
			t.Errorf("%s: the model fits %.1f %% of its examples, want 95", locale, right)
		}
	}
}

// fit counts in percent how many examples are read as what they are, or as good as that, and the answers that are not.
func fit(m *Model, list []example) (right float64, answers, alarms int) {
	n := 0
	for _, e := range list {
		c, _ := m.Whole(e.text)
		if alike(m, c.Class, e.class) {
			n++
		}
		if e.class == Answer {
			answers++
			if slices.ContainsFunc(m.Clauses(e.text), func(c Clause) bool {
				return c.Class != Answer && c.Class != "remark" && c.Class != "nothing" && c.P >= sure
			}) {
				alarms++
			}
		}
	}
	return 100 * float64(n) / float64(len(list)), answers, alarms
}

// alike reports whether two classes are as good as each other; facts are not.
func alike(m *Model, a, b string) bool {
	if a == b {
		return true
	}
	i, j := slices.Index(m.classes, a), slices.Index(m.classes, b)
	return i >= 0 && j >= 0 && m.group[i] == m.group[j] && len(m.groups[m.group[i]].classes) < 5
}

// Cross-validation: what examples say of clauses that were not learned from. The figures stand in the log.
func TestCrossValidation(t *testing.T) {
	if !*update {
		t.Skip("it trains fifteen times: run it with -update")
	}
	for _, locale := range Languages {
		list, _ := examplesOf(t, locale)
		r := rand.New(rand.NewPCG(3, 4))
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		const parts = 5
		right, answers, alarms := 0.0, 0, 0
		for part := range parts {
			var learn, try []example
			for i, e := range list {
				if i%parts == part {
					try = append(try, e)
				} else {
					learn = append(learn, e)
				}
			}
			n, a, f := fit(train(languageOf(t, locale), learn).model(t, 0), try)
			right, answers, alarms = right+n/parts, answers+a, alarms+f
		}
		t.Logf("%s: %.1f %% right, %d of %d answers read as something else", locale, right, alarms, answers)
	}
}

// A model whose bytes are not what they should be is refused.
func FuzzDecode(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("models", "zh.bin"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:400])
	f.Add(bytes.Repeat([]byte{1}, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err != nil {
			return
		}
		m.language = &language{}
		for _, c := range m.Clauses("could you say that again? I did not hear it") {
			if math.IsNaN(c.P) {
				t.Skip("weights of no sense")
			}
		}
	})
}
