package state

import (
	"maps"
	"slices"
)

// Fork returns a copy for whoever changes the state by the rules of Step: values in lists that only grow, and what a value
// once written holds, are never changed in place. Such lists are shared with the original, capped at their length, so that
// appending to either shows in neither; everything else is copied. A copy to write to at will is made by Clone.
func (u *UserData) Fork() *UserData {
	c := *u
	c.Vars = maps.Clone(u.Vars)
	c.Helplines = maps.Clone(u.Helplines)
	c.Visits = slices.Clone(u.Visits)
	if v := c.Current(); v != nil { // the others are not touched any more
		v.InputTurns, v.NumberedTurns = slices.Clip(v.InputTurns), slices.Clip(v.NumberedTurns)
		if v.Held != nil {
			held := v.Held.capped()
			v.Held = &held
		}
	}
	c.Slots = maps.Clone(u.Slots)
	c.Turns = slices.Clip(u.Turns)
	c.Timers = maps.Clone(u.Timers)
	c.Floor.Reply, c.Floor.Paused = u.Floor.capped(), maps.Clone(u.Floor.Paused)
	if over := u.Floor.Over; over != nil {
		o := *over
		o.Reply = over.capped()
		c.Floor.Over = &o
	}
	c.Ledger.Asked = maps.Clone(u.Ledger.Asked)
	for stage, ids := range c.Ledger.Asked {
		c.Ledger.Asked[stage] = slices.Clip(ids)
	}
	c.Ledger.Reprompts = maps.Clone(u.Ledger.Reprompts)
	c.Ledger.Said, c.Ledger.Told = slices.Clip(u.Ledger.Said), slices.Clip(u.Ledger.Told)
	c.Ledger.Left, c.Hinted = slices.Clip(u.Ledger.Left), slices.Clip(u.Hinted)
	u.forkBoard(&c)
	return &c
}

func (r *Reply) capped() Reply {
	c := *r
	c.Prompts, c.Patches = slices.Clip(r.Prompts), slices.Clip(r.Patches)
	return c
}

func (u *UserData) forkBoard(c *UserData) {
	if u.SubPhases != nil {
		e := *u.SubPhases
		e.Items = slices.Clip(e.Items)
		e.Completed, e.Skipped, e.Unfinished = slices.Clip(e.Completed), slices.Clip(e.Skipped), slices.Clip(e.Unfinished)
		c.SubPhases = &e
	}
	c.Fields = maps.Clone(u.Fields)
	c.Patches = slices.Clip(u.Patches)
	c.Queue = slices.Clone(u.Queue)
	c.Evaluations = slices.Clip(u.Evaluations)
	c.Judgements = slices.Clone(u.Judgements)
	c.Flags = maps.Clone(u.Flags)
	c.Tasks = maps.Clone(u.Tasks)
	c.Notebook, c.Covered = slices.Clip(u.Notebook), slices.Clip(u.Covered)
	c.Claims = slices.Clone(u.Claims) // one is marked as taken up later
}
