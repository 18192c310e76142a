package e2e

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/candidate"
	evaltalk "github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/state"
)

// storyteller says a line at a time, and tells the recogniser which: what is tested is the talk, and the local one knows too few
// technical terms.
type storyteller struct {
	lines   []string
	service *provider
	told    []candidate.Heard
}

// Next implements candidate.Partner. When there is nothing left to say it is silent: the interviewer ends the talk.
func (s *storyteller) Next(_ context.Context, heard candidate.Heard) (candidate.Move, error) {
	s.told = append(s.told, heard)
	n := len(s.told) - 1
	if n >= len(s.lines) {
		return candidate.Move{}, nil
	}
	s.service.hears(s.lines[n])
	return candidate.Move{Say: s.lines[n], Wait: time.Second}, nil
}

// TestCandidateConverses: a candidate who makes up its words as the talk goes on holds a whole interview in a room, and knows
// afterwards who said what and when.
func TestCandidateConverses(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	engines.LLM, engines.TTS = nil, murmur{}
	o := open(t, plan{engines: engines})
	partner := &storyteller{service: service, lines: []string{
		introduction,
		"We had a search service that was slow because the data did not fit in memory.",
		"I designed a new index and wrote most of the code.",
		"In the end the response time went down by half.",
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	site := candidate.NewLiveKit(server.URL(), apiKey, apiSecret, zap.NewNop())
	recording := filepath.Join(artifacts(t), roomName(t)+".wav")
	c, err := candidate.Converse(ctx, candidate.Call{
		Room: roomName(t), AgentName: o.name, Metadata: twoStage, StageAttribute: "viva.stage", Record: recording, Partner: partner,
		Voice: candidate.Whole(loaded.flite, tts.Request{Voice: candidateVoice, Speed: 1.7}),
	}, candidate.Deps{Server: site})
	for _, l := range c.Lines {
		t.Logf("%2d %6.2f-%6.2f %-15s %-11s cut %-5v %s", l.N, l.At.Seconds(), l.Until.Seconds(), l.Stage, l.Speaker, l.Cut, l.Text)
	}
	t.Logf("%s after %v, %+v", c.Outcome, c.Took.Round(time.Millisecond), c.Voice)
	if err != nil || c.Outcome != candidate.OutcomeAgentLeft {
		t.Fatalf("the talk ended as %s: %v", c.Outcome, err)
	}
	checkLines(t, o.record(roomName(t), "two_stage"), c)
	checkResponses(t, c)
	if c.Voice.Missing > 0 || c.Voice.Overlapped > time.Second {
		t.Errorf("measured %+v, want every turn answered, and nobody talked over", c.Voice)
	}
}

// checkLines: the lines of both sides are the turns of the interview's own record, in order.
func checkLines(t *testing.T, r record, c candidate.Conversation) {
	t.Helper()
	lines := slices.DeleteFunc(slices.Clone(c.Lines), func(l evaltalk.Line) bool { return l.Speaker == evaltalk.Happening })
	// A pause may have cut what was said in two, and the recogniser, which is told the words, says all of them each time.
	turns := slices.CompactFunc(slices.Clone(r.user.Turns), func(a, b state.Turn) bool {
		return a.Speaker == state.SpeakerCandidate && b.Speaker == a.Speaker && b.Text == a.Text
	})
	if len(lines) != len(turns) {
		t.Fatalf("%d lines, and %d turns in the interview's record: %+v", len(lines), len(turns), turns)
	}
	for i, turn := range turns {
		l := lines[i]
		if (l.Speaker == evaltalk.Interviewer) != (turn.Speaker == state.SpeakerAgent) || l.Stage != turn.Stage {
			t.Errorf("line %+v, want one of the %s in %s", l, turn.Speaker, turn.Stage)
		}
		if l.Speaker == evaltalk.Interviewer && l.Text != turn.Text {
			t.Errorf("the interviewer said %q, and wrote %q", turn.Text, l.Text)
		}
		if l.Speaker == evaltalk.Candidate && !strings.Contains(turn.Text, l.Text) {
			t.Errorf("the candidate said %q, which is %q in the record", l.Text, turn.Text)
		}
	}
}

// checkResponses: lines follow each other, and each turn of the candidate's was answered in a time that people bear.
func checkResponses(t *testing.T, c candidate.Conversation) {
	t.Helper()
	turns := 0
	for i, l := range c.Lines {
		if l.Speaker == evaltalk.Candidate {
			turns++
		}
		if i > 0 && l.At < c.Lines[i-1].At {
			t.Errorf("line %d began before line %d", l.N, l.N-1)
		}
		if l.Speaker != evaltalk.Happening && l.Until-l.At < 200*time.Millisecond {
			t.Errorf("line %d took %v", l.N, l.Until-l.At)
		}
	}
	if len(c.Voice.Responses) != turns || turns < 3 {
		t.Errorf("%d responses to %d turns of the candidate", len(c.Voice.Responses), turns)
	}
	for _, took := range c.Voice.Responses {
		if took <= 0 || took > 15*time.Second {
			t.Errorf("the interviewer took %v to answer", took)
		}
	}
}
