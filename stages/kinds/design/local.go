package design

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Local answers from a company's file, without network: the default company is one (R000-57).
type Local struct {
	interview *interview
	candidate Candidate
}

var _ Provider = (*Local)(nil)

// StartInterview implements Provider; it never fails.
func (l *Local) StartInterview(_ context.Context, _ string, c Candidate) error {
	l.candidate = c
	return nil
}

// GetQuestion implements Provider: the session's question out of the bank, in the language of the interview.
func (l *Local) GetQuestion(context.Context) (string, error) {
	q := l.question()
	if q == nil {
		return "", ErrNoQuestion
	}
	return in(q.Text, l.candidate.Locale, q.Text["en"]), nil
}

// question picks by the session's name, so that every part of an interview gets the same one.
func (l *Local) question() *question {
	bank := l.interview.pool
	if len(bank) == 0 {
		return nil
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(l.candidate.Session)) // a hash never fails
	return &bank[h.Sum64()%uint64(len(bank))]
}

// GetPhases implements Provider.
func (l *Local) GetPhases(context.Context) ([]state.Phase, error) {
	if len(l.interview.Phases) == 0 {
		return nil, ErrNoPhases
	}
	return l.interview.phases(l.candidate.Locale, l.question()), nil
}

// EvaluatePhase implements Provider with the keywords of the sub-phase (R000-57).
func (l *Local) EvaluatePhase(_ context.Context, phaseID string, history []evaluate.Turn) (evaluate.Evaluation, error) {
	return byKeywords(l.interview.item(phaseID, l.candidate.Locale, history))
}

func byKeywords(it evaluate.Item) (evaluate.Evaluation, error) {
	found, _ := evaluate.Lookup(evaluate.KeywordCoverage)
	rules, ok := found.(evaluate.Evaluator)
	if !ok {
		return evaluate.Evaluation{}, fmt.Errorf("the evaluator %s is missing", evaluate.KeywordCoverage)
	}
	return rules.Evaluate(it)
}
