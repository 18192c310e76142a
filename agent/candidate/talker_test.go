package candidate

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
)

func newTestTalker(p Partner) *talker {
	return newTalker(Call{Partner: p}.withDefaults(), nil, Deps{Logger: zap.NewNop()})
}

func TestTalkerIsAlone(t *testing.T) {
	talker := newTestTalker(&script{})
	talker.pace = paceListen
	talker.minutes.interviewer(room.TranscriptReceived{From: "agent", Text: "Bye.", Closed: true}, epoch, Ear{})
	if outcome, err := talker.decide(epoch.Add(ms(2500))); outcome != "" || err != nil || len(talker.asks) > 0 {
		t.Errorf("outcome %q, error %v, %d questions", outcome, err, len(talker.asks))
	}
	talker.agents["agent"] = true
	if outcome, err := talker.decide(epoch.Add(ms(2500))); outcome != "" || err != nil || len(talker.asks) != 1 {
		t.Errorf("with an agent: outcome %q, error %v, %d questions", outcome, err, len(talker.asks))
	}
}

func TestTalkerReads(t *testing.T) {
	talker := newTestTalker(&script{})
	talker.meet(epoch)
	if talker.begun(epoch.Add(ms(900)), Ear{}) {
		t.Error("the interviewer has begun with nothing")
	}
	talker.minutes.interviewer(room.TranscriptReceived{From: "agent", Text: "Hello.", Closed: true}, epoch.Add(ms(950)), Ear{})
	if !talker.begun(epoch.Add(ms(1000)), Ear{}) {
		t.Error("the interviewer has written, and not begun")
	}
}

func TestTalkerDropsLateReplies(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	talker := newTestTalker(&script{thinks: time.Hour})
	talker.asks <- Heard{}
	var asking sync.WaitGroup
	asking.Go(func() { talker.consult(ctx) })
	for len(talker.asks) > 0 {
		runtime.Gosched()
	}
	cancel()
	asking.Wait()
	if len(talker.replies) > 0 {
		t.Errorf("a reply: %+v", <-talker.replies)
	}
}

func TestTalkerMayTalk(t *testing.T) {
	tests := []struct {
		name  string
		quiet time.Duration
		open  bool
		state string
		want  bool
	}{
		{"a pause", ms(599), false, "", false},
		{"silence", ms(600), false, "", true},
		{"it listens", ms(600), false, "listening", true},
		{"it thinks", ms(14_999), false, "thinking", false},
		{"it speaks without a sound", ms(14_999), false, "speaking", false},
		{"it thinks for ever", ms(15_000), false, "thinking", true},
		{"words to come", ms(1999), true, "listening", false},
		{"words that do not come", ms(2000), true, "listening", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			talker := newTestTalker(nil)
			talker.state = test.state
			if test.open {
				talker.minutes.open["one"] = 0
			}
			ear := Ear{Heard: true, Voice: ms(20_000), Silence: test.quiet}
			if got := talker.mayTalk(epoch.Add(time.Hour), ear); got != test.want {
				t.Errorf("may talk: %v, want %v", got, test.want)
			}
		})
	}
}
