package e2e

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/worker"
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
)

// workUntilKilled is the process that TestWorkerIsKilled kills.
func workUntilKilled() int {
	if err := work(os.Getenv(workerVar)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func work(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // should nobody kill it
	defer cancel()
	if err := load(); err != nil {
		return err
	}
	l, err := agent.LoadLibrary("", "")
	if err != nil {
		return err
	}
	options := agent.Options{
		Library: l, Store: state.NewMemory(), Logger: zap.NewNop(),
		Engines: agent.Engines{VAD: loaded.vad, STT: loaded.sphinx, TTS: loaded.voice},
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
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), os.Stdout, zap.InfoLevel))
	w, err := worker.New(worker.Options{
		URL: url, APIKey: apiKey, APISecret: apiSecret, AgentName: os.Getenv(nameVar), Logger: log, LoadFunc: func() float64 { return 0 },
	}, interviewer)
	if err != nil {
		return err
	}
	return w.Run(ctx)
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

// startWorker starts this binary as a worker with that name and that database, "" for none, and waits until the server has
// registered it.
func startWorker(t *testing.T, name, database string, more ...string) *os.Process {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), workerVar+"="+server.URL(), nameVar+"="+name, storeVar+"="+database)
	command.Env = append(command.Env, more...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	registered := make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if strings.Contains(lines.Text(), registeredEvent) {
				once.Do(func() { close(registered) }) // one that stood still registers again
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may be dead already
		<-read
		_ = command.Wait() // it was killed
	})
	select {
	case <-registered:
	case <-read:
		t.Fatal("the worker's process ended")
	case <-time.After(patience):
		t.Fatal("the worker's process does not register")
	}
	return command.Process
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
