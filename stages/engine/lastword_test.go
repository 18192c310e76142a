package engine_test

import (
	"strings"
	"testing"
)

// RM-9, RM-18: before the goodbye there is room: what is added is taken up, a question is answered, and a no ends it.
func TestRoomBeforeTheGoodbye(t *testing.T) {
	c, got := hold(t, "two_stage",
		"I repair church organs in Porto and my strength is that I hear a quarter tone",
		"I tuned the organ of the cathedral of Braga after the flood",
		"we replaced four hundred swollen wooden pipes because they would not close any more",
		"the bishop heard it on Easter Sunday and the leaks were gone",
		"in the end nine ranks out of twelve sounded again",
		"what happens now with my answers?",
		"and how did I do?",
		"no, thank you")
	said := strings.Join(got, "\n")
	for _, want := range []string{"Is there anything you would like to add, or to ask me?", "can read what was said", "Nothing is graded here", "Goodbye"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if c.u.Ended == "" && c.u.Stage != "DONE" {
		t.Errorf("in %s", c.u.Stage)
	}
}

// RM-6, RM-15: an open talk answers what it is asked of itself, goes back to what was told, and takes a parting for one.
func TestOpenTalkIsFree(t *testing.T) {
	_, got := hold(t, "conversation",
		"I keep nine goats on a slope above the village of Arco",
		"do you ever get tired of all this?",
		"yesterday the cheese vat cracked in the cellar",
		"let's go back to the goats",
		"that was a nice chat, thank you, it was a lovely talk")
	for i, want := range map[int]string{1: "program", 3: "back to that. You told me “", 4: "?"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("reply %d: %q", i, got[i])
		}
	}
	c, _ := hold(t, "conversation", "I keep nine goats on a slope above the village of Arco", "because they like it there. Well. I'm off home now, bye")
	if c.u.Stage != "DONE" {
		t.Errorf("somebody who goes is held back in %s", c.u.Stage)
	}
}
