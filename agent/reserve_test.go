package agent

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// mortal is a database that a process uses until it is killed.
type mortal struct {
	*store.Store
	dead atomic.Bool
}

var errKilled = errors.New("the process is dead")

func (m *mortal) Renew(ctx context.Context, holder string, life time.Duration) ([]store.Hold, error) {
	if m.dead.Load() {
		return nil, errKilled
	}
	return m.Store.Renew(ctx, holder, life)
}

func (m *mortal) Release(ctx context.Context, h store.Hold) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.Release(ctx, h)
}

func (m *mortal) Abandon(ctx context.Context, h store.Hold) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.Abandon(ctx, h)
}

// applicant is an interviewer that accepts jobs, and hands over those that it is assigned.
type applicant struct {
	*Interviewer
	*mortal
	joined chan worker.Job
}

func (a *applicant) Join(ctx context.Context, job worker.Job) (worker.Attendance, error) {
	a.joined <- job
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func apply(t *testing.T, file string) *applicant {
	t.Helper()
	s, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	library, err := LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	service, err := assessment.New(assessment.Options{Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	a := &applicant{mortal: &mortal{Store: s}, joined: make(chan worker.Job, 1)}
	a.Interviewer = &Interviewer{assessment: service, o: Options{
		Library: library, Store: s, Archive: s, Leases: a.mortal, Logger: zap.NewNop(), Metrics: NewMetrics(prometheus.NewRegistry()),
	}}
	a.leaseholder = newLeaseholder(&a.o)
	t.Cleanup(func() {
		service.Close()
		for _, held := range a.leaseholder.mine() { // what nobody gives back who is dead
			a.leaseholder.drop(held.lease)
		}
		a.leaseholder.close()
		_ = s.Close()
	})
	return a
}

// serve has the applicant registered with a server, until the test ends or stop is called.
func (a *applicant) serve(t *testing.T, server *workertest.Server) (stop func()) {
	t.Helper()
	w, err := worker.New(worker.Options{
		URL: server.URL(), APIKey: workertest.DefaultAPIKey, APISecret: workertest.DefaultAPISecret, AgentName: "viva",
		LoadFunc: func() float64 { return 0 }, Dial: server.Dial, StopTimeout: time.Second,
	}, a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	registered, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	if err := server.Await(registered, func() bool { return len(server.Workers()) > 0 }); err != nil {
		t.Fatal(err)
	}
	return stop
}

// lobby is a room with a candidate and nobody else.
type lobby chan string

func (l lobby) Present(context.Context, string) ([]Seat, error) {
	return []Seat{{Identity: "candidate", Person: true}}, nil
}

func (l lobby) Remove(context.Context, string, string) error { return nil }

func (l lobby) Dispatch(_ context.Context, _, _, metadata string) error {
	l <- metadata
	return nil
}

// rescued is what an interviewer is called with for whoever is left alone in the lobby.
func (a *applicant) rescued(t *testing.T) (Metadata, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*leaseLife)
	defer cancel()
	l, ended := make(lobby, 1), make(chan error, 1)
	go func() { ended <- a.Rescue(ctx, Rescue{Rooms: l, Agent: "viva", Ready: func() bool { return true }}) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	select {
	case text := <-l:
		m, err := ParseMetadata(text)
		if err != nil {
			t.Error(err)
		}
		return m, true
	case <-ctx.Done():
		return Metadata{}, false
	}
}

const withResume = `{"interview":"two_stage","materials":{"resume":"Ten years of Go & more."}}`

// hire has the job of one room taken.
func hire(t *testing.T, server *workertest.Server) string {
	t.Helper()
	got, err := server.Dispatch(t.Context(), &livekit.Job{AgentName: "viva", Metadata: withResume, Room: &livekit.Room{Name: "room"}})
	if err != nil {
		t.Fatal(err)
	}
	return got.JobID
}

// A worker is killed as it gets its job: another is called, as soon as the lease has run out. It begins the interview under the same name,
// with the candidate's papers, and nobody else can.
func TestKilledBeforeItBegan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "viva.db")
	first, second := apply(t, file), apply(t, file)
	server := workertest.NewServer(workertest.Options{})
	t.Cleanup(server.Close)
	first.serve(t, server)
	id := hire(t, server)
	<-first.joined
	first.dead.Store(true)
	m, called := second.rescued(t)
	if !called || m.Resume != id || m.Interview != "two_stage" || m.Materials.Resume == "" {
		t.Fatalf("called: %t, with %+v", called, m)
	}
	job := worker.Job{ID: "AJ_2", Identity: "agent-AJ_2", RoomName: "room", AgentName: "viva"}
	taker, late := second.attend(job), first.attend(worker.Job{ID: "AJ_3", Identity: "agent-AJ_3", RoomName: "room", AgentName: "viva"})
	for _, a := range []*attendance{taker, late} {
		a.meta, a.lost = m, func(error) {}
		iv, err := a.i.o.Library.Find(m)
		if err != nil {
			t.Fatal(err)
		}
		a.interview = iv
	}
	held, err := taker.open(t.Context(), jordan)
	if err != nil || held.start.Session != id || held.resume != nil || !taker.leased() {
		t.Fatalf("begun: %+v, %v", held.start, err)
	}
	if err := held.journal.Append(state.Entry{Seq: 1, Type: "started"}); err != nil {
		t.Error(err)
	}
	if other, err := late.open(t.Context(), jordan); !errors.Is(err, errTaken) {
		t.Errorf("begun by two: %+v, %v", other.start, err)
	}
	taker.filing.Wait()
	if s, err := second.Session(t.Context(), id); err != nil || s.State != store.Live || s.Identity != "candidate" {
		t.Errorf("%+v, %v", s, err)
	}
	taker.lease.end(t.Context(), true)
}

// An interviewer who is called for another one's interview, and is killed before it goes on with it, is missed as soon as any other.
func TestKilledAsItWasCalled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "viva.db")
	first, second := apply(t, file), apply(t, file)
	if !first.Accept(t.Context(), worker.Job{ID: "AJ_1", Identity: "agent-AJ_1", RoomName: "room", AgentName: "viva", Metadata: withResume}).Accept {
		t.Fatal("refused")
	}
	first.dead.Store(true)
	m, called := second.rescued(t)
	if !called || m.Resume != "AJ_1" {
		t.Fatalf("called: %t, with %+v", called, m)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Accept(t.Context(), worker.Job{ID: "AJ_2", Identity: "agent-AJ_2", RoomName: "room", AgentName: "viva", Metadata: string(text)}).Accept {
		t.Fatal("refused")
	}
	second.dead.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), leaseLife+rescueHold/2)
	defer cancel()
	for tick := time.NewTicker(leaseLife / watches); ; <-tick.C {
		left, err := first.ClaimOrphans(ctx, "viva", resumeWithin, rescueHold, 9)
		if err != nil {
			t.Fatalf("called again after %v: %v", rescueHold, err)
		}
		if len(left) > 0 {
			break
		}
	}
}

// Who accepts a job in a room with an interview that nobody can go on with any more has a lease, too, and keeps it when it finds that out.
// Who takes up what another left leaves nobody to be called for.
func TestAcceptedBesideAnother(t *testing.T) {
	for name, test := range map[string]struct {
		ago      time.Duration // that the other one broke off, and that its lease ran out
		later    bool          // it appears only after the acceptance
		reserved bool
		want     string // the session that is held
	}{
		"left too long ago":       {ago: time.Hour, reserved: true, want: "AJ_1"},
		"to be gone on with":      {ago: time.Minute, want: "AJ_old"},
		"left since":              {ago: time.Minute, later: true, reserved: true, want: "AJ_old"},
		"left since, and too old": {ago: time.Hour, later: true, reserved: true, want: "AJ_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := apply(t, filepath.Join(t.TempDir(), "viva.db"))
			a := i.attend(worker.Job{ID: "AJ_1", Identity: "agent-AJ_1", RoomName: "room", AgentName: "viva", Metadata: withResume})
			var err error
			if a.interview, err = i.o.Library.Find(a.meta); err != nil {
				t.Fatal(err)
			}
			leave := func() {
				(&arrival{attendance: a, store: i.Store}).leave(t, test.ago, nil)
				if _, err := i.Acquire(t.Context(), "AJ_old", "dead", -test.ago, store.Call{Room: "room", Agent: "viva"}); err != nil {
					t.Fatal(err)
				}
			}
			if !test.later {
				leave()
			}
			if a.reserve(t.Context()); a.leased() != test.reserved {
				t.Fatalf("accepted with a lease: %t", a.leased())
			}
			if test.later {
				leave()
			}
			a.lost = func(error) {}
			held, err := a.open(t.Context(), jordan)
			if a.filing.Wait(); err != nil || held.start.Session != test.want || !a.leased() || !a.lease.speaks() {
				t.Fatalf("begun: %+v, leased: %t, %v", held.start, a.leased(), err)
			}
			defer a.lease.end(t.Context(), true)
			own, err := i.Session(t.Context(), "AJ_1")
			switch {
			case test.want == "AJ_1":
				if err != nil || own.State != store.Live {
					t.Errorf("%+v, %v", own, err)
				}
			case test.reserved && (err != nil || own.State != store.Failed || own.Reason != reasonTaken):
				t.Errorf("%+v, %v", own, err)
			case !test.reserved && !errors.Is(err, store.ErrNoSession):
				t.Errorf("%+v, %v", own, err)
			}
		})
	}
}

// An interviewer who is stopped before anybody came has another one called; one who waited in vain has not.
func TestGivenUpBeforeItBegan(t *testing.T) {
	for name, test := range map[string]struct {
		why   error
		state string
		call  bool
	}{
		"stopped":          {worker.ErrStopped, store.Waiting, true},
		"lost the room":    {errAstray, store.Waiting, true},
		"nobody came":      {errNobody, store.Failed, false},
		"another speaks":   {errTaken, store.Failed, false},
		"no longer wanted": {worker.ErrTerminated, store.Failed, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := apply(t, filepath.Join(t.TempDir(), "viva.db"))
			job := worker.Job{ID: "AJ_1", Identity: "agent-AJ_1", RoomName: "room", AgentName: "viva", Metadata: withResume}
			if d := i.Accept(t.Context(), job); !d.Accept {
				t.Fatal("refused")
			}
			a := i.taken(job)
			if !a.leased() {
				t.Fatal("accepted without a lease")
			}
			a.giveUp(t.Context(), test.why)
			if s, err := i.Session(t.Context(), "AJ_1"); err != nil || s.State != test.state {
				t.Errorf("%+v, %v", s, err)
			}
			left, err := i.ClaimOrphans(t.Context(), "viva", resumeWithin, rescueHold, 9)
			if err != nil || (len(left) == 1) != test.call {
				t.Errorf("to be called for: %+v, %v", left, err)
			}
		})
	}
}

// An acceptance that comes to nothing leaves the interview to whoever is called.
func TestAcceptedInVain(t *testing.T) {
	i := apply(t, filepath.Join(t.TempDir(), "viva.db"))
	server := workertest.NewServer(workertest.Options{})
	t.Cleanup(server.Close)
	stop := i.serve(t, server)
	server.Behave(workertest.Behaviour{HoldAssignment: time.Minute})
	answered := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(answered)
		_, _ = server.Dispatch(ctx, &livekit.Job{Id: "AJ_1", AgentName: "viva", Metadata: withResume, Room: &livekit.Room{Name: "room"}})
	}()
	accepted, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	if err := server.Await(accepted, func() bool {
		for _, r := range server.Received() {
			if r.Message.GetAvailability().GetAvailable() {
				return true
			}
		}
		return false
	}); err != nil {
		t.Fatal(err)
	}
	stop()
	cancel()
	server.Close()
	<-answered
	left, err := i.ClaimOrphans(t.Context(), "viva", resumeWithin, rescueHold, 9)
	if err != nil || len(left) != 1 || left[0].Session != "AJ_1" {
		t.Errorf("to be called for: %+v, %v", left, err)
	}
}

// A database that does not answer keeps nobody from accepting a job.
func TestAcceptWithoutADatabase(t *testing.T) {
	i := apply(t, filepath.Join(t.TempDir(), "viva.db"))
	if err := i.Store.Close(); err != nil {
		t.Fatal(err)
	}
	d := i.Accept(t.Context(), worker.Job{ID: "AJ_1", RoomName: "room", Metadata: withResume})
	if !d.Accept {
		t.Error("refused")
	}
	d.Void()
}
