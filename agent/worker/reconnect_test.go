package worker_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

// A server restart does not touch running jobs: no cancel, no second join, and the new connection hears of them.
func TestReconnectKeepsJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{run: lasting(time.Minute)}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		r.server.Drop()
		r.await("new connection", func() bool { return len(messages(r, (*livekit.WorkerMessage).GetMigrateJob)) == 1 })
		if got := messages(r, (*livekit.WorkerMessage).GetMigrateJob)[0].GetJobIds(); !cmp.Equal(got, []string{id}) {
			t.Errorf("migrated %v, want %v", got, id)
		}
		r.await("result", func() bool { return r.result(id) == livekit.JobStatus_JS_SUCCESS })
		time.Sleep(time.Second)
		synctest.Wait()
		if len(handler.joins()) != 1 || len(handler.leaves()) != 1 || handler.cause() != nil {
			t.Errorf("joins %d, leaves %d, cause %v; want one, one, none", len(handler.joins()), len(handler.leaves()), handler.cause())
		}
		r.mustDispatch()
	})
}

// result is the last status of the job that any worker reported.
func (r *rig) result(jobID string) livekit.JobStatus {
	last := livekit.JobStatus_JS_PENDING
	for _, u := range messages(r, (*livekit.WorkerMessage).GetUpdateJob) {
		if u.GetJobId() == jobID {
			last = u.GetStatus()
		}
	}
	return last
}

// A result that falls due while there is no connection is delivered on the next, and does not keep the agent in the room.
func TestResultWaitsForConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{run: func(context.Context, worker.Job) error {
			time.Sleep(30 * time.Second)
			return errors.New("candidate left")
		}}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		r.server.Behave(workertest.Behaviour{DialError: errors.New("down")})
		r.server.Drop()
		time.Sleep(31 * time.Second)
		if len(handler.leaves()) != 1 {
			t.Error("agent is still in the room")
		}
		r.server.Behave(workertest.Behaviour{})
		r.await("result", func() bool { return r.result(id) == livekit.JobStatus_JS_FAILED })
	})
}

// An accepted job whose connection drops before the assignment is another worker's.
func TestDropBeforeAssignmentFreesThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, func(o *worker.Options) { o.MaxJobs = 1 })
		r.server.Behave(workertest.Behaviour{HoldAssignment: 5 * time.Second})
		over := make(chan struct{})
		go func() {
			defer close(over)
			_, _ = r.dispatch()
		}()
		synctest.Wait()
		r.server.Drop()
		<-over
		synctest.Wait()
		r.server.Behave(workertest.Behaviour{})
		r.awaitWorkers(1)
		synctest.Wait()
		r.mustDispatch()
		synctest.Wait()
		if len(handler.joins()) != 1 {
			t.Errorf("joins = %d, want 1", len(handler.joins()))
		}
	})
}

// attemptTimes lists when the first attempts to connect were made.
func attemptTimes(t *testing.T, behaviour workertest.Behaviour, count int) []time.Duration {
	t.Helper()
	server := workertest.NewServer(workertest.Options{})
	defer server.Close()
	server.Behave(behaviour)
	start := time.Now()
	var times []time.Duration // the dialling goroutine's until enough is closed
	enough := make(chan struct{})
	r := startWorker(t, server, &interviewer{}, func(o *worker.Options) {
		o.MaxRetries = -1
		o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if len(times) < count {
				times = append(times, time.Since(start))
				if len(times) == count {
					close(enough)
				}
			}
			return server.Dial(ctx, network, addr)
		}
	})
	<-enough
	if err := r.stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	return times
}

// Attempts that do not lead to a registration wait longer each time; opening a socket resets nothing.
func TestBackoffGrowsUntilRegistered(t *testing.T) {
	tests := map[string]struct {
		behaviour workertest.Behaviour
		attempt   time.Duration // how long each takes
	}{
		"unreachable":          {workertest.Behaviour{DialError: errors.New("down")}, 0},
		"registration ignored": {workertest.Behaviour{IgnoreRegister: true}, 10 * time.Second},
	}
	most := []time.Duration{500 * time.Millisecond, 2 * time.Second, 4 * time.Second, 6 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				times := attemptTimes(t, test.behaviour, len(most)+1)
				for i, limit := range most {
					wait := times[i+1] - times[i] - test.attempt
					if wait < limit/2 || wait > limit {
						t.Errorf("wait %d = %v, want %v to %v", i+1, wait, limit/2, limit)
					}
				}
			})
		})
	}
}

// A server that registers workers and drops them resets the backoff, but is not hammered.
func TestRegisteredAndDroppedIsNotABusyLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := attemptTimes(t, workertest.Behaviour{DropRegistered: true}, 20)
		for i := 1; i < len(times); i++ {
			if wait := times[i] - times[i-1]; wait < 250*time.Millisecond || wait > 500*time.Millisecond {
				t.Errorf("wait %d = %v, want 250 to 500 ms", i, wait)
			}
		}
	})
}

// Each attempt has a token of its own: the first one's would have expired.
func TestReconnectsAfterTokenLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, nil)
		time.Sleep(3 * time.Hour)
		if r.server.Attempts() != 1 {
			t.Fatalf("connections in three quiet hours = %d, want 1", r.server.Attempts())
		}
		r.server.Drop()
		r.await("second connection", func() bool { return r.server.Attempts() == 2 && len(r.server.Workers()) == 1 })
	})
}

// A connection on which nothing comes, or nothing can be written, is given up.
func TestHalfOpenConnectionIsReplaced(t *testing.T) {
	tests := map[string]struct {
		behaviour workertest.Behaviour
		within    time.Duration
	}{
		"mute":   {workertest.Behaviour{Mute: true}, 32 * time.Second},
		"frozen": {workertest.Behaviour{Mute: true, Frozen: true}, 15 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &interviewer{}, nil)
				start := time.Now()
				r.server.Behave(test.behaviour)
				r.await("loss", func() bool { return !r.worker.Registered() })
				if took := time.Since(start); took > test.within {
					t.Errorf("noticed after %v, want within %v", took, test.within)
				}
				r.server.Behave(workertest.Behaviour{})
				r.await("replacement", r.worker.Registered)
			})
		})
	}
}

// When the server stays away, interviews still end in their own time; then Run fails.
func TestGivingUpLetsJobsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{run: lasting(time.Hour / 2)}
		r := newRig(t, handler, func(o *worker.Options) { o.MaxRetries = 3 })
		r.mustDispatch()
		synctest.Wait()
		r.server.Behave(workertest.Behaviour{DialError: errors.New("down")})
		r.server.Drop()
		<-r.done
		if !errors.Is(r.err, worker.ErrUnreachable) || handler.cause() != nil {
			t.Errorf("Run = %v, job's cause %v; want ErrUnreachable and an undisturbed job", r.err, handler.cause())
		}
	})
}
