package engine

import (
	"strings"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// The kinds of answer that a definition knows.
const (
	expectStory = "story"
	expectYesNo = "yes_no"
	expectShort = "short"
)

// Awaits is the kind of answer that is waited for once the words of a model that led the turn were heard: as Say.Expects, which was made
// before there were any.
func (iv *Interview) Awaits(u *state.UserData, heard string) string {
	if u.Stage == "" || u.Ended != "" {
		return ""
	}
	return iv.stepping(u).expects(heard)
}

// expects is the kind of answer that the question which waits earns, put in these words, or "". Where a stage or a slot names a short one, it
// is that; else the words may ask for a story, for a yes or no or for a few words.
func (s *situation) expects(words string) string {
	kind, q, rules := s.earns(), asking(words), s.iv.Rules
	switch {
	case q == "" || kind != "" && kind != expectStory:
		return kind
	case rules.Mentions(understand.LexiconAsksStory, q):
		return expectStory
	case rules.Mentions(understand.LexiconAsksYesNo, q):
		return expectYesNo
	case rules.Mentions(understand.LexiconAsksShort, q):
		return expectShort
	}
	return kind
}

// earns is what the definition says of the question which waits, or "". A stage that opens with a story wants one with each of its questions.
func (s *situation) earns() string {
	st, v := s.stage(), s.u.Current()
	prompt, _, _ := strings.Cut(v.Prompt, "#") // what follows is the number of the wording
	slot := st.Slot(v.Target)
	switch {
	case prompt == st.Prompts.Open || st.Single != nil && prompt == st.Single.Open:
		return st.Expect
	case slot != nil && slot.Expect != "":
		return slot.Expect
	case st.Expect == expectStory:
		return expectStory
	}
	return ""
}

// asking is the sentence of a text that waits for an answer: its last question, or else its last sentence.
func asking(text string) string {
	if q := lastQuestion(text); q != "" {
		return q
	}
	if all := sentences(text); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}
