package classify

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Training: multinomial logistic regression by stochastic gradient descent with a rate of its own for each weight (AdaGrad), in a fixed
// order. Only the weights that tell most are kept. It stops early and learns slowly: what fits every example is too sure of others.
const (
	members = 4 // trained apart and averaged
	rounds  = 14
	again   = 5 // rounds after the others are left out
	keep    = 320_000
	rate    = 0.2
	decay   = 1e-3
	missing = 0.2 // the share of features that an example is learned without, each time others
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
	cuts    *cutter
}

// lesson is an example as numbers.
type lesson struct {
	rows  []int
	by    float32
	class int
}

// fitted learns from examples, and from parts of answers, which are answers, too.
func fitted(l *language, list, parts []example, members int) *trainer {
	all := slices.Concat(list, parts)
	m := &trainer{l: l, index: make(map[uint32]int)}
	for _, e := range all {
		if !slices.Contains(m.classes, e.class) {
			m.classes = append(m.classes, e.class)
		}
		var s sequence
		l.read(&s, e.text)
		for _, id := range s.clause(nil, l.leading(&s, 0, len(s.tokens)), len(s.tokens)) {
			if _, there := m.index[key(id)]; !there {
				m.index[key(id)] = len(m.index)
			}
		}
	}
	slices.Sort(m.classes)
	m.p, m.drop, m.count = make([]float32, len(m.classes)), make([][]bool, len(m.index)), make([]float64, len(m.index))
	lessons := make([]lesson, len(all))
	for i, e := range all {
		rows, by := m.features(e.text)
		class, _ := slices.BinarySearch(m.classes, e.class)
		lessons[i] = lesson{rows, by, class}
		for _, r := range rows {
			m.count[r] += float64(by)
		}
	}
	m.w, m.g, m.bias, m.gb = m.weights(), m.weights(), make([]float32, len(m.classes)), make([]float32, len(m.classes))
	m.average(lessons, rounds, members, 100)
	m.prune()
	m.average(lessons, again, members, 1)
	m.cuts = trainCuts(l, list)
	return m
}

// average learns several times, in other orders, from the weights that there are, and takes the mean.
func (m *trainer) average(lessons []lesson, rounds, members int, seed uint64) {
	from, slopes, bias0, gb0 := m.w, m.g, m.bias, m.gb
	sums, bias := m.weights(), make([]float32, len(m.classes))
	for k := range members {
		m.w, m.g, m.bias, m.gb = copied(from), copied(slopes), slices.Clone(bias0), slices.Clone(gb0)
		m.learn(lessons, rounds, seed+uint64(k))
		for r, row := range m.w {
			for c, x := range row {
				sums[r][c] += x / float32(members)
			}
		}
		for c, x := range m.bias {
			bias[c] += x / float32(members)
		}
	}
	m.w, m.bias = sums, bias
}

func copied(rows [][]float32) [][]float32 {
	out := make([][]float32, len(rows))
	for i := range rows {
		out[i] = slices.Clone(rows[i])
	}
	return out
}

func (m *trainer) weights() [][]float32 {
	out := make([][]float32, len(m.index))
	for r := range out {
		out[r] = make([]float32, len(m.classes))
	}
	return out
}

func (m *trainer) features(text string) (rows []int, by float32) {
	var s sequence
	m.l.read(&s, text)
	for _, id := range s.clause(nil, m.l.leading(&s, 0, len(s.tokens)), len(s.tokens)) {
		if row, there := m.index[key(id)]; there {
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

func (m *trainer) learn(lessons []lesson, rounds int, seed uint64) {
	r := rand.New(rand.NewPCG(1, seed))
	order := r.Perm(len(lessons))
	var kept []int
	for range rounds {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			kept = kept[:0]
			for _, row := range lessons[i].rows {
				if r.Float64() >= missing {
					kept = append(kept, row)
				}
			}
			m.step(kept, lessons[i].by/float32(1-missing), lessons[i].class)
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

// center takes from the weights of each feature what most classes have in common: only differences tell, and most are then next to nothing.
func (m *trainer) center() {
	sorted := make([]float32, len(m.classes))
	for _, row := range m.w {
		copy(sorted, row)
		slices.Sort(sorted)
		middle := sorted[len(sorted)/2]
		for c := range row {
			row[c] -= middle
		}
	}
}

// prune leaves the weights that tell most: of all the examples together, so that what is frequent counts for more.
func (m *trainer) prune() {
	m.center()
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

// coarse is how many steps of a weight are one: what is finer tells little and cannot be packed.
const coarse = 2

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
	most = 0
	for _, x := range m.cuts.w {
		most = max(most, x, -x)
	}
	cutScale := most / 127
	ids := make(map[uint32]bool)
	for id := range m.index {
		ids[id] = true
	}
	for id := range m.cuts.index {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		var one []byte
		n := 0
		put := func(c int, x float32) {
			if v := coarse * int(float64(x)/coarse+math.Copysign(0.5, float64(x))); v != 0 {
				one = append(one, byte(c), byte(int8(v)))
				n++
			}
		}
		if row, there := m.index[id]; there {
			for c, x := range m.w[row] {
				put(c, min(x/scale, 126))
			}
		} else if row, there := m.cuts.index[id]; there {
			put(len(m.classes), min(m.cuts.w[row]/cutScale, 126))
		}
		if n == 0 {
			continue
		}
		body = binary.AppendUvarint(body, uint64(id-last))
		body = append(binary.AppendUvarint(body, uint64(n)), one...)
		last, features, total = id, features+1, total+n
	}
	float := func(b []byte, x float32) []byte { return binary.LittleEndian.AppendUint32(b, math.Float32bits(x)) }
	out := binary.AppendUvarint(nil, uint64(len(m.classes)))
	for c, name := range m.classes {
		out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
		out = float(out, m.bias[c])
	}
	out = float(out, scale)
	out = float(out, m.cuts.bias)
	out = float(out, cutScale)
	out = binary.AppendUvarint(out, uint64(features))
	out = binary.AppendUvarint(out, uint64(total))
	out = append(out, body...)
	head := binary.AppendUvarint(nil, version)
	packed := bytes.NewBuffer(binary.AppendUvarint(head, uint64(sum)))
	w, err := flate.NewWriter(packed, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(out); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return packed.Bytes()
}
