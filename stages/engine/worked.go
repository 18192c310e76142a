package engine

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// worked looks back on the work at a problem: what holds of it as far as its sheet can tell, and one thing to practise. It reports
// whether there is anything to say (RM-9).
func (s *words) worked(p *problem.Problem) bool {
	best, quote := s.bestNamed(p)
	counted, named := s.counted(best)
	cases, missed := s.casesOf(p)
	var right []string
	if best != nil {
		id := "every.worked.idea"
		if best.Quality == problem.Brute {
			id = "every.worked.slow"
		}
		name := problem.In(best.Names, s.iv.Words.Locale())
		if s.reveals(name) { // they have it in words of their own
			name = ""
		}
		right = append(right, s.part(id, name))
		if s.recalled, s.pieces = true, nil; quote != "" {
			s.pieces = []string{quote}
		}
	}
	if counted {
		right = append(right, s.part("every.worked.cost", ""))
	}
	if cases {
		right = append(right, s.part("every.worked.cases", ""))
	}
	if len(right) == 0 && len(s.u.Claims) == 0 {
		return false
	}
	s.list, s.lacked = append([]string{}, right...), s.toPractise(p, best, named && !counted, named, missed)
	return true
}

// bestNamed is the best right approach that the candidate took, and a clause of theirs that takes it; nil for none. Few words name one, and they
// stand in other talk, too ("I remember"): it takes two sentences that name it, one that speaks of the task, or a cost that was counted.
func (s *words) bestNamed(p *problem.Problem) (best *problem.Approach, quote string) {
	order := []string{problem.Brute, problem.Better, problem.Best}
	_, counts := s.counted(nil)
	task := s.content(problem.In(p.Text, s.iv.Words.Locale()))
	var taken []string
	naming := s.naming(p)
	for i := range p.Approaches {
		a := &p.Approaches[i]
		sentences := naming[a.ID]
		said := counts && len(sentences) > 0 || len(sentences) > 1 || shared(task, s.content(strings.Join(sentences, " "))) > 0
		if said && (best == nil || slices.Index(order, a.Quality) > slices.Index(order, best.Quality)) {
			best, taken = a, sentences
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, s.clauseNaming(p, best.ID, taken)
}

// naming returns, by approach, the sentences of the candidate that take it, each once. Words by the way take none.
func (s *words) naming(p *problem.Problem) map[string][]string {
	out := make(map[string][]string)
	for i := range s.u.Turns {
		t := &s.u.Turns[i]
		if t.Speaker != state.SpeakerCandidate || t.Private {
			continue
		}
		for _, sentence := range sentences(evaluate.Telling(t.Text)) {
			for _, id := range p.Named(sentence, s.iv.Words.Locale()) {
				if !slices.Contains(out[id], sentence) {
					out[id] = append(out[id], sentence)
				}
			}
		}
	}
	return out
}

// clauseNaming is the longest clause of the sentences that takes the approach by itself and may be said back; "" for none.
func (s *words) clauseNaming(p *problem.Problem, id string, sentences []string) (quote string) {
	for _, sentence := range sentences {
		for clause := range strings.FieldsFuncSeq(sentence, func(c rune) bool { return strings.ContainsRune(",.?!:;，。？！：；", c) }) {
			if n := understand.Words(clause); n >= quotedLeast && n <= quotedMost && n > understand.Words(quote) && slices.Contains(p.Named(clause, s.iv.Words.Locale()), id) {
				quote = cmp.Or(strings.TrimSpace(s.sayable(clause)), quote)
			}
		}
	}
	return quote
}

// A clause of which so many words is said back.
const quotedLeast, quotedMost = 4, 16

// counted reports whether the cost in time that was claimed last is that of the approach, and whether one was claimed at all.
func (s *words) counted(a *problem.Approach) (right, named bool) {
	for i := range slices.Backward(s.u.Turns) {
		t := &s.u.Turns[i]
		c := conclusion.Read(t.Text).Time
		if t.Speaker != state.SpeakerCandidate || c == nil {
			continue
		}
		doubted := slices.ContainsFunc(s.u.Claims, func(c state.Claim) bool { return c.Turn == t.ID && c.Verdict == state.ClaimWrong })
		if a == nil || doubted {
			return false, true
		}
		form, _ := conclusion.Form(a.Cost.Time)
		return conclusion.Same(form, c.Form), true
	}
	return false, false
}

// supposes is what a turn holds that speaks of a case.
var supposes = regexp.MustCompile(`(?i)\b(if|when|what about|empty|none|no|nobody|nothing|twice|same|zero)\b|如果|要是|空|没有|零|重复|一样|nếu|rỗng|không có`)

// casesOf reports whether the candidate named an unusual input before being asked about it, and returns the first question about one
// that had to be asked.
func (s *words) casesOf(p *problem.Problem) (own bool, asked string) {
	for i := range p.EdgeCases {
		c := &p.EdgeCases[i]
		ask := problem.In(c.Question, s.iv.Words.Locale())
		at := slices.IndexFunc(s.u.Turns, func(t state.Turn) bool { return t.Speaker == state.SpeakerAgent && ask != "" && sameWords(t.Text, ask) })
		named := slices.IndexFunc(s.u.Turns, func(t state.Turn) bool {
			return t.Speaker == state.SpeakerCandidate && slices.ContainsFunc(evaluate.Sentences(evaluate.Telling(t.Text)), func(said string) bool {
				return supposes.MatchString(said) && understand.Which(said, c.Keywords) != ""
			})
		})
		switch {
		case named >= 0 && (at < 0 || named < at):
			own = true
		case at >= 0 && (asked == "" || i == 1): // of nothing at all everybody is asked
			asked = ask
		}
	}
	return own, asked
}

// toPractise is the one thing that the talk itself shows to be worth practising, the gravest first.
func (s *words) toPractise(p *problem.Problem, best *problem.Approach, miscounted, named bool, missed string) string {
	locale := s.iv.Words.Locale()
	for i := range p.Mistakes {
		m := &p.Mistakes[i]
		if s.toldBefore(problem.In(m.Counter.Say, locale)) {
			return s.part("every.practise.small", problem.In(m.Names, locale))
		}
	}
	for _, c := range s.u.Claims {
		switch {
		case c.Verdict == state.ClaimWrong && understand.Words(c.Quote) <= longClause+2:
			return s.part("every.practise.claim", strings.TrimRight(c.Quote, ".。 "))
		case c.Verdict == state.ClaimContradicts:
			return s.part("every.practise.numbers", strings.ReplaceAll(c.Why, " / ", ", "))
		}
	}
	hinted := slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool { return v.HintLevel > 0 })
	switch {
	case best != nil && miscounted:
		return s.part("every.practise.count", "")
	case best != nil && !named:
		return s.part("every.practise.cost", "")
	case missed != "":
		return s.part("every.practise.cases", missed)
	case hinted || best == nil || best.Quality == problem.Brute:
		return s.part("every.practise.example", "")
	}
	return s.part("every.practise.aloud", "")
}

// toldBefore reports whether a text was heard from the interviewer.
func (s *situation) toldBefore(text string) bool {
	return text != "" && slices.ContainsFunc(s.texts(state.SpeakerAgent), func(t string) bool { return sameWords(t, text) })
}

// part is part of a sentence, about something.
func (s *words) part(id, about string) string {
	if s.worth(id) == "" {
		return ""
	}
	text, err := s.iv.Words.Render(id, prompts.Say, 0, prompts.Data{Gap: about})
	if err != nil {
		s.fact("prompt.failed", field("prompt", id), field("error", err.Error()))
	}
	return text
}
