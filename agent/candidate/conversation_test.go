package candidate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDrawTurns(t *testing.T) {
	p := Plan{Rooms: 1, Turns: 20, BargeIns: 8}.withDefaults()
	draw := func(seed uint64) []turn { return drawTurns(p, rand.New(rand.NewPCG(seed, 1))) }
	count := 0
	for _, turn := range draw(1) {
		if !turn.interrupts {
			continue
		}
		count++
		if turn.delay < earliestBargeIn || turn.delay > latestBargeIn {
			t.Errorf("interruption after %v, want %v to %v", turn.delay, earliestBargeIn, latestBargeIn)
		}
	}
	if count != 8 {
		t.Errorf("%d interruptions, want 8", count)
	}
	same := cmp.AllowUnexported(turn{})
	if diff := cmp.Diff(draw(1), draw(1), same); diff != "" {
		t.Errorf("the same seed draws differently:\n%s", diff)
	}
	if cmp.Equal(draw(1), draw(2), same) {
		t.Error("another seed draws the same")
	}
}

func TestConversationListens(t *testing.T) {
	ordinary, cutting := turn{}, turn{interrupts: true, delay: ms(800)}
	tests := []struct {
		name string
		turn turn
		ear  Ear
		want act
	}{
		{"the agent talks", ordinary, Ear{Heard: true, Voice: ms(5000)}, actWait},
		{"it pauses", ordinary, Ear{Heard: true, Voice: ms(5000), Silence: ms(599)}, actWait},
		{"it is silent", ordinary, Ear{Heard: true, Voice: ms(5000), Silence: ms(600)}, actSpeak},
		{"too early to interrupt", cutting, Ear{Heard: true, Voice: ms(799)}, actWait},
		{"time to interrupt", cutting, Ear{Heard: true, Voice: ms(800), Silence: ms(20)}, actInterrupt},
		{"not in a pause", cutting, Ear{Heard: true, Voice: ms(900), Silence: ms(80)}, actWait},
		{"too late to interrupt", cutting, Ear{Heard: true, Voice: ms(900), Silence: ms(600)}, actSpeak},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := conversation{turns: []turn{test.turn}, silence: ms(600), answerTimeout: 15 * time.Second}
			c.expect(epoch)
			if got := c.next(epoch, test.ear); got != test.want {
				t.Errorf("act %d, want %d", got, test.want)
			}
		})
	}
}

// An agent that will not fall silent does not keep the candidate after the last turn.
func TestConversationLeavesMonologue(t *testing.T) {
	c := conversation{silence: ms(600), answerTimeout: 15 * time.Second}
	c.expect(epoch)
	talks := Ear{Heard: true, Voice: time.Minute}
	if got := c.next(epoch.Add(time.Second), talks); got != actWait {
		t.Errorf("act %d while the agent talks, want to wait", got)
	}
	if got := c.next(epoch.Add(16*time.Second), talks); got != actLeave {
		t.Errorf("act %d after 15 s more, want to leave", got)
	}
}
