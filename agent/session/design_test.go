package session_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
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
		a := &adviser{answer: func(int, llm.Request) reply { return reply{err: &fault.Error{Op: "chat", Kind: fault.Auth}} }}
		r := coached(t, "system_design", a, nil)
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
