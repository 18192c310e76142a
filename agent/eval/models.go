package eval

import (
	"context"
	"errors"

	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/llm"
)

// The roles of models in an eval, by which cassettes tell their exchanges apart.
const (
	RoleInterviewer = "interviewer"
	RoleEvaluator   = "evaluator"
	RoleCandidate   = "candidate"
	RoleJudge       = "judge"
)

// Models are who answers for whom; nil = nobody: scripted words, rules, a scripted candidate, no judge.
type Models struct {
	Interviewer, Candidate, Judge llm.Model
	// Plain holds talks with a plain prompt: the interviewer's own, or that which rules are compared with.
	Plain     llm.Model
	Evaluator tasks.Role
}

// maxReply bounds a reply that is read whole, in bytes.
const maxReply = 64 << 10

// complete reads a model's reply to its end.
func complete(ctx context.Context, m llm.Model, r llm.Request) (string, error) {
	stream, err := m.Stream(ctx, r)
	if err != nil {
		return "", err
	}
	text, _, err := llm.ReadAll(stream, maxReply)
	return text, err
}

// watched counts what a talk asks of a model, and keeps what a talk would hide: that a cassette does not know a question. The
// script would stand in for it, and the talk would be another one.
type watched struct {
	llm.Model
	h *holding
}

func (h *holding) watch(m llm.Model) llm.Model {
	if m == nil {
		return nil
	}
	return watched{m, h}
}

// role is a role whose model is watched.
func (h *holding) role(r tasks.Role) tasks.Role {
	r.Model = h.watch(r.Model)
	return r
}

func (w watched) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	w.h.mu.Lock()
	w.h.requests++
	w.h.mu.Unlock()
	s, err := w.Model.Stream(ctx, r)
	var miss *cassette.Miss
	if errors.As(err, &miss) {
		w.h.fail(err)
	}
	return s, err
}
