package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// R000-86: after six minutes the interviewer steers to what is missing, after nine the next sub-phase comes, and the
// whole design is over after forty.
func TestTimeLimits(t *testing.T) {
	c := inDesign(t, design(t, "auto: -1", ""), true, false)
	if said := c.tell("Users come in the morning."); strings.Contains(said.Text, "Good so far") {
		t.Errorf("steered at once: %q", said.Text)
	}
	c.send(engine.SpeechStarted{}) // somebody who thinks aloud, so that the silence ladder stays out of it
	c.pass(6 * time.Minute)
	if said := c.tell("And they leave in the evening."); !strings.Contains(said.Text, "Good so far. What about ") {
		t.Errorf("asked %q", said.Text)
	}
	c.send(engine.SpeechStarted{})
	c.pass(3*time.Minute + 10*time.Second)
	if v := c.u.Visits[2]; v.Reason != engine.ReasonDeadline || (v.Left-v.Entered).Duration() > 9*time.Minute+10*time.Second {
		t.Errorf("left by %q after %s", v.Reason, (v.Left - v.Entered).Duration())
	}
	if !slices.Equal(c.u.SubPhases.Unfinished, []string{"scope"}) || c.u.Current().Item != "data" {
		t.Errorf("in %v: %+v", c.visits(), c.u.SubPhases)
	}

	long := three()
	for i := range long {
		long[i].Hard = state.FromDuration(30 * time.Minute)
	}
	c = newChat(t, design(t, "auto: -1", ""))
	c.serve = provide(t, long, true)
	c.start(engine.Started{})
	c.tell("Yes, please.")
	c.tell("I build billing systems.")
	entered := c.now
	for c.u.Stage == "part" && c.ended == "" {
		c.send(engine.SpeechStarted{})
		c.pass(time.Minute)
		c.tell("I am still thinking about this one thing.")
	}
	if in := (c.u.Visits[3].Left - entered).Duration(); c.u.Visits[3].Item != "data" || c.u.Visits[4].Stage != "closing" || in < 39*time.Minute || in > 41*time.Minute {
		t.Errorf("went %v, left after %s", c.visits(), in)
	}
	if c.u.SubPhases.Complete {
		t.Error("a design that ran out of time counts as complete")
	}
}

// Time in which the candidate is away does not count towards a limit.
func TestCapStandsStillWhileAway(t *testing.T) {
	c := inDesign(t, design(t, "auto: -1", ""), true, false)
	c.pass(10 * time.Second)
	c.send(engine.Away{})
	c.pass(2 * time.Hour)
	c.send(engine.Back{})
	c.hear()
	if c.u.Stage != "part" || c.u.Current().Item != "scope" {
		t.Fatalf("in %v", c.visits())
	}
	cap, ok := c.u.Timers[engine.TimerGroup]
	if left := cap.Left(c.now).Duration(); !ok || left < 39*time.Minute {
		t.Errorf("%s left of the cap", left)
	}
	c.pass(3 * time.Minute)
	c.tell(vague)
	c.hear()
	c.whole()
}

// RM-20: a hint that was cut off before it was heard was not given, and is the next one again; one that was nearly over was.
func TestHintCutOff(t *testing.T) {
	const hint = "Think of the busiest minute."
	for heard, want := range map[string]string{"Think": hint, "Think of the busiest": "What about users?"} {
		c := inDesign(t, design(t, "", ""), true, false).hear()
		c.now += 1000
		c.send(engine.SpeechStarted{})
		began := c.now
		c.now += 2000
		c.send(engine.SpeechStopped{})
		c.send(engine.UserTurn{Text: "Could you give me a hint?", Began: began})
		said := c.last()
		if said.Text != hint {
			t.Fatalf("said %q", said.Text)
		}
		c.send(engine.VoiceStarted{Utterance: said.Utterance})
		c.now += 2000
		c.send(engine.SpeechStarted{})
		c.send(engine.BargeIn{Utterance: said.Utterance})
		c.send(engine.VoiceEnded{Utterance: said.Utterance, Visit: said.Visit, Heard: heard, Cut: true})
		if again := c.tell("Sorry, could you give me a hint?"); again.Text != want {
			t.Errorf("heard %q: then %q, want %q", heard, again.Text, want)
		}
	}
}

// What stands before a hint is none of it: who was heard to say only that gave no hint.
func TestHintBehindAPreface(t *testing.T) {
	for heard, want := range map[string]int{
		"The answer is yours to find. Think": 0, "The answer is yours to find. Think of the busiest": 1,
	} {
		c := inDesign(t, design(t, "", ""), true, false).hear()
		if said := c.tell("Could you give me a hint?"); said.Move != engine.MoveHint {
			t.Fatalf("said %+v", said)
		}
		u := c.u.Clone()
		u.Floor = state.Floor{Utterance: 99, Visit: u.Visit, Audible: true, Reply: state.Reply{
			Move: string(engine.MoveHint), Hint: true, Text: "The answer is yours to find. Think of the busiest minute.", Before: 6,
		}}
		u, _ = c.iv.Step(u, c.now+1000, engine.UserTurn{Text: "Right, I see.", Typed: true, Began: c.now})
		u, _ = c.iv.Step(u, c.now+1010, engine.VoiceEnded{Utterance: 99, Visit: u.Visit, Heard: heard, Cut: true})
		if got := u.Current().HintLevel; got != want {
			t.Errorf("heard %q: %d hints, want %d", heard, got, want)
		}
	}
}

// The question behind a hint is none of it: a hint that was heard to its end was given, although what was asked after it was cut off.
func TestHintBeforeAQuestionThatWasCutOff(t *testing.T) {
	for text, want := range map[string]string{
		"Think of the busiest minute. How many calls come in it?": "Think of the busiest minute.",
		"Think of the busiest minute.":                            "Think of the busiest minute.",
		"How many calls come in the busiest minute?":              "How many calls come in the busiest minute?",
	} {
		if got := engine.Told(text); strings.TrimSpace(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// R000-82: who is stuck gets hints, each once and rising, also unasked when silence goes on.
func TestHintsWhenStuck(t *testing.T) {
	c := inDesign(t, design(t, "", ""), true, false)
	if said := c.tell("Could you give me a hint?"); said.Text != "Think of the busiest minute." || said.Move != engine.MoveHint {
		t.Errorf("said %+v", said)
	}
	if said := c.tell("Another hint, please."); said.Text != "What about users?" {
		t.Errorf("said %q", said.Text)
	}
	c.tell("One more hint, please.")
	if v := c.u.Current(); v.HintLevel != 2 {
		t.Errorf("%d hints given", v.HintLevel)
	}
	silent := inDesign(t, design(t, "", ""), true, false)
	silent.tell(vague)
	silent.pass(25 * time.Second)
	silent.pass(25 * time.Second)
	if silent.u.Current().HintLevel != 1 {
		t.Errorf("no hint in silence: %q", silent.last().Text)
	}
}

// R000-88: the candidate's words count, unless the definition wants both sides'.
func TestWhoseWordsCount(t *testing.T) {
	for words, want := range map[string]string{"candidate": "scope", "both": "data"} {
		c := inDesign(t, design(t, "words: "+words, ""), true, false)
		c.tell("Hm, so.  Users.")
		c.u.Turns[len(c.u.Turns)-1].Text = scopeWords // as if the interviewer had said it all
		c.tell("Yes, all of that.")
		if got := c.u.Current().Item; got != want {
			t.Errorf("%s: in %s", words, got)
		}
	}
}

// A judge that is a model is asked when there is one, and replaced by rules when there is none.
func TestModelAsJudge(t *testing.T) {
	gate := "attempts: 5"
	text := func(iv *engine.Interview) *engine.Interview {
		iv.Def.Stage("part").Gate.By = evaluate.LLMRubric
		return iv
	}
	c := inDesign(t, text(design(t, gate, "")), true, false)
	c.u.Model, c.u.Current().Missed = true, 2 // it did not lead when it should have, twice: the rules lead
	c.tell(vague)
	c.tell(scopeWords)
	r := judging(c)
	if r.Evaluator != evaluate.LLMRubric || r.Company != "" {
		t.Errorf("%+v", r)
	}
	if _, err := r.Question(); err != nil {
		t.Error(err)
	}
	c = inDesign(t, text(design(t, gate, "")), true, false)
	c.tell(vague)
	c.tell(scopeWords)
	if e := c.u.Evaluations[0]; e.By != evaluate.KeywordCoverage || e.Status != evaluate.StatusDegraded {
		t.Errorf("%+v", e)
	}
}
