package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Bounds of a brief, in characters: together some 6,000 tokens (RM-27).
const (
	briefTalk    = 9000 // of the latest turns, letter by letter
	briefTurn    = 2500 // of one of them
	briefNotes   = 3600 // of the notebook
	briefCode    = 3000
	briefHanding = 1500 // of one document
)

// brief tells a model that leads where the interview stands.
type brief struct{ *words }

// compose makes what it is told.
func (s brief) compose(r *state.Reply, again bool) (respond.Brief, error) {
	frame, err := s.iv.Words.Lead(s.frame())
	if err != nil {
		return respond.Brief{}, err
	}
	fixed, changing := s.briefFacts()
	open, taken := s.openClaims()
	b := respond.Brief{
		Frame: frame, Facts: fixed, Changing: changing, Hidden: s.hidden(), Talk: s.briefTalk(), Plan: s.plan(), Now: s.nowPart(), Criteria: s.criteriaNow(), Elsewhere: s.elsewhere(),
		Notebook: s.notebook(), Open: s.openEnds(open), Taken: taken, Code: s.editor(), Clock: s.clock(), Hint: s.nextHint(), Allowed: s.allowed(), Must: r.Must,
	}
	if !s.disclosed() && !s.partsOver() {
		b.Taboo = s.taboo()
	}
	if again {
		b.Again = "It put a question that was put before. Say something that takes them further."
	}
	return b, nil
}

// frame is who the interviewer is and how the interview goes: the same at every turn.
func (s brief) frame() prompts.Lead {
	l := prompts.Lead{
		Title: s.iv.Def.Title, Name: s.data().Name, Language: languageNames([]string{s.iv.Words.Locale()}), Minutes: s.planned(), Task: s.interviewQuestion(), Role: s.role(),
		Recorded: s.u.Recording != "", Report: s.iv.Def.Report != nil, Others: languageNames(s.otherLanguages()),
	}
	if s.iv.Def.Provider != nil {
		l.Company = companyOf(s.u)
		if l.Company == DefaultCompany {
			l.Company = ""
		}
	}
	if p := s.problem(); p != nil {
		l.Task = problem.In(p.Text, s.iv.Words.Locale())
	}
	if p := s.iv.Persona(s.u); p != nil {
		l.Persona, l.Tone, l.Focus = p.Called("en"), p.Tone, p.Focus
	}
	if s.iv.Def.Personas != nil {
		l.Questions = s.numberedTotal()
	}
	for i := range s.iv.Def.Stages {
		if st := &s.iv.Def.Stages[i]; !st.Final && !tells(st) {
			l.Parts = append(l.Parts, prompts.LeadPart{Title: st.Title, Goal: st.Goal})
		}
	}
	return l
}

// languageNames are the names of the locales' languages, in English.
func languageNames(locales []string) string {
	var out []string
	for _, locale := range locales {
		lang := prompts.Language(locale)
		out = append(out, cmp.Or(map[string]string{"en": "English", "zh": "Chinese", "vi": "Vietnamese"}[lang], "the language of the locale "+locale))
	}
	return strings.Join(out, " or ")
}

// plan is the parts with what became of them. Sub-phases stand in the place of the stage that is held as such.
func (s brief) plan() []respond.Part {
	var out []respond.Part
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		if st.Final || tells(st) || s.atMenu(st) || st.Responder == definition.Scripted {
			continue
		}
		if e := s.u.SubPhases; st.Expand != "" && e != nil {
			for k := range e.Items {
				if p := &e.Items[k]; !p.Irrelevant {
					out = append(out, respond.Part{ID: p.ID, Title: p.Name, Purpose: p.Description, Status: s.itemStatus(p.ID)})
				}
			}
			continue
		}
		out = append(out, respond.Part{ID: st.ID, Title: st.Title, Purpose: st.Goal, Status: s.stageStatus(st)})
	}
	return out
}

func (s brief) itemStatus(id string) string {
	e, v := s.u.SubPhases, s.u.Current()
	switch {
	case v.Item == id && !v.Closing:
		return "now"
	case slices.Contains(e.Completed, id):
		return "done"
	case slices.Contains(e.Skipped, id):
		return "left out"
	case slices.Contains(e.Unfinished, id):
		return "held, not finished"
	case s.itemMet(e.Stage, id):
		return "done"
	case s.visits(e.Stage, id) > 0:
		return leftOpen
	}
	return "to come"
}

// itemMet reports whether something was met in a sub-phase that was left.
func (s brief) itemMet(stage, id string) bool {
	return slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Stage == stage && v.Item == id && v.Left > 0 && s.met(&v) })
}

func (s *situation) stageStatus(st *definition.Stage) string {
	status := "to come"
	for i := range s.u.Visits {
		switch v := &s.u.Visits[i]; {
		case v.Stage != st.ID:
		case v.Left == 0 && !v.Closing:
			return "now"
		case st.Passing:
			status = "done"
		case v.Skipped:
			status = "left out"
		case Forced(v.Reason):
			status = "held, time ran out"
		case s.u.Model && v.Left > 0 && (v.Reason == ReasonReordered || v.Reason == ReasonIncomplete) && !s.met(v):
			status = leftOpen
		default:
			status = "done"
		}
	}
	return status
}

// nowPart is the part that is on.
func (s brief) nowPart() respond.Part {
	st, v := s.stage(), s.u.Current()
	if v.Closing {
		return respond.Part{ID: "end", Title: "The end", Purpose: "their last question and its answer; the last word on how it went, if it was not said yet; then, in a turn of its own, the goodbye."}
	}
	if p := s.phase(); p != nil {
		return respond.Part{ID: p.ID, Title: p.Name, Purpose: p.Description + " (" + st.Goal + ")"}
	}
	p := respond.Part{ID: st.ID, Title: st.Title, Purpose: st.Goal}
	if s.numbered(st) {
		p.Purpose += " " + s.numberedState(v)
	}
	return p
}

// criteriaNow is what counts in the part that is on, with what was reached.
func (s *situation) criteriaNow() []respond.Criteria {
	st, v := s.stage(), s.u.Current()
	if v.Closing {
		return nil
	}
	var out []respond.Criteria
	for i := range st.Slots {
		slot := &st.Slots[i]
		c := respond.Criteria{ID: slot.ID, What: strings.TrimSpace(slot.Hint)}
		if is := s.u.Slots[slot.ID]; is.Status == state.SlotFilled {
			c.What += " = known: " + Fence(understand.Clip(is.Value, 80))
		} else if is.Closed() {
			c.What += " = they would not say"
		}
		out = append(out, c)
	}
	for _, k := range s.criteria(st) {
		out = append(out, respond.Criteria{ID: k.Phrase, What: k.Phrase})
	}
	for id, f := range s.iv.Def.Fields {
		if st.Responder == definition.ByExperts && !f.Secret && st.Done.Field == id {
			out = append(out, respond.Criteria{ID: id, What: st.Goal})
		}
	}
	if len(out) == 0 {
		out = append(out, respond.Criteria{ID: PurposeCriterion, What: st.Goal})
	}
	for i := range out {
		for _, c := range s.u.Covered {
			if c.Criterion == out[i].ID && c.Stage == v.Stage && c.Part == v.Item {
				out[i].Level = max(out[i].Level, c.Level)
			}
		}
	}
	return out
}

// otherItems are the sub-phases beside the one that is on that are not over: what counts in them is noted wherever it is told (RM-18).
func (s *situation) otherItems() []*state.Phase {
	e, v := s.u.SubPhases, s.u.Current()
	if e == nil || v.Item == "" || v.Closing {
		return nil
	}
	var out []*state.Phase
	for i := range e.Items {
		if p := &e.Items[i]; p.ID != v.Item && !p.Irrelevant && !slices.Contains(e.Completed, p.ID) {
			out = append(out, p)
		}
	}
	return out
}

// partOf is the sub-phase that a criterion belongs to: the one that is on, or else another that asks for it.
func (s *situation) partOf(v *state.StageVisit, criterion string) string {
	asks := func(p *state.Phase) bool {
		return p != nil && slices.ContainsFunc(p.Keywords, func(k state.Keyword) bool { return k.Phrase == criterion })
	}
	if !asks(s.phase()) {
		for _, p := range s.otherItems() {
			if asks(p) {
				return p.ID
			}
		}
	}
	return v.Item
}

// elsewhere lists what counts in the other sub-phases, with what was told of it already.
func (s brief) elsewhere() []string {
	var out []string
	for _, p := range s.otherItems() {
		var names []string
		for _, k := range p.Keywords {
			name := k.Phrase
			if slices.ContainsFunc(s.u.Covered, func(c state.Cover) bool { return c.Part == p.ID && c.Criterion == k.Phrase && c.Level >= 2 }) {
				name += " (told)"
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			out = append(out, "- "+p.ID+": "+strings.Join(names, ", "))
		}
	}
	return out
}

// PurposeCriterion stands for the goal of a stage that names nothing else that counts.
const PurposeCriterion = "purpose"

// briefTalk is the latest turns, letter by letter, as far as they fit.
func (s brief) briefTalk() []respond.Line {
	var lines []respond.Line
	for i := len(s.u.Turns) - 1; i >= s.shownFrom(); i-- {
		t := &s.u.Turns[i]
		if t.Misheard {
			continue
		}
		text := understand.Clip(t.Text, briefTurn)
		line := respond.Line{Role: "assistant", Text: text}
		if t.Speaker == state.SpeakerCandidate {
			line = respond.Line{Role: "user", Text: Fence(fenced(text))}
		} else if t.Interrupted {
			line.Text += " … [they spoke over the rest]"
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return lines
}

// shownFrom is the first of the turns that a brief shows letter by letter.
func (s brief) shownFrom() int {
	room := briefTalk
	for i := len(s.u.Turns) - 1; i >= 0; i-- {
		if room -= min(briefTurn, len([]rune(s.u.Turns[i].Text))); room < 0 {
			return i + 1
		}
	}
	return 0
}

// openEnds are claims to take up and parts that were left, as far as they fit.
func (s brief) openEnds(claims []string) []string {
	out := claims
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		for k := range st.Slots {
			slot := &st.Slots[k]
			told := slices.ContainsFunc(s.u.Covered, func(c state.Cover) bool { return c.Criterion == slot.ID && c.Level >= 2 })
			if slot.Required && !st.Passing && st.ID != s.u.Stage && s.visits(st.ID, "") > 0 && !told && !s.u.Slots[slot.ID].Closed() {
				out = append(out, "- asked for and not told: "+slot.Hint+"; come back to it once")
			}
		}
	}
	for _, p := range s.plan() {
		if leftUndone(p.Status) {
			out = append(out, "- the part "+p.ID+" ("+p.Title+"): "+p.Status)
		}
	}
	return out[max(0, len(out)-maxOpen):]
}

// leftUndone reports whether a part stands open that was begun, or left out.
func leftUndone(status string) bool {
	return status == "left out" || status == "held, not finished" || status == leftOpen
}

func (s brief) editor() string {
	text := s.editorText()
	if text == "" {
		return ""
	}
	return Fence(understand.Clip(text, briefCode))
}

// hidden is what a model knows in order to judge what is said, and nobody says.
func (s brief) hidden() []string {
	p := s.problem()
	if p == nil {
		return nil
	}
	locale := s.iv.Words.Locale()
	in := func(texts map[string]string) string { return problem.In(texts, locale) }
	out := []string{"a good solution costs " + p.Complexity.String()}
	for i := range p.Approaches {
		if a := &p.Approaches[i]; a.Quality != problem.Best {
			out = append(out, fmt.Sprintf("a right way, but not the best: %s, %s", in(a.Names), a.Cost))
		}
	}
	for i := range p.Mistakes {
		m := &p.Mistakes[i]
		out = append(out, fmt.Sprintf("a usual wrong way: %s. It fails on %s (right is %s). A question that shows it: %s", in(m.Names), in(m.Counter.In), in(m.Counter.Out), in(m.Counter.Say)))
	}
	for i := range p.EdgeCases {
		e := &p.EdgeCases[i]
		out = append(out, fmt.Sprintf("an awkward input: %s; right is %s", in(e.In), in(e.Out)))
	}
	for _, f := range p.FollowUps {
		out = append(out, "a variation to put to them: "+in(f.Question))
	}
	return out
}

// taboo are the words that would give the solution away, those that the candidate has said left out.
func (s brief) taboo() []string {
	var out []string
	for _, word := range s.secrets() {
		if !slices.Contains(out, word) && !s.saidByCandidate(word) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

// briefFacts are the answers to what may be asked: those that are the same all the time, and those that change with it.
func (s brief) briefFacts() (fixed, changing []respond.Fact) {
	locale, now := s.iv.Words.Locale(), s.factsNow()
	for _, f := range s.sheet() {
		text, err := f.Answer(locale, now)
		if f.Tell == facts.Never || err != nil || text == "" {
			continue
		}
		if f.Changes() {
			changing = append(changing, respond.Fact{ID: f.ID, Say: text})
		} else {
			fixed = append(fixed, respond.Fact{ID: f.ID, Say: text})
		}
	}
	if language := prompts.Language(locale); s.u.Helplines[language] != "" {
		fixed = append(fixed, respond.Fact{ID: "helpline", Say: "At words of self-harm, whom to turn to: " + s.u.Helplines[language]})
	}
	return fixed, changing
}
