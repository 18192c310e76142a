package workertest_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/vivavoice/viva/agent/worker/workertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is a worker that does what the test says.
type peer struct {
	t        *testing.T
	conn     *websocket.Conn
	incoming chan *livekit.ServerMessage // closed when the connection ends
}

func dial(t *testing.T, s *workertest.Server, path string, grant *auth.VideoGrant, secret string) (*websocket.Conn, int) {
	t.Helper()
	token, err := auth.NewAccessToken(workertest.DefaultAPIKey, secret).SetVideoGrant(grant).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	dialer := websocket.Dialer{NetDialContext: s.Dial}
	conn, response, err := dialer.DialContext(t.Context(), s.URL()+path, http.Header{"Authorization": {"Bearer " + token}})
	if response == nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return conn, response.StatusCode
}

func connect(t *testing.T, s *workertest.Server) *peer {
	t.Helper()
	conn, status := dial(t, s, "/agent", &auth.VideoGrant{Agent: true}, workertest.DefaultAPISecret)
	if conn == nil {
		t.Fatalf("connect: HTTP %d", status)
	}
	p := &peer{t: t, conn: conn, incoming: make(chan *livekit.ServerMessage, 16)}
	go p.read()
	t.Cleanup(func() { _ = conn.Close() })
	return p
}

func (p *peer) read() {
	defer close(p.incoming)
	for {
		_, data, err := p.conn.ReadMessage()
		if err != nil {
			return
		}
		msg := &livekit.ServerMessage{}
		if err := proto.Unmarshal(data, msg); err != nil {
			p.t.Error(err)
			return
		}
		p.incoming <- msg
	}
}

func (p *peer) send(msg *livekit.WorkerMessage) {
	p.t.Helper()
	data, err := proto.Marshal(msg)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = p.conn.WriteMessage(websocket.BinaryMessage, data) // the server may have hung up: the test will see
}

func (p *peer) register() {
	p.t.Helper()
	p.send(registerMessage())
	if (<-p.incoming).GetRegister() == nil {
		p.t.Fatal("registration was not answered")
	}
	synctest.Wait()
}

func registerMessage() *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Register{Register: &livekit.RegisterWorkerRequest{AgentName: "viva"}}}
}

func statusMessage(status livekit.WorkerStatus, load float32) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_UpdateWorker{
		UpdateWorker: &livekit.UpdateWorkerStatus{Status: &status, Load: load},
	}}
}

func answerMessage(id string, available bool) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Availability{
		Availability: &livekit.AvailabilityResponse{JobId: id, Available: available, ParticipantIdentity: "agent-" + id},
	}}
}

func updateMessage(id string, status livekit.JobStatus) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_UpdateJob{
		UpdateJob: &livekit.UpdateJobStatus{JobId: id, Status: status},
	}}
}

func newServer(t *testing.T) *workertest.Server {
	t.Helper()
	s := workertest.NewServer(workertest.Options{})
	t.Cleanup(s.Close)
	return s
}

func TestUpgradeNeedsTokenWithAgentGrant(t *testing.T) {
	tests := map[string]struct {
		path   string
		grant  auth.VideoGrant
		secret string
		want   int
	}{
		"right":        {"/agent", auth.VideoGrant{Agent: true}, workertest.DefaultAPISecret, http.StatusSwitchingProtocols},
		"wrong secret": {"/agent", auth.VideoGrant{Agent: true}, "another-secret-of-at-least-32-characters", http.StatusUnauthorized},
		"wrong grant":  {"/agent", auth.VideoGrant{RoomJoin: true}, workertest.DefaultAPISecret, http.StatusUnauthorized},
		"wrong path":   {"/rtc", auth.VideoGrant{Agent: true}, workertest.DefaultAPISecret, http.StatusNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, status := dial(t, newServer(t), test.path, &test.grant, test.secret)
				if conn != nil {
					_ = conn.Close()
				}
				if status != test.want {
					t.Errorf("HTTP %d, want %d", status, test.want)
				}
			})
		})
	}
}

// Each of these ends the connection, at once or when the time to register is over.
func TestHandshakeRules(t *testing.T) {
	tests := map[string]struct {
		first bool // register first
		send  *livekit.WorkerMessage
		after time.Duration
	}{
		"silence":             {false, nil, 10 * time.Second},
		"status before":       {false, statusMessage(livekit.WorkerStatus_WS_AVAILABLE, 0), 0},
		"second registration": {true, registerMessage(), 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := connect(t, newServer(t))
				if test.first {
					p.register()
				}
				start := time.Now()
				if test.send != nil {
					p.send(test.send)
				}
				if msg, open := <-p.incoming; open {
					t.Fatalf("answered %v, want a closed connection", msg)
				}
				if took := time.Since(start); took != test.after {
					t.Errorf("closed after %v, want %v", took, test.after)
				}
			})
		})
	}
}

// The dispatch gate: status, load and name.
func TestDispatchChoosesWorkers(t *testing.T) {
	tests := map[string]struct {
		status livekit.WorkerStatus
		load   float32
		name   string
		asked  bool
	}{
		"available":     {livekit.WorkerStatus_WS_AVAILABLE, 0.69, "viva", true},
		"full":          {livekit.WorkerStatus_WS_FULL, 0, "viva", false},
		"loaded":        {livekit.WorkerStatus_WS_AVAILABLE, 0.7, "viva", false},
		"another agent": {livekit.WorkerStatus_WS_AVAILABLE, 0, "other", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t)
				p := connect(t, s)
				p.register()
				p.send(statusMessage(test.status, test.load))
				synctest.Wait()
				outcome, err := s.Dispatch(t.Context(), &livekit.Job{AgentName: test.name})
				if asked := len(outcome.Asked) == 1; asked != test.asked {
					t.Errorf("asked %v, want %v", outcome.Asked, test.asked)
				}
				want := workertest.ErrNoWorker
				if test.asked {
					want = workertest.ErrNoAnswer // nobody reads the offer here
				}
				if !errors.Is(err, want) {
					t.Errorf("Dispatch = %v, want %v", err, want)
				}
			})
		})
	}
}

func TestDispatchDeadlineIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		connect(t, s).register()
		connect(t, s).register()
		start := time.Now()
		outcome, err := s.Dispatch(t.Context(), &livekit.Job{AgentName: "viva"})
		if !errors.Is(err, workertest.ErrNoAnswer) || len(outcome.Asked) != 1 || time.Since(start) != 3*time.Second {
			t.Errorf("asked %v in %v: %v; want one in 3 s: ErrNoAnswer", outcome.Asked, time.Since(start), err)
		}
	})
}

// The way of a job through the server's books, and who may write to them.
func TestJobBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		owner, other := connect(t, s), connect(t, s)
		owner.register()
		other.register()
		assign := func() string {
			go func() { owner.send(answerMessage((<-owner.incoming).GetAvailability().GetJob().GetId(), true)) }()
			outcome, err := s.Dispatch(t.Context(), &livekit.Job{AgentName: "viva"})
			if err != nil {
				t.Fatal(err)
			}
			if a := (<-owner.incoming).GetAssignment(); a.GetToken() == "" || a.GetJob().GetId() != outcome.JobID {
				t.Fatalf("assignment = %v", a)
			}
			return outcome.JobID
		}
		status := func(id string) livekit.JobStatus {
			synctest.Wait()
			return s.JobState(id).GetStatus()
		}

		id := assign()
		other.send(updateMessage(id, livekit.JobStatus_JS_FAILED))
		if got := status(id); got != livekit.JobStatus_JS_RUNNING {
			t.Errorf("after another worker's update: %v, want running", got)
		}
		owner.send(updateMessage(id, livekit.JobStatus_JS_SUCCESS))
		if got := status(id); got != livekit.JobStatus_JS_SUCCESS {
			t.Errorf("after the owner's update: %v, want success", got)
		}
		if err := s.LeaveRoom(id); err != nil || status(id) != livekit.JobStatus_JS_SUCCESS || len(owner.incoming) != 0 {
			t.Errorf("leaving after success: %v, %v, %d messages; want success and silence", err, status(id), len(owner.incoming))
		}

		id = assign()
		if err := s.LeaveRoom(id); err != nil || status(id) != livekit.JobStatus_JS_FAILED {
			t.Errorf("leaving first: %v, %v; want failed", err, status(id))
		}
		if got := (<-owner.incoming).GetTermination().GetJobId(); got != id {
			t.Errorf("termination of %q, want %q", got, id)
		}

		id = assign()
		s.Drop()
		synctest.Wait()
		if s.JobState(id) != nil || len(s.Workers()) != 0 {
			t.Error("a lost connection's jobs must be forgotten")
		}
	})
}
