package simulate

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// lists: what only grows does not shrink or change, and nothing is entered twice.
func (c *checker) lists(before, after *state.UserData) {
	if len(after.Turns) < len(before.Turns) || len(after.Visits) < len(before.Visits) {
		c.report(Replay, after, "turns or visits were taken back")
	}
	if len(after.Evaluations) < len(before.Evaluations) {
		c.report(Evaluation, after, "a judgement was taken back")
	}
	for i := len(before.Evaluations); i < len(after.Evaluations); i++ {
		c.judgement(after, i)
	}
	c.phases(before, after)
	for i := range min(len(before.Queue), len(after.Queue)) {
		if was, is := before.Queue[i], after.Queue[i]; !was.Open() && is.Status != was.Status {
			c.report(Refused, after, "question %d was %s and is %s", was.ID, was.Status, is.Status)
		}
	}
	for i := range min(len(before.Patches), len(after.Patches)) {
		if after.Patches[i].ID != before.Patches[i].ID || before.Patches[i].Undone && !after.Patches[i].Undone {
			c.report(Replay, after, "patch %d was rewritten", before.Patches[i].ID)
		}
	}
}

// judgement: each is kept once, on its scale.
func (c *checker) judgement(u *state.UserData, i int) {
	r := u.Evaluations[i]
	for _, other := range u.Evaluations[:i] {
		if other.ID == r.ID || other.Visit == r.Visit && other.Item == r.Item && other.Attempt == r.Attempt {
			c.report(Evaluation, u, "judgement %d of %s %s, attempt %d, is entered twice", r.ID, r.Stage, r.Item, r.Attempt)
		}
	}
	var e evaluate.Evaluation
	if err := json.Unmarshal(r.Evaluation, &e); err != nil {
		c.report(Hygiene, u, "judgement %d cannot be read: %v", r.ID, err)
		return
	}
	if r.Score != e.Score || r.Decision != e.Decision || r.Status != e.Status {
		c.report(Hygiene, u, "judgement %d is not what its record says", r.ID)
	}
	if e.Decision != evaluate.DecisionNext && e.Decision != evaluate.DecisionContinue {
		c.report(Hygiene, u, "judgement %d decides %q", r.ID, e.Decision)
	}
	if e.Status == evaluate.StatusOK || e.Status == evaluate.StatusDegraded {
		c.scale(u, r.ID, &e)
	} else if e.Score != 0 || e.Norm != 0 || e.Decision == evaluate.DecisionNext {
		c.report(Hygiene, u, "judgement %d is %s and has score %v", r.ID, e.Status, e.Score)
	}
}

// scale: a score lies on its scale, and the normalised one is the same (RX-13).
func (c *checker) scale(u *state.UserData, id uint64, e *evaluate.Evaluation) {
	switch {
	case e.Max <= e.Min || e.Score < e.Min || e.Score > e.Max:
		c.report(Hygiene, u, "judgement %d has score %v on the scale %v to %v", id, e.Score, e.Min, e.Max)
	case math.Abs(e.Norm-(e.Score-e.Min)/(e.Max-e.Min)) > 1e-6:
		c.report(Hygiene, u, "judgement %d has score %v of %v, but norm %v", id, e.Score, e.Max, e.Norm)
	}
}

// phases: the lists of what became of sub-phases only grow, but for one that is taken up after all (RM-10), and none is in two.
func (c *checker) phases(before, after *state.UserData) {
	e := after.SubPhases
	if e == nil {
		return
	}
	all := slices.Concat(e.Completed, e.Skipped, e.Unfinished)
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		c.report(Evaluation, after, "a sub-phase is over twice: completed %v, skipped %v, unfinished %v", e.Completed, e.Skipped, e.Unfinished)
	}
	if b := before.SubPhases; b != nil && b.Stage == e.Stage && b.Company == e.Company {
		for _, pair := range [][2][]string{{b.Completed, e.Completed}, {b.Skipped, e.Skipped}, {b.Unfinished, e.Unfinished}} {
			was := slices.DeleteFunc(slices.Clone(pair[0]), func(id string) bool { return id == after.Current().Item && !slices.Contains(pair[1], id) })
			if len(pair[1]) < len(was) || !slices.Equal(was, pair[1][:len(was)]) {
				c.report(Evaluation, after, "a list of sub-phases was rewritten: %v, then %v", pair[0], pair[1])
			}
		}
	}
}

// means: what was not assessed is in no mean.
func (c *checker) means(u *state.UserData) {
	for _, s := range Scorecard(c.iv, u) {
		if s.Norm != nil && s.Status == evaluate.StatusNotAssessed {
			c.report(Hygiene, u, "%s %s was not assessed, but has the score %v", s.Stage, s.Item, *s.Norm)
		}
	}
}
