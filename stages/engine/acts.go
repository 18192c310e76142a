package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
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

// selfAsked reports whether an act is a question that they answer themselves: "is it five? No, ten".
func selfAsked(acts []understand.Act, i int) bool {
	return acts[i].Kind == understand.ActQuestion && i+1 < len(acts) && acts[i+1].Kind == understand.ActCorrection
}

// soughtIn are the facts that an act of a turn asks for, by itself, in its parts, or together with what stands before it.
func (s *situation) soughtIn(sheet facts.Sheet, acts []understand.Act, i int, a *understand.Act) []facts.Fact {
	found := append(s.factsFor(sheet, a), s.besides(sheet, a)...)
	if len(found) == 0 && i > 0 {
		return s.acrossClauses(sheet, &acts[i-1], a)
	}
	return found
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

// factsFor are the facts that an act asks for: the one that it was read as, or those of a problem or a company by their wordings.
func (s *situation) factsFor(sheet facts.Sheet, a *understand.Act) []facts.Fact {
	if f, there := sheet.Fact(a.Fact); there && f.Tell != facts.Never && !s.ofTheTask(&f, a) {
		if s.problemHas(f.ID) && strings.ContainsAny(s.readText, ".。") && !strings.ContainsAny(a.Text, "?？") && len(facts.Sheet{f}.Find(a.Text, s.iv.Words.Locale())) == 0 {
			return nil // it speaks of such inputs, and asks nothing
		}
		return []facts.Fact{f}
	}
	if a.Kind != understand.ActQuestion && a.Kind != understand.ActAnswer {
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(sheet), func(f facts.Fact) bool { return s.iv.Rules.KnowsFact(f.ID) })
	if strings.ContainsAny(a.Text, "?？") || a.Kind == understand.ActQuestion && !strings.ContainsAny(s.readText, ".。") {
		return own.FindAsked(a.Text, s.iv.Words.Locale())
	}
	return own.Find(a.Text, s.iv.Words.Locale())
}

// ofTheTask reports whether a question that was read as one about the interview is rather about the problem: it speaks of what the problem
// speaks of, and in none of the words in which people ask for the fact.
func (s *situation) ofTheTask(f *facts.Fact, a *understand.Act) bool {
	p, locale := s.problem(), s.iv.Words.Locale()
	if p == nil || a.Kind != understand.ActQuestion || len(facts.Sheet{*f}.FindAsked(a.Text, locale)) > 0 {
		return false
	}
	terms := slices.DeleteFunc(slices.Clone(problem.In(p.Terms, locale)), func(t string) bool { return len(t) < 3 })
	words := strings.Fields(strings.TrimRight(a.Text, "?？ "))
	for n := range min(3, len(words)) { // "is it n log n?"
		if _, formula := conclusion.Form(strings.Join(words[len(words)-1-n:], " ")); formula {
			return true
		}
	}
	return understand.Which(a.Text, terms) != ""
}

// acrossClauses are the facts that a sentence asks for which was read in two: the case, and then what is asked of it; or one thing, and the other.
func (s *situation) acrossClauses(sheet facts.Sheet, before, a *understand.Act) []facts.Fact {
	p := s.problem()
	if p == nil || a.About != "" || !strings.ContainsAny(a.Text, "?？") || strings.ContainsAny(before.Text[max(0, len(before.Text)-1):], ".?!") || strings.HasSuffix(before.Text, "。") {
		return nil
	}
	whole := before.Text + " " + a.Text
	switch {
	case before.Kind == understand.ActAnswer && a.Kind == understand.ActQuestion:
		return s.factsFor(sheet, &understand.Act{Kind: a.Kind, Text: whole})
	case before.Kind == understand.ActQuestion && a.Kind == understand.ActAnswer:
		return facts.Sheet(p.Sheet()).FindAsked(whole, s.iv.Words.Locale())
	}
	return nil
}

// problemHas reports whether a fact is one of the problem's.
func (s *situation) problemHas(id string) bool {
	p := s.problem()
	return p != nil && slices.ContainsFunc(p.Sheet(), func(f facts.Fact) bool { return f.ID == id })
}

// besides are the facts that the parts of a question ask for, apart from the one that it was read as: "is it recorded, and how long is it?"
func (s *situation) besides(sheet facts.Sheet, a *understand.Act) []facts.Fact {
	parts := strings.FieldsFunc(a.Text, func(c rune) bool { return strings.ContainsRune(",，、;；", c) })
	if a.Kind != understand.ActQuestion || a.Fact == "" || len(parts) < 2 || !strings.ContainsAny(a.Text, "?？") {
		return nil
	}
	var out []facts.Fact
	for _, part := range parts {
		for _, f := range sheet.FindAsked(part, s.iv.Words.Locale()) {
			if f.ID != a.Fact && f.Tell != facts.Never {
				out = append(out, f)
			}
		}
	}
	return out
}

// partsToCome reports whether the interview has parts that are not known yet.
func (s *situation) partsToCome() bool {
	return s.u.SubPhases == nil && slices.ContainsFunc(s.iv.Def.Stages, func(st definition.Stage) bool { return st.Expand != "" })
}

var (
	// tags are what a statement may end with.
	tags = regexp.MustCompile(`(?i)(\b(right|correct|no|ok(ay)?|yes|(is|does|do|would|could|are|was|wo|ca)n't (it|that|they|i|we))|(对|是|行|好)(吧|吗|不对|不是|不行)|(đúng|phải|được) không( ạ)?|nhỉ)\s*[?？]$`)
	// ofUs is what a question holds that is about the two who talk, or the interview.
	ofUs = regexp.MustCompile(`(?i)(^|[^\pL])(i|me|my|we|us|our|you|your|this|interview|(is|are|do|does|would|could)n't (it|that|they|there))($|[^\pL])|我|你|您|咱|面试|是不是|可不可以|能不能|行不行|什么问题|(^|\s)(em|tôi|mình|bạn|anh|chị)(\s|$)`)
)

// asksOfTask reports whether a turn ends with a question about the task, beside an answer, that nothing else was found in.
func (s *situation) asksOfTask(text string, h *heard) bool {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？") || tags.MatchString(text) || len(h.answers) > 0 || h.wish() != nil || len(h.acts) == 0 {
		return false
	}
	if last := &h.acts[len(h.acts)-1]; last.Kind != understand.ActQuestion && last.Kind != understand.ActAnswer || last.About != "" {
		return false
	}
	final := text[strings.LastIndexAny(strings.TrimRight(text, "?？"), ".!?:;。！？：；")+1:]
	if understand.Words(final) < leastAsked {
		return false
	}
	return !ofUs.MatchString(final) && (s.problem() != nil || s.u.SubPhases != nil || s.partsToCome())
}

// leastAsked is how many words a question about the task has at least: a shorter one is asked of oneself.
const leastAsked = 5

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
	return says && s.expects() == "yes_no" && h.wish() == nil && !h.has(understand.ActQuestion)
}

// eager reports whether somebody who was asked whether to begin wants to hear the question: not the one that was just put, but the task.
func (s *situation) eager(st *definition.Stage, h *heard) bool {
	a := h.wish()
	return st.Responder == definition.Scripted && s.expects() == "yes_no" && h.answer && a != nil && (a.Asks == understand.AskRepeat || a.Asks == understand.AskRephrase)
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
