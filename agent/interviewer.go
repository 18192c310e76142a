package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/pipeline/vad"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// Engines are what interviews hear, think and speak with. They are shared by all jobs.
type Engines struct {
	VAD *vad.Model
	STT stt.Recognizer
	TTS tts.Synthesizer
	// Speech is the name of the engine behind TTS, by which personas know their voices; empty = none that they know.
	Speech string
	LLM    llm.Model // nil: scripted words only
	// Evaluators answers the structured questions of interviews that are judged by a model. Without a model it gets LLM.
	Evaluators tasks.Role
	// Models names the models in use by what they do, for reports.
	Models map[string]string
	// AudioModel, if set, judges by its sound whether a turn is over.
	AudioModel listen.AudioModel
	// Prewarm, if set, opens connections to providers before the first word. It must not fail loudly.
	Prewarm func(context.Context)
}

// watch notes what services refuse of the models.
func (o *Options) watch() {
	o.refused = refusals.NewBook(o.Logger, o.Metrics.Refused)
	e := &o.Engines
	if e.Evaluators.Model == nil {
		e.Evaluators.Model = e.LLM
	}
	e.LLM = o.refused.Watch(refusals.Interviewer, e.LLM)
	e.Evaluators.Model = o.refused.Watch(refusals.Evaluators, e.Evaluators.Model)
}

// Options configure an Interviewer. Library, Engines, Store and Logger are required.
type Options struct {
	Library *Library
	Engines Engines
	Store   state.Store
	// Archive keeps what outlives an interview; nil: nothing does, and no interview is resumed. The caller closes it.
	Archive *store.Store
	// Leases say which worker holds which interview, so that another can be called when one dies; nil: nobody is. The caller
	// closes it. With them, Archive is required.
	Leases Leases
	// LinkHash is the hash of the token in the candidate's link to a session; nil: candidates have no links.
	LinkHash func(session string) string
	// Link is where candidates read the report of a session; nil: nowhere.
	Link func(session string) string
	// Judge has answers judged out of process; nil: they are judged here. Webhook is told of reports; nil: nobody is.
	Judge   assessment.Judge
	Webhook assessment.Webhook
	Version string // of the program, for reports
	// Helplines say by language whom somebody in distress is told to turn to; for others the words of the language do.
	Helplines map[string]string
	// PDF gets the text out of documents that candidates hand in as PDF; nil: those are refused, with what to do instead.
	PDF material.Extractor
	// Recordings say where sound is kept, with consent; nil: it never is.
	Recordings *Recordings
	// Companies answer for interviews that are held as a company does; nil: those that come with Viva. The caller closes it.
	Companies *design.Factory
	Metrics   *Metrics // nil: nobody sees them
	// Answered is told how long each answer took of this machine, from any goroutine; nil: nobody is.
	Answered func(lag time.Duration)
	// Tracer makes a span of each interview, and of each turn with its parts; nil: none.
	Tracer trace.Tracer
	Logger *zap.Logger
	// Speculate prepares a reply as soon as a turn may be over, and holds it back until it is. It costs what is prepared
	// in vain, and saves most of the time that model and voice take.
	Speculate bool
	// Signals lets the voice say softly that it listens ("mm-hm"), where a definition does not forbid it.
	Signals bool
	// Grace is how long a candidate who dropped out may take to come back. Default 20 s.
	Grace time.Duration

	refused *refusals.Book // what services refused of the models
}

// Interviewer holds interviews for a worker. It implements worker.Handler.
type Interviewer struct {
	o          Options
	tasks      *tasks.Pool
	assessment *assessment.Service
	judges     func(*session.Meter) assessment.Judge // nil: there is no model to judge by
	accepted   sync.Map                              // job id → *attendance, until it is joined

	leaseholder *leaseholder // nil: there are no leases
}

var _ worker.Handler = (*Interviewer)(nil)

// New checks the options. Close the interviewer after the worker that it serves has ended.
func New(o Options) (*Interviewer, error) {
	switch {
	case o.Library == nil:
		return nil, errors.New("an interviewer needs a library of interviews")
	case o.Engines.VAD == nil || o.Engines.STT == nil || o.Engines.TTS == nil:
		return nil, errors.New("an interviewer needs engines to hear and to speak with")
	case o.Store == nil:
		return nil, errors.New("an interviewer needs a store for its journals")
	case o.Logger == nil:
		return nil, errors.New("an interviewer needs a logger")
	case o.Leases != nil && o.Archive == nil:
		return nil, errors.New("an interviewer with leases needs an archive to take interviews up from")
	case o.Recordings != nil && (o.Recordings.Folder == nil || o.Recordings.Index == nil):
		return nil, errors.New("an interviewer that records needs a folder and an index of what is in it")
	}
	if o.Grace == 0 {
		o.Grace = room.DefaultReconnectGrace
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	o.watch()
	pool, err := tasks.New(tasks.Options{Companies: o.Companies, Evaluators: o.Engines.Evaluators})
	if err != nil {
		return nil, fmt.Errorf("prepare an interviewer: %w", err)
	}
	service, judges, err := newAssessment(&o)
	if err != nil {
		return nil, err
	}
	return &Interviewer{o: o, tasks: pool, assessment: service, judges: judges, leaseholder: newLeaseholder(&o)}, nil
}

// Accept takes every job: one whose metadata is wrong has to be taken so that its reason can be recorded. Before LiveKit hears so, the
// interview has its lease: a job whose worker dies after that is never dispatched again.
func (i *Interviewer) Accept(ctx context.Context, job worker.Job) worker.Decision {
	a := i.attend(job)
	a.reserve(ctx)
	i.accepted.Store(job.ID, a)
	void := context.WithoutCancel(ctx)
	return worker.Decision{
		Accept: true, Name: "Viva", Attributes: map[string]string{attributeFloor: strconv.FormatInt(a.claim.since, 10)},
		Void: func() {
			i.accepted.Delete(job.ID)
			a.lease.end(void, false)
		},
	}
}

func (i *Interviewer) attend(job worker.Job) *attendance {
	log := i.o.Logger.With(zap.String("job", job.ID), zap.String("room", job.RoomName))
	a := &attendance{i: i, job: job, log: log, claim: newClaim(time.Now().UnixNano()), guard: guard.New(log, i.o.Metrics.panicked)}
	a.meta, a.refusal = ParseMetadata(job.Metadata)
	return a
}

// taken is the attendance that Accept began for the job.
func (i *Interviewer) taken(job worker.Job) *attendance {
	a, _ := i.accepted.LoadAndDelete(job.ID)
	if a, ok := a.(*attendance); ok {
		a.job = job
		return a
	}
	return i.attend(job)
}

// Join enters the job's room. A job that asks for an interview there is not is attended too, only to tell the
// candidate so and to fail with the reason.
func (i *Interviewer) Join(ctx context.Context, job worker.Job) (worker.Attendance, error) {
	if i.o.Engines.Prewarm != nil {
		i.o.Engines.Prewarm(ctx)
	}
	a := i.taken(job)
	ctx = guard.With(ctx, a.guard)
	err := a.refusal
	if err == nil {
		a.inherit(ctx)
		a.interview, err = i.o.Library.Find(a.meta)
	}
	if err == nil {
		err = a.entitled(ctx)
	}
	a.refusal = err
	if err != nil {
		a.log.Error("job.refused", zap.Error(err))
	} else if unknown := a.meta.unknownTo(a.interview.Def); len(unknown) > 0 {
		a.log.Warn("job.unknown_vars", zap.Strings("vars", unknown), zap.String("interview", a.interview.Def.Kind))
	}
	if err := a.join(ctx); err != nil {
		a.giveUp(ctx, fmt.Errorf("%w: %w", errAstray, err))
		return nil, fmt.Errorf("join the interview: %w", err)
	}
	return a, nil
}

// start says what a session begins with.
func (a *attendance) start(who state.Candidate) engine.Started {
	if a.meta.Candidate.Name != "" {
		who.Name = a.meta.Candidate.Name
	}
	return engine.Started{
		Session: a.job.ID, Locale: a.interview.Words.Locale(), Vars: a.meta.Vars, Candidate: who, Recording: a.agreed(), Helplines: a.i.o.Helplines,
	}
}
