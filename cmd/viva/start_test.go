package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/worker/workertest"
)

// Engines that need nothing on this machine and are never asked here.
var noEngines = []string{"OPENAI_API_KEY=" + openAIKey, "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "VIVA_STORE_URL=memory"}

// A worker that cannot work says why, names the setting that mends it, and ends with 1.
func TestStartFailures(t *testing.T) {
	fake := workertest.NewServer(workertest.Options{APIKey: "devkey", APISecret: "another-secret-of-at-least-32-characters"})
	t.Cleanup(fake.Close)
	other := httptest.NewServer(fake)
	t.Cleanup(other.Close)
	website := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Welcome</title>") // the client's loss
	}))
	t.Cleanup(website.Close)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	nobody := closedAddress(t)

	for name, test := range map[string]struct {
		url   string
		args  []string
		wants []string
	}{
		"nobody there": {"ws://" + nobody, []string{"--max-retries", "1"}, []string{"the server cannot be reached at " + nobody, "LIVEKIT_URL"}},
		"wrong secret": {other.URL, nil, []string{"the server refused the API key or secret", "LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be a pair"}},
		"a web page":   {website.URL, []string{"--max-retries", "1"}, []string{"what answers is not a LiveKit server", "LIVEKIT_URL must lead to LiveKit itself"}},
		"health port taken": {website.URL, []string{"--health-address", taken.Addr().String()}, []string{
			"cannot listen on " + taken.Addr().String(), "--health-address or VIVA_HEALTH_ADDRESS",
		}},
		"page's port taken": {website.URL, []string{"--web", "--web-local-tokens", "--web-address", taken.Addr().String()}, []string{
			"cannot listen on " + taken.Addr().String(), "--web-address or VIVA_WEB_ADDRESS",
		}},
		"no such default":          {website.URL, []string{"--default-interview", "chess"}, []string{`"chess" is not there`, "conversation, evaluation, persona_interview, system_design, two_stage"}},
		"a bad file in the folder": {website.URL, []string{"--interviews", "testdata/interviews"}, []string{"five_errors.yaml:1:1: kind", "five_errors.yaml:10:14: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"start", "--health-address", "127.0.0.1:0"}, test.args...)
			o := launch(t, append(server(test.url), noEngines...), args...).wait()
			o.wants(t, exitFailure, append(test.wants, "viva: ")...)
		})
	}
}

// house is a LiveKit server that workers can register with, and whose rooms answer only when it is told.
type house struct {
	*workertest.Server
	http *httptest.Server
	open chan struct{} // closed: rooms answer that they are not there
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{
		Server: workertest.NewServer(workertest.Options{APIKey: "devkey", APISecret: liveKitSecret}),
		open:   make(chan struct{}),
	}
	h.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agent") {
			h.ServeHTTP(w, r)
			return
		}
		select {
		case <-h.open:
		case <-r.Context().Done():
		}
		page404(w, r)
	}))
	t.Cleanup(func() {
		h.http.CloseClientConnections()
		h.Close()
		h.http.Close()
	})
	return h
}

// employ starts a worker and waits until it is registered. It returns where its health is served.
func (h *house) employ(t *testing.T, args ...string) (p *process, health string) {
	t.Helper()
	health = closedAddress(t)
	env := append(server(h.http.URL), noEngines...)
	// A process that has just started on a busy machine has used all of it: by its load the worker would be full.
	p = launch(t, env, append([]string{"start", "--log-level", "debug", "--health-address", health, "--load-threshold", "1"}, args...)...)
	p.await(`"msg":"registered worker"`)
	if err := h.AwaitWorkers(p.ctx, 1); err != nil {
		t.Fatal(err)
	}
	return p, health
}

// occupy gives the worker a job, which goes on until the house opens its rooms.
func (h *house) occupy(t *testing.T, p *process) (jobID string) {
	t.Helper()
	o, err := h.Dispatch(p.ctx, &livekit.Job{Type: livekit.JobType_JT_ROOM, AgentName: "viva"})
	for err != nil || !o.Answer.GetAvailable() { // full: it has just started, on a busy machine
		said := h.loads()
		if h.Await(p.ctx, func() bool { return h.loads() > said }) != nil {
			t.Fatalf("dispatch: %v, answer %v", err, o.Answer)
		}
		o, err = h.Dispatch(p.ctx, &livekit.Job{Type: livekit.JobType_JT_ROOM, AgentName: "viva"})
	}
	if err := h.Await(p.ctx, func() bool { return h.told(o.JobID, livekit.JobStatus_JS_RUNNING) }); err != nil {
		t.Fatal(err)
	}
	return o.JobID
}

// told reports whether a worker has said that of a job.
func (h *house) told(job string, status livekit.JobStatus) bool {
	for _, r := range h.Received() {
		if u := r.Message.GetUpdateJob(); u != nil && u.GetJobId() == job && u.GetStatus() == status {
			return true
		}
	}
	return false
}

// loads counts how often a worker has told its load.
func (h *house) loads() (n int) {
	for _, r := range h.Received() {
		if r.Message.GetUpdateWorker() != nil {
			n++
		}
	}
	return n
}

// full reports whether the last that a worker has said is that it takes no more jobs.
func (h *house) full() (full bool) {
	for _, r := range h.Received() {
		if u := r.Message.GetUpdateWorker(); u != nil {
			full = u.GetStatus() == livekit.WorkerStatus_WS_FULL
		}
	}
	return full
}

func TestStartServesAndStops(t *testing.T) {
	setting(t)
	h := newHouse(t)
	p, health := h.employ(t)
	viva(t, nobody(), "health", "--health-address", health).wants(t, 0, "OK")
	http.DefaultClient.CloseIdleConnections()
	p.signal(syscall.SIGTERM)
	p.wait().wants(t, 0, `"msg":"worker.signal"`, `"msg":"worker.draining"`)
}

// The first signal drains: no new jobs, and the end comes with that of the last job.
func TestFirstSignalDrains(t *testing.T) {
	h := newHouse(t)
	p, _ := h.employ(t)
	job := h.occupy(t, p)
	p.signal(syscall.SIGTERM)
	if err := h.Await(p.ctx, h.full); err != nil {
		t.Fatal("the server was not told that the worker takes no more jobs:", err)
	}
	if o, err := h.Dispatch(p.ctx, &livekit.Job{AgentName: "viva"}); err == nil {
		t.Errorf("a draining worker took a job: %v", o.Answer)
	}
	select {
	case <-p.done:
		t.Error("it ended before its job")
	default:
	}
	close(h.open)
	p.wait().wants(t, 0, `"msg":"worker.draining","active_jobs":1`)
	ends(t, h, job)
}

// ends checks that the worker told how the job ended, before it left: there never was a room.
func ends(t *testing.T, h *house, job string) {
	t.Helper()
	if !h.told(job, livekit.JobStatus_JS_FAILED) {
		t.Errorf("the worker did not say how the job ended: %v", h.Received())
	}
}

// The second signal stops at once, whatever runs.
func TestSecondSignalStops(t *testing.T) {
	h := newHouse(t)
	p, _ := h.employ(t)
	job := h.occupy(t, p)
	p.signal(syscall.SIGTERM)
	if err := h.Await(p.ctx, h.full); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGINT)
	p.wait().wants(t, 0, `"effect":"stopping at once"`)
	ends(t, h, job)
}

// A drain ends at its limit.
func TestDrainLimit(t *testing.T) {
	h := newHouse(t)
	p, _ := h.employ(t, "--drain-limit", "200ms")
	job := h.occupy(t, p)
	p.signal(syscall.SIGTERM)
	p.wait().wants(t, 0, `"msg":"worker.drain"`, "outlasted")
	ends(t, h, job)
}
