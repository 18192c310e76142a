package persona

import (
	"regexp"
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
)

// onMeaning is the occasion of a turn that asks what is meant.
const onMeaning expert.Occasion = "meaning"

// onReady is the occasion of a turn that says no more than that the candidate is ready.
const onReady expert.Occasion = "ready"

// maxUnclear is how many words a turn that asks back has at most: a longer one says something besides.
const maxUnclear = 18

// maxReady is how many words a turn has at most that says no more than that the candidate is ready.
const maxReady = 6

// requests reports whether a turn with these intents asks for something instead of answering (R002-34).
func requests(intents []understand.Intent) bool {
	return slices.ContainsFunc(intents, func(i understand.Intent) bool {
		return i == understand.Repeat || i == understand.Think || i == understand.Hint || i == understand.Answer
	})
}

// unclear reports whether a turn asks what is meant.
func (g *Generator) unclear(text, locale string) bool {
	if understand.Words(text) > maxUnclear {
		return false
	}
	text = plain(text)
	for _, re := range prompts.In(g.cast.words.Clarify, locale) {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}

// ready reports whether a turn says no more than that the candidate is ready.
func (g *Generator) ready(text, locale string) bool {
	patterns := prompts.In(g.cast.words.Ready, locale)
	if len(patterns) == 0 || understand.Words(text) > maxReady {
		return false
	}
	text = plain(text)
	return !slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return !re.MatchString(text) })
}

// asksBack says why the question that waits is to be put once more instead of taking the turn for an answer; "" = it is one.
func (e questioner) asksBack(b *expert.Board, s Situation) expert.Occasion {
	switch {
	case len(s.Asked) == 0 || s.Unheard != nil:
		return ""
	case b.Wants(understand.Hint, understand.Answer):
		return expert.OnSimpler
	case b.Wants(understand.Repeat):
		return expert.OnRequest
	case e.unclear(b.Input, b.Locale):
		return onMeaning
	case len(s.Asked) == 1 && len(s.History) == 0 && e.ready(b.Input, b.Locale):
		return onReady // it answers the introduction, which came in one message with the first question
	}
	return ""
}

// again puts the question that waits once more; "" when none does.
func (e questioner) again(b *expert.Board, s Situation, why expert.Occasion) string {
	var waiting string
	switch n := len(s.Asked); {
	case s.Unheard != nil:
		waiting = s.Unheard.Text
	case n > 0:
		waiting = s.Asked[n-1]
	default:
		return ""
	}
	lead := b.Fresh(prompts.In(e.cast.words.Again[string(why)], b.Locale), b.Seed)
	return join(b.Locale, lead, waiting)
}
