package definition

import "slices"

// flatten keeps what is written in Tree, and puts its leaves, in order, into Stages.
func (d *Definition) flatten() {
	d.Tree = d.Stages
	d.Stages = leaves(d.Tree, nil, nil)
}

func leaves(tree, out []Stage, groups []string) []Stage {
	for i := range tree {
		s := tree[i]
		s.groups = groups
		if len(s.Stages) == 0 {
			out = append(out, s)
			continue
		}
		out = leaves(s.Stages, out, append(slices.Clone(groups), s.ID))
	}
	return out
}

// Top returns the id of the outermost group that the stage lies in, or the stage's own.
func (s *Stage) Top() string {
	if len(s.groups) == 0 {
		return s.ID
	}
	return s.groups[0]
}

// Within returns the ids of the groups that the stage lies in, outermost first. The caller must not change them.
func (s *Stage) Within() []string { return s.groups }

// Groups returns all groups in the order in which they begin.
func (d *Definition) Groups() []*Stage { return groupsOf(d.Tree, nil) }

func groupsOf(tree []Stage, out []*Stage) []*Stage {
	for i := range tree {
		if len(tree[i].Stages) > 0 {
			out = groupsOf(tree[i].Stages, append(out, &tree[i]))
		}
	}
	return out
}

// GroupByID returns the group with this id, or nil.
func (d *Definition) GroupByID(id string) *Stage {
	for _, g := range d.Groups() {
		if g.ID == id {
			return g
		}
	}
	return nil
}
