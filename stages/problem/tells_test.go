package problem

import (
	"maps"
	"slices"
)

// Tells returns the id of the reference approach that a text would give away, in whatever mood it speaks of it and in whatever
// language, or "" (RM-28): at least two words of one of its wordings stand close together.
func (p *Problem) Tells(text string) string {
	ears := p.listen()
	for _, s := range sentences(text) {
		for _, h := range ears {
			if h.best && h.dense(s.words) {
				return h.id
			}
		}
	}
	return ""
}

// dense reports whether the words hold one of the wordings with few words between.
func (h *heard) dense(words []word) bool {
	for _, w := range slices.Concat(append(slices.Collect(maps.Values(h.plain)), h.keywords)...) {
		for _, at := range w.find(words) {
			if at.weight >= 2 && at.to-at.from <= 2*at.weight+1 {
				return true
			}
		}
	}
	return false
}
