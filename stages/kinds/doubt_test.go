package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/state"
)

// RM-19: what cannot be so is asked about once, before the talk goes on, and stands in the notebook with its quote; the answer still counts.
func TestWhatCannotBeIsAskedAbout(t *testing.T) {
	for _, test := range []struct{ kind, at string }{{"two_stage", "project"}, {"persona_interview", "second question"}} {
		b := newBench(t, test.kind, "en", test.at)
		b.tell("I rebuilt the stock list of the shop, and the time to find a part went down by three hundred percent.")
		if got := b.said[len(b.said)-1]; !strings.Contains(got, "From how much to how much") {
			t.Fatalf("%s: %q", test.kind, got)
		}
		if c := b.u.Claims; len(c) != 1 || c[0].Verdict != state.ClaimWrong || !strings.Contains(c[0].Quote, "three hundred percent") || !c[0].Taken {
			t.Errorf("%s: %+v", test.kind, b.u.Claims)
		}
		b.tell("From an hour to a quarter of an hour, so what I mean is that it went down by three hundred percent of the new time.")
		if got := b.said[len(b.said)-1]; strings.Contains(got, "From how much to how much") || len(b.u.Claims) != 1 {
			t.Errorf("%s: it is asked again: %q, %+v", test.kind, got, b.u.Claims)
		}
	}
}

// RM-19: a usual wrong way of the task is met with its counter-example in the evaluation, too.
func TestTheEvaluationMeetsWrongWays(t *testing.T) {
	b := newBench(t, "evaluation", "en", "the problem (door_log)")
	b.tell("I go along the list and compare each badge with the one right before it, since the same ones stand side by side.")
	if len(b.u.Claims) != 1 || b.u.Claims[0].Verdict != state.ClaimWrong {
		t.Errorf("%q, %+v", b.said[len(b.said)-1], b.u.Claims)
	}
}

// "End to end." within an answer ends nothing (RM-15).
func TestEndToEndEndsNothing(t *testing.T) {
	b := newBench(t, "two_stage", "en", "project")
	b.tell("We rebuilt the supply chain of a big player. End to end. The replies came down from nine days to three.")
	if b.u.Current().Stage != "PAST_EXPERIENCE" || b.u.Ended != "" {
		t.Errorf("in %s, said %q", b.u.Current().Stage, b.said[len(b.said)-1])
	}
}
