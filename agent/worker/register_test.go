package worker_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/agent/worker/workertest"
)

func TestRegistersAndReportsStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, func(o *worker.Options) {
			o.LoadFunc = func() float64 { return 0.25 }
		})
		start := time.Now()
		time.Sleep(10 * time.Second)
		synctest.Wait()

		want := &livekit.RegisterWorkerRequest{
			Type: livekit.JobType_JT_ROOM, AgentName: "viva", Version: "1.2.3",
			AllowedPermissions: &livekit.ParticipantPermission{
				CanPublish: true, CanSubscribe: true, CanPublishData: true, CanUpdateMetadata: true,
			},
		}
		received := r.server.Received()
		if diff := cmp.Diff(want, received[0].Message.GetRegister(), protocmp.Transform()); diff != "" {
			t.Errorf("first message (-want +got):\n%s", diff)
		}
		var at []time.Duration
		for _, m := range received[1:] {
			status := m.Message.GetUpdateWorker()
			if status.GetStatus() != livekit.WorkerStatus_WS_AVAILABLE || status.GetLoad() != 0.25 {
				t.Errorf("status = %v, want available at load 0.25", status)
			}
			at = append(at, m.At.Sub(start))
		}
		ticks := []time.Duration{0, 2500 * time.Millisecond, 5 * time.Second, 7500 * time.Millisecond, 10 * time.Second}
		if diff := cmp.Diff(ticks, at); diff != "" {
			t.Errorf("times of statuses (-want +got):\n%s", diff)
		}
		// Tools that start agents wait for these words.
		if r.logged("registered worker") != 1 {
			t.Error(`log lacks "registered worker"`)
		}
		if r.server.Pings() != 1 {
			t.Errorf("WebSocket pings in 10 s = %d, want 1", r.server.Pings())
		}
	})
}

func TestStopsCleanly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, nil)
		if err := r.stop(); err != nil {
			t.Errorf("Run = %v, want nil after its context ended", err)
		}
		r.awaitWorkers(0)
		if err := r.worker.Run(t.Context()); !errors.Is(err, worker.ErrAlreadyRun) {
			t.Errorf("second Run = %v, want ErrAlreadyRun", err)
		}
	})
}

func TestIgnoresWhatItDoesNotUnderstand(t *testing.T) {
	goAway := protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), []byte{})
	tests := map[string]func(*workertest.Server) error{
		"message of a newer server": func(s *workertest.Server) error { return s.SendFrame(websocket.BinaryMessage, goAway) },
		"empty message":             func(s *workertest.Server) error { return s.SendFrame(websocket.BinaryMessage, nil) },
		"garbage": func(s *workertest.Server) error {
			return s.SendFrame(websocket.BinaryMessage, []byte{0xff, 0xff, 0xff})
		},
		"text": func(s *workertest.Server) error { return s.SendFrame(websocket.TextMessage, []byte(`{"pong":{}}`)) },
		"second registration": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Register{
				Register: &livekit.RegisterWorkerResponse{WorkerId: "AW_other"},
			}})
		},
		"unknown pong": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Pong{Pong: &livekit.WorkerPong{LastTimestamp: 4}}})
		},
		"unknown assignment": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Assignment{
				Assignment: &livekit.JobAssignment{Job: &livekit.Job{Id: "AJ_unknown"}},
			}})
		},
		"assignment without a job": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Assignment{}})
		},
		"unknown termination": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Termination{
				Termination: &livekit.JobTermination{JobId: "AJ_unknown"},
			}})
		},
		"offer without a job": func(s *workertest.Server) error {
			return s.Send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Availability{
				Availability: &livekit.AvailabilityRequest{},
			}})
		},
	}
	for name, send := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &interviewer{}
				r := newRig(t, handler, nil)
				if err := send(r.server); err != nil {
					t.Fatal(err)
				}
				r.mustDispatch()
				synctest.Wait()
				if len(handler.joins()) != 1 || r.server.Attempts() != 1 {
					t.Errorf("joins = %d, connections = %d, want 1 of each", len(handler.joins()), r.server.Attempts())
				}
			})
		})
	}
}

// A refused key is final at start-up, and says which settings to look at.
func TestWrongKeyOrSecretStopsAtOnce(t *testing.T) {
	tests := map[string]func(*worker.Options){
		"wrong secret": func(o *worker.Options) { o.APISecret = "not-the-secret-but-long-enough-to-be-one" },
		"wrong key":    func(o *worker.Options) { o.APIKey = "unknown" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := workertest.NewServer(workertest.Options{})
				defer server.Close()
				r := startWorker(t, server, &interviewer{}, change)
				<-r.done
				if !errors.Is(r.err, worker.ErrUnauthorized) || server.Attempts() != 1 {
					t.Fatalf("Run = %v after %d attempts, want ErrUnauthorized after 1", r.err, server.Attempts())
				}
				for _, setting := range []string{"LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"} {
					if !strings.Contains(r.err.Error(), setting) {
						t.Errorf("error %q does not name %s", r.err, setting)
					}
				}
			})
		})
	}
}

// Once registered, a refusal may be a key that is being changed.
func TestRefusalAfterRegistrationIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &interviewer{}, nil)
		r.server.Behave(workertest.Behaviour{HTTPStatus: http.StatusUnauthorized})
		r.server.Drop()
		r.await("three refusals", func() bool { return r.server.Attempts() >= 4 })
		r.server.Behave(workertest.Behaviour{})
		r.awaitWorkers(1)
	})
}

func TestConnectErrors(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	tests := map[string]struct {
		behaviour workertest.Behaviour
		want      error
		says      string
	}{
		"web page":     {workertest.Behaviour{HTTPStatus: 200, HTTPBody: "<html>hello</html>"}, worker.ErrNotLiveKit, "LIVEKIT_URL"},
		"not found":    {workertest.Behaviour{HTTPStatus: 404}, worker.ErrNotLiveKit, "/agent"},
		"bad gateway":  {workertest.Behaviour{HTTPStatus: 502}, worker.ErrNotLiveKit, "502"},
		"no such host": {workertest.Behaviour{DialError: &net.DNSError{Err: "no such host", Name: "livekti"}}, worker.ErrNameLookup, "spelling"},
		"nobody there": {workertest.Behaviour{DialError: refused}, worker.ErrUnreachable, "127.0.0.1:7880"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := workertest.NewServer(workertest.Options{})
				defer server.Close()
				server.Behave(test.behaviour)
				r := startWorker(t, server, &interviewer{}, func(o *worker.Options) { o.MaxRetries = 2 })
				<-r.done
				if !errors.Is(r.err, test.want) || !strings.Contains(r.err.Error(), test.says) {
					t.Errorf("Run = %v, want %v with %q in it", r.err, test.want, test.says)
				}
				if server.Attempts() != 3 {
					t.Errorf("attempts = %d, want 3 for two retries", server.Attempts())
				}
			})
		})
	}
}

// The same over real sockets.
func TestRealSockets(t *testing.T) {
	server := workertest.NewServer(workertest.Options{})
	defer server.Close()
	front := httptest.NewServer(server)
	defer front.Close()
	running := make(chan struct{})
	handler := &interviewer{run: func(ctx context.Context, _ worker.Job) error {
		close(running)
		<-ctx.Done()
		return nil
	}}
	r := startWorker(t, server, handler, func(o *worker.Options) { o.URL, o.Dial = front.URL+"/", nil })
	r.awaitWorkers(1)
	id := r.mustDispatch()
	<-running
	if err := server.Terminate(id); err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err != nil {
		t.Errorf("Run = %v", err)
	}
	if jobs := handler.joins(); len(jobs) != 1 || jobs[0].Token == "" || jobs[0].URL != front.URL+"/" {
		t.Errorf("joined %v, want the dispatched job with a token and the server's URL", jobs)
	}
}

func TestStopInterruptsHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := workertest.NewServer(workertest.Options{})
		defer server.Close()
		silent, remote := net.Pipe()
		defer func() { _ = remote.Close() }()
		r := startWorker(t, server, &interviewer{}, func(o *worker.Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) { return silent, nil }
		})
		synctest.Wait()
		start := time.Now()
		if err := r.stop(); err != nil || time.Since(start) != 0 {
			t.Errorf("Run = %v, %v after its context ended; want nil at once", err, time.Since(start))
		}
	})
}
