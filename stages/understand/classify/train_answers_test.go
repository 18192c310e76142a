package classify

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
)

// Parts of answers are learned as answers: what a turn is cut into must not be taken for something else only because it is short, or begins
// like a question ("the capacity is limited"). What a model that did not learn from an answer takes part of it for tells which parts are
// worth learning. A part that it is all but certain of is left out, where the answer is not cut there: people do quote questions.
const (
	partShare = 0.3 // of the parts that an answer may be cut into
	partQuote = 0.9 // how likely something else is in a quoted one
	partHard  = 0.3 // how likely it is in one that is hard to tell
	hardMost  = 2   // of an answer
)

func train(l *language, list []example) *trainer {
	var parts []example
	r := rand.New(rand.NewPCG(9, 10))
	for half := range 2 {
		var learn, rest []example
		for i, e := range list {
			if i%2 == half {
				learn = append(learn, e)
			} else if e.class == Answer {
				rest = append(rest, e)
			}
		}
		m, err := decode(fitted(l, learn, pieces(r, l, nil, learn), 1).encode(0))
		if err != nil {
			panic(err)
		}
		m.language = l
		parts = append(parts, pieces(r, l, m, rest)...)
		parts = append(parts, m.mistaken(rest)...)
	}
	return fitted(l, list, parts, members)
}

// windows are places where an answer could be cut.
func windows(l *language, s *sequence) []int {
	out := []int{0}
	for i := 1; i < len(s.tokens); i++ {
		if s.tokens[i].from == s.tokens[i-1].from {
			continue
		}
		if g := s.tokens[i].gap; g >= comma || !l.bound[s.tokens[i-1].word] && (g >= breath || l.joints.at(s.tokens[i:]) > 0) {
			out = append(out, i)
		}
	}
	return append(out, len(s.tokens))
}

// pieces are parts that answers could be cut into, but for those that a model takes for something quoted.
func pieces(r *rand.Rand, l *language, m *Model, list []example) []example {
	var out []example
	for _, e := range list {
		if e.class != Answer {
			continue
		}
		var s sequence
		l.read(&s, e.text)
		places := windows(l, &s)
		for i := range places {
			for j := i + 1; j < min(len(places), i+4); j++ {
				if whole := i == 0 && j == len(places)-1; whole || places[j]-places[i] < 2 || r.Float64() >= partShare {
					continue
				}
				part := e.text[s.tokens[places[i]].from:s.tokens[places[j]-1].to]
				if m != nil {
					if c, _ := m.Whole(part); c.Class != Answer && c.P >= partQuote {
						continue
					}
				}
				out = append(out, example{Answer, part})
			}
		}
	}
	return out
}

// mistaken are the parts of answers, and of two in a row, that are taken for something else.
func (m *Model) mistaken(answers []example) []example {
	var out []example
	for i, e := range answers {
		text := e.text
		if i%2 == 1 {
			text = strings.TrimRight(answers[i-1].text, ".?! ") + " " + text
		}
		for _, c := range m.Clauses(text) {
			if c.Class != Answer && c.P > partHard {
				out = append(out, example{Answer, text[c.From:c.To]})
			}
		}
		out = append(out, m.hard(text)...)
	}
	return out
}

// hard are the parts of an answer that may be taken for something else, the likeliest first.
func (m *Model) hard(text string) []example {
	b := new(buffer)
	m.read(&b.sequence, text)
	if len(b.tokens) == 0 {
		return nil
	}
	m.sum(b)
	m.places(b)
	var found []Clause
	for i := range b.places {
		for j := i + 1; j < len(b.places); j++ {
			if c := m.clause(b, b.places[i], b.places[j]); c.Class != Answer && c.P > partHard && c.P < partQuote {
				found = append(found, c)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Clause) int { return cmp.Compare(y.P, x.P) })
	var out []example
	for _, c := range found[:min(hardMost, len(found))] {
		out = append(out, example{Answer, text[c.From:c.To]})
	}
	return out
}
