package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// alike compares effects by what can be had from them.
func alike(t *testing.T) cmp.Options {
	request := func(a *engine.Lead) []engine.Line {
		r, err := a.Request(true)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	return cmp.Options{
		cmp.Comparer(func(a, b engine.Voice) bool { return a.With("local") == b.With("local") }),
		cmp.Comparer(func(a, b *engine.Lead) bool {
			return a == b || a != nil && b != nil && a.Must == b.Must && cmp.Equal(request(a), request(b))
		}),
	}
}

// Stepping ahead on a copy gives what the real step gives, numbers of utterances and timers included, and leaves the state as
// it was.
func TestEqualStatesGiveEqualEffects(t *testing.T) {
	iv := interview(t, "two_stage")
	u, events := contested(t, iv)
	was := asJSON(t, u)
	for _, ev := range events {
		ahead, prepared := iv.Step(u, u.Now+100, ev)
		is, effects := iv.Step(u, u.Now+100, ev)
		if diff := cmp.Diff(prepared, effects, alike(t)...); diff != "" {
			t.Errorf("%s: %s", engine.Name(ev), diff)
		}
		if asJSON(t, ahead) != asJSON(t, is) || asJSON(t, u) != was {
			t.Errorf("%s: the states differ", engine.Name(ev))
		}
	}
}

// An operator ends the stage while the candidate speaks: the bridge waits for the end of the turn.
func TestBridgeWaitsForTheCandidate(t *testing.T) {
	iv := interview(t, "two_stage")
	for name, c := range map[string]struct {
		end   engine.Event
		turns int // in the new stage
	}{
		"words of the stage before": {engine.UserTurn{Text: "and I like it", Began: 500}, 0},
		"words after the handoff":   {engine.UserTurn{Text: "and I like it", Began: 100_000}, 0},
		"no words":                  {engine.NoWords{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			u, _ := contested(t, iv)
			step := func(ev engine.Event) (said []engine.Move) {
				var effects []engine.Effect
				u, effects = iv.Step(u, u.Now+100, ev)
				for _, e := range effects {
					if say, ok := e.(engine.Say); ok {
						said = append(said, say.Move)
					}
				}
				return said
			}
			step(engine.SpeechStarted{})
			if said := step(engine.Operator{Command: "skip"}); len(said) > 0 || u.Visit != 2 {
				t.Fatalf("visit %d, said %v over the candidate", u.Visit, said)
			}
			step(engine.SpeechStopped{})
			if diff := cmp.Diff([]engine.Move{engine.MoveBridge}, step(c.end)); diff != "" {
				t.Error(diff)
			}
			if u.Current().Turns != c.turns {
				t.Errorf("visit %+v", *u.Current())
			}
			if n := len(u.Turns); name != "no words" && u.Turns[n-1].Speaker != state.SpeakerCandidate {
				t.Errorf("the words are lost: %+v", u.Turns[n-1])
			}
		})
	}
}
