package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/misconception"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// maxDoubts is how many mistakes of one stage are asked about: a talk is no cross-examination.
const maxDoubts = 3

// doubt asks about something in the answer that does not hold, as far as the rules know it: what people usually get wrong, and a number
// that does not fit an earlier one; each such thing once (RM-19). It reports whether it did: the move that the answer earns follows after
// what the candidate says to it.
func (s *replies) doubt(st *definition.Stage, v *state.StageVisit) bool {
	if st.Responder == definition.Scripted || s.atMenu(st) || v.Overtime || v.Doubts >= maxDoubts || len(s.u.Claims) >= maxClaims {
		return false
	}
	d, found := s.mistaken(st, v)
	if !found {
		d, found = s.miscounted(v)
	}
	if !found {
		return false
	}
	s.flag("doubted." + d.id)
	v.Doubts++
	d.claim.Turn, d.claim.Stage, d.claim.Taken = s.transcript.latest().ID, v.Stage, true
	if d.claim.Quote != "" {
		s.u.Claims = append(s.u.Claims, d.claim)
	}
	s.fact("claim.doubted", field("claim", d.id))
	v.Owed = st.Responder == definition.ByExperts // who leads the stage hears the answer whole
	r := state.Reply{Move: string(MoveProbe), Question: v.Prompt, Slot: v.Target, Again: true}
	s.takePreface(&r)
	add(&r, d.prompt, d.ask)
	s.say(r)
	return true
}

// doubted is something to ask about: the words that ask, and what was claimed. A way that words seem to take is no claim: they may turn it
// down.
type doubted struct {
	id, prompt, ask string
	claim           state.Claim
}

// mistaken finds what people usually get wrong.
func (s *replies) mistaken(st *definition.Stage, v *state.StageVisit) (doubted, bool) {
	claims := s.iv.subject.Hear(v.Input, s.iv.Words.Locale())
	heard := append(slices.Clip(claims), s.mistakes(st, v.Input)...)
	i := slices.IndexFunc(heard, func(h misconception.Heard) bool { return !s.u.Flags["doubted."+h.ID] })
	if i < 0 {
		return doubted{}, false
	}
	h := heard[i]
	d := doubted{id: h.ID, prompt: "doubt." + h.ID, ask: h.Ask}
	if i < len(claims) {
		d.claim = state.Claim{Quote: understand.Clip(h.Quote, maxNoted), Verdict: state.ClaimWrong, Why: h.Why}
	}
	return d, true
}

// miscounted finds a number of all of something where another number of them was told before: forty shops, and then the fourteen shops.
// Who corrects themselves says so, and is not asked.
func (s *words) miscounted(v *state.StageVisit) (doubted, bool) {
	locale := s.iv.Words.Locale()
	now := understand.Counts(v.Input, locale)
	if len(now) == 0 {
		return doubted{}, false
	}
	id := s.worth("every.two_numbers")
	if id == "" || slices.ContainsFunc(s.hearing(v.Input).acts, func(a understand.Act) bool { return a.Kind == understand.ActCorrection }) {
		return doubted{}, false
	}
	for _, c := range now {
		if !c.Whole && c.For == 0 || s.u.Flags["doubted.count."+c.Thing] {
			continue
		}
		same := func(o understand.Count) bool {
			return (o.Thing == c.Thing || shortened(o.Thing, c.Thing)) && (c.Whole || o.For == c.For)
		}
		before := slices.DeleteFunc(s.countsBefore(v, locale), func(o understand.Count) bool { return !same(o) })
		known := slices.ContainsFunc(before, func(o understand.Count) bool { return o.N == c.N })
		if len(before) == 0 || known || slices.ContainsFunc(now, func(o understand.Count) bool { return same(o) && o.N != c.N }) {
			continue
		}
		d := s.data()
		d.Earlier, d.Later = before[len(before)-1].Text, c.Text
		ask, err := s.iv.Words.Render(id, prompts.Say, s.wordingOf(id), d)
		if err != nil {
			s.fact("prompt.failed", field("prompt", id), field("error", err.Error()))
		}
		return doubted{id: "count." + c.Thing, prompt: id, ask: ask, claim: state.Claim{
			Quote: c.Text, Verdict: state.ClaimContradicts, Why: before[len(before)-1].Text + " / " + c.Text,
		}}, ask != ""
	}
	return doubted{}, false
}

// leastShort is how many letters a name has at least that is short for a longer one.
const leastShort = 5

// shortened reports whether one of two things is short for the other: lights, and lighthouses.
func shortened(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return len(b) >= leastShort && strings.HasPrefix(a, b)
}

// countsBefore are the numbers of things in what the candidate said before the turns that are answered now.
func (s *situation) countsBefore(v *state.StageVisit, locale string) []understand.Count {
	var out []understand.Count
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; t.Speaker == state.SpeakerCandidate && !slices.Contains(v.InputTurns, t.ID) {
			out = append(out, understand.Counts(t.Text, locale)...)
		}
	}
	return out
}

// mistakes are the usual wrong ways of the task, where no expert deals with them.
func (s *replies) mistakes(st *definition.Stage, text string) []misconception.Heard {
	p := s.problem()
	if p == nil || st.Responder == definition.ByExperts {
		return nil
	}
	locale := s.iv.Words.Locale()
	var out []misconception.Heard
	for _, id := range p.Named(text, locale) {
		if m, wrong := p.Wrong(id); wrong {
			out = append(out, misconception.Heard{ID: p.ID + "." + id, Quote: text, Ask: problem.In(m.Counter.Say, locale), Why: problem.In(m.Names, locale)})
		}
	}
	return out
}
