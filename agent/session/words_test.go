package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
)

// A model that goes on and on is cut off.
func TestEndlessReplyIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		babble := slices.Repeat([]string{"Well, as I was saying, this is most interesting. "}, 2000)
		g := newStage(t, "two_stage", modelFunc(func(llm.Request) reply { return reply{text: babble} }))
		g.answer = answers
		run(t, g)
		longest := 0
		for _, heard := range g.heard {
			longest = max(longest, len(heard))
		}
		if longest < 800 || longest > 1000 {
			t.Errorf("the longest utterance has %d characters, want some 900", longest)
		}
		if got := g.values("model.degraded", "error"); len(got) == 0 || got[0] != "the model said more than 900 characters" {
			t.Errorf("degraded by %v", got)
		}
	})
}

// Where the voice fails, what the model had begun to say can be read, with the question.
func TestUnvoicedReplyKeepsItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := modelFunc(func(llm.Request) reply {
			return reply{text: []string{"That is lovely to hear. ", "And what else is there to say about it?"}}
		})
		v := &dumb{stage: newStage(t, "two_stage", model)}
		s, err := session.New(session.Options{
			Interview: interview(t, "two_stage"), Start: engine.Started{Session: "test", Locale: "en"}, Voice: v, Ears: v, Presence: v,
			Journal: v.journal, Model: model, Logger: zap.NewNop(),
		})
		if err != nil {
			t.Fatal(err)
		}
		v.turn = sync.OnceFunc(func() {
			s.Post(session.Turn{Text: "Hi, my name is Jordan and I am a backend engineer", Typed: true})
		})
		if _, err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(v.shown) < 2 || !strings.HasPrefix(v.shown[1], "That is lovely to hear.") || !strings.HasSuffix(v.shown[1], "?") {
			t.Errorf("shown %q", v.shown)
		}
	})
}

// dumb is a stage whose voice takes the first clause and fails.
type dumb struct {
	*stage
	shown []string
	turn  func()
}

// Speak implements session.Voice.
func (d *dumb) Speak(ctx context.Context, _ session.Utterance, src speak.Source) session.Spoken {
	_, err := src.Next(ctx)
	return session.Spoken{Err: errors.Join(errors.New("the voice is gone"), err)}
}

// Said implements session.Presence.
func (d *dumb) Said(_ uint64, text string) { d.shown = append(d.shown, text) }

// State implements session.Presence.
func (d *dumb) State(state string) {
	if state == "listening" {
		d.turn()
	}
}
