package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/provider"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// adviser is the model that answers for experts and judges: as the test's function wants, and it notes when it was asked.
type adviser struct {
	answer func(n int, r llm.Request) reply

	mu    sync.Mutex
	asked []time.Time
	users []string // what it was shown
}

func (a *adviser) model() modelFunc {
	return func(r llm.Request) reply {
		a.mu.Lock()
		n := len(a.asked)
		a.asked, a.users = append(a.asked, time.Now()), append(a.users, r.Messages[1].Content)
		a.mu.Unlock()
		return a.answer(n, r)
	}
}

func (a *adviser) times() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

// formed is an answer that follows the question's schema, with the given message and no findings.
func formed(r llm.Request, message string) string {
	var s struct {
		Properties map[string]struct {
			Properties map[string]struct{ Type string } `json:"properties"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(r.Schema, &s); err != nil {
		return err.Error()
	}
	updates := make(map[string]any)
	for name, p := range s.Properties["context_updates"].Properties {
		if updates[name] = ""; p.Type == "array" {
			updates[name] = []string{}
		}
	}
	out := map[string]any{"assistant_message": message, "next_stage": "", "context_updates": updates, "confidence": 0.8}
	if _, ask := s.Properties["questions"]; ask {
		out["questions"] = []string{}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// coached makes an interview whose experts are the adviser.
func coached(t testing.TB, kind string, a *adviser, change func(*session.Options)) *rig {
	t.Helper()
	iv := interview(t, kind)
	pool, err := tasks.New(tasks.Options{Experts: tasks.Role{Model: a.model()}, Evaluators: tasks.Role{Model: a.model()}})
	if err != nil {
		t.Fatal(err)
	}
	silent := modelFunc(func(llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Auth}} })
	r := newRig(t, iv, silent, func(o *session.Options) {
		o.Meter = session.NewMeter(0)
		if change != nil {
			change(o)
		}
		o.Tasks = pool.For(iv, provider.Candidate{Session: "rig"}, o.Meter)
	})
	r.s.WordsOnly() // the experts lead
	return r
}

// steady is a candidate with something to say at every turn, whatever it is asked.
func steady(lines ...string) func(*session.Session, int, string) {
	return func(s *session.Session, n int, _ string) { say(s, lines[(n-1)%len(lines)]) }
}

var thoughts = []string{
	"I am given a list and I must return a single number, with the limits you told me.",
	"I would try every possibility with two nested loops at first, which is simple.",
	"That takes quadratic time and constant space, so O of n squared.",
	"Go through the list, compare each entry with what was kept, keep the better one, and return it at the end.",
	"The empty list and a list with one entry need care, and so do equal values.",
	"With a sorted input I could stop earlier and save some time.",
}

// story folds the journal, and returns the tasks that the engine asked for, and those that were answered or given up.
func story(t testing.TB, iv *engine.Interview, store *state.Memory, id string) (u *state.UserData, asked, answered map[uint64]int) {
	t.Helper()
	entries, err := store.Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	u, asked, answered = &state.UserData{}, make(map[uint64]int), make(map[uint64]int)
	for _, e := range entries {
		ev, err := engine.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if done, is := ev.(engine.TaskDone); is {
			answered[done.Task]++
		}
		var effects []engine.Effect
		u, effects = iv.Step(u, e.At, ev)
		for _, x := range effects {
			switch x := x.(type) {
			case engine.Run:
				asked[x.Task]++
			case engine.CancelRun:
				answered[x.Task]++
			}
		}
	}
	return u, asked, answered
}

// A whole interview whose model is slow, lies, speaks beside the form, tells the pattern and fails three times in a row:
// it comes to its end, the pattern stays hidden (R003-30, R003-31, RX-20), each task is answered once (R000-53), and the
// journal tells the same story (RX-9).
func TestCoachWithABadModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iv := interview(t, "algorithm_coach")
		var r *rig
		a := &adviser{}
		a.answer = func(n int, q llm.Request) reply {
			slow := time.Duration(200+n%5*700) * time.Millisecond
			switch n % 11 {
			case 1:
				return reply{wait: slow, text: []string{"Sure! Here is what you asked for."}}
			case 3: // each name of the hidden pattern in turn
				names := iv.Problem(r.shown()).Secrets()
				return reply{wait: slow, text: []string{formed(q, "This is a case for "+names[n%len(names)]+". Do you see why?")}}
			case 4:
				return reply{text: []string{`{"assistant_message":"You passed everything.","next_stage":"DONE"}`}}
			case 5, 6, 7:
				return reply{wait: slow, err: &fault.Error{Op: "chat", Kind: fault.Server}}
			case 9:
				return reply{hang: true}
			}
			return reply{wait: slow, text: []string{formed(q, fmt.Sprintf("I see, that is step %d. What follows from it?", n))}}
		}
		r = coached(t, "algorithm_coach", a, nil)
		r.answer = steady(thoughts...)
		reason, err := r.s.Run(t.Context())
		if err != nil || reason != "done" {
			t.Fatalf("ended with %q, %v", reason, err)
		}
		u, asked, answered := story(t, iv, r.store, "rig")
		if diff := cmp.Diff(r.s.UserData(), u); diff != "" {
			t.Errorf("the journal tells another story:\n%s", diff)
		}
		if len(asked) < 8 {
			t.Errorf("%d tasks only", len(asked))
		}
		if diff := cmp.Diff(asked, answered); diff != "" {
			t.Errorf("tasks asked for and answered: %s", diff)
		}
		for _, turn := range u.Turns {
			if turn.Speaker == state.SpeakerAgent && turn.Stage != "PATTERN_SUMMARY" && turn.Stage != "DONE" && understand.Reveals(turn.Text, iv.Problem(u.Problem).Secrets()) {
				t.Errorf("the pattern was told in %s: %q", turn.Stage, turn.Text)
			}
		}
		for _, text := range a.users { // R003-31: what it does not know, it cannot say
			if !strings.Contains(text, "Stage: PATTERN_SUMMARY") && understand.Reveals(text, []string{strings.ReplaceAll(iv.Problem(u.Problem).Pattern, "_", " ")}) {
				t.Errorf("the model was told the pattern: %s", text)
			}
		}
		if !strings.Contains(strings.Join(r.heard, "\n"), "that is step") {
			t.Errorf("no word of the model's was heard: %q", r.heard)
		}
	})
}

// opening is a candidate who answers once, and then listens.
func opening(text string, then func()) func(*session.Session, int, string) {
	return func(s *session.Session, n int, _ string) {
		if n > 1 {
			return
		}
		say(s, text)
		if then != nil {
			then()
		}
	}
}

// Failure 1, 2 and 3 are each tried again, after 2, 4 and 8 s, and the fourth brings the stage's own words (R003-79,
// R003-80); the candidate is asked for patience once (R003-84).
func TestFailingModelIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adviser{answer: func(int, llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Server}} }}
		r := coached(t, "algorithm_coach", a, nil)
		r.answer = opening("I get a list and give back a number that is the best of all.", nil)
		r.runFor(90 * time.Second)
		times := a.times()
		if len(times) < 4 {
			t.Fatalf("the model was asked %d times", len(times))
		}
		for i, least := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
			// A failure that falls into the plea for patience waits for its end.
			if gap := times[i+1].Sub(times[i]); gap < least || gap > least+4*time.Second {
				t.Errorf("try %d came after %v, want %v", i+2, gap, least)
			}
		}
		holds := 0
		for _, id := range r.values("prompt.issued", "prompt") {
			if text, _ := id.(string); text == "hold" || strings.HasPrefix(text, "hold#") {
				holds++
			}
		}
		if holds != 1 || len(r.values("expert.failed", "kind")) < 4 {
			t.Errorf("patience was asked for %d times; failures %v", holds, r.values("expert.failed", "attempt"))
		}
		said := false
		for _, id := range r.values("prompt.issued", "prompt") {
			said = said || id == "clarify.fallback"
		}
		if !said {
			t.Errorf("the stage's own words were not said: %v", r.values("prompt.issued", "prompt"))
		}
	})
}

// A bad key is no better a second later (R003-85); a model that panics is one that failed (R003-92).
func TestHopelessModelIsAskedOnce(t *testing.T) {
	for name, answer := range map[string]func(int, llm.Request) reply{
		"bad key": func(int, llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Auth}} },
		"panic":   func(int, llm.Request) reply { panic("a model of glass") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &adviser{answer: answer}
				r := coached(t, "algorithm_coach", a, nil)
				r.answer = opening("I get a list and give back a number that is the best of all.", nil)
				r.runFor(45 * time.Second)
				if n := len(a.times()); n != 1 || len(r.heard) < 2 {
					t.Errorf("asked %d times, heard %q", n, r.heard)
				}
			})
		})
	}
}

// New speech ends the waiting: what was asked would answer half a turn (R003-84).
func TestSpeechEndsTheRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adviser{answer: func(int, llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Timeout}} }}
		r := coached(t, "algorithm_coach", a, nil)
		var answered atomic.Pointer[time.Time]
		r.answer = opening("I get a list and give back a number.", func() {
			r.at(6*time.Second, session.Event{Event: engine.SpeechStarted{}})
			now := time.Now()
			answered.Store(&now)
		})
		r.runFor(50 * time.Second)
		if answered.Load() == nil {
			t.Fatal("the candidate said nothing")
		}
		times, spoke := a.times(), answered.Load().Add(6*time.Second)
		if len(times) == 0 || times[len(times)-1].After(spoke) {
			t.Errorf("asked at %v, spoken at %v", times, spoke)
		}
		if r.count("task.cancelled") == 0 {
			t.Error("no task was cancelled")
		}
	})
}

// Nothing is asked of anybody on speculation: an expert's answer costs, and its task would be of a turn that never was.
func TestNoTaskBeforeTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adviser{answer: func(n int, q llm.Request) reply {
			return reply{text: []string{formed(q, fmt.Sprintf("And then, number %d?", n))}}
		}}
		r := coached(t, "algorithm_coach", a, nil)
		words := "I am given a list and I must return a single number."
		var committed time.Time
		r.utters(words, words, words+" So")
		r.runFor(60 * time.Second)
		committed = r.committed
		times := a.times()
		if len(times) != 1 || times[0].Before(committed) || committed.IsZero() {
			t.Errorf("asked at %v, the turn was decided at %v", times, committed)
		}
		if n := r.count("speculation.started"); n != 0 {
			t.Errorf("%d replies were prepared", n)
		}
	})
}

// When the budget of tokens is spent, the experts' rules go on without a model, and it is told once.
func TestSpentBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &adviser{answer: func(n int, q llm.Request) reply {
			return reply{text: []string{formed(q, fmt.Sprintf("And then, number %d?", n))}}
		}}
		r := coached(t, "algorithm_coach", a, func(o *session.Options) { o.Meter = session.NewMeter(1) })
		r.answer = steady(thoughts...)
		r.runFor(3 * time.Minute)
		if n := len(a.times()); n != 1 || len(r.heard) < 4 {
			t.Errorf("the model was asked %d times; heard %q", n, r.heard)
		}
		if n := r.count("budget.spent"); n != 1 {
			t.Errorf("that the budget is spent was told %d times", n)
		}
		if by := r.values("task.done", "degraded"); len(by) < 2 || !strings.Contains(fmt.Sprint(by[1]), "budget") {
			t.Errorf("degraded: %v", by)
		}
	})
}
