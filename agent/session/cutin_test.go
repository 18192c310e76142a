package session_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
)

// cutting are ears of a candidate who goes on under the second utterance, so long after its first packet; they do what a listener does.
type cutting struct {
	*expecting
	after time.Duration
	cut   uint64 // the utterance
	onset time.Time
	heard int // utterances so far
}

func (c *cutting) Audible(utterance uint64, on, firm bool) {
	c.rig.Audible(utterance, on, firm)
	if on {
		c.heard++
	}
	if !on || c.heard != 2 {
		return
	}
	c.cut = utterance
	c.onset = time.Now().Add(c.after)
	at := func(d time.Duration, m session.Message) { time.AfterFunc(c.after+d, func() { c.s.Post(m) }) }
	decide := func(d time.Duration, a session.Action) {
		at(d, session.Interruption{Utterance: utterance, Action: a, Onset: c.onset, At: c.onset.Add(d)})
	}
	at(60*time.Millisecond, session.Event{Event: engine.SpeechStarted{}})
	decide(230*time.Millisecond, session.Pause)
	decide(900*time.Millisecond, session.Interrupt)
	at(1500*time.Millisecond, session.Event{Event: engine.SpeechStopped{}})
	at(2400*time.Millisecond, session.Turn{Text: "and I sing in a choir", Began: c.onset})
}

// Who goes on within a second hears no more of us after 250 ms; nothing of it was asked, so that the ears expect again what they did
// before, and both parts are one turn. Who interrupts later is answered anew.
func TestCutIn(t *testing.T) {
	for name, tt := range map[string]struct {
		after time.Duration
		kinds []string
		turns int
	}{
		"goes on":    {600 * time.Millisecond, []string{"story", "short", "story", "short"}, 1},
		"interrupts": {1300 * time.Millisecond, []string{"story", "short"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ears := &cutting{expecting: &expecting{}, after: tt.after}
				iv := altered(t, func(d *definition.Definition) {
					intro := &d.Stages[0]
					intro.Expect, intro.Slots = "story", slices.Clone(intro.Slots)
					for i := range intro.Slots {
						intro.Slots[i].Expect = "short"
					}
				}, nil)
				ears.rig = newRig(t, iv, nil, func(o *session.Options) { o.Ears = ears })
				ears.answer = opening("I am a baker")
				ears.at(24*time.Second, session.Event{Event: engine.Stop{Reason: "enough"}})
				ears.runFor(time.Minute)
				u := ears.s.UserData()
				if v := u.Visits[0]; v.Turns != tt.turns {
					t.Errorf("%d turns of %q, want %d", v.Turns, v.Input, tt.turns)
				}
				if diff := cmp.Diff(tt.kinds, ears.kinds[:min(len(ears.kinds), len(tt.kinds))]); diff != "" {
					t.Errorf("expected answers: %s in %q", diff, ears.kinds)
				}
				i := slices.IndexFunc(ears.traces, func(x session.Trace) bool { return x.Utterance == ears.cut })
				if i < 0 || len(ears.traces[i].Stops) != 1 {
					t.Fatalf("%+v", ears.traces)
				}
				if silent, ok := ears.traces[i].Stops[0].Onward(); !ok || silent > 250*time.Millisecond {
					t.Errorf("silent %v after the onset", silent)
				}
			})
		})
	}
}
