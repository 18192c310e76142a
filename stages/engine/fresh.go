package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// fillerEvery is of how many of our utterances one at most may hold a filler (RM-22).
const fillerEvery = 5

// keepHeard enters what was heard of us in the books, sentence by sentence.
func (s transcript) keepHeard(text string) {
	for _, sentence := range sentences(text) {
		words := normalise(sentence)
		switch {
		case words == "":
		case asks(sentence):
			s.u.Ledger.Said = append(s.u.Ledger.Said, words)
		case !slices.Contains(s.u.Ledger.Told, words):
			s.u.Ledger.Told = append(s.u.Ledger.Told, words)
		}
	}
}

// wasHeard reports whether a sentence of ours was heard before.
func (s *words) wasHeard(sentence string) bool {
	words := normalise(sentence)
	return words != "" && (slices.Contains(s.u.Ledger.Told, words) || slices.Contains(s.u.Ledger.Said, words))
}

// unheardOf returns a text without the sentences that were heard before, or that stand in it twice.
func (s *words) unheardOf(text string) string {
	var seen []string
	for _, sentence := range sentences(text) {
		words := normalise(sentence)
		switch {
		case s.wasHeard(sentence):
			text = strings.Replace(text, sentence, "", 1)
		case slices.Contains(seen, words) && words != "":
			if i := strings.LastIndex(text, sentence); i >= 0 {
				text = text[:i] + text[i+len(sentence):]
			}
		}
		seen = append(seen, words)
	}
	return strings.Join(strings.Fields(text), " ")
}

// unrepeated takes out of a reply what was heard before, so that no sentence of ours comes twice unless the candidate asked for
// it (RM-22). A question that is taken out is put in words of its own that were not used, or the floor is given back in a
// few words; an aside of which nothing is left is not said.
func (s *words) unrepeated(r state.Reply) state.Reply {
	fresh := s.unheardOf(r.Text)
	if mayRepeat(&r) || helpsAgain(&r, fresh) || fresh == strings.Join(strings.Fields(r.Text), " ") {
		return r
	}
	if fresh == "" && s.hasToBeHeard(&r) {
		return r
	}
	lost := len(questions(r.Text)) > 0 && len(questions(fresh)) == 0
	whole := r.Text
	r.Text = fresh
	if lost && r.Opening {
		if s.askOtherwise(&r, prompts.Say); len(questions(r.Text)) == 0 {
			r.Text = whole // what opens a stage has to ask for it
		}
		return r
	}
	again := r.Aside || Move(r.Move) == MoveReprompt || Move(r.Move) == MoveSimplify
	if (lost && !again || fresh == "") && !s.askOtherwise(&r, prompts.Say, prompts.Reprompt, prompts.Simple) {
		s.addFresh(&r, s.lines().Point)
	}
	if r.Text == "" && !r.Aside { // an interview that has no other words: better these again than none
		r.Text = whole
	}
	return r
}

// mayRepeat reports whether a reply is not held to what was heard before: it was asked for, a model has its own words, or it is the report.
func mayRepeat(r *state.Reply) bool {
	return r.Wished || r.Occasion != "" || Move(r.Move) == MoveReport
}

// helpsAgain reports whether of a hint nothing would be left: with another problem it may help once more.
func helpsAgain(r *state.Reply, fresh string) bool {
	return r.Hint && !strings.HasSuffix(fresh, lastSentence(r.Text))
}

// hasToBeHeard reports whether a reply is said although every sentence of it was heard.
func (s *words) hasToBeHeard(r *state.Reply) bool {
	return r.Last || r.Opening && !s.u.Current().Opened || slices.ContainsFunc(r.Prompts, s.firm)
}

// askOtherwise puts the question of a reply in words that were not heard; it reports whether there are any. An expert's question
// has none: the words of its stage's opening ask for something else.
func (s *words) askOtherwise(r *state.Reply, forms ...prompts.Form) bool {
	if s.stage().Responder == definition.ByExperts && !r.Opening {
		return false
	}
	id := base(r.Question)
	for _, form := range forms {
		if form == prompts.Say && s.takesUp(id) {
			continue
		}
		for n := range s.iv.Words.Variants(id, form) {
			if text := s.render(id, form, n); text != "" && s.unheardOf(text) == text {
				issue := s.issueOf(formOf(id, form))
				for k := 1; slices.Contains(r.Prompts, issue); k++ { // the words of that issue are not said
					if again := variant(formOf(id, form), n+k); !s.u.Ledger.Has(again) {
						issue = again
					}
				}
				add(r, issue, text)
				return true
			}
		}
	}
	return false
}

// formOf names a prompt in a form.
func formOf(id string, form prompts.Form) string {
	if form == prompts.Say {
		return id
	}
	return id + "." + string(form)
}

// filler reports whether an issue of a prompt only fills: an acknowledgement, or a word of patience.
func (s *words) filler(issue string) bool {
	id := base(issue)
	if id == "" {
		return false
	}
	st := s.stage()
	return id == s.lines().Ack || id == s.iv.Def.Recovery.HoldPrompt || st.Gate != nil && id == st.Gate.HoldPrompt
}

// mayFill reports whether the next utterance may hold a filler: at most one of five does (RM-22).
func (s *words) mayFill() bool { return s.utterances()+1-s.u.Ledger.Filled >= fillerEvery }

// utterances counts those of ours that were heard.
func (s *words) utterances() int { return len(s.texts(state.SpeakerAgent)) }

// texts are all turns of one side.
func (s *situation) texts(by state.Speaker) []string {
	var out []string
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; t.Speaker == by {
			out = append(out, t.Text)
		}
	}
	return out
}
