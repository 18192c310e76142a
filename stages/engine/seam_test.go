package engine_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// judged is a talk with a model, and a judge of its gate that is one and was just asked. Rules lead the talk itself.
func judged(t *testing.T) (*chat, engine.Run) {
	t.Helper()
	iv := design(t, "", "")
	iv.Def.Stage("part").Gate.By = evaluate.LLMRubric
	words := false
	for i := range iv.Def.Stages {
		iv.Def.Stages[i].Model = &words
	}
	c := inDesign(t, iv, true, true)
	c.tell(vague)
	c.tell("Users and cars.")
	return c, judging(c)
}

const levels = `{"levels":[{"criterion":"coverage","evidence":[{"turn":TURN,"text":"Users and cars"}],"level":4}],"feedback":"Good.","improved":"","confidence":1}`

// A model's answer is read as it was asked for, whatever has happened since; journals of version 1, which hold what was read of it,
// come to the same.
func TestAnswersAreReadAsTheyWereAskedFor(t *testing.T) {
	c, r := judged(t)
	turn := r.Item.Turns[len(r.Item.Turns)-1].ID
	answer := json.RawMessage(strings.Replace(levels, "TURN", strconv.FormatUint(turn, 10), 1))
	c.send(engine.CodeChanged{Text: "for p in prices:"})
	read, err := r.Read(answer)
	if err != nil {
		t.Fatal(err)
	}
	now, effects := c.iv.Step(c.u, c.now+1, engine.TaskDone{Task: r.Task, Visit: r.Visit, Answer: answer})
	then, were := c.iv.Step(c.u, c.now+1, engine.TaskDone{Task: r.Task, Visit: r.Visit, Result: read})
	if diff := cmp.Diff(asJSON(t, then), asJSON(t, now)); diff != "" || len(now.Evaluations) != 1 || now.Evaluations[0].By != evaluate.LLMRubric {
		t.Errorf("%+v: %s", now.Evaluations, diff)
	}
	if diff := cmp.Diff(were, effects, alike(t)...); diff != "" {
		t.Error(diff)
	}
}

// An answer that cannot be read is none: rules judge in its place.
func TestAnswersThatCannotBeRead(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, u *state.UserData) (*state.UserData, json.RawMessage){
		"wrong form": func(_ *testing.T, u *state.UserData) (*state.UserData, json.RawMessage) {
			return u, json.RawMessage(`[]`)
		},
		"nobody knows what was asked": func(t *testing.T, u *state.UserData) (*state.UserData, json.RawMessage) {
			var kept state.UserData
			if err := json.Unmarshal([]byte(asJSON(t, u)), &kept); err != nil {
				t.Fatal(err)
			}
			return &kept, json.RawMessage(strings.Replace(levels, "TURN", "1", 1))
		},
	} {
		c, r := judged(t)
		u, answer := spoil(t, c.u)
		c.u = u
		c.send(engine.TaskDone{Task: r.Task, Visit: r.Visit, Answer: answer})
		if e := c.u.Evaluations; len(e) != 1 || e[0].Status != evaluate.StatusDegraded || c.u.Floor.Utterance == 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Question and Read are all that an executor needs to know.
func TestAskAndRead(t *testing.T) {
	_, r := judged(t)
	if q, err := r.Question(); err != nil || q.Role != evaluate.LLMRubric || !strings.Contains(q.User, "Users and cars.") {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := r.Read(json.RawMessage(`[]`)); err == nil {
		t.Error("a list was read")
	}
	for _, r := range []engine.Run{{Kind: engine.TaskPhases}, {Kind: engine.TaskEvaluate, Evaluator: "provider"}} {
		if _, err := r.Question(); err == nil {
			t.Errorf("%+v can be asked of a model", r)
		}
	}
}

// What a Say holds is of the Step that asked for it, for any goroutine and for as long as it is wanted.
func TestAskStaysAsItWas(t *testing.T) {
	l := lead(t, "two_stage")
	c := l.hear()
	question := c.u.Ledger.Said[len(c.u.Ledger.Said)-1]
	say := l.says("I build ticket machines for trams.", "Which one is the hardest?", answer("ticket machines", "ask"))
	later := c.u.Ledger.Said[len(c.u.Ledger.Said)-1] // its own question, which was heard meanwhile
	if say.Lead == nil {
		t.Fatalf("%+v", say)
	}
	was, err := say.Lead.Request(false)
	if err != nil {
		t.Fatal(err)
	}
	if question == later || !say.Lead.Repeats(question) || say.Lead.Repeats(later) {
		t.Errorf("%q was asked before, and %q was not", question, later)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				if is, err := say.Lead.Request(false); err != nil || !cmp.Equal(was, is) || say.Lead.Repeats(later) || say.Lead.Reveals("Nothing.") {
					t.Errorf("%v, %s", err, cmp.Diff(was, is))
				}
			}
		})
	}
	c.tell("The one at the harbour, because of the salt.")
	readers.Wait()
}

// Journals name their version, and one of a program that is newer than this is refused with a sentence; earlier ones are read.
func TestJournalsCarryAVersion(t *testing.T) {
	iv := interview(t, "two_stage")
	for _, ev := range []engine.Event{engine.Started{Session: "s"}, engine.Resumed{Gap: 5}} {
		e, err := engine.Encode(1, 0, ev)
		if err != nil || !strings.Contains(string(e.Data), `"version":3`) {
			t.Fatalf("%v, %s", err, e.Data)
		}
		newer := e
		newer.Data = json.RawMessage(strings.Replace(string(e.Data), `"version":3`, `"version":4`, 1))
		if _, err := iv.Fold([]state.Entry{newer}); err == nil || !strings.Contains(err.Error(), "journal entry 1: it was written by a newer Viva (journal version 4; this one reads up to 3)") {
			t.Errorf("%v", err)
		}
		older := e
		older.Data = json.RawMessage(strings.Replace(string(e.Data), `"version":3,`, ``, 1))
		if _, err := iv.Fold([]state.Entry{older}); err != nil || strings.Contains(string(older.Data), "version") {
			t.Errorf("%v, %s", err, older.Data)
		}
	}
}

// An interview that a model worded and did not lead cannot be told again, and its journal says so; one that a model led, and one without a
// model, can.
func TestJournalsOfWordedInterviewsAreRefused(t *testing.T) {
	iv := interview(t, "two_stage")
	for data, refused := range map[string]bool{
		`{"session":"s","model":true}`: true, `{"version":2,"session":"s","model":true}`: true, `{"version":2,"session":"s","model":true,"lead":true}`: false,
		`{"version":2,"session":"s"}`: false, `{"version":3,"session":"s","model":true}`: false,
	} {
		_, err := iv.Fold([]state.Entry{{Seq: 1, Type: "started", Data: json.RawMessage(data)}})
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "journal entry 1: in this interview a model worded what rules had decided") {
			t.Errorf("%s: %v", data, err)
		}
	}
}
