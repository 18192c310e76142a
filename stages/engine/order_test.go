package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
)

// R000-85: a candidate may go on to a later sub-phase; what lies between is skipped, not completed, and not assessed.
func TestSkipForward(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	said := c.tell("Can we skip this and go to Shape?")
	e := c.u.SubPhases
	if c.u.Current().Item != "shape" || !slices.Equal(e.Skipped, []string{"data", "scope"}) || len(e.Completed) != 0 {
		t.Errorf("in %v: %+v", c.visits(), e)
	}
	if said.Text != "All right, we leave that out. Next is Shape. What about Shape?" || c.u.Visits[2].Reason != engine.ReasonSkipped {
		t.Errorf("said %q", said.Text)
	}
	for _, r := range c.u.Evaluations {
		if r.Status != "not_assessed" || r.Score != 0 {
			t.Errorf("recorded %+v", r)
		}
	}
	if len(c.u.Evaluations) != 2 {
		t.Errorf("%d records", len(c.u.Evaluations))
	}
	if offer := c.tell("Let us skip this one, too."); !strings.Contains(offer.Text, "Scope") && !strings.Contains(offer.Text, "Data") || c.u.Current().Item != "shape" {
		t.Errorf("RM-10: what was left out is offered with %q", offer.Text)
	}
	c.tell("No, thanks.")
	if c.u.Stage != "closing" || c.u.SubPhases.Complete {
		t.Errorf("in %v, complete %v", c.visits(), c.u.SubPhases.Complete)
	}
	c.whole()
}

// R000-85: nobody skips where the definition does not allow it.
func TestSkipIsRefused(t *testing.T) {
	iv := design(t, "", "")
	iv.Def.Stage("part").Skip.Rule = "never"
	c := inDesign(t, iv, true, false)
	if said := c.tell("Can we skip this part?"); said.Text != "This part matters. Let us spend two minutes on it." || c.u.Current().Item != "scope" {
		t.Errorf("said %q in %v", said.Text, c.visits())
	}
}

// R000-78: where the order is free, another sub-phase may be taken first; the one that was put off comes later, and is
// neither skipped nor forgotten.
func TestReorder(t *testing.T) {
	c := inDesign(t, design(t, "", "reorder: true"), true, false)
	c.tell(vague)
	c.tell("Can we skip this and go to Shape?")
	c.tell(vague)
	c.tell(shapeWords)
	c.tell(vague)
	c.tell(scopeWords)
	c.tell(vague)
	c.tell(dataWords)
	want := []string{"routing", "intro", "part/scope", "part/shape", "part/scope", "part/data", "closing"}
	if got := c.visits(); !slices.Equal(got, want) {
		t.Errorf("went %v", got)
	}
	if e := c.u.SubPhases; !slices.Equal(e.Completed, []string{"shape", "scope", "data"}) || len(e.Skipped) != 0 || !e.Complete || e.Items[0].ID != "scope" {
		t.Errorf("%+v", e)
	}
	c.whole()
}

// An operator may skip, go to a stage or sub-phase, undo a change, and end.
func TestOperator(t *testing.T) {
	c := newChat(t, design(t, "", ""))
	c.send(engine.Operator{Command: "skip"}) // before the start: nothing
	c = inDesign(t, design(t, "", ""), true, false)
	c.send(engine.Operator{Command: "goto", Argument: "shape"})
	c.send(engine.Operator{Command: "dance"})
	c.send(engine.Operator{Command: "rollback", Argument: "99"})
	c.send(engine.Operator{Command: "goto", Argument: "intro"})
	c.send(engine.Operator{Command: "skip"})
	c.send(engine.Operator{Command: "end"})
	c.send(engine.Operator{Command: "skip"})
	want := []string{"routing", "intro", "part/scope", "part/shape", "intro", "part/shape", "done"}
	if got := c.visits(); !slices.Equal(got, want) {
		t.Errorf("went %v", got)
	}
	c.hear()
	if c.ended != "done" {
		t.Errorf("ended %q", c.ended)
	}
}
