package candidate

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/room"
)

func TestMinutesGoByTheVoice(t *testing.T) {
	m := newMinutes()
	m.began = epoch
	at := func(n int) time.Time { return epoch.Add(ms(n)) }
	ear := func(now, onset, last int) Ear {
		return Ear{Heard: true, Voice: ms(now - onset), Silence: ms(now - last)}
	}
	words := func(n int, segment, text string, closed bool, ear Ear) {
		m.interviewer(room.TranscriptReceived{From: "agent", Segment: segment, Text: text, Closed: closed}, at(n), ear)
	}
	words(300, "a", "Good", false, Ear{})
	words(1200, "a", "Good day.", true, ear(1200, 100, 1100))
	words(1300, "b", "Who", false, ear(1300, 100, 1300))
	words(2500, "b", "Who are you?", true, ear(2500, 100, 2400))
	words(2600, "b", "Too late", true, Ear{})
	words(9000, "c", "So tell me.", true, ear(9000, 4000, 6000)) // all of it came after the voice
	var got []string
	for _, l := range m.lines {
		got = append(got, fmt.Sprintf("%d %v-%v %s", l.N, l.At, l.Until, l.Text))
	}
	want := []string{"1 100ms-1.1s Good day.", "2 1.3s-2.4s Who are you?", "3 4s-6s So tell me."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// The first words of a stage may be shown before the agent has named it: their line is of the stage in which it ends.
func TestALineIsOfTheStageInWhichItEnds(t *testing.T) {
	m := newMinutes()
	m.began, m.stage = epoch, "INTRO"
	say := func(text string, closed bool) {
		m.interviewer(room.TranscriptReceived{From: "agent", Segment: "a", Text: text, Closed: closed}, epoch.Add(ms(len(text))), Ear{})
	}
	say("Now", false)
	m.stage = "STORY"
	say("Now tell me a story.", true)
	if got := m.lines[0].Stage; got != "STORY" {
		t.Errorf("the line is of %q", got)
	}
}
