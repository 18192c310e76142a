package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// hint is how long after the candidate fell silent a reply is prepared, commit how long after the turn is decided.
const (
	hint   = 250 * time.Millisecond
	commit = 700 * time.Millisecond
)

// replied is what the model answers after 200 ms: a question of its own each time.
func replied(n *int) modelFunc {
	questions := []string{"And what did you bake first?", "Which oven do you use?", "Who taught you?", "When do you get up?"}
	return func(llm.Request) reply {
		*n++
		return reply{wait: 200 * time.Millisecond, text: []string{questions[(*n-1)%len(questions)]}}
	}
}

// utters is a candidate who speaks after the first utterance was heard: hints come as of a listener, and then the turn.
func (g *stage) utters(turn string, hints ...string) {
	g.answer = func(s *session.Session, n int, _ string) {
		if n > 1 {
			return
		}
		began := time.Now().Add(time.Second)
		time.AfterFunc(time.Second, func() { s.Post(session.Event{Event: engine.SpeechStarted{}}) })
		time.AfterFunc(2*time.Second, func() { s.Post(session.Event{Event: engine.SpeechStopped{}}) })
		for i, text := range hints {
			after := 2*time.Second + hint + time.Duration(i)*50*time.Millisecond
			time.AfterFunc(after, func() { s.Post(session.Prospect{Text: text, Began: began}) })
		}
		time.AfterFunc(2*time.Second+commit, func() {
			g.committed = time.Now()
			if turn != "" {
				s.Post(session.Turn{Text: turn, Began: began})
			}
		})
	}
}

// lasts runs the interview for a time and returns its entries.
func (g *stage) lasts(d time.Duration) []state.Entry {
	g.t.Helper()
	ctx, cancel := context.WithTimeoutCause(g.t.Context(), d, session.Reason("enough"))
	defer cancel()
	if _, err := g.s.Run(ctx); err != nil {
		g.t.Fatal(err)
	}
	entries, err := g.store.Read(g.t.Context(), "test")
	if err != nil {
		g.t.Fatal(err)
	}
	u, err := interview(g.t, "two_stage").Fold(entries)
	if err != nil {
		g.t.Fatal(err)
	}
	if diff := cmp.Diff(g.s.UserData(), u); diff != "" {
		g.t.Errorf("the journal tells another story:\n%s", diff)
	}
	return entries
}

// wait is the time from the decision to the first sound of the second utterance.
func (g *stage) wait() time.Duration {
	g.t.Helper()
	if len(g.began) < 2 {
		g.t.Fatalf("%d utterances were heard", len(g.began))
	}
	return g.began[1].Sub(g.committed)
}

func (g *stage) discards() []any { return g.values("speculation.discarded", "reason") }

func TestPreparedReplyIsHeardAtTheDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.utters("I am a baker.", "I am a baker")
		g.lasts(17 * time.Second)
		if g.wait() != 0 {
			t.Errorf("it was heard %v after the decision", g.wait())
		}
		if asked != 1 || g.count("speculation.adopted") != 1 || g.heard[1] != "And what did you bake first?" {
			t.Errorf("asked %d times, adopted %d, heard %q", asked, g.count("speculation.adopted"), g.heard)
		}
		if len(g.discards()) > 0 || g.count("speculation.wasted") > 0 {
			t.Errorf("discarded %v", g.discards())
		}
	})
}

// The hint may come before the silence is reported: the numbers are the same.
func TestHintBeforeTheSilenceIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.answer = func(s *session.Session, n int, _ string) {
			if n > 1 {
				return
			}
			time.AfterFunc(time.Second, func() {
				s.Post(session.Event{Event: engine.SpeechStarted{}})
				s.Post(session.Prospect{Text: "I am a baker"})
				s.Post(session.Event{Event: engine.SpeechStopped{}})
			})
			time.AfterFunc(2*time.Second, func() { s.Post(session.Turn{Text: "I am a baker"}) })
		}
		g.lasts(16 * time.Second)
		if g.count("speculation.adopted") != 1 {
			t.Errorf("discarded because of %v", g.discards())
		}
	})
}

func TestOtherWordsDiscardThePreparedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.utters("I am a baker in Ghent", "I am a baker")
		g.lasts(16 * time.Second)
		if g.heard[1] != "Which oven do you use?" || g.wait() != 200*time.Millisecond {
			t.Errorf("heard %q after %v", g.heard, g.wait())
		}
		if diff := cmp.Diff([]any{"transcript"}, g.discards()); diff != "" {
			t.Error(diff)
		}
		tokens, letters := g.values("speculation.wasted", "tokens"), g.values("speculation.wasted", "characters")
		if len(tokens) != 1 || tokens[0].(int) < 100 || letters[0] != len("And what did you bake first?") {
			t.Errorf("wasted %v tokens and %v characters", tokens, letters)
		}
	})
}

func TestMoreSpeechDiscardsThePreparedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.utters("", "I am a baker")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			if n == 1 {
				time.AfterFunc(2*time.Second+hint+100*time.Millisecond, func() { s.Post(session.Event{Event: engine.SpeechStarted{}}) })
			}
		}
		entries := g.lasts(15 * time.Second)
		if diff := cmp.Diff([]any{"speech"}, g.discards()); diff != "" {
			t.Error(diff)
		}
		if len(g.heard) > 1 || g.s.UserData().Turns[len(g.s.UserData().Turns)-1].Speaker != state.SpeakerAgent {
			t.Errorf("heard %q", g.heard)
		}
		if slices.ContainsFunc(entries, func(e state.Entry) bool { return e.Type == "turn" }) {
			t.Error("a turn that never was is in the journal")
		}
	})
}

// A reply that is too late to be prepared whole is adopted on its way.
func TestSlowReplyIsAdoptedOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "two_stage", modelFunc(func(llm.Request) reply {
			return reply{wait: time.Second, text: []string{"And what did you bake first?"}}
		}))
		g.utters("I am a baker", "I am a baker")
		g.lasts(16 * time.Second)
		if want := hint + time.Second - commit; g.wait() != want {
			t.Errorf("heard after %v, want %v", g.wait(), want)
		}
	})
}

// Speech between the decision and the first sound stops an adopted reply like any other.
func TestAdoptedReplyCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "two_stage", modelFunc(func(llm.Request) reply {
			return reply{wait: time.Second, text: []string{"And what did you bake first?"}}
		}))
		g.utters("I am a baker", "I am a baker")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			if n == 1 {
				time.AfterFunc(2*time.Second+commit+100*time.Millisecond, func() { s.Post(session.Event{Event: engine.SpeechStarted{}}) })
			}
		}
		entries := g.lasts(16 * time.Second)
		if len(g.heard) != 1 || g.count("speculation.adopted") != 1 {
			t.Errorf("heard %q, adopted %d", g.heard, g.count("speculation.adopted"))
		}
		if n := endings(t, entries)[g.s.UserData().NextID]; n > 1 {
			t.Errorf("it ended %d times", n)
		}
	})
}

// endings counts the VoiceEnded events by utterance.
func endings(t *testing.T, entries []state.Entry) map[uint64]int {
	t.Helper()
	n := make(map[uint64]int)
	for _, e := range entries {
		ev, err := engine.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := ev.(engine.VoiceEnded); ok {
			n[end.Utterance]++
		}
	}
	return n
}

func position(t *testing.T, entries []state.Entry, kind string) (found []int) {
	t.Helper()
	for i, e := range entries {
		if e.Type == kind {
			found = append(found, i)
		}
	}
	return found
}

// A whole handoff is prepared: the bridge is heard at the decision, and not a line is published before.
func TestPreparedHandoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "two_stage", nil)
		published := 0
		g.utters("That's all.", "that's all")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			if n == 1 {
				time.AfterFunc(2*time.Second+commit-time.Millisecond, func() { published = g.published() })
			}
		}
		g.lasts(20 * time.Second)
		if g.count("speculation.adopted") != 1 || g.wait() != 0 {
			t.Errorf("discarded because of %v, heard after %v", g.discards(), g.wait())
		}
		if diff := cmp.Diff([]string{"SELF_INTRO", "PAST_EXPERIENCE"}, g.titles); diff != "" || published != 1 {
			t.Errorf("%d stages were published before the decision\n%s", published, diff)
		}
	})
}

func TestDraftsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.utters("I am a baker in Ghent now", "I", "I am", "I am.", "I am a", "I am a baker", "I am a baker in Ghent now")
		g.lasts(16 * time.Second)
		if n := g.count("speculation.started"); n != 3 || len(g.discards()) != 3 || asked != 4 {
			t.Errorf("%d drafts, %d discarded, the model asked %d times", n, len(g.discards()), asked)
		}
	})
}

// What changes the state changes the answer: the engine steps in on an answer that went beyond the limits.
func TestOtherStateDiscardsThePreparedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.taken = func(*session.Session) {}
		g.utters("my work is in a bakery", "my work is in a bakery")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			if n == 1 {
				time.AfterFunc(2*time.Second+commit-time.Millisecond, func() {
					s.Post(session.Event{Event: engine.LongSpeech{Lasted: 100_000}})
				})
			}
		}
		g.lasts(16 * time.Second)
		if diff := cmp.Diff([]any{"state"}, g.discards()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTypedTurnDiscardsThePreparedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newStage(t, "two_stage", replied(&asked))
		g.utters("", "I am a baker")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			if n == 1 {
				time.AfterFunc(2*time.Second+commit, func() { s.Post(session.Turn{Text: "I am a baker", Typed: true}) })
			}
		}
		g.lasts(16 * time.Second)
		if diff := cmp.Diff([]any{"transcript"}, g.discards()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := (&stage{t: t, store: state.NewMemory(), plain: true}).open("two_stage", replied(&asked))
		g.utters("I am a baker", "I am a baker")
		g.lasts(16 * time.Second)
		if asked != 1 || g.count("speculation.started") != 0 || g.wait() != 200*time.Millisecond {
			t.Errorf("asked %d times, heard after %v", asked, g.wait())
		}
	})
}

// A voice that fails on speculation is reported when the reply is adopted, and its words are shown then.
func TestVoiceOfAPreparedReplyFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "two_stage", nil)
		g.utters("I am a baker", "I am a baker")
		first := g.answer
		g.answer = func(s *session.Session, n int, text string) {
			first(s, n, text)
			g.broken = errors.New("tts: status 500")
		}
		entries := g.lasts(16 * time.Second)
		turns, ends := position(t, entries, "turn"), position(t, entries, "voice.ended")
		if len(turns) != 1 || len(ends) != 2 || ends[1] < turns[0] || g.count("voice.failed") != 1 {
			t.Errorf("turns at %v, endings at %v, %d failures", turns, ends, g.count("voice.failed"))
		}
	})
}

func TestSpeculationNeedsAHolder(t *testing.T) {
	g := newStage(t, "two_stage", nil)
	_, err := session.New(session.Options{
		Interview: interview(t, "two_stage"), Voice: mute{}, Ears: g, Presence: g, Journal: full{}, Logger: zap.NewNop(), Speculate: true,
	})
	if err == nil {
		t.Error("accepted a voice that cannot hold")
	}
}

type mute struct{ session.Voice }
