package classify

import (
	"math"
	"slices"
	"strings"
)

// Clause is a part of a text that does one thing.
type Clause struct {
	From, To int     // in bytes
	Class    string  // what it does
	P        float64 // how likely that is, together with what is as good as that
	Near     string  // the class next to it that is likely, too; or ""
	NearP    float64
}

// The classes that others depend on.
const (
	Answer   = "answer"
	Unknown  = "unknown" // a question that no sheet holds
	Distress = "distress"
	FactOf   = "fact:"    // what a question asks for follows
	WishOf   = "request:" // what is wished for follows
)

// group is a set of classes that a cut need not tell apart.
type group struct{ classes []int }

// kin are requests that are as good as each other.
var kin = [][]string{
	{"request:repeat", "request:rephrase"}, {"request:think", "request:pause", "fact:may_think", "fact:may_pause"}, {"request:hint", "request:solution"},
	{"request:skip", "request:go_on"}, {"request:back", "request:go_to"}, {"request:language", "fact:language"},
	{"request:human", "fact:human"}, {"request:verdict", "fact:how_did_i_do"},
}

// grouped puts the classes into groups: the kin, the questions, and each other class by itself.
func (m *Model) grouped() {
	m.group = make([]int, len(m.classes))
	at := make(map[string]int)
	for c, name := range m.classes {
		key := name
		if k := slices.IndexFunc(kin, func(list []string) bool { return slices.Contains(list, name) }); k >= 0 {
			key = kin[k][0]
		} else if strings.HasPrefix(name, FactOf) || name == Unknown {
			key = Unknown
		}
		g, there := at[key]
		if !there {
			g = len(m.groups)
			at[key] = g
			m.groups = append(m.groups, group{})
		}
		m.group[c] = g
		m.groups[g].classes = append(m.groups[g].classes, c)
	}
}

// What it costs to cut before a word, and to have a mark within a clause, in natural logarithms of likelihood; and what it is worth to find
// something else beside an answer, or beside something else, that is at least so likely.
const (
	cutOnce    = 1.0 // a cut, less what the odds for a change there are worth
	cutOdds    = 0.5
	cutLeast   = 0.0
	beside     = 2.0 // an answer
	another    = 2.0
	likelyNext = 0.6
)

var joinFor = [...]float64{blank: 0, breath: 0, comma: 0, stop: 0.6, query: 3}

// answerLess is what an answer is less likely than learned, in logarithms: the parts of answers among the examples outweigh what people say.
const answerLess = 0.5

// How likely something else than an answer has to be beside one. What stands last is most often meant, what is in the middle most often told.
var lastNeeds = [...]float64{blank: 0.9, breath: 0.85, comma: 0.65, stop: 0.5, query: 0.5}

const (
	firstNeeds = 0.95
	needs      = 0.97
)

const (
	maxPieces = 24 // places to cut at
	maxJoined = 10 // pieces in a clause, where there is more to choose from
	longText  = 10
)

// buffer is what reading a text needs, kept for the next one.
type buffer struct {
	sequence
	sums   []int32 // before each token, of all features that end before it
	acc    []int32
	p      []float32
	ids    []uint32
	places []int
	costs  []float64
	ways   [][2]way
}

// Clauses cuts a text into clauses and tells what each does: of all ways to cut it, the likeliest.
func (m *Model) Clauses(text string) []Clause {
	b, _ := m.buffers.Get().(*buffer)
	defer m.buffers.Put(b)
	m.read(&b.sequence, text)
	if len(b.tokens) == 0 {
		return nil
	}
	m.sum(b)
	m.places(b)
	return m.best(b)
}

// sum adds the weights up along the text, so that those of a part are a difference.
func (m *Model) sum(b *buffer) {
	n, c := len(b.tokens), len(m.classes)
	b.sums = slices.Grow(b.sums[:0], (n+1)*c)[:(n+1)*c]
	clear(b.sums[:c])
	for i := range n {
		next := b.sums[(i+1)*c : (i+2)*c]
		copy(next, b.sums[i*c:(i+1)*c])
		for _, f := range b.features[b.at[i]:b.at[i+1]] {
			m.add(next, key(f.id), 1)
		}
	}
}

// places returns where the text may be cut, before which tokens, with its end, and what each cut costs: at marks, and where something else
// seems to begin.
func (m *Model) places(b *buffer) {
	b.places, b.costs = append(b.places[:0], 0), append(b.costs[:0], 0)
	for i := 1; i < len(b.tokens); i++ {
		if b.tokens[i].from == b.tokens[i-1].from {
			continue // of one word
		}
		gap := b.gap(i)
		if gap >= stop {
			b.places, b.costs = append(b.places, i), append(b.costs, 0)
			continue
		}
		odds := m.changes(b, i)
		if gap >= comma || odds >= likelyCut {
			b.places, b.costs = append(b.places, i), append(b.costs, max(cutLeast, cutOnce-cutOdds*odds))
		}
	}
	for len(b.places) > maxPieces {
		worst := 1
		for k := range b.places {
			if k > 0 && b.costs[k] > b.costs[worst] {
				worst = k
			}
		}
		b.places, b.costs = slices.Delete(b.places, worst, worst+1), slices.Delete(b.costs, worst, worst+1)
	}
	b.places = append(b.places, len(b.tokens))
}

// way is the likeliest way to cut the text up to a place, with a last clause that answers, or does something else.
type way struct {
	score  float64
	from   int  // the place that the last clause begins at
	other  bool // what the clause before it does
	clause Clause
}

// best finds the likeliest cuts.
func (m *Model) best(b *buffer) []Clause {
	n := len(b.places)
	b.ways = append(b.ways[:0], [2]way{{}, {score: math.Inf(-1)}})
	for j := 1; j < n; j++ {
		ends := [2]way{{score: math.Inf(-1)}, {score: math.Inf(-1)}}
		least := 0
		if n > longText {
			least = max(0, j-maxJoined)
		}
		for i := least; i < j; i++ {
			if (i > 0 || j < n-1) && m.leadsOnly(&b.sequence, b.places[i], b.places[j]) {
				continue
			}
			c := m.clause(b, b.places[i], b.places[j])
			score := math.Log(c.P) - b.costs[i] - m.joined(b, i, j)
			own := 0
			if c.Class != Answer {
				own = 1
			}
			for before := range ends {
				s := score + b.ways[i][before].score + m.worth(b, i, j, before == 1, &c, &b.ways[i][before].clause)
				if s > ends[own].score {
					ends[own] = way{s, i, before == 1, c}
				}
			}
		}
		b.ways = append(b.ways, ends)
	}
	other := 0
	if last := b.ways[n-1]; last[1].score > last[0].score {
		other = 1
	}
	var out []Clause
	for j := n - 1; j > 0; {
		w := &b.ways[j][other]
		out = append(out, w.clause)
		j, other = w.from, 0
		if w.other {
			other = 1
		}
	}
	slices.Reverse(out)
	return out
}

// worth is what it is worth that the clause between two places does something else than the one before it.
func (m *Model) worth(b *buffer, i, j int, other bool, c, before *Clause) float64 {
	if i == 0 {
		return 0
	}
	gap := b.gap(b.places[i])
	switch last := j == len(b.places)-1; {
	case other == (c.Class != Answer):
		if other && c.Class != before.Class && c.P >= likelyNext && before.P >= likelyNext {
			return another
		}
		return 0
	case other && before.From == b.tokens[0].from && before.P >= firstNeeds, other && before.P >= needs:
	case !other && (c.P >= needs || last && c.P >= lastNeeds[gap]):
	default:
		return 0
	}
	return beside
}

// joined is what the marks within a clause cost.
func (m *Model) joined(b *buffer, i, j int) float64 {
	all := 0.0
	for k := i + 1; k < j; k++ {
		all += joinFor[b.gap(b.places[k])]
	}
	return all
}

// clause tells what the tokens from..to-1 do.
func (m *Model) clause(b *buffer, from, to int) Clause {
	m.score(b, m.leading(&b.sequence, from, to), to)
	best, p := 0, float32(-1)
	for g := range m.groups {
		sum := float32(0)
		for _, c := range m.groups[g].classes {
			sum += b.p[c]
		}
		if sum > p {
			best, p = g, sum
		}
	}
	out := Clause{From: b.tokens[from].from, To: b.tokens[to-1].to, P: max(float64(p), 1e-6)}
	first, second := -1, -1
	for _, c := range m.groups[best].classes {
		switch {
		case first < 0 || b.p[c] > b.p[first]:
			first, second = c, first
		case second < 0 || b.p[c] > b.p[second]:
			second = c
		}
	}
	out.Class = m.classes[first]
	if second >= 0 {
		out.Near, out.NearP = m.classes[second], float64(b.p[second])
	}
	return out
}

// score finds how likely each class is for the tokens from..to-1.
func (m *Model) score(b *buffer, from, to int) {
	c := len(m.classes)
	b.acc = slices.Grow(b.acc[:0], c)[:c]
	b.p = slices.Grow(b.p[:0], c)[:c]
	start, end := b.sums[from*c:(from+1)*c], b.sums[to*c:(to+1)*c]
	for k := range b.acc {
		b.acc[k] = end[k] - start[k]
	}
	if from > 0 {
		for _, f := range b.features[b.at[from]:b.at[to]] {
			if f.from < from {
				m.add(b.acc, key(f.id), -1)
			}
		}
	}
	b.ids = b.edges(b.ids[:0], from, to)
	for _, id := range b.ids {
		m.add(b.acc, key(id), 1)
	}
	m.likely(b.p, b.acc, to-from)
}

// Whole tells what a text does as one clause, and how likely a class is in it.
func (m *Model) Whole(text string) (Clause, func(class string) float64) {
	b, _ := m.buffers.Get().(*buffer)
	defer m.buffers.Put(b)
	m.read(&b.sequence, text)
	if len(b.tokens) == 0 {
		return Clause{Class: Answer}, func(string) float64 { return 0 }
	}
	m.sum(b)
	c := m.clause(b, 0, len(b.tokens))
	p := slices.Clone(b.p)
	return c, func(class string) float64 {
		if i := slices.Index(m.classes, class); i >= 0 {
			return float64(p[i])
		}
		return 0
	}
}
