package report

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// stages reports each stage before the goodbye in the definition's order; an expanded one by its sub-phases. Where the
// interview goes by no questions, the judged stages are what is averaged.
func (b *builder) stages() {
	for i := range b.def.Stages {
		s := &b.def.Stages[i]
		if s.Final || s.Responder == definition.ByReport { // what comes after the interview is no part of it
			continue
		}
		if x := b.u.SubPhases; x != nil && x.Stage == s.ID && len(x.Items) > 0 {
			for _, p := range x.Items {
				b.r.Stages = append(b.r.Stages, b.stage(s.ID, p.ID))
			}
			continue
		}
		b.r.Stages = append(b.r.Stages, b.stage(s.ID, ""))
	}
	passedBy(b.r.Stages)
	if len(b.items) > 0 {
		return
	}
	for i := range b.r.Stages {
		if s := &b.r.Stages[i]; s.Judged {
			b.items = append(b.items, item{name: s.Title, a: &s.Assessment})
		}
	}
}

// passedBy calls the stages skipped that come before one that was held: they were not to be reached any more.
func passedBy(all []Stage) {
	last := len(all)
	for last > 0 && all[last-1].Status == NotReached {
		last--
	}
	for i := range all[:last] {
		if all[i].Status == NotReached {
			all[i].Status = Skipped
		}
	}
}

// title is what people call a stage or sub-phase.
func (b *builder) title(stage, item string) string {
	if p := b.u.SubPhases.Item(item); item != "" && p != nil && p.Name != "" {
		return p.Called(b.r.Locale)
	}
	if s := b.def.Stage(stage); s != nil {
		return cmp.Or(s.Called(b.r.Locale), stage)
	}
	return stage
}

func (b *builder) stage(id, sub string) Stage {
	s := Stage{ID: id, Item: sub, Title: b.title(id, sub), Status: NotReached}
	var visits []uint64
	left := false // it was left before its end, or out
	for _, v := range b.u.Visits {
		if v.Stage != id || v.Item != sub {
			continue
		}
		visits = append(visits, v.Visit)
		if s.Status, left = Held, v.Skipped; left && len(b.answersOf([]uint64{v.Visit})) == 0 {
			s.Status = Skipped
		}
		s.Visits++
		s.Time += max(0, b.until(v)-v.Entered-v.Absent)
		s.FollowUps += v.FollowUp
		s.Interruptions += v.BargeIns
		s.Left = b.left(v)
	}
	for _, t := range b.u.Turns {
		if t.Speaker == state.SpeakerCandidate && slices.Contains(visits, t.Visit) {
			s.Turns++
		}
	}
	if x := b.u.SubPhases; sub != "" && x != nil && slices.Contains(x.Skipped, sub) {
		if left = true; s.Status != Held {
			s.Status = Skipped
		}
	}
	b.judge(&s, visits)
	if left && s.Judged && !s.Assessed { // nobody judged it, whatever was said there
		code := ReasonLeftOut
		if s.Status == Held {
			code = ReasonBrokenOff
		}
		s.Assessment = b.unassessed(Assessment{}, code)
	}
	s.Gaps = slices.DeleteFunc(s.Gaps, func(gap string) bool { return b.touched(&s, gap) })
	b.points(&s, visits)
	return s
}

// touched reports whether what a judge did not find in a part was at least touched there.
func (b *builder) touched(s *Stage, criterion string) bool {
	return slices.ContainsFunc(b.u.Covered, func(c state.Cover) bool {
		return c.Stage == s.ID && c.Part == s.Item && c.Level > 0 && b.criterion(c.Criterion) == criterion
	})
}

// until is when a visit ended: the last one may still be open.
func (b *builder) until(v state.StageVisit) Millis { return cmp.Or(v.Left, b.u.Now) }

// left is why a visit ended. Whose doing it was is told only where that is known: a candidate who asked for nothing did not ask to stop.
func (b *builder) left(v state.StageVisit) *Note {
	n := b.reason(v.Reason)
	switch {
	case v.Reason == engine.ReasonCandidate && v.Source != "candidate" && v.Source != "":
		n.Text = b.words.Say("left.ended")
	case v.Reason == engine.ReasonSkipped && len(b.answersOf([]uint64{v.Visit})) > 0:
		n.Text = b.words.Say("left." + engine.ReasonIncomplete)
	}
	return n
}

func (b *builder) reason(code string) *Note {
	if code == "" {
		return nil
	}
	n := Note{Code: code, Text: b.words.Say("left.other", "reason", code)}
	if b.words.Has("left." + code) {
		n.Text = b.words.Say("left." + code)
	}
	return &n
}

// judge takes the latest judgement of the stage: what was put right counts as it came out (RM-31), and how it began is told. One
// made beside the talk, which is later than all others, counts like another, and decides nothing.
func (b *builder) judge(s *Stage, visits []uint64) {
	turns := b.answersOf(visits)
	var latest, first *Assessment
	take := func(a Assessment) bool {
		if latest != nil && latest.Assessed && !a.Assessed {
			return false
		}
		if a.Assessed && first == nil {
			first = &a
		}
		latest = &a
		return true
	}
	for _, rec := range b.u.Evaluations {
		if rec.Stage != s.ID || rec.Item != s.Item {
			continue
		}
		s.Judged, s.Attempts = true, max(s.Attempts, rec.Attempt)
		if take(b.assess(judged(rec.Evaluation), turns)) {
			s.Decision = rec.Decision
		}
	}
	for _, j := range b.src.Beside {
		if j.Stage != s.ID || j.Phase != s.Item {
			continue
		}
		s.Judged = true
		take(b.assess(j.Judged, turns))
	}
	if latest == nil {
		return
	}
	s.Assessment = *latest
	if latest.Assessed && first.Score.Max == latest.Score.Max && first.Score.Value != latest.Score.Value {
		s.First = first.Score
	}
}

// early are the reasons for an end that came before the interview's own.
var early = []string{"candidate_left", "candidate", "shutdown", "room_closed", "removed"}

// all reports whether everything that was planned took place, however the talk ended: every question has its answer, or the last part was
// answered and asks for nothing in particular.
func (b *builder) all(c *Coverage) bool {
	if c.Expected > 0 {
		return c.Answered >= c.Expected
	}
	if len(b.r.Stages) < 2 { // what has no plan is over when the candidate says so
		return c.Answers > 0 && b.r.Stages[0].Left != nil && b.r.Stages[0].Left.Code == "candidate"
	}
	last := &b.r.Stages[len(b.r.Stages)-1]
	st := b.def.Stage(last.ID)
	return last.Item == "" && last.Answers > 0 && !last.Judged && st != nil && len(st.Slots) == 0 && st.Limits.Hints == 0
}

// complete reports whether every part came to its own end.
func (b *builder) complete() bool {
	return !slices.ContainsFunc(b.r.Stages, func(s Stage) bool { return s.Left == nil || s.Left.Code != engine.ReasonComplete })
}

// coverage counts what took place. An interview that did not end by its goodbye ended early, and so did one whose
// candidate asked to stop, or that had fewer questions than planned (R002-63).
func (b *builder) coverage() {
	c := &Coverage{Expected: b.src.Expected, Asked: len(b.src.Asked)}
	for _, q := range b.r.Questions {
		if answered(q) {
			c.Answered++
		}
	}
	for _, it := range b.items {
		if it.a.Assessed {
			c.Assessed++
		}
	}
	for _, s := range b.r.Stages {
		c.Answers += s.Answers
		c.Stages++
		switch s.Status {
		case Held:
			c.Held++
		case Skipped:
			c.Skipped++
		}
		c.Early = c.Early || s.Left != nil && slices.Contains(early, s.Left.Code)
	}
	c.Ended = b.reason(b.u.Ended)
	if b.all(c) {
		c.Early = false
		b.r.Coverage = c
		return
	}
	c.Early = c.Early || b.u.Ended != "" && b.u.Ended != "done" || c.Asked < c.Expected && !b.complete()
	b.r.Coverage = c
}
