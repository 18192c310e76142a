package understand

import (
	"slices"

	"github.com/vivavoice/viva/stages/understand/classify"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// Of distress, as a whole text and as a clause of a longer one. A miss may cost a life; but at even odds "I sing well and I paint a lot" is
// one, and who is asked about such things without a reason does not come back.
const dire, direPart = 0.75, 0.95

// distressed takes the sentences that hold words of self-harm out of a text. Patterns and examples tell of them, each alone: none must be missed.
func (r *Rules) distressed(text string) []Act {
	if !r.harms(text) && !r.fears(text) {
		return []Act{{Kind: ActAnswer, Text: text}}
	}
	var out []Act
	for _, sentence := range cutSentences(text) {
		kind := ActAnswer
		if r.harms(sentence) || r.fears(sentence) {
			kind = ActDistress
		}
		out = append(out, Act{Kind: kind, Text: sentence})
	}
	return out
}

// harms reports whether a text holds words of self-harm in any of the languages: whoever is in distress may fall back to another one.
func (r *Rules) harms(text string) bool {
	rule := intentRule{patterns: r.acts.distress, not: r.acts.not}
	if rule.matches(text, prefilter.Fold(text), Words(text)) {
		return true
	}
	return slices.ContainsFunc(r.also, func(other *Rules) bool { return other.harms(text) })
}

// fears reports whether a text, or a clause of it, is like examples of distress, and like nothing that only looks like it.
func (r *Rules) fears(text string) bool {
	in := r.speaks(text).acts
	if in.danger == nil || anyOf(in.not, text) {
		return false
	}
	like := func(part string, enough float64) bool {
		c, _ := in.danger.Whole(part)
		return c.Class == classify.Distress && c.P >= enough
	}
	if like(text, dire) {
		return true
	}
	clauses := in.model.Clauses(text)
	for i := range clauses {
		end := len(text)
		if i+1 < len(clauses) {
			end = clauses[i+1].From
		}
		if like(text[clauses[i].From:end], direPart) {
			return true
		}
	}
	return false
}

// Well reports whether somebody whose words were taken for distress says that they are well, were misheard, or want to go on.
func (r *Rules) Well(text string) bool {
	text = plain(text)
	return !r.harms(text) && anyOf(r.speaks(text).acts.well, text)
}
