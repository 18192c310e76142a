package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/kinds/design"
)

// adviser answers for experts, as badly as a model can: slowly, not at all, beside the form, with what is hidden.
type adviser struct{ w *world }

// Stream implements llm.Model.
func (a adviser) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	rng := a.w.provider()
	s := &chancy{rng: rng, ctx: ctx, slow: a.w.slow}
	text := advice(rng, r, a.w.iv)
	switch rng.IntN(12) {
	case 0, 1:
		return nil, &fault.Error{Op: "chat", Kind: fault.Server}
	case 2:
		return nil, &fault.Error{Op: "chat", Kind: fault.Auth}
	case 3:
		s.slow = time.Hour
	case 4:
		text = "Sure! Here is what you asked for."
	case 5:
		s.end = &fault.Error{Op: "chat", Kind: fault.Connection}
	}
	s.pieces = []llm.Delta{{Text: text[:len(text)/2]}, {Text: text[len(text)/2:]}}
	return s, nil
}

// advice follows the form of the question, and may give the pattern away.
func advice(rng *rand.Rand, r llm.Request, iv *engine.Interview) string {
	var form struct {
		Properties map[string]struct {
			Properties map[string]struct{ Type string } `json:"properties"`
		} `json:"properties"`
	}
	if json.Unmarshal(r.Schema, &form) != nil {
		return "{}"
	}
	message := fmt.Sprintf("That is good to hear. What came next, at %d?", rng.IntN(1000))
	if set := iv.Problems; set != nil && rng.IntN(5) == 0 {
		all := set.All()
		secrets := all[rng.IntN(len(all))].Secrets()
		message = "Have you thought of " + secrets[rng.IntN(len(secrets))] + "?"
	}
	updates := make(map[string]any)
	for name, p := range form.Properties["context_updates"].Properties {
		if updates[name] = ""; p.Type == "array" {
			updates[name] = []string{}
		}
	}
	out := map[string]any{"assistant_message": message, "next_stage": "", "context_updates": updates, "confidence": 1}
	if _, asks := form.Properties["questions"]; asks {
		out["questions"] = []string{}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// asked are the new interviews, with all their times shortened.
func asked(t *testing.T) []*engine.Interview {
	t.Helper()
	library, err := LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	var out []*engine.Interview
	for _, kind := range []string{"algorithm_coach", "system_design"} {
		iv, err := library.Find(Metadata{Interview: kind})
		if err != nil {
			t.Fatal(err)
		}
		for _, times := range []int64{5, 20} {
			quick := hurried(iv, iv.Rules, definition.Duration(times))
			again, err := kinds.New(quick.Def, iv.Words, iv.Rules)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, again)
		}
	}
	return out
}

// tasksAnswered: each task was asked for once, and answered once or given up (R000-53).
func (w *world) tasksAnswered(t *testing.T) {
	t.Helper()
	started, done, over := make(map[any]int), make(map[any]int), make(map[any]bool)
	for _, n := range w.trace {
		if n.kind != noteLogged {
			continue
		}
		task := value(n.fact, "task")
		switch n.fact.Name {
		case "task.started":
			started[task]++
		case "task.done":
			done[task]++
			over[task] = true
		case "task.cancelled":
			over[task] = true
		}
	}
	for task, n := range started {
		if n != 1 || done[task] > 1 || !over[task] {
			t.Errorf("seed %d: task %v was started %d times, answered %d times, over %t", w.seed, task, n, done[task], over[task])
		}
	}
}

// The rules that hold for every interview hold where companies and models have to be asked as well, whatever they answer,
// and whenever (RX-5, R000-73, R000-75).
func TestInterleavingsOfTasks(t *testing.T) {
	interviews := asked(t)
	pool := func(w *world) func(*session.Meter) session.Tasks {
		return func(m *session.Meter) session.Tasks {
			p, err := tasks.New(tasks.Options{Evaluators: tasks.Role{Model: adviser{w}}})
			if err != nil {
				t.Error(err)
			}
			return p.For(design.Candidate{Session: "s"}, m)
		}
	}
	y := newTally(firstSeed(t), min(interleavings(t), 60))
	playAll(t, y, t.Name(), func(t *testing.T, seed uint64) *world {
		rng := chance(seed, 0)
		w := newWorld(interviews[rng.IntN(len(interviews))], seed)
		w.tasks, w.keep = pool(w), true
		p := &anyone{w: w, rng: rng, hurry: 100*time.Millisecond + upTo(rng, 3*time.Second)}
		w.play(t, 5*time.Second+upTo(rng, 60*time.Second), func(ctx context.Context) { p.act(ctx) })
		w.tasksAnswered(t)
		return w
	})
	if !t.Failed() && !testing.Short() {
		y.report(t, "task.started", "task.done", "expert.answered", "handoff.done", "bargein")
	}
}

// Whole interviews of the new kinds, with a candidate and providers made of chance, come to an end of their own.
func TestInterviewsComeToTheirEnd(t *testing.T) {
	for i, iv := range asked(t) {
		w := newWorld(iv, uint64(i+1))
		p, err := tasks.New(tasks.Options{Evaluators: tasks.Role{Model: adviser{w}}})
		if err != nil {
			t.Fatal(err)
		}
		w.tasks = func(m *session.Meter) session.Tasks { return p.For(design.Candidate{Session: "s"}, m) }
		who := &anyone{w: w, rng: chance(w.seed, 0), hurry: time.Second}
		w.play(t, 2*time.Hour, func(ctx context.Context) { who.act(ctx) })
		if len(w.rules.broken) > 0 {
			t.Errorf("%s breaks:\n%s", iv.Def.Kind, lines(w.rules.broken))
		}
		if u := w.s.UserData(); u.Ended == "" || u.Ended == "enough" {
			t.Errorf("%s stands in %s after two hours, ended %q", iv.Def.Kind, u.Stage, u.Ended)
		} else {
			t.Logf("%s ended with %s in %s", iv.Def.Kind, u.Ended, u.Stage)
		}
	}
}
