package design

import (
	"context"
	"errors"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Phases are a company's sub-phases, and who gave them. No phases: the interview is held as one phase.
type Phases struct {
	Phases []state.Phase `json:"phases"`
	Source string        `json:"source,omitempty"`
	// Local says that the source judges by keywords as the evaluator does by default, so that nobody else has to be asked.
	Local    bool   `json:"local,omitempty"`
	Degraded string `json:"degraded,omitempty"` // why it is not the company's own service that answered
}

// Question is an interview's question, and who gave it. Empty: the definition's own stands.
type Question struct {
	Question string `json:"question"`
	Source   string `json:"source,omitempty"`
	Degraded string `json:"degraded,omitempty"`
}

// Phases asks the company for its sub-phases. Where its service fails, its file or the default company answers, and
// Degraded says why (R000-69). The error is that of a context that was cancelled, and no other.
func (f *Factory) Phases(ctx context.Context, company, interviewType string, c Candidate) (Phases, error) {
	p, name := f.For(company, interviewType)
	begin(p, interviewType, c)
	phases, err := p.GetPhases(ctx)
	switch {
	case err == nil:
		return Phases{Phases: phases, Source: name, Local: plain(p)}, nil
	case errors.Is(err, ErrNoPhases):
		return Phases{Source: name}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return Phases{}, ctx.Err()
	}
	l, source := f.standIn(name, interviewType, func(i *interview) bool { return len(i.Phases) > 0 })
	begin(l, interviewType, c)
	local, missing := l.GetPhases(ctx)
	if missing != nil { // nobody has any: one phase it is
		local = nil
	}
	return Phases{Phases: local, Source: source, Local: plain(l), Degraded: Reason(err)}, nil
}

// Question tells the company that the interview starts and asks for its question. Where its service fails, or has none,
// its file or the default company answers. The error is that of a context that was cancelled, and no other.
func (f *Factory) Question(ctx context.Context, company, interviewType string, c Candidate) (Question, error) {
	p, name := f.For(company, interviewType)
	var text string
	err := p.StartInterview(ctx, interviewType, c)
	if err == nil {
		text, err = p.GetQuestion(ctx)
	}
	switch {
	case err == nil:
		return Question{Question: text, Source: name}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return Question{}, ctx.Err()
	}
	l, source := f.standIn(name, interviewType, func(i *interview) bool { return len(i.pool) > 0 })
	begin(l, interviewType, c)
	q := Question{Source: source}
	if !errors.Is(err, ErrNoQuestion) {
		q.Degraded = Reason(err)
	}
	if text, missing := l.GetQuestion(ctx); missing == nil {
		q.Question = text
	}
	return q, nil
}

// Evaluate asks the company for its judgement. Where its service fails, the item's own criteria are counted by keywords
// and the result is marked degraded (R000-69). The error is that of a context that was cancelled, or of an interview that
// nobody can judge.
func (f *Factory) Evaluate(ctx context.Context, company, interviewType string, c Candidate, it evaluate.Item) (evaluate.Evaluation, error) {
	p, _ := f.For(company, interviewType)
	begin(p, interviewType, c)
	e, err := p.EvaluatePhase(ctx, it.PhaseID, it.Turns)
	if err == nil {
		return e, nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return evaluate.Evaluation{}, ctx.Err()
	}
	why := Reason(err)
	if e, err = byKeywords(it); err != nil {
		return evaluate.Evaluation{}, err
	}
	return evaluate.Degrade(e, why), nil
}

// begin tells a provider who is interviewed without calling anybody.
func begin(p Provider, interviewType string, c Candidate) {
	switch p := p.(type) {
	case *Remote:
		p.interviewType, p.candidate = interviewType, c
	case *Local:
		p.candidate = c
	}
}

// plain reports whether p judges by keywords, without switches of its own.
func plain(p Provider) bool {
	l, ok := p.(*Local)
	return ok && (l.interview.Words == "" || l.interview.Words == evaluate.WordsCandidate) &&
		(l.interview.Match == "" || l.interview.Match == evaluate.MatchToken)
}
