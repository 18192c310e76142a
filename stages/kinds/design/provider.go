package design

import (
	"context"
	"errors"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Provider is one company's interview (R000-56).
type Provider interface {
	// StartInterview tells the provider who is interviewed, and for what type of interview. It comes first.
	StartInterview(ctx context.Context, interviewType string, c Candidate) error
	// GetQuestion returns the interview's question, or ErrNoQuestion.
	GetQuestion(ctx context.Context) (string, error)
	// GetPhases returns the ordered sub-phases, or ErrNoPhases when the company has none (R000-40, R000-70). The caller
	// owns the slice.
	GetPhases(ctx context.Context) ([]state.Phase, error)
	// EvaluatePhase judges one sub-phase by its conversation. An unknown sub-phase is no error (R000-63).
	EvaluatePhase(ctx context.Context, phaseID string, history []evaluate.Turn) (evaluate.Evaluation, error)
}

// Candidate is who is interviewed, as far as a provider is told.
type Candidate struct {
	// Session chooses the question: the same session gets the same one.
	Session string `json:"session,omitempty"`
	Name    string `json:"name,omitempty"`
	Locale  string `json:"locale,omitempty"`
}

// What a company may leave out.
var (
	ErrNoPhases   = errors.New("the company holds the interview as one phase")
	ErrNoQuestion = errors.New("the company has no question of its own")
)

// Default is the company that stands in for unknown ones (R000-38).
const Default = "default"
