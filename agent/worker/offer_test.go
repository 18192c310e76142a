package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

func TestAnswers(t *testing.T) {
	tests := map[string]struct {
		decision worker.Decision
		want     *livekit.AvailabilityResponse
	}{
		"accept": {
			worker.Decision{Accept: true},
			&livekit.AvailabilityResponse{
				Available: true, ParticipantIdentity: "agent-AJ_test", ParticipantAttributes: map[string]string{"lk.agent.name": "viva"},
			},
		},
		"accept as somebody": {
			worker.Decision{
				Accept: true, Name: "Viva",
				Attributes: map[string]string{"lk.agent.name": "other", "kind": "two_stage"},
			},
			&livekit.AvailabilityResponse{
				Available: true, ParticipantIdentity: "agent-AJ_test", ParticipantName: "Viva",
				ParticipantAttributes: map[string]string{"lk.agent.name": "other", "kind": "two_stage"},
			},
		},
		"accept with text that is not UTF-8": {
			worker.Decision{Accept: true, Name: "a\xffb"},
			&livekit.AvailabilityResponse{
				Available: true, ParticipantIdentity: "agent-AJ_test", ParticipantName: "a\uFFFDb",
				ParticipantAttributes: map[string]string{"lk.agent.name": "viva"},
			},
		},
		"reject": {worker.Decision{Reason: "unknown interview"}, &livekit.AvailabilityResponse{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var offered worker.Job
				r := newRig(t, &interviewer{accept: func(_ context.Context, job worker.Job) worker.Decision {
					offered = job
					return test.decision
				}}, nil)
				outcome, err := r.server.Dispatch(t.Context(), &livekit.Job{Id: "AJ_test", AgentName: "viva", Metadata: "{}"})
				rejected := errors.Is(err, workertest.ErrNoWorker)
				if rejected == test.decision.Accept {
					t.Errorf("dispatch: %v", err)
				}
				test.want.JobId = "AJ_test"
				if diff := cmp.Diff(test.want, outcome.Answer, protocmp.Transform()); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
				if offered.ID != "AJ_test" || offered.Metadata != "{}" || offered.RoomName != "room-AJ_test" || offered.Token != "" {
					t.Errorf("offered job = %#v", offered)
				}
			})
		})
	}
}

// A rejection leaves the job to others.
func TestRejectAsksOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{accept: func(context.Context, worker.Job) worker.Decision { return worker.Decision{} }}, nil)
		second := &interviewer{}
		startWorker(t, r.server, second, nil)
		r.awaitWorkers(2)
		outcome, err := r.dispatch()
		synctest.Wait()
		if err != nil || len(outcome.Asked) != 2 || len(second.joins()) != 1 {
			t.Errorf("asked %v, second joined %d, error %v", outcome.Asked, len(second.joins()), err)
		}
	})
}

// A handler that does not decide costs one second and nothing else: the job goes to another worker.
func TestAnswersWithinBudgetWhateverTheHandlerDoes(t *testing.T) {
	tests := map[string]struct {
		accept func(context.Context, worker.Job) worker.Decision
		took   time.Duration
	}{
		"waits for its context": {func(ctx context.Context, _ worker.Job) worker.Decision {
			<-ctx.Done()
			return worker.Decision{Accept: true}
		}, time.Second},
		"hangs": {func(context.Context, worker.Job) worker.Decision {
			time.Sleep(time.Minute)
			return worker.Decision{Accept: true}
		}, time.Second},
		"panics": {func(context.Context, worker.Job) worker.Decision { panic("boom") }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				first := &interviewer{accept: func(ctx context.Context, job worker.Job) worker.Decision {
					calls.Add(1)
					return test.accept(ctx, job)
				}}
				r := newRig(t, first, func(o *worker.Options) { o.StopTimeout = 2 * time.Minute })
				second := &interviewer{}
				startWorker(t, r.server, second, nil)
				r.awaitWorkers(2)
				start := time.Now()
				outcome, err := r.dispatch()
				if err != nil || len(outcome.Asked) != 2 || time.Since(start) != test.took {
					t.Errorf("asked %v in %v, error %v; want both in %v", outcome.Asked, time.Since(start), err, test.took)
				}
				synctest.Wait()
				if calls.Load() != 1 || len(first.joins()) != 0 || len(second.joins()) != 1 {
					t.Errorf("joins: first %d, second %d; want 0 and 1", len(first.joins()), len(second.joins()))
				}
			})
		})
	}
}

// Handlers that hang hold their places, so that they fill the worker and not the memory.
func TestHangingHandlersFillTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		handler := &interviewer{accept: func(context.Context, worker.Job) worker.Decision {
			calls.Add(1)
			time.Sleep(time.Hour)
			return worker.Decision{}
		}}
		r := newRig(t, handler, func(o *worker.Options) { o.MaxJobs, o.StopTimeout = 2, 2*time.Hour })
		for range 4 {
			if _, err := r.dispatch(); !errors.Is(err, workertest.ErrNoWorker) {
				t.Errorf("dispatch = %v, want ErrNoWorker", err)
			}
		}
		if calls.Load() != 2 || r.lastStatus().GetStatus() != livekit.WorkerStatus_WS_FULL {
			t.Errorf("calls = %d, status = %v; want 2 and full", calls.Load(), r.lastStatus())
		}
	})
}

// The server's own gate is at 0.7; the worker's threshold too.
func TestLoadBoundary(t *testing.T) {
	tests := map[string]struct {
		load      float64
		threshold float64
		status    livekit.WorkerStatus
		served    bool
	}{
		"under":                    {0.69, 0.7, livekit.WorkerStatus_WS_AVAILABLE, true},
		"at":                       {0.70, 0.7, livekit.WorkerStatus_WS_FULL, false},
		"over":                     {0.90, 0.7, livekit.WorkerStatus_WS_FULL, false},
		"over, higher threshold":   {0.90, 0.95, livekit.WorkerStatus_WS_AVAILABLE, true},
		"under, lower threshold":   {0.29, 0.3, livekit.WorkerStatus_WS_AVAILABLE, true},
		"over the lower threshold": {0.31, 0.3, livekit.WorkerStatus_WS_FULL, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &interviewer{}, func(o *worker.Options) {
					o.LoadFunc = func() float64 { return test.load }
					o.LoadThreshold = test.threshold
				})
				r.await("status", func() bool { return r.lastStatus().Status != nil })
				synctest.Wait()
				if got := r.lastStatus().GetStatus(); got != test.status {
					t.Errorf("status = %v, want %v", got, test.status)
				}
				if _, err := r.dispatch(); (err == nil) != test.served {
					t.Errorf("dispatch = %v, want served = %v", err, test.served)
				}
			})
		})
	}
}

// A worker whose load rose since its last status refuses by itself.
func TestRefusesWhenLoadHasRisen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var busy atomic.Bool
		handler := &interviewer{}
		r := newRig(t, handler, func(o *worker.Options) {
			o.LoadFunc = func() float64 {
				if busy.Load() {
					return 0.8
				}
				return 0
			}
		})
		busy.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		outcome, err := r.dispatch()
		if !errors.Is(err, workertest.ErrNoWorker) || len(outcome.Asked) != 1 {
			t.Errorf("outcome %+v, error %v; want one plain refusal", outcome, err)
		}
	})
}

// Jobs over MaxJobs are load: at the threshold of 0.7 seven of ten are taken, at 1 all ten, and never one more.
func TestJobsAreLoad(t *testing.T) {
	for threshold, taken := range map[float64]int{0.7: 7, 1: 10} {
		t.Run(fmt.Sprint("threshold ", threshold), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &interviewer{}
				r := newRig(t, handler, func(o *worker.Options) { o.MaxJobs, o.LoadThreshold = 10, threshold })
				for range taken {
					r.mustDispatch()
					synctest.Wait()
				}
				if _, err := r.dispatch(); !errors.Is(err, workertest.ErrNoWorker) {
					t.Errorf("dispatch %d = %v, want ErrNoWorker", taken+1, err)
				}
				if s := r.lastStatus(); s.GetStatus() != livekit.WorkerStatus_WS_FULL || int(s.GetJobCount()) != taken {
					t.Errorf("status = %v, want full with %d jobs", s, taken)
				}
				if err := r.server.Terminate(handler.joins()[0].ID); err != nil {
					t.Fatal(err)
				}
				r.await("room again", func() bool { return r.lastStatus().GetStatus() == livekit.WorkerStatus_WS_AVAILABLE })
				synctest.Wait() // the server has noted it, and may not have acted on it
				r.mustDispatch()
			})
		})
	}
}

// Unless a number is set, a worker takes as many as fit. What was accepted a moment ago counts before it can be measured, and
// the log says once what the worker is full of.
func TestBurstTakesWhatFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("NUM_CPUS", "2")
		r := newRig(t, &interviewer{}, func(o *worker.Options) { o.JobCost = worker.Cost{CPU: 0.1} })
		taken := 0
		for {
			if _, err := r.dispatch(); err != nil {
				break
			}
			taken++
			synctest.Wait()
		}
		if taken != 14 {
			t.Errorf("took %d jobs of a tenth of a core each, want 14: seven tenths of two cores", taken)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if full := r.logs.FilterMessage("worker.full").All(); len(full) != 1 || full[0].ContextMap()["reason"] != "jobs" {
			t.Errorf("log = %v, want one line that jobs made the worker full", full)
		}
	})
}

// Slow answers make a worker full, however little CPU it gets, until they have become quick again.
func TestSlowAnswersMakeFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := new(worker.Answers)
		r := newRig(t, &interviewer{}, func(o *worker.Options) { o.Answers = answers })
		id := r.mustDispatch()
		for _, step := range []struct {
			took   time.Duration
			status livekit.WorkerStatus
		}{
			{5 * time.Millisecond, livekit.WorkerStatus_WS_AVAILABLE}, {100 * time.Millisecond, livekit.WorkerStatus_WS_FULL},
			{5 * time.Millisecond, livekit.WorkerStatus_WS_AVAILABLE},
		} {
			for range 70 { // a minute and a bit
				answers.Took(step.took)
				time.Sleep(time.Second)
			}
			synctest.Wait()
			if got := r.lastStatus(); got.GetStatus() != step.status || (got.GetLoad() == 1) != (step.status == livekit.WorkerStatus_WS_FULL) {
				t.Errorf("with answers of %v: status %v, want %v", step.took, got, step.status)
			}
		}
		for range 70 {
			answers.Took(time.Second)
		}
		time.Sleep(3 * time.Second)
		if load := r.worker.Load(); load != 1 {
			t.Errorf("load = %v with slow answers, want 1", load)
		}
		if err := r.server.Terminate(id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if load := r.worker.Load(); load == 1 {
			t.Error("a worker without jobs is full of the answers of those that it had")
		}
		if full := r.logs.FilterMessage("worker.full").All(); len(full) == 0 || full[0].ContextMap()["reason"] != "slow answers" {
			t.Errorf("log = %v, want that answers made the worker full", full)
		}
	})
}

// Older servers pass on metadata of any size.
func TestHugeMetadataReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, nil)
		_, err := r.server.Dispatch(t.Context(), &livekit.Job{AgentName: "viva", Metadata: strings.Repeat("x", 1<<20)})
		synctest.Wait()
		if err != nil || len(handler.joins()) != 1 || len(handler.joins()[0].Metadata) != 1<<20 || r.server.Attempts() != 1 {
			t.Errorf("dispatch = %v, joins = %d, connections = %d; want one job with all of it", err, len(handler.joins()), r.server.Attempts())
		}
	})
}

// Places that are accepted but not assigned count, and are freed when the assignment does not come.
func TestReservedPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, func(o *worker.Options) { o.MaxJobs = 1 })
		r.server.Behave(workertest.Behaviour{HoldAssignment: 8 * time.Second})
		start := time.Now()
		late := make(chan struct{})
		go func() {
			defer close(late)
			_, _ = r.dispatch()
		}()
		synctest.Wait()
		if s := r.lastStatus(); s.GetStatus() != livekit.WorkerStatus_WS_FULL || s.GetJobCount() != 0 {
			t.Errorf("status while reserved = %v, want full without jobs", s)
		}
		r.await("place freed", func() bool { return r.lastStatus().GetStatus() == livekit.WorkerStatus_WS_AVAILABLE })
		if took := time.Since(start); took != worker.AssignmentTimeout {
			t.Errorf("place freed after %v, want %v", took, worker.AssignmentTimeout)
		}
		<-late
		synctest.Wait()
		if len(handler.joins()) != 0 || r.logged("job.assignment.unknown") != 1 {
			t.Error("a late assignment must be logged and ignored")
		}
	})
}

func TestOfferOfARunningJobIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := &interviewer{}
		r := newRig(t, handler, nil)
		id := r.mustDispatch()
		synctest.Wait()
		_, err := r.server.Dispatch(t.Context(), &livekit.Job{Id: id, AgentName: "viva"})
		if !errors.Is(err, workertest.ErrNoWorker) || len(handler.joins()) != 1 {
			t.Errorf("dispatch = %v, joins = %d; want a refusal and one join", err, len(handler.joins()))
		}
	})
}
