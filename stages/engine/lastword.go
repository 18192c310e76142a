package engine

import (
	"slices"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Before the goodbye there is room for what the candidate wants to add or to ask. A model that leads gives it itself (mayClose); by rules it
// is given where the interview has words for it: last_word offers it, last_added thanks for what was added.
const (
	choiceLastWord = "last_word"
	lastAdded      = "last_added"

	mostAdded  = 5 // additions that are listened to
	leastAdded = 7 // words of one
)

// offerLastWord holds the floor once, before the last part that is held is left in the ordinary way.
func (s *course) offerLastWord(reason string) bool {
	st, v, next := s.stage(), s.u.Current(), s.following()
	mayAsk := slices.Contains([]string{ReasonComplete, ReasonTurns, ReasonExhausted, ReasonPassed, ReasonFollowUps}, reason)
	if !mayAsk || s.opens || v.Closing || v.Overtime || !v.Opened || v.Turns == 0 || s.led(st) || s.worth(choiceLastWord) == "" ||
		next == nil || !next.Final && !tells(next) {
		return false
	}
	v.Closing, v.Leaving, v.Choice = true, reason, choiceLastWord
	s.fact("last_word.offered")
	s.stopFloor("last_word")
	s.sayLast()
	return true
}

// sayLast offers the last word in a wording that was not used, or only what was put before it; what is taken up is a piece of the latest turn.
func (s *course) sayLast() {
	s.piece(s.u.Current())
	r := state.Reply{Move: string(MoveAnswer), Question: choiceLastWord, Again: true}
	s.takePreface(&r)
	n, left := s.wording(choiceLastWord)
	if left {
		add(&r, variant(choiceLastWord, n), s.render(choiceLastWord, prompts.Say, n))
	}
	if r.Text == "" { // it was asked in every wording
		s.handoff(s.u.Visit, s.u.Current().Leaving, "candidate")
		return
	}
	s.say(r)
}

// lastWord takes what is said before the goodbye: questions are answered, what is added is kept and taken up, and anything else is the end of it.
func (s *step) lastWord(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	for i := range h.acts {
		if h.acts[i].Asks == understand.AskVerdict { // of all that was said
			h.acts[i] = understand.Act{Kind: understand.ActQuestion, About: understand.AboutStanding, Text: h.acts[i].Text}
		}
	}
	wish := h.wish()
	switch {
	case v.Added < mostAdded && adds(text, intents, h):
		s.added(st, v, text, intents, h)
	case h.has(understand.ActQuestion):
		s.transcript.aside(v)
		s.whatFollows(h)
		s.answerQuestions(h)
		if next := s.following(); h.about(understand.AboutStanding) && next != nil && tells(next) { // that tells it
			s.handoff(s.u.Visit, v.Leaving, "candidate")
			break
		}
		s.sayLast()
	case wish != nil && slices.Contains([]understand.Request{understand.AskHint, understand.AskEasier, understand.AskRephrase}, wish.Asks): // nothing is open that it could help with
		s.transcript.aside(v)
		s.sayLast()
	case h.has(understand.ActEmotion), wish != nil && !h.light() && wish.Asks != understand.AskEnd && wish.Asks != understand.AskSkip:
		return s.dealWith(st, v, text, intents, h, false)
	default:
		s.transcript.aside(v)
		s.handoff(s.u.Visit, v.Leaving, "candidate")
	}
	return true
}

// adds reports whether a turn before the goodbye tells something more, or puts something right.
func adds(text string, intents []understand.Intent, h *heard) bool {
	no := slices.Contains(intents, understand.No) || slices.Contains(intents, understand.Done)
	if no && understand.Words(text) <= maxYes {
		return false
	}
	wish := h.wish()
	may := wish == nil || wish.Asks == understand.AskBack || wish.Asks == understand.AskGoTo || h.light()
	return may && (understand.Words(phrase.Answers(h.acts)) >= leastAdded || h.has(understand.ActCorrection))
}

// added keeps what was added, and takes it up: by what was not heard of it yet, else by a piece of it.
func (s *step) added(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) {
	v.Added++
	if st.Responder == definition.ByExperts && !s.judgements.going(v) {
		s.transcript.aside(v) // the answers are counted there
	}
	s.slots.track(st, text, intents)
	s.answerQuestions(h)
	q, found := s.missing(st, false)
	if !found || !s.takesUp(q.prompt) {
		q, found = s.growing(v)
	}
	switch {
	case st.Responder != definition.ByExperts && s.doubt(st, v):
	case found:
		r := state.Reply{Move: string(MoveAnswer), Question: q.of, Slot: q.slot}
		s.takePreface(&r)
		s.put(&r, q)
		s.say(r)
	default:
		s.piece(v)
		s.beforePrompt(s.worth(lastAdded))
		s.sayLast()
	}
}

// whatFollows answers "what happens now?" after the last question: with the report, and who can read what was said.
func (s *situation) whatFollows(h *heard) {
	if !h.told("what_next") {
		return
	}
	sheet := s.sheet()
	h.answers = slices.DeleteFunc(h.answers, func(f facts.Fact) bool { return f.ID == "what_next" })
	for _, id := range []string{"score", "who_sees"} {
		if f, there := sheet.Fact(id); there && !h.told(id) {
			h.answers = append(h.answers, f)
		}
	}
}
