package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
)

// withModel is a talk whose experts are worded by a model, in its first stage.
func withModel(t testing.TB) *chat {
	t.Helper()
	return newChat(t, coaching(t, newCast(), true)).start(engine.Started{Model: true}).hear()
}

func (c *chat) fail(retryable bool) {
	c.t.Helper()
	r := c.runs[len(c.runs)-1]
	c.send(engine.TaskDone{Task: r.Task, Visit: r.Visit, Failed: "429 too many requests", Retryable: retryable})
}

const understood = "We look for two prices with a given sum."

const fallbackWords = "Let us think step by step. What is the simplest way?"

// R003-79: retries after exactly 2, 4 and 8 seconds; the fourth failure brings the fallback. From then on the expert's rules
// lead the stage, and it goes on.
func TestRetrySchedule(t *testing.T) {
	c := withModel(t)
	c.iv.Def.Recovery.HoldPrompt = "" // it takes time to say
	c.tell(understood)
	var waits []time.Duration
	for len(c.runs) < 4 {
		failed, runs := c.now, len(c.runs)
		c.fail(true)
		for len(c.runs) == runs {
			c.pass(10 * time.Millisecond)
		}
		waits = append(waits, (c.now - failed).Duration())
	}
	if diff := cmp.Diff([]time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, waits); diff != "" {
		t.Error(diff)
	}
	for i, r := range c.runs {
		if r.Kind != engine.TaskExpert || r.Expert != "reader" || r.Attempt != i+1 || r.Board.Input != understood {
			t.Errorf("%+v", r)
		}
	}
	c.fail(true)
	if said := c.last().Text; len(c.runs) != 4 || c.u.Stage != expert.Clarification || said != fallbackWords {
		t.Errorf("%d runs, in %s, said %q", len(c.runs), c.u.Stage, said)
	}
	if names := c.fact("expert.degraded", "expert"); !slices.Equal(names, []any{"reader"}) {
		t.Errorf("degraded: %v", names)
	}
	c.tell("Two prices go in, and their places come out.")
	if len(c.runs) != 4 || c.u.Stage != expert.Thought {
		t.Errorf("%d runs, in %s", len(c.runs), c.u.Stage)
	}
	c.tell("I would compare every pair of prices.") // the next stage tries the model again
	if len(c.runs) != 5 || c.runs[4].Expert != "coach" {
		t.Errorf("%d runs", len(c.runs))
	}
	c.whole()
}

// R003-80: the stage's own words are said once; after them it is the rules that speak.
func TestFallbackWords(t *testing.T) {
	cast := newCast()
	cast["reader"].process = func(expert.Board) (expert.Response, error) { return expert.Success("Tell me more about it.", ""), nil }
	c := newChat(t, coaching(t, cast, true)).start(engine.Started{Model: true}).hear()
	for i, want := range []string{fallbackWords, "Tell me more about it."} {
		c.tell("We look for two prices with a given sum" + strings.Repeat(" again", i) + ".")
		if i == 0 {
			c.fail(false)
		}
		if said := c.last().Text; said != want {
			t.Errorf("said %q", said)
		}
		c.hear()
	}
	c.whole()
}

// R003-85: what cannot help is not tried again.
func TestNoRetryOfABadRequest(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	c.fail(false)
	c.pass(20 * time.Second)
	if said := c.last().Text; len(c.runs) != 1 || said != fallbackWords {
		t.Errorf("%d runs, said %q", len(c.runs), said)
	}
}

// R003-84: a stage may bound the whole wait: then its fallback is said, and no try is waited for any more. What is said just
// then is said to its end first. A stage without a bound keeps the interview's.
func TestLiveBudget(t *testing.T) {
	c := withModel(t)
	c.iv.Def.Recovery.Live, c.iv.Def.Stages[0].Recovery = definition.Duration(time.Hour), definition.StageRecovery{
		Budget: definition.Duration(time.Second), Live: definition.Duration(6 * time.Second),
	}
	c.tell(understood)
	if budget := c.runs[0].Budget; budget != time.Second {
		t.Errorf("budget %s", budget)
	}
	asked := c.now
	c.pass(5900 * time.Millisecond) // one second, two to wait, one second, four to wait
	if len(c.runs) != 2 || c.last().Move != engine.MoveHold {
		t.Fatalf("%d runs, said %+v", len(c.runs), c.last())
	}
	c.pass(200 * time.Millisecond)
	if said, waited := c.last().Text, (c.now - asked).Duration(); said != fallbackWords || waited > 9*time.Second {
		t.Errorf("said %q after %s", said, waited)
	}
	c.pass(10 * time.Second)
	if len(c.runs) != 2 || len(c.u.Tasks) != 0 {
		t.Errorf("%d runs, under way: %v", len(c.runs), c.u.Tasks)
	}
	c.tell("Two prices go in, and their places come out.")
	c.tell("I would compare every pair of prices.")
	if r := c.runs[len(c.runs)-1]; r.Budget != 8*time.Second || c.u.Timers[engine.TimerLive].After.Duration() != time.Hour {
		t.Errorf("%s: budget %s, timers %v", c.u.Stage, r.Budget, c.u.Timers)
	}
	c.whole()
}

// The end of a wait does not cut off the words that ask for patience.
func TestLateAnswerWaitsForTheHoldPhrase(t *testing.T) {
	for _, timer := range []string{engine.TimerTask, engine.TimerLive} {
		c := withModel(t)
		c.iv.Def.Recovery.Live = definition.Duration(20 * time.Second)
		c.tell(understood)
		fire := func(name string) {
			x := c.u.Timers[name]
			c.send(engine.TimerFired{Name: name, ID: x.ID, Visit: x.Visit})
		}
		fire(engine.TimerHold)
		c.send(engine.VoiceStarted{Utterance: c.u.Floor.Utterance})
		hold := c.u.Floor.Utterance
		fire(timer)
		if c.u.Floor.Utterance != hold || len(c.cancels) != 1 {
			t.Errorf("%s: cut off, or not cancelled: %v", timer, c.cancels)
		}
		c.hear()
		if retry := c.u.Timers[engine.TimerRetry]; (retry.ID != 0) != (timer == engine.TimerTask) {
			t.Errorf("%s: retry %+v, said %q", timer, retry, c.last().Text)
		}
		c.pass(time.Minute)
		if !slices.ContainsFunc(c.says, func(say engine.Say) bool { return say.Text == fallbackWords }) {
			t.Errorf("%s: the fallback was not said", timer)
		}
		c.whole()
	}
}

// R003-84: patience is asked for once, after a second and a half, and new words of the candidate cancel the whole chain:
// the next call answers all that was said.
func TestHoldPhraseAndCancelOnSpeech(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	said := len(c.says)
	c.pass(1400 * time.Millisecond)
	if len(c.says) != said {
		t.Errorf("said %q too early", c.last().Text)
	}
	c.pass(200 * time.Millisecond)
	if c.last().Text != "One moment." || c.last().Move != engine.MoveHold {
		t.Errorf("said %q", c.last().Text)
	}
	c.fail(true)
	c.pass(3 * time.Second)
	c.fail(true)
	c.send(engine.SpeechStarted{})
	c.pass(time.Minute)
	if len(c.runs) != 2 {
		t.Errorf("called %d times although the candidate speaks", len(c.runs))
	}
	c.send(engine.SpeechStopped{})
	c.send(engine.UserTurn{Text: "And both prices are on the list.", Began: c.now - 500})
	last := c.runs[len(c.runs)-1]
	if len(c.runs) != 3 || last.Attempt != 1 || !strings.HasSuffix(last.Board.Input, "And both prices are on the list.") {
		t.Errorf("%d runs, %q", len(c.runs), last.Board.Input)
	}
	holds := 0
	for _, say := range c.says {
		if say.Move == engine.MoveHold {
			holds++
		}
	}
	if holds != 1 {
		t.Errorf("asked for patience %d times", holds)
	}
	c.whole()
}

// R003-84: speech that cancels a call that is under way.
func TestSpeechCancelsTheCall(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	first := c.runs[0]
	c.send(engine.SpeechStarted{})
	if len(c.cancels) != 1 || c.cancels[0].Task != first.Task {
		t.Fatalf("cancelled %v", c.cancels)
	}
	before := asJSON(t, c.u)
	c.send(c.done(first, expert.Success("Too late.", expert.Thought, expert.Update{Field: "identified_pattern", Value: "x"})))
	if asJSON(t, c.u) != before {
		t.Error("a cancelled call changed the interview")
	}
	c.send(engine.SpeechStopped{})
	c.send(engine.NoWords{}) // it was a cough: the answer is still owed
	if len(c.runs) != 2 {
		t.Errorf("%d runs", len(c.runs))
	}
	c.send(c.done(c.runs[1], expert.Success("Good.", expert.Thought, expert.Update{Field: "identified_pattern", Value: "x"})))
	c.send(c.done(c.runs[1], expert.Success("Good.", expert.Complexity, expert.Update{Field: "user_approach", Value: "x"})))
	if c.u.Stage != expert.Thought || !c.u.Fields["user_approach"].Empty() {
		t.Errorf("in %s: %+v", c.u.Stage, c.u.Fields)
	}
	c.hear().whole()
}

// R000-53: an answer of another visit, a second one, and one while the next try is waited for change nothing.
func TestStaleAnswers(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	r := c.runs[0]
	good := c.done(r, expert.Success("Good.", expert.Thought, expert.Update{Field: "identified_pattern", Value: "x"}))
	unmoved := func(name string, done engine.TaskDone) {
		t.Helper()
		before := asJSON(t, c.u)
		if c.send(done); asJSON(t, c.u) != before {
			t.Errorf("%s changed the interview", name)
		}
	}
	other := good
	other.Visit++
	unmoved("an answer of another visit", other)
	c.fail(true)
	unmoved("an answer after the failure", good)
	unmoved("a second failure", engine.TaskDone{Task: r.Task, Visit: r.Visit, Failed: "503"})
}

// A call that never answers is given up after its budget; and somebody whose connection is lost gets the answer when they
// are back.
func TestSilentModel(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	c.pass(2 * time.Minute)
	if len(c.runs) != 4 || len(c.cancels) != 4 || c.fact("expert.degraded", "expert") == nil {
		t.Errorf("%d runs, %d cancelled, in %s", len(c.runs), len(c.cancels), c.u.Stage)
	}
	c = withModel(t)
	c.tell(understood)
	c.send(engine.Away{})
	c.pass(time.Hour)
	c.send(engine.Back{})
	if len(c.runs) != 2 || len(c.cancels) != 1 {
		t.Errorf("%d runs, cancelled %v", len(c.runs), c.cancels)
	}
}

// R003-86, R003-88: a model's answer goes through the same wrapper as any other.
func TestModelsAnswerIsChecked(t *testing.T) {
	for name, result := range map[string]string{
		"no JSON object": `"yes"`, "no message": `{"success":true}`, "unknown stage": `{"success":true,"assistant_message":"On.","next_stage":"NOWHERE"}`,
		"wrong type": `{"success":true,"assistant_message":"On.","context_updates":{"pseudocode":7}}`,
	} {
		c := withModel(t)
		c.tell(understood)
		c.send(engine.TaskDone{Task: c.runs[0].Task, Visit: c.runs[0].Visit, Result: json.RawMessage(result)})
		if kinds := c.fact("expert.failed", "kind"); len(kinds) != 1 || kinds[0] != "malformed" || c.u.Stage != expert.Clarification || c.u.Floor.Utterance == 0 {
			t.Errorf("%s: %v, in %s", name, kinds, c.u.Stage)
		}
	}
}

// Ask and Read are all that an executor needs to know.
func TestAskAndRead(t *testing.T) {
	c := withModel(t)
	c.tell(understood)
	r := c.runs[0]
	q, err := r.Ask()
	if err != nil || q.Role != "reader" || q.User != understood {
		t.Fatalf("%+v, %v", q, err)
	}
	answer := json.RawMessage(`{"success":true,"assistant_message":"Well understood.","next_stage":"THOUGHT_ARTICULATION","context_updates":{"identified_pattern":"x"}}`)
	if _, err := r.Read(answer); err != nil {
		t.Fatal(err)
	}
	c.send(engine.TaskDone{Task: r.Task, Visit: r.Visit, Answer: answer})
	if c.u.Stage != expert.Thought {
		t.Errorf("in %s", c.u.Stage)
	}
	if _, err := r.Read(json.RawMessage(`[]`)); err == nil {
		t.Error("a list was read")
	}
	for _, r := range []engine.Run{{Kind: engine.TaskPhases}, {Kind: engine.TaskExpert, Expert: "reader"}, {Kind: engine.TaskEvaluate, Evaluator: "provider"}} {
		if _, err := r.Ask(); err == nil {
			t.Errorf("%+v can be asked of a model", r)
		}
	}
}
