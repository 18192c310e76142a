package classify

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	words, err := wordFiles.ReadFile("words/" + locale + ".yaml")
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

// Training: multinomial logistic regression by stochastic gradient descent with a rate of its own for each weight (AdaGrad), in a fixed
// order. Only the weights that tell most are kept.
const (
	rounds = 14
	again  = 3 // rounds after the others are left out
	keep   = 180_000
	sure   = 0.55 // as in stages/understand
	rate   = 0.4
	decay  = 1e-4
)

type trainer struct {
	l       *language
	classes []string
	index   map[uint32]int
	w, g    [][]float32
	bias    []float32
	gb      []float32
	drop    [][]bool
	count   []float64 // of the examples that have a feature
	p       []float32
}

func (m *trainer) features(text string) (rows []int, by float32) {
	var s sequence
	m.l.read(&s, text)
	for _, id := range s.clause(nil, m.l.leading(&s, 0, len(s.tokens)), len(s.tokens)) {
		if row, there := m.index[max(id, 1)]; there {
			rows = append(rows, row)
		}
	}
	return rows, float32(1 / math.Sqrt(float64(len(s.tokens)-m.l.leading(&s, 0, len(s.tokens))+1)))
}

func (m *trainer) predict(rows []int, by float32) {
	copy(m.p, m.bias)
	for _, r := range rows {
		for c, x := range m.w[r] {
			m.p[c] += by * x
		}
	}
	most, all := slices.Max(m.p), float32(0)
	for c := range m.p {
		m.p[c] = float32(math.Exp(float64(m.p[c] - most)))
		all += m.p[c]
	}
	for c := range m.p {
		m.p[c] /= all
	}
}

// pieces are the answers of a list with the parts of them that could be cut out: what they hold is part of an answer, too.
func pieces(l *language, list []example) []example {
	m := &Model{language: l}
	out := slices.Clone(list)
	for _, e := range list {
		if e.class != Answer {
			continue
		}
		var s sequence
		l.read(&s, e.text)
		places := m.places(nil, &s)
		if len(places) <= 2 {
			continue
		}
		for i := range places {
			for j := i + 1; j < min(len(places), i+4); j++ {
				if places[j]-places[i] >= 2 && (i > 0 || j < len(places)-1) {
					out = append(out, example{Answer, e.text[s.tokens[places[i]].from:s.tokens[places[j]-1].to]})
				}
			}
		}
	}
	return out
}

func train(l *language, list []example) *trainer {
	list = pieces(l, list)
	m := &trainer{l: l, index: make(map[uint32]int)}
	for _, e := range list {
		if !slices.Contains(m.classes, e.class) {
			m.classes = append(m.classes, e.class)
		}
		var s sequence
		l.read(&s, e.text)
		for _, id := range s.clause(nil, l.leading(&s, 0, len(s.tokens)), len(s.tokens)) {
			if _, there := m.index[max(id, 1)]; !there {
				m.index[max(id, 1)] = len(m.index)
			}
		}
	}
	slices.Sort(m.classes)
	n := len(m.classes)
	m.bias, m.gb, m.p = make([]float32, n), make([]float32, n), make([]float32, n)
	for range m.index {
		m.w, m.g, m.drop = append(m.w, make([]float32, n)), append(m.g, make([]float32, n)), append(m.drop, nil)
	}
	m.count = make([]float64, len(m.index))
	for _, e := range list {
		rows, by := m.features(e.text)
		for _, r := range rows {
			m.count[r] += float64(by)
		}
	}
	m.learn(list, rounds)
	m.prune()
	m.learn(list, again)
	return m
}

func (m *trainer) learn(list []example, rounds int) {
	rows, by, class := make([][]int, len(list)), make([]float32, len(list)), make([]int, len(list))
	for i, e := range list {
		rows[i], by[i] = m.features(e.text)
		class[i], _ = slices.BinarySearch(m.classes, e.class)
	}
	r := rand.New(rand.NewPCG(1, 2))
	order := r.Perm(len(list))
	for range rounds {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			m.step(rows[i], by[i], class[i])
		}
	}
}

func (m *trainer) step(rows []int, by float32, class int) {
	m.predict(rows, by)
	m.p[class]--
	for c, wrong := range m.p {
		m.gb[c] += wrong * wrong
		m.bias[c] -= 0.1 * rate * wrong / (float32(math.Sqrt(float64(m.gb[c]))) + 1e-3)
		if -1e-3 < wrong && wrong < 1e-3 {
			continue
		}
		for _, r := range rows {
			if m.drop[r] != nil && m.drop[r][c] {
				continue
			}
			g := wrong*by + decay*m.w[r][c]
			m.g[r][c] += g * g
			m.w[r][c] -= rate * g / (float32(math.Sqrt(float64(m.g[r][c]))) + 1e-3)
		}
	}
}

// prune leaves the weights that tell most: of all the examples together, so that what is frequent counts for more.
func (m *trainer) prune() {
	var all []float64
	tells := func(r int, x float32) float64 { return math.Abs(float64(x)) * math.Sqrt(m.count[r]) }
	for r := range m.w {
		for _, x := range m.w[r] {
			all = append(all, tells(r, x))
		}
	}
	slices.Sort(all)
	least := 0.0
	if len(all) > keep {
		least = all[len(all)-keep]
	}
	for r := range m.w {
		m.drop[r] = make([]bool, len(m.classes))
		for c, x := range m.w[r] {
			if tells(r, x) < least {
				m.drop[r][c], m.w[r][c] = true, 0
			}
		}
	}
}

// encode writes the form that decode reads.
func (m *trainer) encode(sum int) []byte {
	most := float32(0)
	for r := range m.w {
		for _, x := range m.w[r] {
			most = max(most, x, -x)
		}
	}
	scale := most / 127
	var body []byte
	features, total, last := 0, 0, uint32(0)
	for _, id := range slices.Sorted(maps.Keys(m.index)) {
		var one []byte
		n := 0
		for c, x := range m.w[m.index[id]] {
			if v := int(math.Round(float64(x / scale))); v != 0 {
				one = append(one, byte(c), byte(int8(v)))
				n++
			}
		}
		if n == 0 {
			continue
		}
		body = binary.AppendUvarint(body, uint64(id-last))
		body = append(binary.AppendUvarint(body, uint64(n)), one...)
		last, features, total = id, features+1, total+n
	}
	float := func(b []byte, x float32) []byte { return binary.LittleEndian.AppendUint32(b, math.Float32bits(x)) }
	out := binary.AppendUvarint(nil, version)
	out = binary.AppendUvarint(out, uint64(sum))
	out = binary.AppendUvarint(out, uint64(len(m.classes)))
	for c, name := range m.classes {
		out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
		out = float(out, m.bias[c])
	}
	out = float(out, scale)
	out = binary.AppendUvarint(out, uint64(features))
	out = binary.AppendUvarint(out, uint64(total))
	return append(out, body...)
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

// The models fit the examples that they were trained from. With -update they are trained anew.
func TestTrain(t *testing.T) {
	for _, locale := range Languages {
		list, sum := examplesOf(t, locale)
		file := filepath.Join("models", locale+".bin")
		if *update {
			m := train(languageOf(t, locale), list)
			if err := os.WriteFile(file, m.encode(sum), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := (&decoder{data: data}); d.number() != version || d.number() != sum {
			t.Fatalf("%s: the examples or words have changed since the model was trained: go test ./stages/understand/classify -run TestTrain -update", locale)
		}
		m, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		m.language = languageOf(t, locale)
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
