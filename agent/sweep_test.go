package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/pipeline/record"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// leaveSound leaves a recording of two seconds that began so far into the talk.
func leaveSound(t *testing.T, root *os.Root, path string, offset time.Duration) {
	t.Helper()
	r, err := record.Start(t.Context(), record.Options{
		Open:   func(context.Context) (record.Sink, error) { return root.Create(path) },
		Offset: offset, Logger: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if _, err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// R002-63: the worker's sweep gives up an interview half an hour after its last event and not before, and its report says where
// in the talk the recording begins that the dead worker left.
func TestSweepOfTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		kept, err := store.Open(t.Context(), filepath.Join(dir, "viva.db"), zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = kept.Close() }()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		library, err := LoadLibrary("", "")
		if err != nil {
			t.Fatal(err)
		}
		iv, err := library.Find(Metadata{Interview: "evaluation"})
		if err != nil {
			t.Fatal(err)
		}
		leaveTalk(t, kept, iv)
		leaveSound(t, root, "talk.ogg", 1500*time.Millisecond)
		for _, path := range []string{"elsewhere.ogg", "talk.ogg"} {
			if err := kept.SaveRecording(t.Context(), store.Recording{Session: "AJ_old", Path: path, Duration: 2 * time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		registry := prometheus.NewRegistry()
		i := &Interviewer{o: Options{
			Library: library, Store: kept, Archive: kept, Logger: zap.NewNop(), Metrics: NewMetrics(registry), Recordings: &Recordings{Folder: root, Index: kept},
		}}
		if i.assessment, i.judges, err = newAssessment(&i.o); err != nil {
			t.Fatal(err)
		}
		if n := series(t, registry, "viva_sessions_swept_total"); n != 3 {
			t.Errorf("%d series before anything happened: the first lost interview would be no increase", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		swept := make(chan error, 1)
		go func() { swept <- i.Sweep(ctx) }()
		time.Sleep(resumeWithin)
		if s, err := kept.Session(t.Context(), "AJ_old"); err != nil || s.State != store.Live {
			t.Errorf("when it may still be taken up: %+v, %v", s, err)
		}
		time.Sleep(15 * time.Minute)
		cancel()
		if err := <-swept; err != nil {
			t.Error(err)
		}
		i.Close(t.Context())
		if s, err := kept.Session(t.Context(), "AJ_old"); err != nil || s.State != store.Failed || s.Reason != assessment.WorkerLost {
			t.Errorf("%+v, %v", s, err)
		}
		raw, err := kept.Report(t.Context(), "AJ_old")
		var rep report.Report
		if err != nil || json.Unmarshal(raw, &rep) != nil || rep.Recording == nil || rep.Recording.Offset != 1500 || rep.Recording.Duration != 2000 {
			t.Errorf("%v: the report's recording is %+v", err, rep.Recording)
		}
		if n := counted(t, registry, "viva_sessions_swept_total"); n != 1 {
			t.Errorf("%v were counted", n)
		}
	})
}

// counted is the sum of a counter over its labels.
func counted(t *testing.T, registry *prometheus.Registry, name string) (sum float64) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// series is how many series a metric has.
func series(t *testing.T, registry *prometheus.Registry, name string) (n int) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			n += len(f.GetMetric())
		}
	}
	return n
}

// leaveTalk is an interview whose worker died after the first answer.
func leaveTalk(t *testing.T, kept *store.Store, iv *engine.Interview) {
	t.Helper()
	j, err := kept.Create(t.Context(), "AJ_old")
	if err == nil {
		err = kept.SaveSession(t.Context(), store.Session{ID: "AJ_old", Kind: iv.Def.Kind, Definition: iv.Def.Hash(), Room: "room", State: store.Live, Began: time.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, ev := range []engine.Event{
		engine.Started{Session: "AJ_old", Kind: iv.Def.Kind, DefHash: iv.Def.Hash(), Locale: iv.Words.Locale(), Candidate: jordan},
		engine.UserTurn{Text: "The input is an array of numbers, and I keep a hash map from value to index.", Confidence: 0.9, Began: 1000},
	} {
		e, err := engine.Encode(uint64(n+1), state.Millis(5000*n), ev)
		if err == nil {
			err = j.Append(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
