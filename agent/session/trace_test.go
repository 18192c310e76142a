package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
)

// patience is how long after the end of speech the rig's listener decides a turn, and thought how long the model takes.
const (
	decidedAfter = 700 * time.Millisecond
	thought      = 200 * time.Millisecond
)

// answered is a candidate who answers the first utterance, as a listener tells it.
func (r *rig) answered(text string, hint bool) {
	r.answer = func(s *session.Session, n int, _ string) {
		if n > 1 {
			return
		}
		now := time.Now()
		ended := now.Add(2 * time.Second)
		time.AfterFunc(time.Second, func() { s.Post(session.Event{Event: engine.SpeechStarted{}}) })
		time.AfterFunc(2*time.Second, func() { s.Post(session.Event{Event: engine.SpeechStopped{}}) })
		if hint {
			time.AfterFunc(2*time.Second+hintAfter, func() { s.Post(session.Prospect{Text: text, Began: now.Add(time.Second)}) })
		}
		time.AfterFunc(2*time.Second+decidedAfter, func() {
			s.Post(session.Turn{Text: text, Began: now.Add(time.Second), Reason: "complete sentence", Ended: ended, Decided: time.Now()})
		})
	}
}

const hintAfter = 200 * time.Millisecond

func thoughtful(llm.Request) reply {
	return reply{wait: thought, text: []string{"And what did you bake first?"}}
}

// The record of a turn says when each part came, to the millisecond, with and without a reply prepared in advance; our own
// share is what remains of the wait once the providers' is taken off, where they were really waited for.
func TestTraceOfATurn(t *testing.T) {
	for name, c := range map[string]struct {
		hint bool
		gap  time.Duration
		asks time.Duration // the model, after the turn was decided
	}{
		"not prepared":          {false, decidedAfter + thought + soundAfter + packetAfter, 0},
		"prepared in good time": {true, decidedAfter + packetAfter, hintAfter - decidedAfter},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, interview(t, "two_stage"), modelFunc(thoughtful), nil)
				r.answered("I am a baker", c.hint)
				r.runFor(19 * time.Second)
				if len(r.traces) < 2 {
					t.Fatalf("%d records", len(r.traces))
				}
				opening, x := r.traces[0], r.traces[1]
				if opening.Turn != 0 || opening.FirstSound.IsZero() || !opening.ModelAsked.IsZero() {
					t.Errorf("opening: %+v", opening)
				}
				gap, _ := x.Gap()
				own, ok := x.Own()
				if gap != c.gap || own != packetAfter || !ok {
					t.Errorf("gap %v, own %v; want %v and %v", gap, own, c.gap, packetAfter)
				}
				if lag, ok := x.Lag(); lag != packetAfter || !ok {
					t.Errorf("lag %v, want %v", lag, packetAfter)
				}
				if got := x.ModelAsked.Sub(x.TurnDecided); got != c.asks || x.FirstToken.Sub(x.ModelAsked) != thought {
					t.Errorf("the model was asked after %v, and took %v", got, x.FirstToken.Sub(x.ModelAsked))
				}
				if x.Turn != 1 || x.Visit != 1 || x.Stage != "SELF_INTRO" || x.Prepared != c.hint || !x.Complete || x.LastPacket.Before(x.FirstPacket) {
					t.Errorf("record %+v", x)
				}
				if why := why(x, "turn.decided"); !slices.Equal(why, []string{"complete sentence"}) {
					t.Errorf("decided because of %q", why)
				}
				if got := len(why(x, "speculation.adopted")); got != map[bool]int{true: 1}[c.hint] {
					t.Errorf("%d adoptions in %+v", got, x.Decisions)
				}
			})
		})
	}
}

// What the talk waits for on purpose before a reply is asked for is not what this machine takes; a greeting answers no turn.
func TestLagOfAnAnswer(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(100, 0).Add(time.Duration(ms) * time.Millisecond) }
	x := session.Trace{
		TurnDecided: at(0), ReplyDecided: at(2000), ModelAsked: at(2001), FirstClause: at(2300), VoiceAsked: at(2303), FirstSound: at(2400), FirstPacket: at(2405),
	}
	if lag, ok := x.Lag(); lag != 9*time.Millisecond || !ok {
		t.Errorf("lag = %v, %v; want 9 ms", lag, ok)
	}
	x.TurnDecided = time.Time{}
	if lag, ok := x.Lag(); ok {
		t.Errorf("lag = %v of an utterance that answers nothing", lag)
	}
}

// why returns the reasons of decisions of a kind.
func why(x session.Trace, what string) (list []string) {
	for _, d := range x.Decisions {
		if d.What == what {
			list = append(list, d.Why)
		}
	}
	return list
}

// A reply prepared too late still spares part of the wait: only what was waited for after the decision counts.
func TestOwnShareOfALateDraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), modelFunc(func(llm.Request) reply {
			return reply{wait: time.Second, text: []string{"And what did you bake first?"}}
		}), nil)
		r.answered("I am a baker", true)
		r.runFor(19 * time.Second)
		gap, _ := r.traces[1].Gap()
		own, _ := r.traces[1].Own()
		if want := hintAfter + time.Second + soundAfter + packetAfter; gap != want || own != packetAfter {
			t.Errorf("gap %v, own %v; want %v and %v", gap, own, want, packetAfter)
		}
	})
}

// A bridge is measured from its decision, and says why the stage was left.
func TestTraceOfAHandoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.answered("that's all", false)
		r.runFor(19 * time.Second)
		x := r.traces[1]
		silence, ok := x.HandoffSilence()
		if x.Handoff != engine.ReasonIntent || x.Stage != "PAST_EXPERIENCE" || !ok || silence != packetAfter {
			t.Errorf("silence %v, %v in %+v", silence, ok, x)
		}
		if got := why(x, "handoff.done"); !slices.Equal(got, []string{"intent rule"}) {
			t.Errorf("handed over because of %q", got)
		}
		if _, ok := r.traces[0].HandoffSilence(); ok {
			t.Error("the opening is no handoff")
		}
	})
}

// A false interruption and a real one: how fast the voice was silent, from the decision and from the onset.
func TestTraceOfInterruptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		decide := func(at time.Duration, action session.Action, reason string) {
			time.AfterFunc(at, func() {
				now := time.Now()
				r.s.Post(session.Interruption{Utterance: 2, Action: action, Reason: reason, Onset: now.Add(-250 * time.Millisecond), At: now})
			})
		}
		decide(600*time.Millisecond, session.Duck, "sound like speech")
		decide(800*time.Millisecond, session.Unduck, "short sound") // no stop
		decide(900*time.Millisecond, session.Duck, "sound like speech")
		decide(time.Second, session.Pause, "speech")
		decide(2*time.Second, session.Resume, "nothing understood")
		decide(3*time.Second, session.Pause, "speech")
		decide(3500*time.Millisecond, session.Interrupt, "words")
		r.runFor(5 * time.Second)
		x := r.traces[0]
		if len(x.Stops) != 2 || x.Stops[0].Real || !x.Stops[1].Real || x.Complete {
			t.Fatalf("record %+v", x)
		}
		for i := range x.Stops {
			delay, _ := x.Stops[i].Delay()
			onward, _ := x.Stops[i].Onward()
			if delay != fade || onward != 250*time.Millisecond+fade {
				t.Errorf("stop %d: %v after the decision, %v after the onset", i, delay, onward)
			}
		}
		if got := why(x, "floor.resume"); !slices.Equal(got, []string{"nothing understood"}) {
			t.Errorf("resumed because of %q", got)
		}
	})
}

// Whatever happens, each utterance has one record, in the log and for who asks for it, and no words are in the log at any level.
func TestTracesAreKeptAndDiscreet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		r := newRig(t, interview(t, "two_stage"), replied(&asked), nil)
		r.answer = answers
		if _, err := r.s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		kept := r.traces
		if len(kept) < 6 || r.logs.FilterMessage("turn.trace").Len() != len(kept) {
			t.Errorf("%d records reported, %d logged", len(kept), r.logs.FilterMessage("turn.trace").Len())
		}
		seen := map[uint64]bool{}
		for _, x := range kept {
			if seen[x.Utterance] {
				t.Errorf("two records of utterance %d", x.Utterance)
			}
			seen[x.Utterance] = true
		}
		var log strings.Builder
		for _, e := range r.logs.All() {
			fmt.Fprintln(&log, e.Message, e.ContextMap())
		}
		for _, turn := range r.s.UserData().Turns {
			if strings.Contains(log.String(), turn.Text) {
				t.Errorf("what was said is in the log: %q", turn.Text)
			}
		}
		first := r.logs.FilterMessage("turn.trace").All()[1].ContextMap()
		for _, key := range []string{"own_ms", "at_turn_decided", "at_model_asked", "at_first_token", "at_first_packet", "decisions"} {
			if _, ok := first[key]; !ok {
				t.Errorf("the log has no %s: %v", key, first)
			}
		}
	})
}

// No record grows without bound.
func TestTracesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		for i := range 100 { // typed turns replace each other's replies
			r.at(time.Second+time.Duration(i)*100*time.Millisecond, session.Turn{Text: "could you say that again, please", Typed: true})
		}
		for range 300 {
			r.at(12*time.Second, session.Interruption{Utterance: 2, Action: session.Duck})
		}
		r.runFor(30 * time.Second)
		if len(r.traces) < 20 {
			t.Errorf("%d records", len(r.traces))
		}
		for _, x := range r.traces {
			if len(x.Decisions) > 64 || len(x.Stops) > 64 {
				t.Errorf("%d decisions, %d stops", len(x.Decisions), len(x.Stops))
			}
		}
	})
}
