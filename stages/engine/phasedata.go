package engine

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/problem"
)

// phaseData adds what prompts may say about the sub-phase, the company, the question and the problem (R000-21, R000-29).
// Nothing secret is in it.
func (s *words) phaseData(d *prompts.Data) {
	d.Question = s.interviewQuestion()
	d.Company = companyOf(s.u)
	if p := s.problem(); p != nil {
		d.Problem, d.Example = problem.In(p.Text, s.iv.Words.Locale()), problem.In(p.Example(), s.iv.Words.Locale())
	}
	if p := s.phase(); p != nil {
		d.Phase = prompts.Phase{Name: p.Called(s.iv.Words.Locale()), Description: p.Description, First: s.phasesHeld() == 1}
		for _, k := range p.Keywords {
			d.Phase.Keywords = append(d.Phase.Keywords, k.Phrase)
		}
	}
	if s.gap != "" {
		d.Gap, d.Gaps = s.spoken(s.gap), s.gaps()
		for i, gap := range d.Gaps {
			d.Gaps[i] = s.spoken(gap)
		}
	}
	d.Score = s.latestScore()
}

// spoken is a missing topic as it is said in the interview's language. Topics are written in English as a rule; acronyms are
// the same in every language.
func (s *words) spoken(topic string) string {
	locale := s.iv.Words.Locale()
	lang := prompts.Language(locale)
	if latin(topic) && (lang == "en" || acronym.MatchString(topic)) {
		return topic
	}
	for _, k := range s.criteria(s.stage()) {
		if k.Phrase != topic {
			continue
		}
		for _, key := range []string{locale, lang} {
			if aliases := k.Aliases[key]; len(aliases) > 0 {
				return aliases[0]
			}
		}
	}
	return topic
}

// acronym finds capitals in a row, as in QPS or gRPC.
var acronym = regexp.MustCompile("[A-Z]{2}")

func latin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// phasesHeld counts the sub-phases that have been on the floor, the current one included.
func (s *words) phasesHeld() int {
	held := make(map[string]bool)
	for i := range s.u.Visits {
		if item := s.u.Visits[i].Item; item != "" {
			held[item] = true
		}
	}
	return len(held)
}

// latestScore is that of the latest judgement, out of ten.
func (s *words) latestScore() float64 {
	if n := len(s.u.Evaluations); n > 0 {
		return s.u.Evaluations[n-1].Score
	}
	return 0
}
