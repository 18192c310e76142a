package e2e

import (
	"slices"
	"testing"
	"time"
)

const twoStage = `{"interview":"two_stage","candidate":{"name":"Jordan Lee"}}`

// introduction is a whole self-introduction: a role and something to be proud of.
const introduction = "I am a backend engineer, and I am proud of cutting our response time in half."

// TestTypedAndSpokenTurns: messages on lk.chat and words from the microphone are both turns; the agent's state and the
// transcripts of both sides are where LiveKit's front ends look for them.
func TestTypedAndSpokenTurns(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	g := enter(t, visit{})
	asked := time.Now()
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, asked, 500*time.Millisecond)
	t.Logf("dispatch to half a second of voice: %v", time.Since(asked).Round(time.Millisecond))
	g.awaitAttribute("viva.stage", "SELF_INTRO")
	g.awaitAttribute("lk.agent.state", "listening")

	spoke := g.mouth.say(t, spoken(t, "I am a backend engineer at a payment company."))
	eventually(t, "final transcript of the candidate", func() bool {
		own := g.transcripts(true)
		return len(own) > 0 && own[len(own)-1].Final
	})
	g.ear.awaitVoice(t, spoke.end, 200*time.Millisecond)
	t.Logf("end of speech to answer: %v", g.ear.since(spoke.end)[0].at.Sub(spoke.end).Round(time.Millisecond))

	g.types(introduction)
	g.awaitAttribute("viva.stage", "PAST_EXPERIENCE")
	g.awaitWords("past experience")
	g.types("Goodbye")
	g.awaitAgentLeft()
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("job ended with %q", result)
	}
	checkStates(t, g.attribute("lk.agent.state"))
	checkTranscripts(t, g)
}

// checkStates: initializing first, idle last, and in between an agent that thinks before it speaks and then listens.
func checkStates(t *testing.T, states []string) {
	t.Helper()
	if len(states) == 0 || states[0] != "initializing" || states[len(states)-1] != "idle" {
		t.Fatalf("lk.agent.state went %q, want initializing … idle", states)
	}
	speaking := slices.Index(states, "speaking")
	if speaking < 0 || !slices.Contains(states[:speaking], "thinking") || !slices.Contains(states[speaking:], "listening") {
		t.Errorf("lk.agent.state went %q, want … thinking, speaking, listening …", states)
	}
}

func checkTranscripts(t *testing.T, g *guest) {
	t.Helper()
	agents := g.transcripts(false)
	if len(agents) < 3 {
		t.Fatalf("the agent's transcript: %+v", agents)
	}
	for _, s := range agents {
		if s.Segment == "" || s.Track == "" || s.Text == "" || !s.Closed || !s.Final {
			t.Errorf("the agent's transcript ended as %+v", s.TranscriptReceived)
		}
	}
	for _, s := range g.transcripts(true) {
		if s.Segment == "" || s.Text == "" || !s.Closed || !s.Final {
			t.Errorf("the candidate's transcript ended as %+v", s.TranscriptReceived)
		}
	}
	if own := g.transcripts(true); len(own) == 0 || own[0].interim == 0 {
		t.Errorf("the candidate saw no interim words: %+v", own)
	}
}
