package engine

import (
	"cmp"
	"fmt"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// What the end of an interview that a model leads may take: the last word, the candidate's last questions and their answers. Where the
// planned time is not used up, it may take more.
const (
	ClosingTime = 150 * time.Second
	ClosingMost = 5 * time.Minute
)

// clockStep is how coarse the clock is that a model is shown: a reply that was prepared a moment early fits a moment later.
const clockStep = 15 * time.Second

// closingTime is what the end may take if it begins now.
func (s *situation) closingTime() time.Duration {
	return min(max(ClosingTime, s.unspent()), ClosingMost)
}

// unspent is what is left of the time that the interview is planned for, never below zero.
func (s *situation) unspent() time.Duration { return max(0, s.plan()-s.gone()) }

// gone is how long the interview has been on, without the time in which the candidate was away.
func (s *situation) gone() time.Duration {
	return s.spentIn(func(*definition.Stage) bool { return true })
}

// plan is how long the interview is meant to take, the end included: the same from the first sentence on. 0 = it has no limit, or the
// company's parts are not known yet.
func (s *situation) plan() time.Duration {
	sum, bounded := s.total(func(st *definition.Stage, p *state.Phase) span { return s.span(st, p) })
	if !bounded || s.partsToCome() && !s.u.Flags[flagSingle] {
		return 0
	}
	return sum.planned
}

// planned is the same in minutes.
func (s *situation) planned() int {
	if d := s.plan(); d > 0 {
		return minutes(d)
	}
	return 0
}

// span is what parts take: as planned, and at most.
type span struct{ planned, most time.Duration }

// span is what a stage, or a sub-phase of it, takes.
func (s *situation) span(st *definition.Stage, p *state.Phase) span {
	soft, hard := st.Limits.Soft.Std(), s.iv.Def.Hard(st)
	if p != nil {
		soft, hard = cmp.Or(p.Soft.Duration(), soft), cmp.Or(p.Hard.Duration(), hard)
	}
	if soft == 0 {
		soft = hard
	}
	return span{min(soft, hard), hard}
}

// total adds up what the parts of the interview take, and its end. It reports false where one has no limit.
func (s *situation) total(takes func(*definition.Stage, *state.Phase) span) (sum span, bounded bool) {
	inGroup := make(map[string]span)
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		if st.Final || tells(st) || s.atMenu(st) && s.u.Stage != st.ID && s.visits(st.ID, "") == 0 && s.iv.Persona(s.u) != nil {
			continue
		}
		phases := []*state.Phase{nil}
		if e := s.u.SubPhases; e != nil && e.Stage == st.ID {
			phases = phases[:0]
			for k := range e.Items {
				if !e.Items[k].Irrelevant {
					phases = append(phases, &e.Items[k])
				}
			}
		}
		for _, p := range phases {
			if s.span(st, p).most == 0 {
				return span{}, false
			}
			one := takes(st, p)
			if g := s.iv.Def.GroupByID(st.Top()); g != nil && g.Limits.Hard > 0 {
				held, limit := inGroup[st.Top()], g.Limits.Hard.Std()
				one = span{min(one.planned, limit-held.planned), min(one.most, limit-held.most)}
				inGroup[st.Top()] = span{held.planned + one.planned, held.most + one.most}
			}
			sum = span{sum.planned + one.planned, sum.most + one.most}
		}
	}
	if s.u.Model {
		sum = span{sum.planned + ClosingTime, sum.most + ClosingTime}
	}
	return sum, true
}

// minutesLeft is what is left of the interview, as it is told; 0 = nobody can say.
func (s *situation) minutesLeft() int {
	if left, known := s.timeLeft(); known {
		return minutes(left)
	}
	return 0
}

// timeLeft is what is left of the interview: what is still to come, as it is planned, and half of the time that was saved, as far as the
// limits let it be used. So nothing jumps unless the candidate is quick, and what was announced holds. At the end, when all parts are over,
// nothing is counted any more.
func (s *situation) timeLeft() (left time.Duration, known bool) {
	if v := s.u.Current(); s.plan() == 0 || v != nil && v.Closing {
		return 0, false
	}
	if st := s.stage(); st != nil && st.Final {
		return 0, true
	}
	again := s.putOff()
	sum, _ := s.total(func(st *definition.Stage, p *state.Phase) span { return s.toCome(st, p, again) })
	left = min(sum.most, sum.planned+max(0, s.unspent()-sum.planned)/2)
	return min(left, max(s.unspent(), time.Minute)), true // who took long has less for the rest: what was announced holds
}

// toCome is what a stage, or a sub-phase of it, still takes; again is the stage that the talk goes back to.
func (s *situation) toCome(st *definition.Stage, p *state.Phase, again int) span {
	here, i, v := s.iv.Def.Index(s.u.Stage), s.iv.Def.Index(st.ID), s.u.Current()
	switch {
	case i == here && (p == nil || p.ID == v.Item):
		return s.leftHere()
	case i == here && v.Capped == "" && !s.u.SubPhases.Closed(p.ID),
		i > here && (s.stageStatus(st) != "done" || s.begunAnew()) && (p == nil || !s.u.SubPhases.Closed(p.ID)), i == again:
		return s.span(st, p)
	}
	return span{}
}

// leftHere is what the part on the floor still takes: its limit, scaled to what is planned. Where questions are counted, those that are
// to come tell it too.
func (s *situation) leftHere() span {
	st, v := s.stage(), s.u.Current()
	all := s.span(st, s.phase())
	left := all.most - (s.u.Now - v.Entered - v.Absent).Duration()
	if t, ok := s.u.Timers[TimerDeadline]; ok {
		left = t.Left(s.u.Now).Duration()
	} else if paused, ok := s.u.Floor.Paused[TimerDeadline]; ok {
		left = paused.Duration()
	}
	left = min(max(left, 0), all.most)
	if v.Overtime {
		left = 0
	}
	planned := time.Duration(float64(all.planned) * float64(left) / float64(max(all.most, 1)))
	if n := s.questionsAsked(); s.numbered(st) && n > 0 {
		planned = min(planned, all.planned/time.Duration(s.numberedTotal())*time.Duration(max(0, s.numberedTotal()-n+1)))
	}
	return span{planned, left}
}

// ahead reports whether the interview goes so much quicker than planned that it is told.
func (s *situation) ahead() bool {
	left, known := s.timeLeft()
	return known && s.unspent()-left >= earlyBy
}

// clock is how much time is gone and left, in minutes as everybody tells them, so that it stands still while a reply is being prepared.
func (s brief) clock() string {
	v := s.u.Current()
	gone := s.gone().Truncate(clockStep)
	line := fmt.Sprintf("Of the interview %d:%02d are gone", int(gone.Minutes()), int(gone.Seconds())%60)
	left := s.minutesLeft()
	if v.Closing {
		return line + ". All parts are over; there is time for their questions."
	}
	if left > 0 {
		line += ", about " + inMinutes(left) + " left"
		if m := s.planned(); m > 0 {
			line += fmt.Sprintf(" of about %d", m)
		}
	}
	if s.ahead() {
		line += "; it went quicker than planned, so nothing has to be hurried"
	}
	if t, ok := s.u.Timers[TimerDeadline]; ok {
		line += ". This part alone has about " + inMinutes(minutes(s.leftHere().planned)) + " left"
		if t.Left(s.u.Now).Duration() < 30*time.Second {
			line += ": finish it with this reply or the next"
		}
	}
	if v.Soft {
		line += "; its planned time is over"
	}
	return line + "."
}

// inMinutes says how many minutes.
func inMinutes(n int) string {
	if n == 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// earlyBy is how far an interview has to be ahead of its plan for that to be told.
const earlyBy = 3 * time.Minute
