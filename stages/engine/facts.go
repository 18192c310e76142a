package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/state"
)

// Sheets returns what is known of a company and of a question that is not the definition's own, such as how many users a system to
// be designed has. Either may be empty.
type Sheets func(company, question string) facts.Sheet

// WithSheets gives an interview what is known of companies and their questions.
func WithSheets(s Sheets) Option { return func(iv *Interview) { iv.Sheets = s } }

// Roles returns what is known of a role, such as what it asks for; it may be empty.
type Roles func(role string) facts.Sheet

// WithRoles gives an interview what is known of roles.
func WithRoles(r Roles) Option { return func(iv *Interview) { iv.Roles = r } }

// Sheet returns what the interviewer knows and may be asked about where the interview stands: what every interview answers, and
// over it what the kind, the company with its question, the problem and the persona add.
func (iv *Interview) Sheet(u *state.UserData) facts.Sheet {
	s := &situation{iv: iv.Speaking(u), began: iv, u: u}
	return s.sheet()
}

// Now returns what the answers of the sheet depend on.
func (iv *Interview) Now(u *state.UserData) facts.Now {
	s := &situation{iv: iv.Speaking(u), began: iv, u: u}
	return s.factsNow()
}

func (s *situation) sheet() facts.Sheet {
	sheets := []facts.Sheet{facts.Default(), s.iv.Def.Facts}
	if s.iv.Sheets != nil && s.iv.Def.Provider != nil {
		sheets = append(sheets, s.iv.Sheets(s.company(), s.interviewQuestion()))
	}
	if p := s.problem(); p != nil {
		sheets = append(sheets, p.Sheet())
	}
	if s.iv.Personas != nil && s.iv.Roles != nil {
		sheets = append(sheets, s.iv.Roles(s.role()))
	}
	if p := s.iv.Persona(s.u); p != nil {
		sheets = append(sheets, p.Facts)
	}
	return facts.Join(sheets...)
}

func (s *situation) factsNow() facts.Now {
	def := s.iv.Def
	now := facts.Now{
		Recorded: s.u.Recording != "", Report: s.reports(), Role: s.role(), Editor: def.Problems != nil, Others: s.otherLanguages(),
		Parts: s.parts(), Part: s.partTitle(), Next: s.nextTitle(), Minutes: s.planned(), Left: s.minutesLeft(), Ahead: s.ahead(), Over: s.partsOver(),
	}
	if p := def.Personas; p != nil {
		now.Questions, now.Asked = cmp.Or(p.Count, definition.DefaultQuestions), s.questionsAsked()
	}
	if company := companyOf(s.u); company != DefaultCompany {
		now.Company = material.Speakable(strings.ReplaceAll(company, "_", " "), maxName)
	}
	if p := s.iv.Persona(s.u); p != nil {
		now.Persona = p.Called(s.iv.Words.Locale())
	}
	return now
}

// Lasts bounds how long the interview can take with the candidate in the room, as far as it is known where it stands. It reports false
// where it has no limit.
func (iv *Interview) Lasts(u *state.UserData) (time.Duration, bool) {
	s := &situation{iv: iv.Speaking(u), began: iv, u: u}
	longest, bounded := s.iv.Def.WorstCase()
	return longest - s.spared(), bounded
}

// Planned is how many minutes the interview is meant to take, its end included: what the candidate is told. 0 = it has no limit.
func (iv *Interview) Planned(u *state.UserData) int {
	s := &situation{iv: iv.Speaking(u), began: iv, u: u}
	return s.planned()
}

// reports tells whether the candidate gets a report.
func (s *situation) reports() bool { return s.iv.Def.Report != nil }

// minutes rounds to the nearest, of which there is one at least.
func minutes(d time.Duration) int { return int(max(d, time.Minute).Round(time.Minute).Minutes()) }

// spared is how much less than its worst case the expanded stage takes, since the company's sub-phases have limits of their own.
func (s *situation) spared() time.Duration {
	e := s.u.SubPhases
	if e == nil {
		return 0
	}
	st := s.iv.Def.Stage(e.Stage)
	if st == nil || !s.iv.alone(st) {
		return 0
	}
	var sum time.Duration
	for i := range e.Items {
		if e.Items[i].Hard == 0 {
			return 0
		}
		sum += e.Items[i].Hard.Duration() + st.Grace()
	}
	return max(0, s.iv.Def.Lasts(e.Stage)-sum)
}

// alone reports whether no other stage shares the groups of this one.
func (iv *Interview) alone(st *definition.Stage) bool {
	within := st.Within()
	return !slices.ContainsFunc(iv.Def.Stages, func(o definition.Stage) bool {
		return o.ID != st.ID && len(within) > 0 && slices.Contains(o.Within(), within[0])
	})
}

// questionsAsked counts the numbered questions so far.
func (s *situation) questionsAsked() int { return len(s.fieldList(expert.FieldQuestions)) }

// role is what the interview is for, where somebody said so: what stands in a document is the candidate's, and kept speakable.
func (s *situation) role() string {
	if assumed, _ := valueOf(s.u.Fields[cast.FieldRoleAssumed]).(bool); assumed {
		return ""
	}
	role, _ := valueOf(s.u.Fields[cast.FieldRole]).(string)
	return material.Speakable(cmp.Or(role, s.u.Vars[cast.FieldRole]), maxName)
}

// maxName bounds the name of a role or a company that is said, in characters: whoever came by the page may have written it.
const maxName = 60

// otherLanguages are those that the interview can change over to.
func (s *situation) otherLanguages() []string {
	own := prompts.Language(s.iv.Words.Locale())
	others := slices.Sorted(maps.Keys(s.iv.languages))
	return slices.DeleteFunc(others, func(l string) bool { return l == own })
}

// parts counts those of the interview, the goodbye apart; those of a company count once they are known.
func (s *situation) parts() int {
	n := 0
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		switch e := s.u.SubPhases; {
		case st.Final:
		case st.Expand != "" && e != nil:
			for _, p := range e.Items {
				if !p.Irrelevant {
					n++
				}
			}
		default:
			n++
		}
	}
	return n
}

// partTitle is what the part on the floor is called: the sub-phase, or the stage; empty = all are over.
func (s *situation) partTitle() string {
	if v := s.u.Current(); v != nil && v.Closing {
		return "" // all parts are over
	}
	if p := s.phase(); p != nil {
		return p.Called(s.iv.Words.Locale())
	}
	if st := s.stage(); st != nil {
		return st.Called(s.iv.Words.Locale())
	}
	return ""
}

// nextTitle is what the part after this one is called, as long as nothing sends the talk elsewhere; empty = none but the goodbye.
func (s *situation) nextTitle() string {
	st, v := s.stage(), s.u.Current()
	if st == nil || st.Final {
		return ""
	}
	e := s.u.SubPhases
	if v == nil {
		return s.iv.Def.Stages[s.iv.Def.Index(st.ID)+1].Called(s.iv.Words.Locale())
	}
	if s.phase() != nil && v.Capped == "" {
		if i := s.nextItem(); i >= 0 {
			return e.Items[i].Called(s.iv.Words.Locale())
		}
	}
	next := s.following()
	if next == nil || next.Final {
		return ""
	}
	if next = s.pastMenu(next); next.Expand == "" || e == nil {
		return next.Called(s.iv.Words.Locale())
	}
	at := slices.IndexFunc(e.Items, func(p state.Phase) bool { return !p.Irrelevant })
	if s.expanding() {
		at = e.Index
	}
	if at < 0 {
		return next.Called(s.iv.Words.Locale())
	}
	return e.Items[at].Called(s.iv.Words.Locale())
}
