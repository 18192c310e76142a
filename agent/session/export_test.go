package session

import (
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// ToWord steps an interview to where a model is asked for words, and returns that utterance.
func ToWord(t *testing.T, iv *engine.Interview, opening string) engine.Say {
	t.Helper()
	u, at := &state.UserData{}, state.Millis(0)
	var effects []engine.Effect
	step := func(ev engine.Event) {
		at += 3000
		u, effects = iv.Step(u, at, ev)
	}
	step(engine.Started{Session: "s", Model: true})
	step(engine.VoiceStarted{Utterance: u.Floor.Utterance})
	step(engine.VoiceEnded{Utterance: u.Floor.Utterance, Visit: u.Visit, Heard: opening})
	step(engine.UserTurn{Text: "I build ticket machines for trams."})
	for _, e := range effects {
		if say, is := e.(engine.Say); is && say.Lead != nil {
			return say
		}
	}
	t.Fatalf("nothing to word among %+v", effects)
	return engine.Say{}
}
