package eval

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/agent/eval/judge"
	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
)

// Options say what is held, by whom, and how it is graded.
type Options struct {
	Library   *agent.Library
	Scenarios []*scenario.Scenario
	// Interview is the kind of scenarios that name none; empty = the library's default.
	Interview string
	// Only keeps the scenarios with this tag (Scenario.Tagged); empty = all.
	Only string
	// Models answer, behind cassettes if there are any. Without an interviewer the scripted words and rules hold the talk; without
	// a judge nobody grades. A replay needs none: what was recorded was everybody's.
	Models Models
	// Ungraded leaves the judge out of a replay.
	Ungraded bool
	// Names are those of the models, for the record.
	Names Names
	// Against holds every scenario with a plain prompt too, and has the judge choose.
	Against bool
	// Aloud holds the talks in real rooms; nil: in virtual time.
	Aloud *Aloud
	// Parallel is how many scenarios are held at the same time; 0 = 1.
	Parallel int
	// Cassettes is the folder of recorded exchanges; empty = none are used.
	Cassettes string
	Mode      cassette.Mode
	// Dropped is told how many exchanges a refreshed cassette no longer holds; optional.
	Dropped func(path string, n int)
	Pace    Pace
	Version string
	// Reporter is told how the run goes; optional. Calls come one at a time.
	Reporter Reporter
}

// Names are the names of models.
type Names struct{ Interviewer, Evaluator, Candidate, Judge, Plain string }

// Reporter is told how a run goes.
type Reporter interface {
	Started(scenario string)
	Finished(o talk.Outcome)
}

// job is one scenario and the interview that it is about.
type job struct {
	scenario  *scenario.Scenario
	interview *engine.Interview
}

// Run holds and grades all scenarios. Its error says that nothing could be begun; what went wrong with one scenario is in its
// outcome. A run that ctx ends has the outcomes so far.
func Run(ctx context.Context, o Options) (talk.Run, error) {
	jobs, err := o.jobs()
	if err != nil {
		return talk.Run{}, err
	}
	run := talk.Run{Version: o.Version, Began: time.Now().UTC().Truncate(time.Second), Outcomes: make([]talk.Outcome, len(jobs))}
	if o.Against {
		run.Against = string(talk.Plain)
	}
	r := &runner{Options: o}
	var tasks sync.WaitGroup
	slots := make(chan struct{}, max(1, o.Parallel))
	for i, j := range jobs {
		slots <- struct{}{}
		tasks.Go(func() {
			defer func() { <-slots }()
			run.Outcomes[i] = r.hold(ctx, j)
		})
	}
	tasks.Wait()
	run.Interviewer = cmp.Or(r.Names.Interviewer, Scripted)
	run.Candidate, run.Judge = cmp.Or(r.Names.Candidate, "lines"), cmp.Or(r.Names.Judge, "none")
	return run, nil
}

// graded reports whether somebody grades the talks.
func (o *Options) graded() bool { return o.Models.Judge != nil || o.Replays() && !o.Ungraded }

// Replays reports whether cassettes stand for all models.
func (o *Options) Replays() bool { return o.Cassettes != "" && o.Mode == cassette.Replay }

// jobs finds the interviews of all scenarios. The error names every one that there is not.
func (o *Options) jobs() ([]job, error) {
	var jobs []job
	var problems []error
	for _, s := range o.held() {
		m := s.Metadata
		m.Interview = cmp.Or(m.Interview, o.Interview)
		iv, err := o.Library.Find(m)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", s.File, s.LineNo, err))
			continue
		}
		jobs = append(jobs, job{s, iv})
	}
	if len(jobs) == 0 && len(problems) == 0 {
		return nil, errors.New("no scenario is left to hold: correct --only, or name files that hold some")
	}
	return jobs, errors.Join(problems...)
}

type runner struct {
	Options
	mu sync.Mutex // serialises what the reporter is told; guards Names
}

func (r *runner) tell(f func(Reporter)) {
	if r.Reporter == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.Reporter)
}

// held are the scenarios that Only leaves.
func (o *Options) held() []*scenario.Scenario {
	return slices.DeleteFunc(slices.Clone(o.Scenarios), func(s *scenario.Scenario) bool { return !s.Tagged(o.Only) })
}

// Count is how many scenarios are left to hold.
func (o *Options) Count() int { return len(o.held()) }

// hold holds and grades one scenario.
func (r *runner) hold(ctx context.Context, j job) talk.Outcome {
	r.tell(func(x Reporter) { x.Started(j.scenario.ID) })
	out := talk.Outcome{
		Scenario: j.scenario.ID, Label: j.scenario.Label, File: j.scenario.File, Tags: j.scenario.Tags,
		Interview: j.interview.Def.Kind, Locale: j.interview.Words.Locale(),
	}
	if err := r.fill(ctx, j, &out); err != nil {
		out.Error = err.Error()
	}
	r.tell(func(x Reporter) { x.Finished(out) })
	return out
}

func (r *runner) fill(ctx context.Context, j job, out *talk.Outcome) (err error) {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the run was stopped: %w", err)
	}
	h := Holding{Interview: j.interview, Scenario: j.scenario, Pace: r.Pace}
	var about Subject
	err = r.with(j, string(talk.Viva), func(m Models) (err error) {
		h.Models, h.Model, h.Evaluator = m, r.names().Interviewer, r.names().Evaluator
		if r.Aloud != nil {
			out.Talk, about, err = HoldAloud(ctx, h, r.Aloud)
			return err
		}
		out.Talk, about, err = Hold(ctx, h)
		return err
	})
	if err != nil {
		return err
	}
	if r.Against {
		if err := r.with(j, string(talk.Plain), func(m Models) (err error) {
			h.Models, h.Model = m, r.names().Plain
			out.Plain, err = HoldPlain(ctx, h, about)
			return err
		}); err != nil {
			return err
		}
	}
	if !r.graded() {
		return nil
	}
	return r.with(j, RoleJudge, func(m Models) error { return r.grade(ctx, j, m.Judge, about, out) })
}

// grade has what was held judged: each talk for itself, and both beside each other.
func (r *runner) grade(ctx context.Context, j job, by llm.Model, about Subject, out *talk.Outcome) (err error) {
	brief := judge.Brief{
		Kind: out.Interview, Locale: out.Locale, Purpose: j.interview.Def.Description, Facts: about.facts(out.Talk),
		Instructions: j.scenario.Instructions, Expectations: j.scenario.Expectations, Talk: out.Talk,
	}
	name := r.names().Judge
	if out.Grade, err = judge.Grade(ctx, by, brief); err != nil {
		return err
	}
	out.Grade.Judge = name
	if out.Plain == nil {
		return nil
	}
	brief.Talk, brief.Facts = out.Plain, about.facts(out.Plain)
	if out.PlainGrade, err = judge.Grade(ctx, by, brief); err != nil {
		return err
	}
	out.PlainGrade.Judge = name
	brief.Talk, brief.Facts = nil, about.facts(out.Plain)
	p, err := judge.Prefer(ctx, by, brief, out.Talk, out.Plain)
	if err != nil {
		return err
	}
	out.Preference = &p
	return nil
}

// with lends the models for one part of a scenario, behind its cassette where cassettes are used.
func (r *runner) with(j job, part string, do func(Models) error) error {
	if r.Cassettes == "" {
		return do(r.Models)
	}
	path := r.path(j, part)
	c, err := cassette.Open(path, r.Mode)
	if err != nil {
		return err
	}
	behind := r.Models
	r.note(c, part)
	err = do(Models{
		Interviewer: r.recorded(c, RoleInterviewer, behind.Interviewer), Candidate: r.recorded(c, RoleCandidate, behind.Candidate),
		Plain:     r.recorded(c, RoleInterviewer, behind.Plain),
		Judge:     r.recorded(c, RoleJudge, behind.Judge),
		Evaluator: tasks.Role{Model: r.recorded(c, RoleEvaluator, behind.Evaluator.Model), Temperature: behind.Evaluator.Temperature},
	})
	if err != nil {
		return errors.Join(err, c.Abandon()) // what was recorded so far is kept for the next try
	}
	err = c.Close()
	if n := c.Dropped(); n > 0 && r.Dropped != nil {
		r.Dropped(path, n)
	}
	return err
}

// note keeps the names of models with what they said, and learns them in a replay.
func (r *runner) note(c *cassette.Cassette, part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	interviewer := &r.Names.Interviewer
	if part == string(talk.Plain) {
		interviewer = &r.Names.Plain
	}
	for role, name := range map[string]*string{
		RoleInterviewer: interviewer, RoleEvaluator: &r.Names.Evaluator, RoleCandidate: &r.Names.Candidate, RoleJudge: &r.Names.Judge,
	} {
		if c.Note(role, *name); *name == "" {
			*name = c.Noted(role)
		}
	}
}

func (r *runner) names() Names {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Names
}

// recorded is the model of a role behind a cassette; nil where nobody has the role.
func (r *runner) recorded(c *cassette.Cassette, role string, behind llm.Model) llm.Model {
	if behind == nil && !r.Replays() {
		return nil
	}
	return c.Model(role, behind)
}

// path is where the exchanges of one part of a scenario lie: FILE/LABEL.PART.json.
func (r *runner) path(j job, part string) string {
	return filepath.Join(r.Cassettes, filepath.FromSlash(j.scenario.ID)+"."+part+".json")
}

//go:embed scenarios/*.yaml
var shipped embed.FS

// Shipped returns the scenarios that come with Viva for an interview of this kind, or for all. The error says which kinds have some.
func Shipped(kind string) ([]*scenario.Scenario, error) {
	entries, err := shipped.ReadDir("scenarios")
	if err != nil {
		return nil, fmt.Errorf("list the shipped scenarios: %w", err)
	}
	var all []*scenario.Scenario
	var kinds []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		kinds = append(kinds, name)
		if kind != "" && kind != name {
			continue
		}
		text, err := shipped.ReadFile("scenarios/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the shipped scenarios: %w", err)
		}
		own, err := scenario.Parse(e.Name(), text)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	if !slices.Contains(kinds, kind) && kind != "" {
		return nil, fmt.Errorf("no scenarios come with Viva for interview %q: name a file, or one of %s", kind, strings.Join(kinds, ", "))
	}
	return all, nil
}
