package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// The turns that places are learned from are joined of two examples each, as people go on without a stop: often with a word that leads in.
const (
	joins     = 2 // of each example that is no answer
	cutRounds = 6
	cutKeep   = 30_000
)

// cutter learns where a turn goes over to something else: a logistic regression over the features around a place.
type cutter struct {
	index map[uint32]int
	ids   []uint32
	w, g  []float32
	count []float64
	bias  float32
	gb    float32
}

// joined is a turn of two examples, and where the second begins, in bytes.
type joined struct {
	text string
	at   int
	list [2]example
}

// join makes turns of an answer and something else, in either order, and of two other things.
func join(l *language, list []example) []joined {
	r := rand.New(rand.NewPCG(5, 6))
	var answers, others []example
	for _, e := range list {
		switch e.class {
		case Answer:
			answers = append(answers, e)
		case "nothing":
		default:
			others = append(others, e)
		}
	}
	leads := l.leadWords()
	var out []joined
	for _, e := range others {
		for range joins {
			other := answers[r.IntN(len(answers))]
			first, second := other, e
			switch x := r.Float64(); {
			case x < 0.15:
				first, second = e, other
			case x < 0.3:
				first = others[r.IntN(len(others))]
			}
			out = append(out, l.joint(r, leads, first, second))
		}
	}
	return out
}

// joint joins two examples.
func (l *language) joint(r *rand.Rand, leads []string, first, second example) joined {
	between := " "
	if r.IntN(6) == 0 {
		between = ", "
	}
	a, b := strings.TrimRight(first.text, ".,!?。，？！ "), second.text
	lead := ""
	if r.Float64() < 0.6 {
		lead = leads[r.IntN(len(leads))] + " "
	}
	if r.Float64() < 0.7 {
		a = strings.ToLower(a)
		b = strings.ToLower(b)
	}
	if hanText(b) {
		lead = strings.TrimSpace(lead)
		if r.IntN(3) == 0 {
			between = ""
		}
	}
	return joined{text: a + between + lead + b, at: len(a) + len(between), list: [2]example{first, second}}
}

func hanText(s string) bool {
	for _, c := range s {
		if 0x4e00 <= c && c < 0xa000 {
			return true
		}
	}
	return false
}

// leadWords are the words that only lead in to a clause.
func (l *language) leadWords() []string {
	var out []string
	for _, list := range l.leads {
		for _, words := range list {
			if hanText(words[0]) {
				out = append(out, strings.Join(words, ""))
			} else {
				out = append(out, strings.Join(words, " "))
			}
		}
	}
	slices.Sort(out)
	return out
}

func trainCuts(l *language, list []example) *cutter {
	c := &cutter{index: make(map[uint32]int)}
	type place struct {
		rows []int
		cut  bool
	}
	var all []place
	var s sequence
	var ids []uint32
	read := func(text string, at int) {
		l.read(&s, text)
		for i := 1; i < len(s.tokens); i++ {
			if s.tokens[i].from == s.tokens[i-1].from {
				continue
			}
			ids = s.around(ids[:0], i)
			rows := make([]int, 0, len(ids))
			for _, id := range ids {
				id = keyOfPlace(id)
				row, there := c.index[id]
				if !there {
					row = len(c.w)
					c.index[id] = row
					c.ids, c.w, c.g, c.count = append(c.ids, id), append(c.w, 0), append(c.g, 0), append(c.count, 0)
				}
				c.count[row]++
				rows = append(rows, row)
			}
			// idle words between the two count to the gap of the second
			all = append(all, place{rows, s.tokens[i].from >= at && s.tokens[i-1].from < at})
		}
	}
	for _, e := range list {
		read(e.text, math.MaxInt)
	}
	for _, j := range join(l, list) {
		read(j.text, j.at)
	}
	r := rand.New(rand.NewPCG(7, 8))
	learn := func(rounds int) {
		order := r.Perm(len(all))
		for range rounds {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, i := range order {
				c.step(all[i].rows, all[i].cut)
			}
		}
	}
	learn(cutRounds)
	c.prune()
	learn(1)
	c.prune()
	return c
}

func (c *cutter) step(rows []int, cut bool) {
	x := c.bias
	for _, r := range rows {
		x += c.w[r]
	}
	wrong := float32(1 / (1 + math.Exp(-float64(x))))
	if cut {
		wrong--
	}
	if -1e-3 < wrong && wrong < 1e-3 {
		return
	}
	c.gb += wrong * wrong
	c.bias -= 0.05 * wrong / (float32(math.Sqrt(float64(c.gb))) + 1e-3)
	for _, r := range rows {
		g := wrong + 1e-4*c.w[r]
		c.g[r] += g * g
		c.w[r] -= 0.1 * g / (float32(math.Sqrt(float64(c.g[r]))) + 1e-3)
	}
}

// prune leaves the weights that tell most.
func (c *cutter) prune() {
	var all []float64
	for r, x := range c.w {
		all = append(all, math.Abs(float64(x))*math.Sqrt(c.count[r]))
	}
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) <= cutKeep {
		return
	}
	least := sorted[len(sorted)-cutKeep]
	for r := range c.w {
		if all[r] < least {
			c.w[r] = 0
		}
	}
}
