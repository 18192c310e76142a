package engine

import (
	"fmt"
	"time"

	"github.com/vivavoice/viva/stages/definition"
)

// What the end of an interview that a model leads may take: the last word, the candidate's last questions and their answers. Where the
// planned time is not used up, it may take more.
const (
	ClosingTime = 150 * time.Second
	ClosingMost = 5 * time.Minute
)

// clockStep is how coarse the clock is that a model is shown: a reply that was prepared a moment early fits a moment later.
const clockStep = 15 * time.Second

// closingTime is what the end may take if it begins after so much more time.
func (s *situation) closingTime(after time.Duration) time.Duration {
	return min(max(ClosingTime, s.unspent()-after), ClosingMost)
}

// unspent is what is left of the time that the interview is planned for, never below zero.
func (s *situation) unspent() time.Duration {
	return max(0, time.Duration(s.planned())*time.Minute-s.u.Now.Duration())
}

// planned is how long the interview is meant to take, in minutes; 0 = it has no limit.
func (s *situation) planned() int {
	var sum time.Duration
	grouped := make(map[string]bool)
	for i := range s.iv.Def.Stages {
		st := &s.iv.Def.Stages[i]
		if st.Final || tells(st) {
			continue
		}
		if top := s.iv.Def.GroupByID(st.Top()); top != nil && top.Limits.Hard > 0 {
			if !grouped[st.Top()] {
				grouped[st.Top()] = true
				sum += top.Limits.Hard.Std()
				if e := s.u.SubPhases; e != nil && e.Stage == st.ID {
					sum -= s.spared()
				}
			}
			continue
		}
		limit := orDefault(st.Limits.Soft, s.iv.Def.Hard(st))
		if limit == 0 {
			return 0
		}
		sum += limit
	}
	return int(sum.Round(time.Minute).Minutes())
}

// minutesLeft is what is left of the interview at most, to the minute; 0 = nobody can say.
func (s *situation) minutesLeft() int {
	st := s.stage()
	if st == nil {
		return 0
	}
	left := s.timeLeft(st)
	if left <= 0 && !st.Final {
		return 0 // the part takes longer than it should
	}
	return minutes(left)
}

// timeLeft bounds what is left of the interview from a stage on the floor on. What the limits of the stages leave of the planned time is
// the end's.
func (s *situation) timeLeft(st *definition.Stage) time.Duration {
	if t, ok := s.u.Timers[TimerDeadline]; ok && s.u.Current().Closing {
		return t.Left(s.u.Now).Duration()
	}
	spent := s.spentIn(func(o *definition.Stage) bool { return o.ID == st.ID })
	if within := st.Within(); len(within) > 0 {
		spent = s.spent(within[0])
	}
	left, bounded := s.iv.Def.Remaining(st.ID, spent)
	if !bounded {
		return 0
	}
	if e := s.u.SubPhases; e != nil && s.iv.Def.Index(st.ID) <= s.iv.Def.Index(e.Stage) {
		left -= s.spared()
	}
	if s.led(st) && s.lastHeld(st) { // the end may take what was not used
		left = max(left, min(s.unspent(), left+s.closingTime(left)))
	}
	return left
}

// lastHeld reports whether what follows the stage tells and says goodbye.
func (s *situation) lastHeld(st *definition.Stage) bool {
	i := s.iv.Def.Index(st.ID) + 1
	return i < len(s.iv.Def.Stages) && (s.iv.Def.Stages[i].Final || tells(&s.iv.Def.Stages[i]))
}

// clock is how much time is gone and left, rounded so that it stands still while a reply is being prepared.
func (s brief) clock() string {
	v := s.u.Current()
	at := func(d time.Duration) string {
		d = d.Truncate(clockStep)
		return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	line := "Of the interview " + at(s.u.Now.Duration()) + " are gone"
	left := s.timeLeft(s.stage())
	if left > 0 {
		line += ", from here it takes " + at(left) + " at most"
	}
	if m := s.planned(); m > 0 {
		line += fmt.Sprintf(" (it is planned for about %d)", m)
	}
	if left > 0 && s.unspent()-left >= earlyBy {
		line += "; it went quickly, so nothing has to be hurried"
	}
	if v.Closing {
		return line + ". All parts are over."
	}
	line += ". Of this part alone " + at((s.u.Now - v.Entered - v.Absent).Duration()) + " are gone"
	if t, ok := s.u.Timers[TimerDeadline]; ok {
		left := t.Left(s.u.Now).Duration()
		line += ", " + at(left) + " are left"
		if left < 30*time.Second {
			line += ": finish it with this reply or the next"
		}
	}
	if v.Soft {
		line += "; its planned time is over"
	}
	return line + "."
}

// earlyBy is how far an interview has to be ahead of its plan for that to be told.
const earlyBy = 3 * time.Minute
