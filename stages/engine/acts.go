package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// A turn is dealt with act by act (RM-1): questions are answered, wishes granted, moods met. Only what is an answer goes on to the move
// that an answer earns (RM-2).

// longClause is how many words a clause needs to hold more than the question that was found in it.
const longClause = 10

// heard is a turn as it was read.
type heard struct {
	acts    []understand.Act
	answers []facts.Fact // to its questions, in order
	open    int          // questions that the sheet does not answer
	answer  bool         // it holds an answer
	last    bool         // it ends with a question about the task, whatever it was read as
	later   bool         // it wishes for a part before there are parts
}

func (h *heard) asks(r understand.Request) bool {
	return slices.ContainsFunc(h.acts, func(a understand.Act) bool { return a.Asks == r })
}

func (h *heard) has(k understand.ActKind) bool {
	return slices.ContainsFunc(h.acts, func(a understand.Act) bool { return a.Kind == k })
}

// wish is the first request of the turn, or nil.
func (h *heard) wish() *understand.Act {
	for i := range h.acts {
		if h.acts[i].Kind == understand.ActRequest {
			return &h.acts[i]
		}
	}
	return nil
}

// hearing reads a turn by rules, with what the interview knows: its parts, and its fact sheet.
func (s *situation) hearing(text string) heard {
	var h heard
	sheet := s.sheet()
	text, code := apart(text)
	if code != "" {
		h.acts = append(h.acts, understand.Act{Kind: understand.ActAnswer, Text: code})
	}
	acts := s.acts(text)
	for i, a := range acts {
		if text == "" {
			break
		}
		if selfAsked(acts, i) {
			h.acts = append(h.acts, understand.Act{Kind: understand.ActAnswer, Text: a.Text})
			continue
		}
		wished := a.Asks
		a = s.ofTheTalk(s.placed(a))
		h.later = h.later || wished == understand.AskGoTo && a.Asks != wished && s.partsToCome()
		found := s.soughtIn(sheet, acts, i, &a)
		if a.Asks == understand.AskLanguage && s.goesOver(text) {
			h.acts = append(h.acts, a)
			continue // it is spoken already
		}
		if len(found) > 0 && a.Kind == understand.ActAnswer {
			if understand.Words(a.Text) >= longClause {
				h.acts = append(h.acts, a)
			}
			a = understand.Act{Kind: understand.ActQuestion, Text: a.Text}
		}
		h.acts = append(h.acts, a)
		h.answers = append(h.answers, found...)
		if a.Kind == understand.ActQuestion && len(found) == 0 && a.About != understand.AboutStanding && a.About != aboutMemory && a.About != aboutItself {
			h.open++
		}
	}
	h.settleEnd()
	h.last = s.asksOfTask(text, &h)
	h.answer = h.has(understand.ActAnswer)
	return h
}

// settleEnd leaves no wish to end in the middle of an answer that does not say so outright: "we did it end to end" ends nothing.
func (h *heard) settleEnd() {
	if h.asks(understand.AskRephrase) { // "what do you mean, what do I keep?" asks for no plan of the interview
		h.answers = slices.DeleteFunc(h.answers, func(f facts.Fact) bool { return f.ID == factNext })
	}
	for i := range h.acts {
		if a := &h.acts[i]; a.Asks == understand.AskEnd && a.About == "" && i < len(h.acts)-1 && h.acts[i+1].Kind == understand.ActAnswer {
			*a = understand.Act{Kind: understand.ActAnswer, Text: a.Text}
		}
	}
}

// factLanguage is about the languages of the interview.
const factLanguage = "language"

// factNext is what comes next.
const factNext = "what_next"

// placed settles what a wish to go somewhere names. What names no part of the interview is about its subject.
func (s *situation) placed(a understand.Act) understand.Act {
	if a.Asks != understand.AskGoTo && a.Asks != understand.AskBack {
		if mayGo(&a) {
			if part := s.partNamed(s.iv.Rules.Goes(a.Text)); part != "" && !s.hereNow(part) {
				return understand.Act{Kind: understand.ActRequest, Asks: understand.AskGoTo, About: part, Text: a.Text}
			}
		}
		return a
	}
	part := s.partNamed(a.About)
	if part != "" && s.hereNow(part) && s.iv.Rules.Before(a.Text) { // the question before, in a part that is called the questions
		a.Asks, a.About = understand.AskBack, ""
		return a
	}
	if part != "" {
		a.About = part
		return a
	}
	if a.Asks == understand.AskBack && s.answeredBefore() {
		a.About = ""
		return a
	}
	kind := understand.ActAnswer
	if s.iv.Rules.Asks(a.Text) {
		kind = understand.ActQuestion
	}
	return understand.Act{Kind: kind, Text: a.Text}
}

// answeredBefore reports whether there is anything to go back to: at the welcome there is not.
func (s *situation) answeredBefore() bool {
	st := s.stage()
	return st == nil || st.Responder != definition.Scripted || len(s.u.Visits) > 1
}

// mayGo reports whether an act may be a wish to go somewhere, once a part of the interview is named in it.
func mayGo(a *understand.Act) bool {
	switch a.Asks {
	case understand.AskSkip, understand.AskGoOn, understand.AskVerdict, understand.AskThink, understand.AskRepeat:
		return true
	}
	return a.Kind == understand.ActQuestion && a.About == ""
}

// hereNow reports whether a part is the one on the floor.
func (s *situation) hereNow(part string) bool {
	v := s.u.Current()
	return part == v.Item || v.Item == "" && part == v.Stage
}

// tellRead logs what a turn was read as: the kinds, and never the words.
func (s *change) tellRead(h *heard) {
	var kinds, wishes, known []string
	for _, a := range h.acts {
		kinds = append(kinds, string(a.Kind))
		if a.Asks != "" {
			wishes = append(wishes, string(a.Asks))
		}
	}
	for _, f := range h.answers {
		known = append(known, f.ID)
	}
	s.fact("turn.read", field("acts", strings.Join(kinds, " ")), field("requests", strings.Join(wishes, " ")), field("facts", strings.Join(known, " ")))
}

// deal deals with what a turn holds besides an answer. It reports whether that was the whole turn: then the question that was put
// before waits on. continued says that the turn goes on with an answer that was not reacted to.
func (s *step) deal(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, continued bool) bool {
	if s.u.Distress {
		return s.careOn(v, text, intents)
	}
	h := s.hearing(text)
	s.tellRead(&h)
	switch {
	case h.has(understand.ActDistress):
		s.distressed(v)
		return true
	case v.Choice == choiceLastWord:
		return s.lastWord(st, v, text, intents, &h)
	case v.Choice != "" && s.chosen(st, v, text, intents, &h):
		s.transcript.aside(v)
		return true
	case s.atMenu(st) && h.plain():
		return false // a menu has rules of its own for what is unclear
	case s.leavesTopic(st, v, text, &h), s.confided(st, v, text, intents, &h):
		return true
	}
	return s.dealWith(st, v, text, intents, &h, continued)
}

// dealWith deals with a turn that is neither distress nor a choice that was offered.
func (s *step) dealWith(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard, continued bool) bool {
	goesOn := continued && h.onlyAsks() // the rest of an answer that reads like a question
	if !h.answer && len(h.acts) > 0 && !goesOn {
		s.transcript.aside(v)
	}
	if len(h.answers) > 0 || !goesOn {
		s.answerQuestions(h)
	}
	if h.answer && h.light() && !h.has(understand.ActEmotion) {
		return s.reliefs(st, v, text, intents, h)
	}
	if goesOn || s.answersAfterAll(st, v, intents, h) {
		return s.transcript.takenForAnswer(v, continued)
	}
	before := s.u.Invalid
	whole := s.respond(st, v, text, intents, h)
	if whole && s.u.Invalid == before {
		s.u.Invalid = 0
	}
	return whole
}

// plain reports whether a turn holds neither a wish nor a feeling, and asks for nothing that the sheet tells.
func (h *heard) plain() bool {
	return h.wish() == nil && len(h.answers) == 0 && !h.has(understand.ActEmotion)
}

// answersAfterAll reports whether what reads like something else answers the question that waits.
func (s *situation) answersAfterAll(st *definition.Stage, v *state.StageVisit, intents []understand.Intent, h *heard) bool {
	return s.answersYesNo(intents, h) || s.eager(st, h) || saysDone(intents, h) || s.consents(st, v, h)
}

// told reports whether a fact was among the answers.
func (h *heard) told(id string) bool {
	return slices.ContainsFunc(h.answers, func(f facts.Fact) bool { return f.ID == id })
}

// about reports whether a question is about something of the talk itself.
func (h *heard) about(what string) bool {
	return slices.ContainsFunc(h.acts, func(a understand.Act) bool { return a.About == what })
}

// onlyAsks reports whether there is nothing but questions.
func (h *heard) onlyAsks() bool {
	return len(h.acts) > 0 && !slices.ContainsFunc(h.acts, func(a understand.Act) bool { return a.Kind != understand.ActQuestion })
}

// light reports whether what was wished for beside an answer does not stand in the way of the reaction to it.
func (h *heard) light() bool {
	a := h.wish()
	return a == nil || a.Asks == understand.AskLanguage || a.Asks == understand.AskVerdict || a.Asks == understand.AskGoOn
}

// consents reports whether the turn is about the consent that the stage asks for: then that is what it answers.
func (s *situation) consents(st *definition.Stage, v *state.StageVisit, h *heard) bool {
	if !s.asksConsent(st) || v.Target != s.iv.Def.Recording.Slot {
		return false
	}
	return h.asks(understand.AskNoRecording) || h.asks(understand.AskSkip) || h.has(understand.ActObjection)
}

// takenForAnswer has the usual way of an answer for a turn that is none by itself.
func (s transcript) takenForAnswer(v *state.StageVisit, continued bool) bool {
	if !continued {
		s.latest().Aside = false
		v.InputTurns = s.withLatest(v.InputTurns)
	}
	return false
}

// respond reacts to what is no answer, or not only one.
func (s *step) respond(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	if a := h.wish(); a != nil && a.Asks == understand.AskBack && s.backTo(a) {
		s.transcript.aside(v)
		return true
	} else if a != nil && s.addsTo(v, a, h) {
		s.transcript.aside(v)
		return s.amend(text)
	}
	if h.answer {
		s.keep(st, v, text, intents)
	}
	if a := h.wish(); a != nil {
		return s.wished(st, v, a, text, intents, h)
	}
	return s.react(st, v, text, h)
}

// react answers what is neither an answer nor a wish.
func (s *step) react(st *definition.Stage, v *state.StageVisit, text string, h *heard) bool {
	switch {
	case h.has(understand.ActEmotion):
		s.comfort(st, v)
	case h.has(understand.ActObjection):
		return s.objected(st, v, h)
	case h.has(understand.ActCorrection):
		s.corrected(st, text)
	case h.has(understand.ActQuestion):
		s.sayPreface(MoveAnswer)
	case h.about(aboutParting):
		v.Choice = choiceEnd
		s.sayAside(MoveAnswer, "every.parting")
	case h.has(understand.ActRemark):
		s.sayAside(MoveAnswer, s.remark(h))
	case h.has(understand.ActNothing) && s.atMenu(st):
		return s.transcript.takenForAnswer(v, false)
	case h.has(understand.ActNothing):
		if !s.invalid(st, v, text) {
			s.sayAside(MoveAnswer, "every.nothing")
		}
	default:
		return s.invalid(st, v, text)
	}
	return true
}

// keep notes an answer whose reaction has to wait: what was wished for comes first.
func (s *replies) keep(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent) {
	v.Turns++
	s.slots.track(st, text, intents)
	s.judgements.answerHeard(st, v, intents)
}

// aside marks the latest turn as one that answers nothing.
func (s transcript) aside(v *state.StageVisit) {
	t := s.latest()
	t.Aside = true
	v.InputTurns = slices.DeleteFunc(slices.Clone(v.InputTurns), func(id uint64) bool { return id == t.ID })
}

// latest is the turn that was noted last, to be changed: the turns are shared with the state before.
func (s transcript) latest() *state.Turn {
	s.u.Turns = slices.Clone(s.u.Turns)
	return &s.u.Turns[len(s.u.Turns)-1]
}

// sayAside says a prompt after what was put before it; the question before it waits.
func (s *replies) sayAside(m Move, id string) {
	s.beforePrompt(s.worth(id))
	s.sayPreface(m)
}

// worth returns a prompt that there are words for, or "".
func (s *situation) worth(id string) string {
	if id == "" || !s.iv.Words.Has(id, "say") {
		return ""
	}
	return id
}

// remark is what is said to small talk.
func (s *situation) remark(h *heard) string {
	for _, a := range h.acts {
		if a.Kind == understand.ActRemark && a.About != "" {
			return "every.greeting"
		}
	}
	return "every.remark"
}

// answersYesNo reports whether a plain yes or no, or an objection that is one, answers a question that asks for it.
func (s *situation) answersYesNo(intents []understand.Intent, h *heard) bool {
	says := slices.Contains(intents, understand.Yes) || slices.Contains(intents, understand.No) || h.has(understand.ActObjection)
	return says && s.earns() == expectYesNo && h.wish() == nil && !h.has(understand.ActQuestion)
}

// eager reports whether somebody who was asked whether to begin wants to hear the question: not the one that was just put, but the task.
func (s *situation) eager(st *definition.Stage, h *heard) bool {
	a := h.wish()
	return st.Responder == definition.Scripted && s.earns() == expectYesNo && h.answer && a != nil && (a.Asks == understand.AskRepeat || a.Asks == understand.AskRephrase)
}

// saysDone reports whether the turn says that this was all: that ends a part by its guard, as the end of an answer does.
func saysDone(intents []understand.Intent, h *heard) bool {
	a := h.wish()
	return slices.Contains(intents, understand.Done) && a != nil && a.Asks == understand.AskGoOn
}

// goesOver reports whether a turn is in another of the interview's languages: the talk goes over to it by itself.
func (s *situation) goesOver(text string) bool {
	own := prompts.Language(s.iv.Words.Locale())
	language := understand.Language(text, own)
	return language != own && s.began.languages[language] != nil
}
