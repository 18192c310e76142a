// Package tasks carries out what interviews have to ask of others: companies for their sub-phases, questions and
// judgements, models in the name of judges. A model is asked for one JSON object, which is checked, asked for
// once more if it is not as it should be, and handed on as it is: the engine reads it, and who it comes from decides nothing.
//
// Concurrency: a Pool is shared by all interviews of a process and lets only so many of them ask a model at the same time.
// An interview's own live reply goes before its tasks. No goroutine is started here: Do runs in its caller's.
package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/state"
)

// Role is the model that answers for judges.
type Role struct {
	Model llm.Model // nil: there is none, and the engine's rules stand in
	// Temperature is left to the provider when nil.
	Temperature *float64
}

// Options are what a Pool is made from.
type Options struct {
	Companies  *design.Factory // nil: those that come with Viva
	Evaluators Role
	// Calls bounds how many questions are asked of models at the same time, by all interviews together. Default 8.
	Calls int
}

// Pool carries out the tasks of all interviews of a process.
type Pool struct {
	companies  *design.Factory
	evaluators *judgemodel.Model // nil: there is no model
	slots      chan struct{}     // one per question that is under way
}

// defaultCalls is the default of Options.Calls.
const defaultCalls = 8

// New makes a pool. It asks nobody anything. The factory stays the caller's to close.
func New(o Options) (*Pool, error) {
	if o.Companies == nil {
		shipped, err := design.NewFactory(design.Options{}) // no service among them, so that there is nothing to close
		if err != nil {
			return nil, fmt.Errorf("load the companies that come with Viva: %w", err)
		}
		o.Companies = shipped
	}
	if o.Calls <= 0 {
		o.Calls = defaultCalls
	}
	asked := judgemodel.New(o.Evaluators.Model, o.Evaluators.Temperature)
	return &Pool{companies: o.Companies, evaluators: asked, slots: make(chan struct{}, o.Calls)}, nil
}

// Runner carries out the tasks of one interview.
type Runner struct {
	pool      *Pool
	candidate design.Candidate
	meter     *session.Meter
	reporter  Reporter
}

// Reporter makes the report of an interview that has come to its end in this state, which nobody changes.
type Reporter interface {
	Report(ctx context.Context, u *state.UserData) (engine.ReportDone, error)
}

var _ session.Tasks = (*Runner)(nil)

// For makes the runner of an interview, which counts its tokens on meter. There is nothing to close.
func (p *Pool) For(who design.Candidate, meter *session.Meter) *Runner {
	return &Runner{pool: p, candidate: who, meter: meter}
}

// Reporting says who makes the reports of this runner's interview; without, none is made. It returns the runner.
func (r *Runner) Reporting(by Reporter) *Runner {
	r.reporter = by
	return r
}

// Why a task is not carried out.
var (
	errNoReport = errors.New("there is nobody to make the report")
	errNoModel  = errors.New("there is no model to ask")
)

// Do implements session.Tasks.
func (r *Runner) Do(ctx context.Context, run engine.Run) (engine.TaskDone, error) {
	switch run.Kind {
	case engine.TaskPhases, engine.TaskQuestion:
		return r.company(ctx, run)
	case engine.TaskEvaluate:
		if run.Evaluator == byProvider {
			return r.company(ctx, run)
		}
		return r.judge(ctx, run)
	case engine.TaskReport:
		return r.report(ctx, run)
	}
	return engine.TaskDone{}, fmt.Errorf("there are no tasks of kind %q", run.Kind)
}

// report has the report made. It uses no slot: it asks no model, and waits for those who do.
func (r *Runner) report(ctx context.Context, run engine.Run) (engine.TaskDone, error) {
	if r.reporter == nil || run.State == nil {
		return engine.TaskDone{}, errNoReport
	}
	done, err := r.reporter.Report(ctx, run.State)
	if err != nil {
		return engine.TaskDone{}, err
	}
	return encoded(done, "")
}

// byProvider is the evaluator that is the company itself.
const byProvider = "provider"

// company asks a company. Where its service fails, its file or the default company answers in its place, in time.
func (r *Runner) company(ctx context.Context, run engine.Run) (done engine.TaskDone, err error) {
	ctx, cancel := early(ctx, run.Budget)
	defer cancel()
	var result any
	var instead string
	switch run.Kind {
	case engine.TaskPhases:
		phases, err := r.pool.companies.Phases(ctx, run.Company, run.InterviewType, r.candidate)
		if err != nil {
			return done, fmt.Errorf("load the phases: %w", err)
		}
		result, instead = phases, phases.Degraded
	case engine.TaskQuestion:
		question, err := r.pool.companies.Question(ctx, run.Company, run.InterviewType, r.candidate)
		if err != nil {
			return done, fmt.Errorf("load the question: %w", err)
		}
		result, instead = question, question.Degraded
	default:
		if run.Item == nil {
			return done, errors.New("there is nothing to judge")
		}
		judged, err := r.pool.companies.Evaluate(ctx, run.Company, run.InterviewType, r.candidate, *run.Item)
		if err != nil {
			return done, fmt.Errorf("have the company judge: %w", err)
		}
		result = judged // it says itself how it came about
	}
	return encoded(result, instead)
}

// early ends a little before the budget, so that who stands in for somebody late is in time.
func early(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, budget-min(budget/10, 500*time.Millisecond))
}

// encoded is the result of a task, with why it is another's than it should be.
func encoded(result any, instead string) (engine.TaskDone, error) {
	raw, err := json.Marshal(result)
	if err != nil {
		return engine.TaskDone{}, fmt.Errorf("encode the result: %w", err)
	}
	return engine.TaskDone{Result: raw, Degraded: instead}, nil
}
