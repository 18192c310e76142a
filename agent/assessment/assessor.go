package assessment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// archiveLimit bounds one call of the archive.
const archiveLimit = 5 * time.Second

// Case is one interview. Session and Interview are required; functions may be called by any goroutine.
type Case struct {
	Session   string
	Room      string
	Began     time.Time
	Interview *engine.Interview
	Model     Judge             // judges by a model; nil: there is none
	Models    map[string]string // models by role, for the report
	// Journal returns the entries so far; nil: the report has no timeline.
	Journal func(context.Context) ([]state.Entry, error)
	// Publish sends a text of any length to the candidate's page; nil: there is none. It must not block.
	Publish   func(topic string, text []byte) error
	Link      func(session string) string // where the candidate can read the report; nil or "" = nowhere
	Recording func() *report.Recording    // nil: none
	// Over is called once, when the interview is closed and its report was dealt with; optional.
	Over func()
}

// Assessor judges and reports for one interview.
type Assessor struct {
	service *Service
	c       Case
	log     *zap.Logger
	judging context.Context //nolint:containedctx // ends for all judgements of the assessor when the report is built
	stop    context.CancelFunc
	earlier func() map[string]result // what an earlier worker has kept
	ready   chan struct{}            // closed when nothing is out any more
	done    chan struct{}            // closed when the report was dealt with

	mu       sync.Mutex
	waiting  map[string][]receiver // guarded by mu: who waits for an item that is out
	results  map[string]result     // guarded by mu, by item
	ending   *state.UserData       // guarded by mu: what the report is made of; nil = the interview goes on
	finished time.Time             // guarded by mu: when the wait began
	built    bool                  // guarded by mu: the report is made of what is there: nothing is taken any more

	closing sync.Once
	outcome engine.ReportDone // set before done is closed
	own     *report.Report    // set before done is closed: as the candidate may see it; nil = none was made
	problem error             // set before done is closed
}

// receiver is who a result goes to.
type receiver func(engine.Judged)

var _ session.Silent = (*Assessor)(nil)

// Open opens the assessor of an interview. Close it when the interview is over.
func (s *Service) Open(c Case) *Assessor {
	d := &Assessor{
		service: s, c: c, log: s.o.Logger.With(zap.String("session", c.Session)),
		ready: make(chan struct{}), done: make(chan struct{}), results: make(map[string]result), waiting: make(map[string][]receiver),
	}
	d.judging, d.stop = context.WithCancel(s.life)
	d.earlier = sync.OnceValue(d.kept)
	return d
}

// Judge implements session.Silent: it takes an item on and returns at once. answer is called once, with a judgement or the
// reason why there is none, by any goroutine, and perhaps before Judge returns; it must not block. An item that was judged
// before has the same result, and one that is under way is judged once (R002-44).
func (d *Assessor) Judge(e engine.Judge, answer func(engine.Judged)) {
	item := e.Item.ID
	d.mu.Lock()
	known, there := d.results[item]
	switch {
	case there:
		d.mu.Unlock()
		answer(known.judged(item))
		return
	case len(d.waiting[item]) > 0:
		d.waiting[item] = append(d.waiting[item], answer)
		d.mu.Unlock()
		return
	case d.built: // nothing is judged any more (R002-60)
		d.mu.Unlock()
		answer(engine.Judged{Item: item, Missing: report.ReasonLate})
		return
	}
	d.waiting[item] = []receiver{answer}
	d.mu.Unlock()
	if !d.service.take(func() { d.settle(item, d.decide(e)) }) {
		d.log.Warn("judgement.refused", zap.String("item", item))
		d.settle(item, result{missing: report.ReasonLate})
	}
}

// take runs a judgement if there is room for one more.
func (s *Service) take(f func()) bool {
	if !s.room.TryAcquire(1) {
		return false
	}
	begun := s.begin(func() {
		defer s.room.Release(1)
		f()
	})
	if !begun {
		s.room.Release(1)
	}
	return begun
}

// decide judges an item, unless an earlier worker has, and keeps the judgement.
func (d *Assessor) decide(e engine.Judge) result {
	item := e.Item.ID
	if r, there := d.earlier()[item]; there {
		return r
	}
	began := time.Now()
	r := d.judge(d.judging, e)
	d.service.o.Metrics.Judged(r.status(), time.Since(began))
	if r.missing == "" {
		r = d.keep(item, r)
	}
	return r
}

// keep saves a judgement. Of two workers that judged the same item the first one's counts (R002-59).
func (d *Assessor) keep(item string, r result) result {
	if d.service.o.Archive == nil {
		return r
	}
	raw, err := json.Marshal(r.evaluation)
	if err != nil {
		d.log.Error("judgement.unsaved", zap.String("item", item), zap.Error(err))
		return r
	}
	var saved atomic.Bool
	err = d.service.Keep(d.judging, d.log.With(zap.String("item", item)), "judgement.unsaved", len(raw), func(ctx context.Context) error {
		first, err := d.service.o.Archive.SaveEvaluation(ctx, d.c.Session, item, raw)
		saved.Store(first)
		return err
	})
	if err == nil && !saved.Load() {
		if first, there := d.kept()[item]; there {
			return first
		}
	}
	return r
}

// kept reads what is in the archive.
func (d *Assessor) kept() map[string]result {
	out := make(map[string]result)
	if d.service.o.Archive == nil {
		return out
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.judging), archiveLimit)
	defer cancel()
	all, err := d.service.o.Archive.Evaluations(ctx, d.c.Session)
	if err != nil {
		d.log.Warn("judgement.unread", zap.Error(err))
	}
	for _, x := range all {
		var e evaluate.Evaluation
		if err := json.Unmarshal(x.Data, &e); err != nil {
			d.log.Warn("judgement.unread", zap.String("item", x.Item), zap.Error(err))
			continue
		}
		out[x.Item] = result{evaluation: evaluate.Sanitize(e)}
	}
	return out
}

// settle hands a result to those who wait for it, and lets the report be built if it was the last one.
func (d *Assessor) settle(item string, r result) {
	d.mu.Lock()
	if d.built {
		r = result{missing: report.ReasonLate} // the report is without it
	} else {
		d.results[item] = r
	}
	waiting := d.waiting[item]
	delete(d.waiting, item)
	build := d.complete()
	d.mu.Unlock()
	for _, answer := range waiting {
		answer(r.judged(item))
	}
	if build {
		close(d.ready)
	}
}

// complete is true once, for whoever has the report built: when the interview is finished and nothing is out (R002-46, R002-49). The
// caller has mu.
func (d *Assessor) complete() bool {
	if d.built || d.ending == nil || len(d.waiting) > 0 {
		return false
	}
	d.built = true
	return true
}

var (
	errNoReport = errors.New("this interview makes no report")
	errClosed   = errors.New("the worker is shutting down")
)

// Report makes the report of an interview that has come to its end in this state, which nobody changes any more. It waits
// for judgements that are out as long as the definition says, and returns when the report was delivered, or with ctx. Asked
// for again it gives the same.
func (d *Assessor) Report(ctx context.Context, u *state.UserData) (engine.ReportDone, error) {
	if d.c.Interview.Def.Report == nil {
		return engine.ReportDone{}, errNoReport
	}
	if err := d.finish(u); err != nil {
		return engine.ReportDone{}, err
	}
	select {
	case <-d.done:
		return d.outcome, d.problem
	case <-ctx.Done():
		return engine.ReportDone{}, fmt.Errorf("wait for the report: %w", context.Cause(ctx))
	}
}

// Close says that the interview is over, with its last state. A report that was not made is made in the background, under
// the same wait (R002-63). It returns at once; Service.Wait waits for the report.
func (d *Assessor) Close(u *state.UserData) {
	d.closing.Do(func() {
		if err := d.finish(u); err != nil {
			d.log.Warn("report.failed", zap.Error(err))
			d.over()
			return
		}
		if !d.service.begin(func() { <-d.done; d.over() }) {
			d.over()
		}
	})
}

// Drop leaves an interview that is not over: another worker takes it up. No report is made here.
func (d *Assessor) Drop() { d.closing.Do(d.over) }

// Done is closed when the report was dealt with.
func (d *Assessor) Done() <-chan struct{} { return d.done }

// Made returns the report as the candidate may see it, once Done is closed; nil: there is none.
func (d *Assessor) Made() *report.Report {
	select {
	case <-d.done:
		return d.own
	default:
		return nil
	}
}

func (d *Assessor) over() {
	d.stop()
	if d.c.Over != nil {
		d.c.Over()
	}
}

// finish begins, once, to wait for what is out. The state in which the interview finished is that of the report, whatever
// happens after.
func (d *Assessor) finish(u *state.UserData) error {
	d.mu.Lock()
	if d.ending != nil {
		d.mu.Unlock()
		return nil
	}
	d.ending, d.finished = u, time.Now()
	build := d.complete()
	d.mu.Unlock()
	if build {
		close(d.ready)
	}
	if d.service.begin(d.conclude) {
		return nil
	}
	d.problem = errClosed
	d.stop()
	close(d.done)
	return errClosed
}

// conclude waits until the report can be built, builds it and delivers it.
func (d *Assessor) conclude() {
	defer close(d.done)
	d.awaitJudgements()
	d.mu.Lock()
	waited := time.Since(d.finished)
	d.mu.Unlock()
	d.stop() // what is not judged by now never will be
	if d.c.Interview.Def.Report == nil {
		d.problem = errNoReport
		return
	}
	d.problem = d.service.o.Guard.Try("report", func() error { return d.deliver(waited) })
	if d.problem != nil {
		d.log.Error("report.failed", zap.Error(d.problem))
	}
}

// awaitJudgements returns when nothing is out, the wait is over, or the worker cannot wait any longer.
func (d *Assessor) awaitJudgements() {
	timer := time.NewTimer(d.c.Interview.Def.Report.Waits()) // R002-48
	defer timer.Stop()
	select {
	case <-d.ready:
		return
	case <-timer.C:
	case <-d.service.life.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.built = true
}
