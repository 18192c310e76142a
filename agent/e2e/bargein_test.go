package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// TestBargeIn: whoever speaks over the interviewer is heard out and answered; the interrupted words are not taken up again
// (R001-47, R001-48).
func TestBargeIn(t *testing.T) {
	t.Parallel()
	const interruption = "Sorry, may I ask you something before we begin?"
	engines, service := cloudEngines(t)
	o := open(t, plan{engines: engines})
	g := enter(t, visit{})
	words := spoken(t, interruption)
	service.hears(interruption)
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 1500*time.Millisecond)

	said := g.mouth.say(t, words)
	g.ear.awaitVoice(t, said.end, 500*time.Millisecond)
	stopped := g.ear.stopped(said.onset)
	after := stopped.Sub(said.onset)
	t.Logf("the agent was silent %v after the onset of the interruption", after.Round(time.Millisecond))
	if after > time.Second || after < 0 { // 500 ms on a machine of its own; here others compute too
		t.Errorf("the agent fell silent %v after the onset of the interruption, want within 1 s", after)
	}
	t.Logf("answered %v after the end of the interruption", g.ear.since(said.end)[0].at.Sub(said.end).Round(time.Millisecond))
	g.awaitAttribute("lk.agent.state", "listening")
	g.leave()
	o.jobEnded(roomName(t))
	r := o.record(roomName(t), "two_stage")
	checkInterrupted(t, r, interruption)
	checkNothingOld(t, o, r, g)
}

// checkInterrupted: the opening was cut, the interruption is a turn, and what follows is another utterance.
func checkInterrupted(t *testing.T, r record, interruption string) {
	t.Helper()
	turns := r.user.Turns
	if len(turns) < 3 {
		t.Fatalf("turns: %+v", turns)
	}
	opening, candidate, answer := turns[0], turns[1], turns[2]
	if !opening.Interrupted || strings.Contains(opening.Text, "at the moment?") {
		t.Errorf("the opening counts as heard: %+v", opening)
	}
	if candidate.Speaker != state.SpeakerCandidate || candidate.Text != interruption {
		t.Errorf("the candidate's turn is %+v", candidate)
	}
	if answer.Speaker != state.SpeakerAgent || strings.HasPrefix(answer.Text, opening.Text) {
		t.Errorf("the answer is %+v, and the interrupted words were %q", answer, opening.Text)
	}
	n := 0
	for _, id := range r.user.Ledger.Asked["SELF_INTRO"] {
		if id == "intro.open" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the opening was issued %d times, want once", n)
	}
}

// checkNothingOld: between the interruption and the first frame of the answer, nothing was heard but what was on its way.
func checkNothingOld(t *testing.T, o *office, r record, g *guest) {
	t.Helper()
	const onItsWay = 300 * time.Millisecond // through the server and two queues of a busy machine
	decided := o.await("bargein", nil).At
	cutAt, nextAt := state.Millis(-1), state.Millis(-1)
	for i, ev := range r.events {
		switch ev.(type) {
		case engine.BargeIn:
			cutAt = r.entries[i].At
		case engine.VoiceStarted:
			if cutAt >= 0 && nextAt < 0 {
				nextAt = r.entries[i].At
			}
		}
	}
	if cutAt < 0 || nextAt < 0 {
		t.Fatalf("barge-in at %d, answer at %d", cutAt, nextAt)
	}
	next := decided.Add((nextAt - cutAt).Duration())
	for _, s := range g.ear.since(decided.Add(onItsWay)) {
		if s.at.Before(next.Add(-20 * time.Millisecond)) { // the journal is written after the first frame
			t.Errorf("voice %v after the interruption, and the answer began only after %v", s.at.Sub(decided), next.Sub(decided))
			return
		}
	}
}
