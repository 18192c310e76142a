package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// contested returns a session in stage 1, one turn in, with the deadline and the last silence step armed, and the
// events that all ask for the same handoff.
func contested(t testing.TB, iv *engine.Interview) (*state.UserData, []engine.Event) {
	u := &state.UserData{}
	at := state.Millis(0)
	send := func(ev engine.Event) {
		at += 100
		u, _ = iv.Step(u, at, ev)
	}
	send(engine.Started{Session: "race"})
	send(engine.VoiceStarted{Utterance: u.Floor.Utterance})
	send(engine.VoiceEnded{Utterance: u.Floor.Utterance, Visit: 1, Heard: "Hello."})
	send(engine.UserTurn{Text: "hmm yes", Began: at})
	send(engine.VoiceStarted{Utterance: u.Floor.Utterance})
	send(engine.VoiceEnded{Utterance: u.Floor.Utterance, Visit: 1, Heard: "And your role?"})
	for range 2 { // up to the rung that advances
		id := u.Timers[engine.TimerNoInput].ID
		send(engine.TimerFired{Name: engine.TimerNoInput, ID: id, Visit: 1})
		send(engine.VoiceStarted{Utterance: u.Floor.Utterance})
		send(engine.VoiceEnded{Utterance: u.Floor.Utterance, Visit: 1, Heard: "Take your time."})
	}
	timer := func(name string) engine.Event {
		armed, ok := u.Timers[name]
		if !ok {
			t.Fatalf("%s is not armed: %v", name, u.Timers)
		}
		return engine.TimerFired{Name: name, ID: armed.ID, Visit: 1}
	}
	return u, []engine.Event{
		timer(engine.TimerDeadline),
		timer(engine.TimerNoInput),
		engine.UserTurn{Text: "that's all", Began: 100_000},
		engine.SpeechStarted{},
		engine.SpeechStopped{},
		engine.NoWords{},
		engine.VoiceEnded{Utterance: 1, Visit: 1, Heard: "Hello.", Cut: true},
		engine.BargeIn{Utterance: u.Floor.Utterance},
	}
}

// pure skips what calls Step thousands of times, and nothing else, under the race detector: it has no goroutine to watch there, and takes
// ten times as long.
func pure(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("it starts no goroutine")
	}
}

// R001-38, R001-39, R001-40, R001-41, R001-42, R001-43, R001-44, R001-60, R001-74: the end of a turn, deadline and silence step at
// the same instant, in 20,000 random orders and selections, with other things happening in between.
func TestExactlyOneHandoff(t *testing.T) {
	pure(t)
	iv := interview(t, "two_stage")
	start, events := contested(t, iv)
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	gen := rapid.Permutation(events)
	for seed := range rounds {
		order := gen.Example(seed)
		order = order[:3+seed%(len(order)-2)]
		u := start
		var handoffs, bridges, entries, noops int
		for _, ev := range order {
			var effects []engine.Effect
			u, effects = iv.Step(u, 200_000, ev)
			for _, e := range effects {
				switch e := e.(type) {
				case engine.Fact:
					switch e.Name {
					case "handoff.done":
						handoffs++
					case "stage.enter":
						entries++
					case "handoff.noop", "timer.late":
						noops++
					}
				case engine.Say:
					if slices.Contains(e.Prompts, "exp.bridge") || slices.Contains(e.Prompts, "exp.forced") {
						bridges++
					}
				}
			}
		}
		// A bridge that nobody has heard a frame of is said again after the candidate's words: still one is heard.
		if handoffs > 1 || entries != handoffs || bridges > 2 || u.Visit > 2 {
			t.Fatalf("seed %d: %d handoffs, %d entries, %d bridges, visit %d after %s", seed, handoffs, entries, bridges, u.Visit, describe(order))
		}
		if wants(order) && handoffs != 1 {
			t.Fatalf("seed %d: nobody won: %s", seed, describe(order))
		}
		if !slices.Equal(u.Ledger.Asked["PAST_EXPERIENCE"], slices.Compact(slices.Clone(u.Ledger.Asked["PAST_EXPERIENCE"]))) {
			t.Fatalf("seed %d: ledger %v", seed, u.Ledger.Asked)
		}
	}
}

// wants reports whether the order holds an event that must lead to the handoff whatever else happens.
func wants(order []engine.Event) bool {
	return slices.ContainsFunc(order, func(ev engine.Event) bool {
		_, done := ev.(engine.UserTurn)
		return done
	})
}

func describe(order []engine.Event) string {
	out := ""
	for _, ev := range order {
		out += fmt.Sprintf("\n  %s %+v", engine.Name(ev), ev)
	}
	return out
}

// R001-40: whoever loses is silent, and in the log with its source.
func TestLosersAreLoggedNoOps(t *testing.T) {
	iv := interview(t, "two_stage")
	u, events := contested(t, iv)
	u, _ = iv.Step(u, 200_000, events[2]) // the turn that says that this was all
	for _, late := range events[:2] {
		before := u.Clone()
		var effects []engine.Effect
		u, effects = iv.Step(u, 200_000, late)
		before.Now = u.Now
		if asJSON(t, before) != asJSON(t, u) {
			t.Errorf("%T changed the state", late)
		}
		logged := false
		for _, e := range effects {
			f, ok := e.(engine.Fact)
			if !ok {
				t.Errorf("%T had the effect %T", late, e)
			}
			logged = logged || f.Name == "handoff.noop" || f.Name == "timer.late"
		}
		if !logged {
			t.Errorf("%T left no line in the log", late)
		}
	}
}

// Step works on a copy: the state it was given stays as it was, whatever comes.
func TestStepIsPure(t *testing.T) {
	iv := interview(t, "two_stage")
	u, events := contested(t, iv)
	before := asJSON(t, u)
	for _, ev := range append(events, engine.Away{}, engine.Gone{}, engine.Stop{Reason: "x"}, engine.LongSpeech{Lasted: 1e6}) {
		a, _ := iv.Step(u, 200_000, ev)
		b, _ := iv.Step(u, 200_000, ev)
		if asJSON(t, u) != before {
			t.Fatalf("%T wrote into the state it was given", ev)
		}
		if asJSON(t, a) != asJSON(t, b) {
			t.Fatalf("%T gave two results", ev)
		}
	}
}

// R001-9, R001-45, R001-51, and the progress guarantee: candidates who do anything at any time. Whatever they do, the
// interview ends by time alone, no two utterances overlap, nothing is asked twice, and the journal replays to the byte.
func TestAnyCandidateReachesTheEnd(t *testing.T) {
	pure(t)
	iv := interview(t, "two_stage")
	rapid.Check(t, func(r *rapid.T) {
		s := newSim(t, iv)
		s.answer = func(s *sim, said engine.Say) { chaos(r, s) }
		s.takeTurn = func(s *sim) {
			if rapid.Bool().Draw(r, "words") {
				s.send(engine.UserTurn{Text: "so I said", Began: max(0, s.now-20_000)})
			} else {
				s.send(engine.NoWords{})
			}
		}
		s.start()
		chaos(r, s)
		s.run(15 * time.Minute)
		s.check()
		if s.ended == "" {
			r.Fatalf("the interview never ended; stage %s, timers %v", s.u.Stage, s.u.Timers)
		}
	})
}

func chaos(r *rapid.T, s *sim) {
	texts := []string{"", "um", "I don't know", "let me think", "could you repeat that", "I am a teacher", "I built a school for nine hundred children",
		"that's all", "no", "the project was about something that nobody needed at the time but we built it"}
	for range rapid.IntRange(0, 3).Draw(r, "n") {
		after := time.Duration(rapid.IntRange(0, 30_000).Draw(r, "after")) * time.Millisecond
		text := rapid.SampledFrom(texts).Draw(r, "text")
		switch rapid.IntRange(0, 9).Draw(r, "what") {
		case 0, 1, 2, 3:
			s.say(after, text)
		case 4:
			s.do(after, func() { s.send(engine.BargeIn{Utterance: s.u.Floor.Utterance}) })
		case 5:
			s.after(after, engine.SpeechStarted{})
			s.after(after+400*time.Millisecond, engine.SpeechStopped{})
		case 6:
			s.do(after, func() { s.send(engine.Operator{Command: "skip"}) })
		case 7:
			s.do(after, func() {
				s.send(engine.Read{Utterance: s.u.Floor.Utterance, Visit: s.u.Visit, Reading: json.RawMessage(`{"did":"finish"}`)})
			})
		case 8:
			s.after(after, engine.Away{})
			s.after(after+5*time.Second, engine.Back{})
		case 9:
			s.after(after, engine.SpeechStarted{})
			s.after(after+20*time.Second, engine.LongSpeech{Lasted: 100_000, Words: 300})
			s.after(after+21*time.Second, engine.SpeechStopped{})
		}
	}
}
