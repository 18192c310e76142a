package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/state"
)

var designs = []string{
	"Yes, I am ready.",
	"I am a backend engineer at a bank, mostly payments.",
	"How many users are there, what QPS and latency do we need, and which scale? I would favour availability over consistency.",
	"The features are upload and feed, with an API, under the constraints of an SLA and of throughput.",
	"I would take a SQL database with a clear schema, later NoSQL, with sharding and replication.",
	"An endpoint in REST for the public, gRPC inside, each request and response over HTTP.",
	"A load balancer, then microservices with a cache and a queue, and a CDN in front of this architecture.",
}

// A whole system-design interview by voice: the question and the sub-phases come from the company, each is judged, and all
// five lead to the closing (R000-1, R000-6, R000-37, R000-76). The model is away all the while.
func TestDesignInterview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iv := interview(t, "system_design")
		away := modelFunc(func(llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Auth}} })
		pool, err := tasks.New(tasks.Options{Evaluators: tasks.Role{Model: away}})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, iv, away, func(o *session.Options) {
			o.Meter = session.NewMeter(0)
			o.Tasks = pool.For(design.Candidate{Session: "rig"}, o.Meter)
		})
		r.answer = func(s *session.Session, n int, _ string) {
			if n <= 2 {
				say(s, designs[n-1])
				return
			}
			say(s, designs[2+n%5])
		}
		reason, err := r.s.Run(t.Context())
		if err != nil || reason != "done" {
			t.Fatalf("ended with %q, %v", reason, err)
		}
		u, asked, answered := story(t, iv, r.store, "rig")
		if diff := cmp.Diff(r.s.UserData(), u); diff != "" {
			t.Errorf("the journal tells another story:\n%s", diff)
		}
		if diff := cmp.Diff(asked, answered); diff != "" || len(asked) != 2 {
			t.Errorf("%d tasks: %s", len(asked), diff)
		}
		keys := engine.Keys(u)
		if keys["design_complete"] != true || u.Stage != "done" {
			t.Errorf("%v", keys)
		}
		if diff := cmp.Diff([]string{"problem_clarification", "requirements", "data_design", "api_design", "hld"}, keys["design_phases_completed"]); diff != "" {
			t.Error(diff)
		}
		if len(u.Evaluations) < 5 {
			t.Errorf("%d judgements are kept", len(u.Evaluations))
		}
	})
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

// When the budget of tokens is spent, the rules go on without a model, and it is told once.
func TestSpentBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		m := modelFunc(func(llm.Request) reply {
			asked++
			return reply{text: []string{"This is no turn of anybody's."}}
		})
		r := newRig(t, interview(t, "algorithm_coach"), m, func(o *session.Options) { o.Meter = session.NewMeter(1) })
		r.answer = func(s *session.Session, n int, _ string) {
			say(s, []string{
				"I am given a list and I must return a single number, with the limits you told me.",
				"I would try every possibility with two nested loops at first, which is simple.",
				"That takes quadratic time and constant space, so O of n squared.",
			}[(n-1)%3])
		}
		r.runFor(3 * time.Minute)
		if asked != 1 || len(r.heard) < 4 {
			t.Errorf("the model was asked %d times; heard %q", asked, r.heard)
		}
		if n := r.count("budget.spent"); n != 1 {
			t.Errorf("that the budget is spent was told %d times", n)
		}
	})
}
