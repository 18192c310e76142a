package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sync/errgroup"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// workerVar makes this test binary a worker in place of a test run: its value is the server's address.
const workerVar = "VIVA_E2E_WORKER_URL"

// nameVar and storeVar are the agent's name and, if there is one, the database of that worker.
const (
	nameVar  = "VIVA_E2E_WORKER_NAME"
	storeVar = "VIVA_E2E_WORKER_STORE"
	leaseVar = "VIVA_E2E_WORKER_LEASE" // not empty: it holds its interviews by leases in that database
	cacheVar = "VIVA_E2E_WORKER_CACHE" // bytes of prepared voice that it keeps, where they are not as many as usually
)

// work is the process that TestWorkerIsKilled kills.
func work() error {
	limit := 5 * time.Minute // should nobody kill it
	if lasts, err := time.ParseDuration(os.Getenv(soakVar)); err == nil {
		limit += lasts + soakParts*2*time.Minute // after each part interviews come to their ends
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	url := os.Getenv(workerVar)
	if err := load(); err != nil {
		return err
	}
	l, err := agent.LoadLibrary("", "")
	if err != nil {
		return err
	}
	log := printed()
	defer tellCosts(log)()
	options := agent.Options{
		Library: l, Store: state.NewMemory(), Logger: log,
		Engines: agent.Engines{VAD: loaded.vad, STT: loaded.sphinx, TTS: loaded.voice},
	}
	if size, err := strconv.Atoi(os.Getenv(cacheVar)); err == nil {
		options.Engines.TTS = speak.NewCache(loaded.flite, size)
	}
	if file := os.Getenv(storeVar); file != "" {
		database, err := store.Open(ctx, file, zap.NewNop())
		if err != nil {
			return err
		}
		defer func() { _ = database.Close() }() // a process that is killed does not get here
		options.Store, options.Archive = database, database
		if os.Getenv(leaseVar) != "" {
			options.Leases = database
		}
	}
	interviewer, err := agent.New(options)
	if err != nil {
		return err
	}
	name := os.Getenv(nameVar)
	w, err := worker.New(worker.Options{
		URL: url, APIKey: apiKey, APISecret: apiSecret, AgentName: name, Logger: log, LoadFunc: func() float64 { return 0 },
	}, interviewer)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return interviewer.Rescue(ctx, agent.Rescue{Rooms: agent.LiveKitRooms(url, apiKey, apiSecret), Agent: name, Ready: w.Registered})
	})
	g.Go(func() error { return w.Run(ctx) })
	return g.Wait()
}

// printed is the log of a process, as launch reads it.
func printed() *zap.Logger {
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), os.Stdout, zap.InfoLevel))
}

// TestWorkerIsKilled: the process dies without a word. The candidate is told by the server that the interviewer has gone.
func TestWorkerIsKilled(t *testing.T) {
	t.Parallel()
	process := startWorker(t, roomName(t), "")
	g := enter(t, visit{})
	o := &office{t: t, name: roomName(t), server: server}
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	killed := time.Now()
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	g.awaitAgentLeft()
	t.Logf("the candidate saw the agent gone %v after the kill", time.Since(killed).Round(time.Millisecond))
}

// process is this binary as a worker, with what it has logged.
type process struct {
	*os.Process
	read chan struct{}        // closed at the end of its log
	doom atomic.Pointer[doom] // nil: nobody's

	mu   sync.Mutex
	logs []fact // guarded by mu
}

// facts are the log's entries with that name, in order.
func (p *process) facts(name string) []fact {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.logs), func(f fact) bool { return f.Name != name })
}

func (p *process) note(lines *bufio.Scanner) {
	defer close(p.read)
	for lines.Scan() {
		f := fact{At: time.Now()}
		if json.Unmarshal(lines.Bytes(), &f.Fields) != nil {
			continue
		}
		f.Name = f.text("msg")
		if d := p.doom.Load(); d != nil && f.Name == "job.offered" {
			d.offered(p)
		}
		p.mu.Lock()
		p.logs = append(p.logs, f)
		p.mu.Unlock()
	}
}

// startWorker starts a worker of the shared server, and waits until that has registered it.
func startWorker(t *testing.T, name, database string, more ...string) *process {
	t.Helper()
	p := launch(t, append(more, workerVar+"="+server.URL(), nameVar+"="+name, storeVar+"="+database)...)
	eventually(t, "registration of the worker's process", func() bool {
		select {
		case <-p.read:
			t.Fatal("the worker's process ended")
		default:
		}
		return len(p.facts(registeredEvent)) > 0
	})
	return p
}

// launch starts this binary as what these variables say. It is killed when the test ends, if it was not before.
func launch(t *testing.T, variables ...string) *process {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{Process: command.Process, read: make(chan struct{})}
	go p.note(bufio.NewScanner(output))
	t.Cleanup(func() {
		_ = p.Kill() // it may be dead already
		<-p.read
		_ = command.Wait() // it was killed
	})
	return p
}

// TestWorkerIsStopped: a worker that has to end at once takes its agents out of their rooms.
func TestWorkerIsStopped(t *testing.T) {
	t.Parallel()
	o := open(t, plan{})
	g := enter(t, visit{})
	o.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	stopped := time.Now()
	o.stop()
	g.awaitAgentLeft()
	t.Logf("the candidate saw the agent gone %v after the stop", time.Since(stopped).Round(time.Millisecond))
	o.waitEnded()
	end := o.await("session.end", nil)
	if end.text("reason") == "done" {
		t.Errorf("the session ended as %v", end.Fields)
	}
}
