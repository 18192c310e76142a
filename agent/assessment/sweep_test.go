package assessment_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

var _ assessment.Left = (*store.Store)(nil)

const quiet = 35 * time.Minute

// ruin is a store with what dead workers left in it, and the sweepers that look at it.
type ruin struct {
	t       *testing.T
	path    string
	store   *store.Store
	library *agent.Library
	logs    *observer.ObservedLogs
	log     *zap.Logger

	mu     sync.Mutex
	told   []webhook.Notice // guarded by mu
	counts []string         // guarded by mu
}

func newRuin(t *testing.T) *ruin {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	r := &ruin{t: t, path: filepath.Join(t.TempDir(), "viva.db"), logs: logs, log: zap.New(core)}
	r.store = r.open()
	var err error
	if r.library, err = agent.LoadLibrary("", ""); err != nil {
		t.Fatal(err)
	}
	return r
}

// open opens the database as one more process does.
func (r *ruin) open() *store.Store {
	r.t.Helper()
	s, err := store.Open(r.t.Context(), r.path, zap.NewNop())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// Tell implements assessment.Webhook.
func (r *ruin) Tell(_ context.Context, n webhook.Notice) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, n)
	return nil
}

func (r *ruin) count(outcome string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts = append(r.counts, outcome)
}

func (r *ruin) find(kind, locale string) (*engine.Interview, error) {
	return r.library.Find(agent.Metadata{Interview: kind, Locale: locale})
}

// worker sweeps with a store of its own until the returned function is called.
func (r *ruin) worker(change func(*assessment.Sweep)) (stop func()) {
	r.t.Helper()
	kept := r.open()
	service, err := assessment.New(assessment.Options{Archive: kept, Webhook: r, Software: "viva test", Logger: r.log})
	if err != nil {
		r.t.Fatal(err)
	}
	o := assessment.Sweep{
		Left: kept, Quiet: quiet, Find: r.find, Count: r.count,
		Case: func(s *store.Session, iv *engine.Interview) assessment.Case {
			return assessment.Case{Session: s.ID, Room: s.Room, Began: s.Began, Interview: iv, Journal: func(ctx context.Context) ([]state.Entry, error) { return kept.Read(ctx, s.ID) }}
		},
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Sweep(ctx, o) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
		service.Close()
		if err := kept.Close(); err != nil {
			r.t.Error(err)
		}
	}
}

// life is an interview as far as its worker came.
type life struct {
	r       *ruin
	iv      *engine.Interview
	journal state.Journal
	u       *state.UserData
	seq     uint64
	judged  []string // items that were sent to be judged
}

// begin begins an interview of a kind.
func (r *ruin) begin(id, kind string) *life {
	r.t.Helper()
	iv, err := r.find(kind, "en")
	if err != nil {
		r.t.Fatal(err)
	}
	l := &life{r: r, iv: iv, u: &state.UserData{}}
	if l.journal, err = r.store.Create(r.t.Context(), id); err != nil {
		r.t.Fatal(err)
	}
	if err := r.store.SaveSession(r.t.Context(), store.Session{ID: id, Kind: kind, Definition: iv.Def.Hash(), Locale: "en", Room: "room", State: store.Live, Began: time.Now()}); err != nil {
		r.t.Fatal(err)
	}
	l.happen(0, engine.Started{Session: id, Kind: kind, DefHash: iv.Def.Hash(), Locale: "en", Candidate: state.Candidate{Name: "Ada"}})
	return l
}

// happen journals an event and acts on it; what is said is heard.
func (l *life) happen(at time.Duration, ev engine.Event) {
	l.r.t.Helper()
	l.seq++
	entry, err := engine.Encode(l.seq, state.FromDuration(at), ev)
	if err == nil {
		err = l.journal.Append(entry)
	}
	if err != nil {
		l.r.t.Fatal(err)
	}
	var effects []engine.Effect
	l.u, effects = l.iv.Step(l.u, state.FromDuration(at), ev)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Judge:
			l.judged = append(l.judged, e.Item.ID)
		case engine.Say:
			l.happen(at, engine.VoiceStarted{Utterance: e.Utterance})
			l.happen(at, engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
		}
	}
}

const answer = "The input is an array of numbers and a target. I keep a hash map from value to index, and for each number I look up the complement. " +
	"I assume that there is exactly one pair."

const conclusion = " So every element is visited once and each lookup is constant, therefore the time is O of n and the space is O of n."

// row is what the store says of a session.
func (r *ruin) row(id string) store.Session {
	r.t.Helper()
	s, err := r.store.Session(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *ruin) report(id string) *report.Report {
	r.t.Helper()
	raw, err := r.store.Report(r.t.Context(), id)
	if errors.Is(err, store.ErrNoReport) {
		return nil
	}
	var rep report.Report
	if err == nil {
		err = json.Unmarshal(raw, &rep)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return &rep
}

func (r *ruin) end() {
	if err := r.store.Close(); err != nil {
		r.t.Error(err)
	}
}

// R002-63, R002-49, R002-46: of an interview whose worker died in the middle, and that nobody has taken up, one of two workers
// makes the report, once: what was said is judged, the interview ends with its last event, and both the store and the operator's
// program are told.
func TestSweepReportsWhatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuin(t)
		defer r.end()
		l := r.begin("lost", "evaluation")
		l.happen(20*time.Second, engine.UserTurn{Text: answer, Confidence: 0.9, Began: 2000})
		if len(l.judged) > 0 || l.u.Stage != "PROBLEM" {
			t.Fatalf("in %s, judged %v: the test wants an answer that nobody has judged yet", l.u.Stage, l.judged)
		}
		began := r.row("lost").Began
		var looked atomic.Int32
		slow := func(o *assessment.Sweep) { // so that both look while one of them works
			o.Find = func(kind, locale string) (*engine.Interview, error) {
				looked.Add(1)
				time.Sleep(11 * time.Minute)
				return r.find(kind, locale)
			}
		}
		first, second := r.worker(slow), r.worker(slow)
		time.Sleep(30 * time.Minute)
		if s := r.row("lost"); s.State != store.Live || r.report("lost") != nil {
			t.Errorf("after 30 minutes, when it may still be taken up, it is %+v", s)
		}
		time.Sleep(25 * time.Minute)
		s, rep := r.row("lost"), r.report("lost")
		if s.State != store.Failed || s.Reason != assessment.WorkerLost || !s.Ended.Equal(began.Add(20*time.Second)) {
			t.Errorf("%+v", s)
		}
		if rep == nil || rep.Duration != 20_000 || rep.Status == report.Unscored || len(rep.Transcript) < 2 || rep.Coverage != nil && !rep.Coverage.Early {
			t.Fatalf("the report is %+v", rep)
		}
		time.Sleep(time.Hour)
		first()
		second()
		if n := looked.Load(); n != 1 {
			t.Errorf("%d sweepers took it", n)
		}
		if len(r.told) != 1 || r.told[0].ID != "report/lost" || r.told[0].Room != "room" || !slices.Equal(r.counts, []string{"ended"}) {
			t.Errorf("told %d times, counted %v", len(r.told), r.counts)
		}
		entries, err := r.store.Read(t.Context(), "lost")
		if err != nil || entries[len(entries)-1].Type != "stop" || uint64(len(entries)) != l.seq+1 {
			t.Errorf("%v: the journal ends with %+v", err, entries[len(entries)-1])
		}
		if u, err := l.iv.Fold(entries); err != nil || u.Ended != assessment.WorkerLost {
			t.Errorf("%v: a replay ends with %q", err, u.Ended)
		}
	})
}

// R002-59, R002-63: what had been sent to be judged, and was not answered when the worker died, is judged by the sweeper; so is an
// interview that was over while its report was still being made.
func TestSweepJudgesWhatIsOut(t *testing.T) {
	for _, over := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRuin(t)
			defer r.end()
			l := r.begin("lost", "evaluation")
			l.happen(20*time.Second, engine.UserTurn{Text: answer + conclusion, Confidence: 0.9, Began: 2000})
			l.happen(40*time.Second, engine.Stop{Reason: "candidate_left"})
			if len(l.judged) != 1 || !l.u.Judgements[0].Out() {
				t.Fatalf("judged %v", l.judged)
			}
			if over {
				if err := r.store.SaveSession(t.Context(), store.Session{ID: "lost", State: store.Ended, Ended: time.Now().Add(40 * time.Second), Reason: "candidate_left"}); err != nil {
					t.Fatal(err)
				}
			}
			stop := r.worker(nil)
			time.Sleep(time.Hour)
			stop()
			all, err := r.store.Evaluations(t.Context(), "lost")
			if err != nil || len(all) != 1 || all[0].Item != l.judged[0] {
				t.Errorf("%v: judged %+v, want %v", err, all, l.judged)
			}
			if rep := r.report("lost"); rep == nil || rep.Status == report.Unscored || len(r.told) != 1 {
				t.Errorf("the report is %+v, told %d times", rep, len(r.told))
			}
			if s := r.row("lost"); s.State != store.Ended || s.Reason != "candidate_left" || s.Ended.Sub(s.Began) != 40*time.Second {
				t.Errorf("%+v", s)
			}
		})
	}
}

// R002-59: an interview that another worker takes up in the very moment in which it is swept is left to that worker, as it is.
func TestSweepLeavesWhatIsTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuin(t)
		defer r.end()
		l := r.begin("held", "evaluation")
		l.happen(20*time.Second, engine.UserTurn{Text: answer, Confidence: 0.9, Began: 2000})
		stop := r.worker(func(o *assessment.Sweep) {
			find := o.Find
			o.Find = func(kind, locale string) (*engine.Interview, error) { // between its look at the journal and its entry
				if l.u.Now < 60_000 {
					l.happen(40*time.Minute, engine.Resumed{Gap: 2_380_000})
				}
				return find(kind, locale)
			}
		})
		time.Sleep(50 * time.Minute)
		stop()
		if s := r.row("held"); s.State != store.Live || s.Reason != "" || r.report("held") != nil || len(r.told) != 0 {
			t.Errorf("%+v", s)
		}
		if !slices.Equal(r.counts, []string{"kept"}) {
			t.Errorf("counted %v", r.counts)
		}
		l.happen(50*time.Minute, engine.UserTurn{Text: "It is linear.", Confidence: 0.9}) // and it goes on
	})
}

// R002-63: what cannot be read is marked as failed with the reason, once, and stands in nobody's way.
func TestSweepMarksWhatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuin(t)
		defer r.end()
		r.begin("changed", "two_stage")
		r.begin("unknown", "persona_interview")
		r.begin("fine", "evaluation").happen(20*time.Second, engine.UserTurn{Text: answer, Confidence: 0.9, Began: 2000})
		if _, err := r.store.Create(t.Context(), "empty"); err != nil {
			t.Fatal(err)
		}
		garbled, err := r.store.Create(t.Context(), "garbled")
		if err == nil {
			err = garbled.Append(state.Entry{Seq: 1, Type: "nonsense"})
		}
		if err != nil {
			t.Fatal(err)
		}
		stop := r.worker(func(o *assessment.Sweep) {
			o.Find = func(kind, locale string) (*engine.Interview, error) {
				switch kind {
				case "two_stage":
					return r.find("conversation", locale) // as if the definition had been edited
				case "persona_interview":
					return nil, errors.New("there is no such interview")
				}
				return r.find(kind, locale)
			}
		})
		time.Sleep(3 * time.Hour)
		stop()
		for id, want := range map[string]string{
			"changed": "definition_changed", "unknown": "unknown_interview", "empty": "not_begun", "garbled": "journal_unreadable", "fine": assessment.WorkerLost,
		} {
			if s := r.row(id); s.State != store.Failed || s.Reason != want || s.Ended.IsZero() {
				t.Errorf("%s: %+v, want %s", id, s, want)
			}
			if rep := r.report(id); (rep != nil) != (id == "fine") {
				t.Errorf("%s: a report %v", id, rep != nil)
			}
		}
		slices.Sort(r.counts)
		if !slices.Equal(r.counts, []string{"ended", "failed", "failed", "failed", "failed"}) {
			t.Errorf("counted %v", r.counts)
		}
	})
}

// An interview that ended long ago, whose definition wants no report, is looked at once and stays as it is.
func TestSweepLeavesWhatWantsNoReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuin(t)
		defer r.end()
		l := r.begin("plain", "conversation")
		l.happen(time.Second, engine.Stop{Reason: "candidate_left"})
		if err := r.store.SaveSession(t.Context(), store.Session{ID: "plain", State: store.Ended, Ended: time.Now(), Reason: "candidate_left"}); err != nil {
			t.Fatal(err)
		}
		looked := 0
		stop := r.worker(func(o *assessment.Sweep) {
			find := o.Find
			o.Find = func(kind, locale string) (*engine.Interview, error) {
				looked++
				iv, err := find(kind, locale)
				if err == nil { // every shipped kind makes one
					def := *iv.Def
					def.Report = nil
					plain := *iv
					plain.Def, iv = &def, &plain
				}
				return iv, err
			}
		})
		time.Sleep(5 * time.Hour)
		stop()
		if s := r.row("plain"); looked != 1 || s.State != store.Ended || s.Reason != "candidate_left" || len(r.counts)+len(r.told) != 0 {
			t.Errorf("looked %d times: %+v, %v", looked, s, r.counts)
		}
	})
}
