package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
)

// asker is an expert that asks three questions, and says which one was answered.
type asker struct{}

func (asker) Name() string                         { return "Asker" }
func (asker) ShouldActivate(b expert.Board) bool   { return b.CurrentStage == "ASK" }
func (asker) ValidateContext(b expert.Board) error { return nil }

func (asker) Process(b expert.Board) (expert.Response, error) {
	n, _ := b.Fields["asked"].(float64)
	r := expert.Success(fmt.Sprintf("What about thing number %d?", int(n)+2), "", expert.Update{Field: "asked", Value: n + 1})
	r.Answered = &expert.Answered{Question: fmt.Sprintf("Thing %d", int(n)+1), Number: int(n) + 1, Vars: map[string]string{"persona": "hr", "role": "Clerk"}}
	if strings.Contains(b.Input, "clear") {
		r.Answered, r.Updates = nil, nil
	}
	return r, nil
}

const askingYAML = `kind: asking
title: Asking
locales: [en]
experts: [Asker]
fields: {asked: {type: number}}
evaluations: [{id: answers, by: llm_rubric}]
stages:
  - id: ASK
    responder: experts
    prompts: {open: ask.open}
    fallback: back
    done: {turns: 50}
    limits: {hard: 300s, turn_time: 60s}
  - {id: END, final: true, prompts: {open: bye}}
`

const askingWords = `
ask.open: {say: ["What about thing number 1?"]}
back: {say: ["Go on, please."]}
bye: {say: ["Goodbye."]}
`

func asking(t testing.TB) *chat {
	t.Helper()
	var r expert.Registry
	if err := r.Register(asker{}); err != nil {
		t.Fatal(err)
	}
	return newChat(t, compile(t, askingYAML, askingWords, engine.WithExperts(&r))).start(engine.Started{})
}

// R002-29, R002-34, R002-35: an expert says what was answered, by its own number; it is sent once, with who asked whom.
func TestAnswersToAnExpert(t *testing.T) {
	c := asking(t)
	c.hear()
	c.tell("The first thing is fine.")
	c.tell("I am not clear about it.") // a question back is no answer
	c.tell("The second one too.")
	c.wantSent("answers/ASK/1", "answers/ASK/2")
	it := c.judges[1].Item
	if it.Question != "Thing 2" || it.Vars["persona"] != "hr" || it.Vars["role"] != "Clerk" || len(it.Turns) != 1 || it.Turns[0].Content != "The second one too." {
		t.Errorf("%+v", it)
	}
	c.whole()
}

// R002-34: a candidate who goes on before the next question is heard answers the same question still: what the expert noted of
// half the answer is undone, no question is left out, and one answer is judged, the whole of it.
func TestAnAnswerToAnExpertMayGoOn(t *testing.T) {
	c := asking(t)
	c.hear()
	c.now += 1000
	c.send(engine.UserTurn{Text: "The first thing", Began: c.now})
	c.now += 300
	c.send(engine.SpeechStarted{})
	c.now += 900
	c.send(engine.SpeechStopped{})
	c.send(engine.UserTurn{Text: "is fine.", Began: c.now - 900})
	if c.hear(); c.last().Text != "What about thing number 2?" {
		t.Errorf("asked %q", c.last().Text)
	}
	c.wantSent("answers/ASK/1")
	if turns := c.judges[0].Item.Turns; len(turns) != 2 || turns[1].Content != "is fine." {
		t.Errorf("judged %+v", turns)
	}
	if got := string(c.u.Fields["asked"].Value); got != "1" || !c.u.Patches[0].Undone {
		t.Errorf("asked %s, %+v", got, c.u.Patches)
	}
	c.tell("All of it.")
	c.wantSent("answers/ASK/1", "answers/ASK/2")
	c.replays()
}

// R002-34, R001-88: an answer that was stepped into is answered once: neither a noise after the next question nor a stretch that
// nobody understood makes the expert take the old words for the next answer.
func TestSteppingIntoAnAnswerToAnExpert(t *testing.T) {
	c := asking(t)
	c.hear()
	c.send(engine.SpeechStarted{})
	c.now += 61_000
	c.send(engine.LongSpeech{Lasted: 61_000, Words: 200})
	c.send(engine.NoWords{Reason: "taken"}) // and nothing was understood
	if c.wantSent(); c.last().Text != "What about thing number 1?" {
		t.Errorf("asked %q", c.last().Text)
	}
	c = asking(t)
	c.hear()
	c.send(engine.SpeechStarted{})
	c.now += 61_000
	c.send(engine.LongSpeech{Lasted: 61_000, Words: 200})
	c.send(engine.UserTurn{Text: "The first thing is this and that.", Began: c.now - 61_000})
	c.hear()
	c.send(engine.SpeechStarted{})
	c.send(engine.SpeechStopped{})
	c.send(engine.NoWords{Reason: "noise"})
	c.hear()
	if c.wantSent("answers/ASK/1"); c.last().Text != "What about thing number 2?" {
		t.Errorf("asked %q", c.last().Text)
	}
}
