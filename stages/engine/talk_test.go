package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// talk steps an interview by hand: every event is given, at its time in seconds.
type talk struct {
	t     testing.TB
	iv    *engine.Interview
	u     *state.UserData
	at    float64
	says  []engine.Say
	stops []engine.StopSpeech
	takes int
	armed map[uint64]engine.ArmTimer // neither cancelled nor fired
	facts []engine.Fact
	ended string
}

func newTalk(t testing.TB, model bool) *talk {
	k := &talk{t: t, iv: interview(t, "two_stage"), u: &state.UserData{}, armed: make(map[uint64]engine.ArmTimer)}
	k.send(0, engine.Started{Session: "t", Model: model})
	return k
}

func (k *talk) send(at float64, events ...engine.Event) *talk {
	k.at = at
	for _, ev := range events {
		if f, ok := ev.(engine.TimerFired); ok {
			delete(k.armed, f.ID)
		}
		var effects []engine.Effect
		k.u, effects = k.iv.Step(k.u, state.Millis(at*1000), ev)
		for _, e := range effects {
			k.note(e)
		}
	}
	return k
}

func (k *talk) note(e engine.Effect) {
	switch e := e.(type) {
	case engine.Say:
		k.says = append(k.says, e)
	case engine.StopSpeech:
		k.stops = append(k.stops, e)
	case engine.TakeTurn:
		k.takes++
	case engine.ArmTimer:
		k.armed[e.ID] = e
	case engine.CancelTimer:
		delete(k.armed, e.ID)
	case engine.Fact:
		k.facts = append(k.facts, e)
	case engine.End:
		k.ended = e.Reason
	}
}

// begins lets the utterance on the floor become audible, heard plays it to its end.
func (k *talk) begins(at float64) *talk {
	return k.send(at, engine.VoiceStarted{Utterance: k.u.Floor.Utterance})
}

func (k *talk) heard(at float64) *talk {
	say := k.last()
	return k.begins(at).send(at, engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: say.Text})
}

// turn is a spoken turn that began a second before.
func (k *talk) turn(at float64, text string) *talk {
	return k.send(at, engine.UserTurn{Text: text, Began: state.Millis((at - 1) * 1000)})
}

// fire lets an armed timer run out.
func (k *talk) fire(at float64, name string) *talk {
	k.t.Helper()
	armed, ok := k.u.Timers[name]
	if !ok {
		k.t.Fatalf("%s is not armed: %v", name, k.u.Timers)
	}
	return k.send(at, engine.TimerFired{Name: name, ID: armed.ID, Visit: armed.Visit})
}

func (k *talk) last() engine.Say { return k.says[len(k.says)-1] }

func (k *talk) left(name string) time.Duration {
	return k.u.Timers[name].Left(state.Millis(k.at * 1000)).Duration()
}

func (k *talk) count(name string) int {
	n := 0
	for _, f := range k.facts {
		if f.Name == name {
			n++
		}
	}
	return n
}

// wants checks how many utterances were issued so far and which prompts the last one has.
func (k *talk) wants(n int, prompts ...string) {
	k.t.Helper()
	if len(k.says) != n || n > 0 && !slices.Equal(k.last().Prompts, prompts) {
		k.t.Errorf("%.1f s: %d utterances, the last %v; want %d, %v", k.at, len(k.says), k.last().Prompts, n, prompts)
	}
}

func (k *talk) slot(id string, want state.SlotStatus) {
	k.t.Helper()
	if got := k.u.Slots[id]; got.Status != want {
		k.t.Errorf("%s is %+v, want %q", id, got, want)
	}
}
