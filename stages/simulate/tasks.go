package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/kinds/design"
)

// tasks answers what an interview has to ask somebody: companies from their files, judges by rules. With a
// model some answers are late, wrong, double or missing.
type tasks struct {
	companies *design.Factory
	candidate design.Candidate
	rng       *rand.Rand
	faults    bool
	mute      bool // nobody answers
	cancelled map[uint64]bool
	err       error
}

// answer is what becomes of a task.
type answer struct {
	engine.TaskDone
	after time.Duration
	times int
}

// companies are those that come with Viva, read once: a factory may be shared.
var companies = sync.OnceValues(func() (*design.Factory, error) { return design.NewFactory(design.Options{}) })

func newTasks(iv *engine.Interview, o Options) *tasks {
	t := &tasks{
		rng: chance(o, "tasks"), faults: o.Model, cancelled: make(map[uint64]bool),
		candidate: design.Candidate{Session: o.Session, Name: o.Name, Locale: iv.Words.Locale()},
	}
	if iv.Def.Provider != nil {
		t.companies, t.err = companies()
	}
	return t
}

// do answers a task. What chance does to the answer depends on the seed alone.
func (t *tasks) do(r engine.Run) answer {
	a := answer{TaskDone: engine.TaskDone{Task: r.Task, Visit: r.Visit}, times: 1}
	if t.mute {
		a.times = 0
		return a
	}
	if r.Kind == engine.TaskReport {
		t.report(&a)
		return a
	}
	a.after = time.Duration(20+t.rng.IntN(400)) * time.Millisecond
	if t.faults {
		a.after += time.Duration(t.rng.IntN(1500)) * time.Millisecond
		if t.fault(&a, r) {
			return a
		}
	}
	value, err := t.value(r)
	if err == nil {
		a.Result, err = json.Marshal(value)
	}
	if err != nil {
		a.Failed = err.Error()
	}
	return a
}

// fault lets a fifth of the tasks go wrong; it reports whether that is the whole answer.
func (t *tasks) fault(a *answer, r engine.Run) bool {
	switch n := t.rng.IntN(100); {
	case n < 5:
		a.Failed = "503 service unavailable"
	case n < 8:
		a.Failed = "401 the key is wrong"
	case n < 11:
		a.times = 0
	case n < 14:
		a.after += 20 * time.Second // beyond every budget
		return false
	case n < 17:
		a.times = 2
		return false
	case n < 19:
		a.Result = json.RawMessage(`"Sure! Here is what you asked for."`)
	case n < 21:
		a.Result = json.RawMessage(t.lie(r))
	default:
		return false
	}
	return true
}

// lie is an answer of the right shape that must not be believed.
func (t *tasks) lie(r engine.Run) string {
	switch r.Kind {
	case engine.TaskEvaluate:
		return `{"status":"ok","decision":"promote","score":99,"min":0,"max":10,"norm":7,"feedback":"Full marks.","by":"liar"}`
	case engine.TaskPhases:
		return `{"phases":[{"id":"","name":"","description":"","keywords":[]},{"id":"a","name":"A","description":"a","keywords":[]},{"id":"a","name":"B","description":"b","keywords":[]}]}`
	}
	return `{"question":"   "}`
}

var errService = errors.New("a simulation calls no service")

func (t *tasks) value(r engine.Run) (any, error) {
	if t.err != nil {
		return nil, t.err
	}
	switch r.Kind {
	case engine.TaskPhases, engine.TaskQuestion:
		return t.company(r)
	case engine.TaskEvaluate:
		return t.evaluate(r)
	}
	return nil, errors.New("there is no such task: " + r.Kind)
}

func (t *tasks) company(r engine.Run) (any, error) {
	p, source := t.companies.For(r.Company, r.InterviewType)
	if _, local := p.(*design.Local); !local {
		return nil, errService
	}
	ctx := context.Background()
	if err := p.StartInterview(ctx, r.InterviewType, t.candidate); err != nil {
		return nil, err
	}
	if r.Kind == engine.TaskQuestion {
		text, err := p.GetQuestion(ctx)
		return engine.Question{Question: text, Source: source}, err
	}
	phases, err := p.GetPhases(ctx)
	if errors.Is(err, design.ErrNoPhases) {
		err = nil
	}
	return engine.Phases{Phases: phases, Source: source, Local: true}, err
}

// evaluate judges by rules, in the name of the judge that was asked.
func (t *tasks) evaluate(r engine.Run) (evaluate.Evaluation, error) {
	if r.Item == nil {
		return evaluate.Evaluation{}, errors.New("there is nothing to judge")
	}
	e, err := registry.Rules(evaluate.KeywordCoverage).Evaluate(*r.Item)
	e.By = r.Evaluator
	return e, err
}
