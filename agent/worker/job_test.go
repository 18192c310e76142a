package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

// The result is in the server's books before the agent leaves, so that leaving makes no failure of it.
func TestResultPrecedesLeaving(t *testing.T) {
	boom := errors.New("no such interview: chess")
	tests := map[string]struct {
		handler *interviewer
		status  livekit.JobStatus
		text    string
	}{
		"success":   {&interviewer{run: func(context.Context, worker.Job) error { return nil }}, livekit.JobStatus_JS_SUCCESS, ""},
		"failure":   {&interviewer{run: func(context.Context, worker.Job) error { return boom }}, livekit.JobStatus_JS_FAILED, boom.Error()},
		"panic":     {&interviewer{run: func(context.Context, worker.Job) error { panic("ouch") }}, livekit.JobStatus_JS_FAILED, "internal error in job.run (string)"},
		"long text": {&interviewer{run: func(context.Context, worker.Job) error { return errors.New(strings.Repeat("é", 600)) }}, livekit.JobStatus_JS_FAILED, strings.Repeat("é", 512)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r *rig
				var atLeaving *livekit.JobState
				test.handler.leave = func(_ context.Context, job worker.Job) error {
					atLeaving = r.server.JobState(job.ID)
					return r.server.LeaveRoom(job.ID)
				}
				r = newRig(t, test.handler, nil)
				id := r.mustDispatch()
				time.Sleep(time.Second)
				synctest.Wait()
				if atLeaving.GetStatus() != test.status || atLeaving.GetError() != test.text {
					t.Errorf("state when leaving = %v, want %v %q", atLeaving, test.status, test.text)
				}
				if got := r.server.JobState(id); got.GetStatus() != test.status {
					t.Errorf("state after leaving = %v, want %v", got, test.status)
				}
				if r.logged("job.termination.unknown") != 0 {
					t.Error("the server sent a termination: it saw the agent leave before the result")
				}
				if r.worker.ActiveJobs() != 0 {
					t.Errorf("active jobs = %d, want 0", r.worker.ActiveJobs())
				}
			})
		})
	}
}

// A job that cannot be done gets its reason into the job's status, even on servers that enter jobs late.
func TestFailedJoinIsRecorded(t *testing.T) {
	tests := map[string]struct {
		join   func(context.Context, worker.Job) error
		reason string
	}{
		"error": {func(context.Context, worker.Job) error { return errors.New("metadata is not JSON") }, "metadata is not JSON"},
		"panic": {func(context.Context, worker.Job) error { panic("somebody's words") }, "internal error in job.join (string)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &interviewer{join: test.join}
				r := newRig(t, handler, nil)
				r.server.Behave(workertest.Behaviour{RecordDelay: 200 * time.Millisecond})
				id := r.mustDispatch()
				time.Sleep(time.Second)
				synctest.Wait()
				state := r.server.JobState(id)
				if state.GetStatus() != livekit.JobStatus_JS_FAILED || !strings.Contains(state.GetError(), test.reason) {
					t.Errorf("state = %v, want failed with the reason", state)
				}
				if len(handler.leaves()) != 0 {
					t.Error("left a room that was not joined")
				}
			})
		})
	}
}

func TestTerminationEndsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		start := time.Now()
		if err := r.server.Terminate(id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(handler.leaves()) != 1 || time.Since(start) != 0 {
			t.Errorf("left %v in %v, want at once", handler.leaves(), time.Since(start))
		}
		if !errors.Is(handler.cause(), worker.ErrTerminated) {
			t.Errorf("cause = %v, want ErrTerminated", handler.cause())
		}
		if got := r.server.JobState(id).GetStatus(); got != livekit.JobStatus_JS_SUCCESS {
			t.Errorf("status = %v, want the success the server entered itself", got)
		}
	})
}

func TestSlowLeavingIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limited bool
		handler := &interviewer{leave: func(ctx context.Context, _ worker.Job) error {
			time.Sleep(4 * time.Second)
			limited = ctx.Err() != nil
			return ctx.Err()
		}}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		if err := r.server.Terminate(id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2900 * time.Millisecond)
		synctest.Wait()
		early := r.logged("job.leave.slow")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if early != 0 || r.logged("job.leave.slow") != 1 || !limited {
			t.Errorf("slow leaving logged %d times before 3 s, %d after; context limited: %v", early, r.logged("job.leave.slow"), limited)
		}
	})
}

// Without an acknowledgement the agent still leaves, a second later.
func TestUnconfirmedResultDoesNotHoldTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{run: lasting(time.Minute)}
		r := newRig(t, handler, nil)
		r.mustDispatch()
		time.Sleep(59 * time.Second)
		r.server.Behave(workertest.Behaviour{Mute: true})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(handler.leaves()) != 1 || r.logged("job.result.unconfirmed") != 1 {
			t.Errorf("left %v, log says unconfirmed %d times; want one of each", handler.leaves(), r.logged("job.result.unconfirmed"))
		}
	})
}

// No secret and no candidate's data reach the log, at any level.
func TestSecretsAreNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		if err := r.server.Terminate(id); err != nil {
			t.Fatal(err)
		}
		if _, err := r.dispatch(); err != nil {
			t.Fatal(err)
		}
		_ = r.stop()
		job := handler.joins()[0]
		printed := logText(t, r) + fmt.Sprintf("%v %+v %#v %s", job, job, job, job) + fmt.Sprintf("%v %+v %#v", &job, &job, &job)
		encoded, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		printed += string(encoded)
		if job.Token == "" {
			t.Fatal("job has no token to look for")
		}
		for _, secret := range []string{job.Token, workertest.DefaultAPISecret, "turn-secret", "Jordan"} {
			if strings.Contains(printed, secret) {
				t.Errorf("printed text contains %q", secret)
			}
		}
		if !strings.Contains(printed, id) {
			t.Error("printed text does not name the job")
		}
	})
}

// logText is everything logged, as JSON.
func logText(t *testing.T, r *rig) string {
	t.Helper()
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	var text strings.Builder
	for _, entry := range r.logs.All() {
		line, err := encoder.EncodeEntry(entry.Entry, entry.Context)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(line.Bytes())
	}
	return text.String()
}
