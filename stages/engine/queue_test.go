package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/state"
)

// R003-41, R003-53, R003-56: three questions at once are asked one a turn; the talk about edge cases is over when each was
// asked and answered or waived, and a case was named.
func TestQueueOneATime(t *testing.T) {
	c := coached(t, newCast()).to(coach.EdgeCases)
	var asked []string
	for i, answer := range []string{"The list may be empty, I think.", "Then it returns nothing at all.", "I'd rather not say anything about it.", "It would find no pair of prices."} {
		said := c.tell(answer)
		if i < 3 && strings.Count(said.Text, "?") != 1 {
			t.Errorf("asked %q", said.Text)
		}
		asked = append(asked, said.Text)
		if want := map[bool]string{true: coach.EdgeCases, false: coach.FollowUp}[i < 3]; c.u.Stage != want {
			t.Errorf("after %q in %s", answer, c.u.Stage)
		}
	}
	// RM-22: words of an expert that were heard are left out the next time.
	want := []string{"Good point. What happens if the list is empty?", "What happens if a price comes twice?", "What happens if nothing fits?"}
	if diff := cmp.Diff(want, asked[:3]); diff != "" {
		t.Error(diff)
	}
	var status []state.QueueStatus
	for _, q := range c.u.Queue {
		status = append(status, q.Status)
	}
	if diff := cmp.Diff([]state.QueueStatus{state.Answered, state.Waived, state.Answered}, status); diff != "" {
		t.Error(diff)
	}
	c.whole()
}

// A queued question that nobody heard is asked again, and counts as asked once.
func TestUnheardQueuedQuestion(t *testing.T) {
	c := coached(t, newCast()).to(coach.EdgeCases)
	c.now += 1000
	c.send(engine.UserTurn{Text: "The list may be empty, I think.", Began: c.now})
	if c.u.Queue[0].Status != state.Asked {
		t.Fatalf("%+v", c.u.Queue)
	}
	c.send(engine.SpeechStarted{})
	if c.u.Queue[0].Status != state.Waiting {
		t.Errorf("%+v", c.u.Queue[0])
	}
	c.send(engine.SpeechStopped{})
	c.send(engine.NoWords{})
	if c.u.Queue[0].Status != state.Asked || !strings.HasSuffix(c.last().Text, "What happens if the list is empty?") {
		t.Errorf("%+v, said %q", c.u.Queue[0], c.last().Text)
	}
}

// R003-42: code from the editor fills the same field as dictated code, and is no turn.
func TestCodeFromTheEditor(t *testing.T) {
	c := coached(t, newCast()).to(coach.Pseudocode)
	said, turns := len(c.says), len(c.u.Turns)
	c.send(engine.CodeChanged{Text: "scan the list", Language: "text"})
	if f := c.u.Fields["pseudocode"]; string(f.Value) != `"scan the list"` || f.By != "candidate" || len(c.says) != said || len(c.u.Turns) != turns {
		t.Errorf("%+v", f)
	}
	c.tell("The code is in the editor now.")
	if c.u.Stage != coach.EdgeCases {
		t.Errorf("in %s", c.u.Stage)
	}
	c = coached(t, newCast()).to(coach.Pseudocode)
	if c.tell("I would begin with the first price."); c.u.Stage != coach.Pseudocode {
		t.Errorf("without code in %s", c.u.Stage)
	}
	if c.tell("So for each price, look for the rest."); c.u.Stage != coach.EdgeCases || !strings.Contains(string(c.u.Fields["pseudocode"].Value), "for each price") {
		t.Errorf("dictated, in %s", c.u.Stage)
	}
	long := newChat(t, interview(t, "two_stage")).start(engine.Started{})
	before := asJSON(t, long.u)
	long.send(engine.CodeChanged{Text: "x"})
	if asJSON(t, long.u) != before {
		t.Error("an interview without code keeps it")
	}
}

// Typing holds the silence ladder.
func TestTypingIsNoSilence(t *testing.T) {
	c := coached(t, newCast())
	for range 6 {
		c.pass(15 * time.Second)
		c.send(engine.CodeChanged{Text: strings.Repeat("x", int(c.now%97))})
	}
	if len(c.says) != 1 {
		t.Errorf("said %q", c.last().Text)
	}
}
