package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{run: lasting(time.Minute)}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		start := time.Now()
		drained := make(chan error, 1)
		go func() { drained <- r.worker.Drain(t.Context()) }()
		synctest.Wait()
		if r.lastStatus().GetStatus() != livekit.WorkerStatus_WS_FULL || time.Since(start) != 0 {
			t.Errorf("status = %v, want full at once", r.lastStatus())
		}
		if _, err := r.dispatch(); !errors.Is(err, workertest.ErrNoWorker) {
			t.Errorf("dispatch while draining = %v, want ErrNoWorker", err)
		}
		if err := <-drained; err != nil {
			t.Errorf("Drain = %v, want nil", err)
		}
		if <-r.done; r.err != nil || r.result(id) != livekit.JobStatus_JS_SUCCESS {
			t.Errorf("Run = %v, result = %v; want nil and success", r.err, r.result(id))
		}
		if took := time.Since(start); took < time.Minute || took > 61*time.Second {
			t.Errorf("drained in %v, want a minute, the job's time", took)
		}
	})
}

// The status says full on each tick, also over a connection made during the drain, whose offers are refused.
func TestDrainSurvivesReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, nil)
		r.mustDispatch()
		synctest.Wait()
		go func() { _ = r.worker.Drain(t.Context()) }()
		synctest.Wait()
		before := len(messages(r, (*livekit.WorkerMessage).GetUpdateWorker))
		r.server.Drop()
		time.Sleep(10 * time.Second)
		r.awaitWorkers(1)
		statuses := messages(r, (*livekit.WorkerMessage).GetUpdateWorker)[before:]
		if len(statuses) < 3 {
			t.Errorf("statuses after reconnecting = %d, want one at once and on each tick", len(statuses))
		}
		for _, s := range statuses {
			if s.GetStatus() != livekit.WorkerStatus_WS_FULL {
				t.Errorf("status = %v, want full", s)
			}
		}
		if _, err := r.dispatch(); !errors.Is(err, workertest.ErrNoWorker) {
			t.Errorf("dispatch while draining = %v, want ErrNoWorker", err)
		}
	})
}

func TestDrainOfIdleWorkerIsImmediate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, nil)
		start := time.Now()
		if err := r.worker.Drain(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("Drain = %v in %v, want nil at once", err, time.Since(start))
		}
		if <-r.done; r.err != nil {
			t.Errorf("Run = %v, want nil", r.err)
		}
		if err := r.worker.Drain(t.Context()); err != nil {
			t.Errorf("second Drain = %v, want nil", err)
		}
	})
}

// Jobs that are cut short know why, are reported as failed, and leave.
func TestJobsCutShort(t *testing.T) {
	tests := map[string]struct {
		end   func(*rig)
		cause error
		after time.Duration
	}{
		"drain limit": {func(r *rig) {
			if err := r.worker.Drain(r.t.Context()); !errors.Is(err, worker.ErrDrainTimeout) {
				r.t.Errorf("Drain = %v, want ErrDrainTimeout", err)
			}
		}, worker.ErrDrainTimeout, 10 * time.Minute},
		"drain's context": {func(r *rig) {
			ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
			defer cancel()
			_ = r.worker.Drain(ctx)
		}, worker.ErrDrainTimeout, time.Minute},
		"second signal": {func(r *rig) {
			go func() { _ = r.worker.Drain(r.t.Context()) }()
			time.Sleep(time.Second)
			r.cancel()
		}, worker.ErrStopped, time.Second},
		"stop": {func(r *rig) { r.cancel() }, worker.ErrStopped, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r *rig
				var atLeaving *livekit.JobState
				handler := &interviewer{leave: func(_ context.Context, job worker.Job) error {
					atLeaving = r.server.JobState(job.ID)
					return nil
				}}
				r = newRig(t, handler, func(o *worker.Options) { o.DrainTimeout = 10 * time.Minute })
				r.mustDispatch()
				time.Sleep(time.Second)
				start := time.Now()
				test.end(r)
				<-r.done
				if r.err != nil || time.Since(start) != test.after {
					t.Errorf("Run = %v after %v, want nil after %v", r.err, time.Since(start), test.after)
				}
				if !errors.Is(handler.cause(), test.cause) {
					t.Errorf("cause = %v, want %v", handler.cause(), test.cause)
				}
				if atLeaving.GetStatus() != livekit.JobStatus_JS_FAILED || atLeaving.GetError() != test.cause.Error() {
					t.Errorf("state when leaving = %v, want failed: %v", atLeaving, test.cause)
				}
			})
		})
	}
}

func TestJobThatWillNotEndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		handler := &interviewer{run: func(context.Context, worker.Job) error {
			<-release
			return nil
		}}
		r := newRig(t, handler, nil)
		r.mustDispatch()
		synctest.Wait()
		start := time.Now()
		err := r.stop()
		if !errors.Is(err, worker.ErrStuckJobs) || time.Since(start) != worker.DefaultStopTimeout {
			t.Errorf("Run = %v after %v, want ErrStuckJobs after %v", err, time.Since(start), worker.DefaultStopTimeout)
		}
		close(release)
		synctest.Wait()
	})
}
