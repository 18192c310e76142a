package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// A turn is dealt with act by act (RM-1): questions are answered, wishes granted, moods met. Only what is an answer goes on to the move
// that an answer earns (RM-2).

// longClause is how many words a clause needs to hold more than the question that was found in it.
const longClause = 10

// maxAsked is how many words a question without a mark has at most.
const maxAsked = 16

// heard is a turn as it was read.
type heard struct {
	acts    []understand.Act
	answers []facts.Fact // to its questions, in order
	open    int          // questions that the sheet does not answer
	answer  bool         // it holds an answer
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
func (s *step) hearing(text string) heard {
	var h heard
	sheet, locale := s.sheet(), s.iv.Words.Locale()
	text, code := apart(text)
	if code != "" {
		h.acts = append(h.acts, understand.Act{Kind: understand.ActAnswer, Text: code})
	}
	for _, a := range s.iv.Rules.Acts(text) {
		if text == "" {
			break
		}
		a = s.placed(a)
		found := s.factsFor(sheet, &a)
		if !s.asksAFact(&a, found) {
			found = nil
		}
		if a.Asks == understand.AskLanguage && s.goesOver(text) {
			h.acts = append(h.acts, a)
			continue // it is spoken already
		}
		if a.Asks == understand.AskLanguage && len(found) == 0 && (s.iv.Rules.Asks(a.Text) || facts.Asks(a.Text, locale)) {
			found = slices.DeleteFunc(slices.Clone(sheet), func(f facts.Fact) bool { return f.ID != factLanguage })
		}
		if len(found) == 0 && s.mayAsk(&a) {
			a.Kind = understand.ActQuestion
		}
		switch {
		case len(found) > 0 && a.Kind == understand.ActAnswer && understand.Words(a.Text) >= longClause && !s.iv.Rules.Asks(a.Text):
			h.acts = append(h.acts, a)
			a = understand.Act{Kind: understand.ActQuestion, Text: a.Text}
		case len(found) > 0 && (a.Kind == understand.ActAnswer || a.Asks == understand.AskVerdict || found[0].ID == factWho || s.asksWhat(&a)):
			a = understand.Act{Kind: understand.ActQuestion, Text: a.Text}
		}
		h.acts = append(h.acts, a)
		h.answers = append(h.answers, found...)
		if a.Kind == understand.ActQuestion && len(found) == 0 && a.About != understand.AboutStanding {
			h.open++
		}
	}
	h.answer = h.has(understand.ActAnswer)
	return h
}

// mayAsk reports whether what reads as an answer has the form of a question.
func (s *step) mayAsk(a *understand.Act) bool {
	return a.Kind == understand.ActAnswer && understand.Words(a.Text) <= maxAsked && facts.Asks(a.Text, s.iv.Words.Locale()) &&
		!s.iv.Rules.Proposes(a.Text) && !saysOfOneself(a.Text)
}

// factsFor are the facts that an act asks for. What is read as a question is one, though it has not the form of one.
func (s *step) factsFor(sheet facts.Sheet, a *understand.Act) []facts.Fact {
	locale := s.iv.Words.Locale()
	if a.Kind == understand.ActQuestion || a.Asks == understand.AskVerdict || a.Kind == understand.ActRequest && s.iv.Rules.Asks(a.Text) {
		return sheet.FindAsked(a.Text, locale)
	}
	return sheet.Find(a.Text, locale)
}

// Facts whose questions are near to wishes.
const (
	factWho      = "what_are_you"
	factLanguage = "language"
)

// alsoWishes are facts that somebody who wishes for the same asks about, too: both are dealt with.
var alsoWishes = []string{"may_pause", "may_think", factLanguage, factWho}

// asksAFact reports whether an act is a question that the facts found for it answer. A wish is granted, not explained.
func (s *step) asksAFact(a *understand.Act, found []facts.Fact) bool {
	switch {
	case len(found) == 0, saysOfOneself(a.Text):
		return false
	case a.Kind == understand.ActAnswer || a.Kind == understand.ActQuestion || a.Kind == understand.ActRemark || a.Asks == understand.AskVerdict:
		return true
	case a.Kind == understand.ActRequest:
		return slices.Contains(alsoWishes, found[0].ID) || s.asksWhat(a)
	}
	return false
}

// asksWhat reports whether what looks like a wish asks for something that a fact tells: "what's next?", "how many questions will you ask
// me?". What was asked last, and what to do with it, no fact tells.
func (s *step) asksWhat(a *understand.Act) bool {
	switch a.Asks {
	case understand.AskGoOn, understand.AskEnd, understand.AskThink, understand.AskSkip, understand.AskPause, understand.AskRepeat:
		return facts.AsksWhat(a.Text, s.iv.Words.Locale())
	}
	return false
}

// placed settles what a wish to go somewhere names. What names no part of the interview is about its subject.
func (s *step) placed(a understand.Act) understand.Act {
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
	if next := s.iv.Rules.Without(a.Text, a.Asks); next.Kind == understand.ActRequest {
		return next
	}
	if a.Asks == understand.AskBack && (a.About == "" || s.iv.Rules.Before(a.Text)) {
		a.About = ""
		return a
	}
	kind := understand.ActAnswer
	if s.iv.Rules.Asks(a.Text) {
		kind = understand.ActQuestion
	}
	return understand.Act{Kind: kind, Text: a.Text}
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
func (s *step) hereNow(part string) bool {
	v := s.u.Current()
	return part == v.Item || v.Item == "" && part == v.Stage
}

// tellRead logs what a turn was read as: the kinds, and never the words.
func (s *step) tellRead(h *heard) {
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
	offered := v.Choice
	if h.has(understand.ActDistress) {
		s.distressed(v)
		return true
	}
	if offered != "" && s.chosen(st, v, text, intents, &h) {
		s.aside(v)
		return true
	}
	if s.atMenu(st) && h.plain() {
		return false // a menu has rules of its own for what is unclear
	}
	goesOn := continued && h.onlyAsks() // the rest of an answer that reads like a question
	if !h.answer && len(h.acts) > 0 && !goesOn {
		s.aside(v)
	}
	if len(h.answers) > 0 || !goesOn {
		s.answerQuestions(&h)
	}
	if h.answer && h.light() && !h.has(understand.ActEmotion) {
		return s.reliefs(st, v, text, intents, &h)
	}
	if goesOn || s.answersAfterAll(st, v, intents, &h) {
		return s.takenForAnswer(v, continued)
	}
	before := s.u.Invalid
	whole := s.respond(st, v, text, intents, &h)
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
func (s *step) answersAfterAll(st *definition.Stage, v *state.StageVisit, intents []understand.Intent, h *heard) bool {
	return s.answersYesNo(intents, h) || s.eager(st, h) || saysDone(intents, h) || s.consents(st, v, h)
}

// told reports whether a fact was among the answers.
func (h *heard) told(id string) bool {
	return slices.ContainsFunc(h.answers, func(f facts.Fact) bool { return f.ID == id })
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
func (s *step) consents(st *definition.Stage, v *state.StageVisit, h *heard) bool {
	if !s.asksConsent(st) || v.Target != s.iv.Def.Recording.Slot {
		return false
	}
	return h.asks(understand.AskNoRecording) || h.has(understand.ActObjection)
}

// takenForAnswer has the usual way of an answer for a turn that is none by itself.
func (s *step) takenForAnswer(v *state.StageVisit, continued bool) bool {
	if !continued {
		s.latest().Aside = false
		v.InputTurns = s.withLatest(v.InputTurns)
	}
	return false
}

// respond reacts to what is no answer, or not only one.
func (s *step) respond(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent, h *heard) bool {
	if h.answer {
		s.keep(st, v, text, intents)
	}
	if a := h.wish(); a != nil {
		return s.wished(st, v, a, text, intents, h)
	}
	switch {
	case h.has(understand.ActEmotion):
		s.comfort(st, v)
	case h.has(understand.ActObjection):
		return s.objected(st, v, h)
	case h.has(understand.ActCorrection):
		s.corrected(st, text)
	case h.has(understand.ActQuestion):
		s.sayPreface(MoveAnswer)
	case h.has(understand.ActRemark):
		s.sayAside(MoveAnswer, s.remark(h))
	case h.has(understand.ActNothing) && s.atMenu(st):
		return s.takenForAnswer(v, false)
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
func (s *step) keep(st *definition.Stage, v *state.StageVisit, text string, intents []understand.Intent) {
	v.Turns++
	s.track(st, text, intents)
	s.answerHeard(st, v, intents)
}

// aside marks the latest turn as one that answers nothing.
func (s *step) aside(v *state.StageVisit) {
	t := s.latest()
	t.Aside = true
	v.InputTurns = slices.DeleteFunc(slices.Clone(v.InputTurns), func(id uint64) bool { return id == t.ID })
}

// latest is the turn that was noted last, to be changed: the turns are shared with the state before.
func (s *step) latest() *state.Turn {
	s.u.Turns = slices.Clone(s.u.Turns)
	return &s.u.Turns[len(s.u.Turns)-1]
}

// sayAside says a prompt after what was put before it; the question before it waits.
func (s *step) sayAside(m Move, id string) {
	s.beforePrompt(s.worth(id))
	s.sayPreface(m)
}

// worth returns a prompt that there are words for, or "".
func (s *step) worth(id string) string {
	if id == "" || !s.iv.Words.Has(id, "say") {
		return ""
	}
	return id
}

// remark is what is said to small talk.
func (s *step) remark(h *heard) string {
	for _, a := range h.acts {
		if a.Kind == understand.ActRemark && a.About != "" {
			return "every.greeting"
		}
	}
	return "every.remark"
}

// answersYesNo reports whether a plain yes or no, or an objection that is one, answers a question that asks for it.
func (s *step) answersYesNo(intents []understand.Intent, h *heard) bool {
	says := slices.Contains(intents, understand.Yes) || slices.Contains(intents, understand.No) || h.has(understand.ActObjection)
	return says && s.expects() == "yes_no" && h.wish() == nil && !h.has(understand.ActQuestion)
}

// eager reports whether somebody who was asked whether to begin wants to hear the question: not the one that was just put, but the task.
func (s *step) eager(st *definition.Stage, h *heard) bool {
	a := h.wish()
	return st.Responder == definition.Scripted && s.expects() == "yes_no" && h.answer && a != nil && (a.Asks == understand.AskRepeat || a.Asks == understand.AskRephrase)
}

// saysDone reports whether the turn says that this was all: that ends a part by its guard, as the end of an answer does.
func saysDone(intents []understand.Intent, h *heard) bool {
	a := h.wish()
	return slices.Contains(intents, understand.Done) && a != nil && a.Asks == understand.AskGoOn
}

// goesOver reports whether a turn is in another of the interview's languages: the talk goes over to it by itself.
func (s *step) goesOver(text string) bool {
	own, _, _ := strings.Cut(s.iv.Words.Locale(), "-")
	language := understand.Language(text, own)
	return language != own && s.began.languages[language] != nil
}

// saysOfOneself reports whether a Chinese clause without a sign of a question speaks of the speaker: the words for how and what stand in
// statements, too.
func saysOfOneself(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), "。！. ")
	for _, asking := range []string{"我们", "我想知道", "我想问", "我想请教", "我要问", "我能", "我可以", "我可不可以", "我该", "我应该", "我还"} {
		if strings.HasPrefix(text, asking) {
			return false
		}
	}
	return strings.HasPrefix(text, "我") && !strings.HasSuffix(text, "吗") && !strings.HasSuffix(text, "呢") && !strings.ContainsAny(text, "?？")
}
