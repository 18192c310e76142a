package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

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
