package agent

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

var jordan = state.Candidate{Identity: "candidate", Name: "Jordan"}

// arrival is a job that reaches its room, with a store that may hold what a dead worker left there.
type arrival struct {
	*attendance
	store *store.Store
	file  string // of the store
	logs  *observer.ObservedLogs
}

func arrive(t *testing.T, meta Metadata, room string) *arrival {
	t.Helper()
	file := filepath.Join(t.TempDir(), "viva.db")
	s, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	library, err := LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.InfoLevel)
	service, err := assessment.New(assessment.Options{Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	o := Options{Library: library, Store: s, Archive: s, LinkHash: func(id string) string { return "hash of " + id }}
	a := &arrival{store: s, file: file, logs: logs, attendance: &attendance{
		i:   &Interviewer{o: o, assessment: service},
		job: worker.Job{ID: "AJ_new", RoomName: room}, meta: meta, log: zap.New(core),
	}}
	if a.interview, err = library.Find(meta); err != nil {
		t.Fatal(err)
	}
	return a
}

// leave writes what a worker had in its journal when it died, so long ago, three seconds into the interview.
func (a *arrival) leave(t *testing.T, ago time.Duration, change func(*store.Session)) {
	t.Helper()
	j, err := a.store.Create(t.Context(), "AJ_old")
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range []engine.Event{engine.Started{Session: "AJ_old", Locale: "en", Candidate: jordan}, engine.VoiceStarted{Utterance: 2}} {
		e, err := engine.Encode(uint64(i+1), state.Millis(3000*i), ev)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	s := store.Session{
		ID: "AJ_old", Kind: "two_stage", Definition: a.interview.Def.Hash(), Locale: "en", Identity: "candidate", Room: "room", State: store.Live,
		Began: time.Now().Add(-ago - 3*time.Second),
	}
	if change != nil {
		change(&s)
	}
	if err := a.store.SaveSession(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// RX-18: what a dead worker left is taken up by the next job for the same interview with the same candidate in the same room, and by
// the job that names it; whatever does not fit is left alone, with a line in the log that says why.
func TestTakeUp(t *testing.T) {
	for name, test := range map[string]struct {
		meta   Metadata
		room   string
		ago    time.Duration
		change func(*store.Session)
		why    string // "" = it is taken up
	}{
		"the same":               {room: "room", ago: time.Minute},
		"just within the time":   {room: "room", ago: 29 * time.Minute},
		"too long ago":           {room: "room", ago: 31 * time.Minute, why: "it stopped more than 30m0s ago"},
		"another room":           {room: "elsewhere", ago: time.Minute, why: "-"},
		"named, in another room": {meta: Metadata{Resume: "AJ_old"}, room: "elsewhere", ago: time.Minute},
		"named, and not there":   {meta: Metadata{Resume: "AJ_none"}, room: "room", ago: time.Minute, why: "no such session"},
		"over":                   {room: "room", ago: time.Minute, change: func(s *store.Session) { s.State = store.Ended }, why: "-"},
		"somebody else":          {room: "room", ago: time.Minute, change: func(s *store.Session) { s.Identity = "guest" }, why: "somebody else"},
		"another interview":      {room: "room", ago: time.Minute, change: func(s *store.Session) { s.Kind = "conversation" }, why: "another interview"},
		"another language":       {room: "room", ago: time.Minute, change: func(s *store.Session) { s.Locale = "zh" }, why: "another interview"},
		"a changed definition":   {room: "room", ago: time.Minute, change: func(s *store.Session) { s.Definition = "other" }, why: "definition has changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.meta.Interview = "two_stage"
			a := arrive(t, test.meta, test.room)
			a.leave(t, test.ago, test.change)
			held, err := a.open(t.Context(), jordan)
			if err != nil {
				t.Fatal(err)
			}
			a.filing.Wait()
			if test.why == "" {
				a.checkTakenUp(t, held, test.ago)
				return
			}
			if held.resume != nil || held.start.Session != "AJ_new" {
				t.Errorf("taken up: %+v", held.start)
			}
			a.checkReason(t, test.why)
			s, err := a.store.Session(t.Context(), "AJ_new")
			if err != nil || s.State != store.Live || s.Kind != "two_stage" || s.Room != test.room || s.Identity != "candidate" || s.Link != "hash of AJ_new" || s.Began.IsZero() {
				t.Errorf("saved %+v, %v", s, err)
			}
		})
	}
}

// Of what a client sends again, as it does not know what the dead worker had taken, that is left out which stands in the journal.
func TestWhatIsSentAgain(t *testing.T) {
	a := arrive(t, Metadata{Interview: "two_stage"}, "room")
	if a.hasTaken("I am a nurse.") {
		t.Error("nobody was there before")
	}
	a.leave(t, time.Minute, nil)
	j, _, err := a.store.Resume(t.Context(), "AJ_old")
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range []engine.Event{engine.VoiceEnded{Utterance: 2, Visit: 1, Heard: "Hello."}, engine.UserTurn{Text: "I am  a nurse.", Typed: true, Reason: "typed"}} {
		e, err := engine.Encode(uint64(3+i), state.Millis(4000+1000*i), ev)
		if err = errors.Join(err, j.Append(e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	held, err := a.open(t.Context(), jordan)
	if err != nil || held.resume == nil {
		t.Fatalf("not taken up: %v", err)
	}
	a.filing.Wait()
	if !a.hasTaken("I am a nurse. ") || a.hasTaken("In Leeds.") {
		t.Error("it does not know what was taken")
	}
	if err := held.journal.Close(); err != nil {
		t.Error(err)
	}
}

func (a *arrival) checkTakenUp(t *testing.T, held beginning, ago time.Duration) {
	t.Helper()
	r := held.resume
	if r == nil || held.start.Session != "AJ_old" || r.Entries != 2 || r.Last != 3000 || r.State.Stage != "SELF_INTRO" {
		t.Fatalf("%+v of %+v; %v", r, held.start, a.logs.All())
	}
	if late := r.Gap - ago; late < 0 || late > 10*time.Second {
		t.Errorf("the gap is %s, want %s", r.Gap, ago)
	}
	e, err := engine.Encode(3, 9000, engine.Resumed{Gap: 6000})
	if err != nil {
		t.Fatal(err)
	}
	if err := held.journal.Append(e); err != nil {
		t.Errorf("the journal does not go on: %v", err)
	}
	if _, err := a.store.Session(t.Context(), "AJ_new"); err == nil {
		t.Error("the job made a session of its own")
	}
}

// checkReason looks for the reason in the log; "-" = there was nothing to look at.
func (a *arrival) checkReason(t *testing.T, why string) {
	t.Helper()
	said := a.logs.FilterMessage("session.not_resumed").All()
	if why == "-" {
		if len(said) > 0 {
			t.Errorf("%v", said)
		}
		return
	}
	for _, line := range said {
		if text, _ := line.ContextMap()["error"].(string); strings.Contains(text, why) {
			return
		}
	}
	t.Errorf("no %q in %v", why, said)
}

// Whoever is called for an interview that turns out to be over leaves: the candidate has heard the goodbye, and is not interviewed anew.
// The journal says so before the store does.
func TestCalledForWhatIsOver(t *testing.T) {
	for name, over := range map[string]func(a *arrival){
		"in the store": func(a *arrival) {
			a.leave(t, time.Minute, func(s *store.Session) { s.State = store.Ended })
		},
		"in the journal": func(a *arrival) {
			a.leave(t, time.Minute, nil)
			j, entries, err := a.store.Resume(t.Context(), "AJ_old")
			if err != nil {
				t.Fatal(err)
			}
			e, err := engine.Encode(uint64(len(entries)+1), 4000, engine.Stop{Reason: "done"})
			if err == nil {
				err = j.Append(e)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrive(t, Metadata{Interview: "two_stage", Resume: "AJ_old"}, "room")
			over(a)
			if held, err := a.open(t.Context(), jordan); !errors.Is(err, errOver) {
				t.Errorf("%+v, %v", held.start, err)
			}
			if _, err := a.store.Session(t.Context(), "AJ_new"); !errors.Is(err, store.ErrNoSession) {
				t.Errorf("a new interview began: %v", err)
			}
		})
	}
}

// A job that does not say which interview is meant goes on with the one that was left in its room.
func TestInheritTheInterview(t *testing.T) {
	a := arrive(t, Metadata{}, "room")
	a.leave(t, time.Minute, func(s *store.Session) { s.Kind, s.Locale = "system_design", "zh" })
	if a.inherit(t.Context()); a.meta.Interview != "system_design" || a.meta.Locale != "zh" {
		t.Errorf("%+v", a.meta)
	}
	a.meta = Metadata{Interview: "two_stage"}
	if a.inherit(t.Context()); a.meta.Interview != "two_stage" || a.meta.Locale != "" {
		t.Errorf("%+v", a.meta)
	}
	a.job.RoomName, a.meta = "elsewhere", Metadata{}
	if a.inherit(t.Context()); a.meta.Interview != "" {
		t.Errorf("%+v", a.meta)
	}
}

// What became of an interview is said once, and one whose journal failed stays open to be taken up.
func TestSessionsAreSaved(t *testing.T) {
	a := arrive(t, Metadata{Interview: "two_stage", Candidate: Person{Identity: "candidate"}}, "room")
	state := func() store.Session {
		t.Helper()
		s, err := a.store.Session(t.Context(), "AJ_new")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a.saveWaiting(t.Context())
	if s := state(); s.State != store.Waiting || s.Kind != "two_stage" || s.Identity != "candidate" || !s.Began.IsZero() {
		t.Errorf("%+v", s)
	}
	if _, err := a.open(t.Context(), jordan); err != nil {
		t.Fatal(err)
	}
	a.saveEnd(t.Context(), "AJ_new", "", store.ErrConflict)
	if s := state(); s.State != store.Live || s.Name != "Jordan" {
		t.Errorf("%+v", s)
	}
	a.saveEnd(t.Context(), "AJ_new", "done", nil)
	if s := state(); s.State != store.Ended || s.Reason != "done" || s.Ended.IsZero() {
		t.Errorf("%+v", s)
	}

	b := arrive(t, Metadata{Interview: "two_stage"}, "room")
	b.saveUnheld(t.Context(), errTaken)
	if _, err := b.store.Session(t.Context(), "AJ_new"); err == nil {
		t.Error("an interviewer that was one too many left a session behind")
	}
	b.saveWaiting(t.Context())
	b.saveUnheld(t.Context(), errNobody)
	if s, err := b.store.Session(t.Context(), "AJ_new"); err != nil || s.State != store.Failed || s.Reason != "nobody_came" {
		t.Errorf("%+v, %v", s, err)
	}
}
