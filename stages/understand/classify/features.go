package classify

// A feature is a word, words in a row, a part of a word, a concept, or how a clause begins and ends. It is known by a number only.
type feature struct {
	id       uint32
	from, to int // the tokens that it is of, the last one included
}

// The sorts of features, so that one word gives different ones.
const (
	sortWord uint32 = iota + 1
	sortPair
	sortTriple
	sortAround // two words with one between
	sortFour
	sortPart
	sortConcept
	sortConcepts // two in a row, whatever stands between
	sortThree
	sortFirst
	sortFirstPair
	sortFirstTriple
	sortLast
	sortLastPair
	sortFirstConcept
	sortMark
	sortLength
	sortKinds
	sortKindsFirst
	sortKindsLast
	sortHas
)

func hash(sort uint32, word string) uint32 {
	h := 2166136261 ^ sort<<24
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h ^ h>>15
}

func mix(sort uint32, ids ...uint32) uint32 {
	h := 2166136261 ^ sort<<24
	for _, id := range ids {
		h = (h ^ id) * 0x85ebca6b
		h ^= h >> 13
	}
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// Parts of a word are so many bytes long, its ends marked.
const (
	partLeast, partMost = 3, 5
	wordMost            = 40
)

// sequence is a text as features: those of its words, each at the last token that it is of, in order.
type sequence struct {
	tokens   []token
	end      gap
	ids      []uint32 // of the tokens
	kinds    []uint32
	features []feature
	at       []int // where the features of each token begin
	concepts []feature
}

func (l *language) read(s *sequence, text string) {
	s.tokens, s.end = l.tokenize(s.tokens[:0], text)
	s.kinds = s.kinds[:0]
	s.ids, s.features, s.at, s.concepts = s.ids[:0], s.features[:0], s.at[:0], s.concepts[:0]
	for i := range s.tokens {
		s.ids = append(s.ids, hash(sortWord, s.tokens[i].word))
		s.kinds = append(s.kinds, l.kind(s.tokens[i].word))
		for _, c := range l.concepts[s.tokens[i].word] {
			if begins(s.tokens[i:], c.name) {
				s.concepts = append(s.concepts, feature{c.id, i, i + len(c.name) - 1})
			}
		}
	}
	for i := range s.tokens {
		s.at = append(s.at, len(s.features))
		s.words(i)
	}
	s.at = append(s.at, len(s.features))
}

// words adds the features that end with a token.
func (s *sequence) words(i int) {
	word := s.tokens[i].word
	add := func(id uint32, from int) { s.features = append(s.features, feature{id, from, i}) }
	add(mix(sortWord, s.ids[i]), i)
	if word[0] < 0x80 && len(word) > 3 || len(word) > 6 {
		s.parts(word, i)
	}
	if i >= 1 {
		add(mix(sortPair, s.ids[i-1], s.ids[i]), i-1)
	}
	if i >= 2 {
		add(mix(sortTriple, s.ids[i-2], s.ids[i-1], s.ids[i]), i-2)
		add(mix(sortAround, s.ids[i-2], s.ids[i]), i-2)
	}
	if i >= 1 && s.kinds[i]+s.kinds[i-1] != 0 {
		add(mix(sortKinds, s.kinds[i-1], s.kinds[i]), i-1)
	}
	if i >= 2 && s.kinds[i]+s.kinds[i-1]+s.kinds[i-2] != 0 {
		add(mix(sortKinds, s.kinds[i-2], s.kinds[i-1], s.kinds[i]), i-2)
	}
	if s.kinds[i] != 0 {
		add(mix(sortHas, s.kinds[i]), i)
	}
	for n, c := range s.concepts {
		if c.to != i {
			continue
		}
		add(mix(sortConcept, c.id), c.from)
		before := 0
		for k := n - 1; k >= 0 && before < 3; k-- {
			if b := s.concepts[k]; b.to < c.from {
				add(mix(sortConcepts, b.id, c.id), b.from)
				before++
			}
		}
	}
}

func (s *sequence) parts(word string, at int) {
	var buf [wordMost + 2]byte
	marked := append(append(append(buf[:0], '^'), word[:min(len(word), wordMost)]...), '$')
	for n := partLeast; n <= partMost; n++ {
		for i := 0; i+n <= len(marked); i++ {
			h := uint32(0x31415927)
			for _, c := range marked[i : i+n] {
				h = (h ^ uint32(c)) * 16777619
			}
			s.features = append(s.features, feature{h ^ h>>15, at, at})
		}
	}
}

// edges adds the features of how the clause of the tokens from..to-1 begins and ends.
func (s *sequence) edges(out []uint32, from, to int) []uint32 {
	n := to - from
	if n <= 0 {
		return out
	}
	ids, kinds := s.ids[from:to], s.kinds[from:to]
	out = append(out, mix(sortKindsFirst, kinds[0]), mix(sortKindsLast, kinds[n-1]))
	if n >= 2 {
		out = append(out, mix(sortKindsFirst, kinds[0], kinds[1]), mix(sortKindsLast, kinds[n-2], kinds[n-1]))
	}
	if n >= 3 {
		out = append(out, mix(sortKindsFirst, kinds[0], kinds[1], kinds[2]))
	}
	out = append(out, mix(sortFirst, ids[0]), mix(sortLast, ids[n-1]))
	if n >= 2 {
		out = append(out, mix(sortFirstPair, ids[0], ids[1]), mix(sortLastPair, ids[n-2], ids[n-1]))
	}
	if n >= 3 {
		out = append(out, mix(sortFirstTriple, ids[0], ids[1], ids[2]))
	}
	if s.gap(to) == query {
		out = append(out, mix(sortMark, 1))
	}
	return append(out, mix(sortLength, lengthOf(n)))
}

// gap is what stands before a token, or behind the last one.
func (s *sequence) gap(i int) gap {
	if i >= len(s.tokens) {
		return s.end
	}
	return s.tokens[i].gap
}

func lengthOf(n int) uint32 {
	for i, most := range [...]int{1, 2, 3, 4, 6, 9, 14, 20} {
		if n <= most {
			return uint32(i)
		}
	}
	return 8
}

// clause returns all features of the clause of the tokens from..to-1.
func (s *sequence) clause(out []uint32, from, to int) []uint32 {
	for i := from; i < to; i++ {
		for _, f := range s.features[s.at[i]:s.at[i+1]] {
			if f.from >= from {
				out = append(out, f.id)
			}
		}
	}
	return s.edges(out, from, to)
}
