package classify

import "slices"

// Where a turn goes over from one thing to another is learned, too: from what stands around such places in turns that are joined of two
// examples. A recogniser writes neither stops nor commas there.

// The sorts of features of a place between two words, by where the words stand.
const (
	cutBefore uint32 = iota + 64
	cutBehind
	cutAround
	cutPairBefore
	cutPairBehind
	cutTripleBehind
	cutSecondBehind
	cutKinds
	cutKindsBehind
	cutGap
	cutGapWord
	cutLeft
	cutRight
	cutConcept
)

// likelyCut is the least logarithm of the odds for a change before a word, for it to be looked at.
const likelyCut = -4

// around adds the features of the place before the token i.
func (s *sequence) around(out []uint32, i int) []uint32 {
	id := func(at int) uint32 {
		if at < 0 || at >= len(s.ids) {
			return 0
		}
		return s.ids[at]
	}
	kind := func(at int) uint32 {
		if at < 0 || at >= len(s.kinds) {
			return 0
		}
		return s.kinds[at]
	}
	gap := uint32(s.gap(i))
	return append(out,
		mix(cutBefore, id(i-1)), mix(cutBehind, id(i)), mix(cutAround, id(i-1), id(i)),
		mix(cutPairBefore, id(i-2), id(i-1)), mix(cutPairBehind, id(i), id(i+1)), mix(cutTripleBehind, id(i), id(i+1), id(i+2)),
		mix(cutSecondBehind, id(i+1)), mix(cutKinds, kind(i-1), kind(i), kind(i+1)), mix(cutKindsBehind, kind(i), kind(i+1), kind(i+2)),
		mix(cutGap, gap), mix(cutGapWord, gap, id(i)),
		mix(cutLeft, uint32(min(i, 6))), mix(cutRight, uint32(min(len(s.tokens)-i, 6))),
	)
}

// changes returns the logarithm of the odds that something else begins before the token i.
func (m *Model) changes(b *buffer, i int) float64 {
	b.ids = b.around(b.ids[:0], i)
	class := len(m.classes)
	b.acc = slices.Grow(b.acc[:0], class+1)[:class+1]
	b.acc[class] = 0
	for _, id := range b.ids {
		m.add(b.acc, keyOfPlace(id), 1)
	}
	return float64(m.cutBias + m.cutScale*float32(b.acc[class]))
}
