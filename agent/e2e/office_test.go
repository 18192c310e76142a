package e2e

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// patience is how long a test waits for something that takes a second or some on an idle machine.
const patience = 60 * time.Second

// registeredEvent is the log entry of a registration: what lk waits for in a worker's output.
const registeredEvent = "registered worker"

// plan says what office to open. The zero value is a worker on the shared server, with local engines.
type plan struct {
	server  address       // nil: the shared one
	engines agent.Engines // zero: the local ones
	name    string        // of the agent; "": the test's
	grace   time.Duration // for a candidate to come back; 0: the default

	speculate bool // prepare replies before a turn is certain

	archive *store.Store // nil: journals in a folder, and nothing else is kept

	equip func(*agent.Options) // gives the interviewer more than that; nil: nothing
}

// office is a worker in this process, with its log and its journals.
type office struct {
	t        *testing.T
	name     string
	server   address
	worker   *worker.Worker
	library  *agent.Library
	journals state.Store
	logs     *observer.ObservedLogs

	stop  context.CancelFunc
	ended chan struct{} // closed when the worker's Run has returned
	err   error         // what it returned; read after ended
}

// open starts a worker and waits until the server knows it. It ends with the test.
func open(t *testing.T, p plan) *office {
	t.Helper()
	o := &office{t: t, name: p.name, server: p.server, journals: state.Dir(t.TempDir()), ended: make(chan struct{})}
	if o.name == "" {
		o.name = roomName(t)
	}
	if o.server == nil {
		o.server = server
	}
	if p.archive != nil {
		o.journals = p.archive
	}
	if p.engines.VAD == nil {
		p.engines = localEngines(t)
	}
	var log *zap.Logger
	log, o.logs = newLog(o.name)
	o.library = library(t)
	options := agent.Options{
		Library: o.library, Engines: p.engines, Store: o.journals, Archive: p.archive, Logger: log, Grace: p.grace,
		Speculate: p.speculate,
	}
	if p.equip != nil {
		p.equip(&options)
	}
	interviewer, err := agent.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the worker has ended
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		interviewer.Close(ctx)
	})
	if o.worker, err = worker.New(workerOptions(o, log), interviewer); err != nil {
		t.Fatal(err)
	}
	if options.Leases != nil {
		o.watch(interviewer)
	}
	o.run()
	o.awaitRegistration(1)
	return o
}

// watch rescues interviews until the test ends.
func (o *office) watch(i *agent.Interviewer) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- i.Rescue(ctx, agent.Rescue{Rooms: agent.LiveKitRooms(o.server.URL(), apiKey, apiSecret), Agent: o.name, Ready: o.worker.Registered})
	}()
	o.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			o.t.Error(err)
		}
	})
}

// workerOptions: the load is that of all tests and of the server, so it must not keep jobs away.
func workerOptions(o *office, log *zap.Logger) worker.Options {
	return worker.Options{
		URL: o.server.URL(), APIKey: apiKey, APISecret: apiSecret, AgentName: o.name, Logger: log,
		LoadFunc: func() float64 { return 0 },
	}
}

func library(t *testing.T) *agent.Library {
	t.Helper()
	l, err := agent.LoadLibrary("testdata/interviews", "")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newLog(name string) (*zap.Logger, *observer.ObservedLogs) {
	core, logs := observer.New(zap.InfoLevel)
	if os.Getenv("VIVA_E2E_LOG") != "" {
		encoder := zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
		core = zapcore.NewTee(core, zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), zap.DebugLevel))
	}
	return zap.New(core).Named(name), logs
}

func (o *office) run() {
	ctx, cancel := context.WithCancel(context.Background())
	o.stop = cancel
	go func() {
		defer close(o.ended)
		o.err = o.worker.Run(ctx)
	}()
	o.t.Cleanup(func() {
		cancel()
		o.waitEnded()
	})
}

// waitEnded waits until the worker has ended, which must be without an error.
func (o *office) waitEnded() {
	o.t.Helper()
	select {
	case <-o.ended:
	case <-time.After(patience):
		o.t.Fatal("the worker does not end")
	}
	if o.err != nil {
		o.t.Errorf("the worker ended with: %v", o.err)
	}
}

// dispatch asks for the agent as `lk dispatch create` does.
func (o *office) dispatch(room, metadata string) {
	o.t.Helper()
	if err := o.tryDispatch(room, metadata); err != nil {
		o.t.Fatalf("dispatch: %v", err)
	}
}

func (o *office) tryDispatch(room, metadata string) error {
	ctx, cancel := context.WithTimeout(o.t.Context(), patience)
	defer cancel()
	_, err := lksdk.NewAgentDispatchServiceClient(o.server.URL(), apiKey, apiSecret).CreateDispatch(ctx,
		&livekit.CreateAgentDispatchRequest{AgentName: o.name, Room: room, Metadata: metadata})
	return err
}

// fact is one entry of the log.
type fact struct {
	At     time.Time
	Name   string
	Fields map[string]any
}

// facts are the log's entries with that name, in order.
func (o *office) facts(name string) []fact {
	var found []fact
	for _, e := range o.logs.FilterMessage(name).All() {
		found = append(found, fact{At: e.Time, Name: e.Message, Fields: e.ContextMap()})
	}
	return found
}

// await waits for an entry of the log that has all these fields.
func (o *office) await(name string, fields map[string]any) fact {
	o.t.Helper()
	var found fact
	eventually(o.t, "log entry "+name, func() bool {
		i := slices.IndexFunc(o.facts(name), func(f fact) bool { return f.has(fields) })
		if i < 0 {
			return false
		}
		found = o.facts(name)[i]
		return true
	})
	return found
}

// awaitRegistration waits until the server has registered the worker for the nth time, and returns when that was.
func (o *office) awaitRegistration(n int) time.Time {
	o.t.Helper()
	eventually(o.t, "registration", func() bool { return len(o.facts(registeredEvent)) >= n && o.worker.Registered() })
	return o.facts(registeredEvent)[n-1].At
}

func (f fact) has(fields map[string]any) bool {
	for key, want := range fields {
		if f.Fields[key] != want {
			return false
		}
	}
	return true
}

func (f fact) text(key string) string {
	s, _ := f.Fields[key].(string)
	return s
}

// underWay is how many jobs are under way.
func (o *office) underWay() int { return len(o.facts("job.started")) - len(o.facts("job.ended")) }

// jobEnded waits until the job in the room has ended and returns that entry of the log.
func (o *office) jobEnded(room string) fact {
	o.t.Helper()
	return o.await("job.ended", map[string]any{"room": room})
}

// record is the journal of a job: what happened, and the state that it folds to.
type record struct {
	entries []state.Entry
	events  []engine.Event
	user    *state.UserData
}

// record reads the journal of the job in the room.
func (o *office) record(room, kind string) record {
	o.t.Helper()
	return o.recordOf(room, agent.Metadata{Interview: kind})
}

// recordOf reads the journal of the job in the room that was dispatched with this metadata.
func (o *office) recordOf(room string, meta agent.Metadata) record {
	o.t.Helper()
	return o.recordOfSession(o.await("job.started", map[string]any{"room": room}).text("job_id"), meta)
}

// recordOfSession reads the journal of a session, which another worker may have begun.
func (o *office) recordOfSession(session string, meta agent.Metadata) record {
	o.t.Helper()
	entries, err := o.journals.Read(o.t.Context(), session)
	if err != nil {
		o.t.Fatal(err)
	}
	interview, err := o.library.Find(meta)
	if err != nil {
		o.t.Fatal(err)
	}
	r := record{entries: entries}
	for _, e := range entries {
		ev, err := engine.Decode(e)
		if err != nil {
			o.t.Fatal(err)
		}
		r.events = append(r.events, ev)
	}
	if r.user, err = interview.Fold(entries); err != nil {
		o.t.Fatal(err)
	}
	return r
}

// stages are the stages entered, in order.
func (r record) stages() []string {
	var ids []string
	for _, v := range r.user.Visits {
		ids = append(ids, v.Stage)
	}
	return ids
}

// roomName is a name that no other test uses.
func roomName(t *testing.T) string { return strings.ReplaceAll(t.Name(), "/", "-") }

// eventually polls until ok, or fails the test.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventuallyWithin(t, what, patience, ok)
}

func eventuallyWithin(t *testing.T, what string, patience time.Duration, ok func() bool) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("no %s within %v", what, patience)
		}
	}
}
