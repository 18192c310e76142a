package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// processLimit ends a process that hangs, and fails its test.
const processLimit = 20 * time.Second

// process is viva in a process of its own, which can be sent signals.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	ctx  context.Context
	done chan struct{} // closed when standard error has ended

	mu    sync.Mutex
	lines []string      // of standard error
	grown chan struct{} // closed and replaced with each line
}

// launch starts viva with only the given environment. It is killed after processLimit or with the test.
func launch(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), processLimit)
	p := &process{
		t: t, ctx: ctx, cmd: exec.CommandContext(ctx, os.Args[0], args...),
		done: make(chan struct{}), grown: make(chan struct{}),
	}
	p.cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	errs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(errs)
	t.Cleanup(func() {
		cancel()
		<-p.done
		_ = p.cmd.Wait() // fails when the test has waited already
	})
	return p
}

func (p *process) read(errs io.Reader) {
	defer close(p.done)
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		close(p.grown)
		p.grown = make(chan struct{})
		p.mu.Unlock()
	}
}

func (p *process) errors() (lines []string, grown <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines, p.grown
}

// await waits for a line of standard error that holds text.
func (p *process) await(text string) {
	p.t.Helper()
	for {
		lines, grown := p.errors()
		all := strings.Join(lines, "\n")
		if strings.Contains(all, text) {
			return
		}
		select {
		case <-grown:
		case <-p.done:
			p.t.Fatalf("ended without %q:\n%s", text, all)
		case <-p.ctx.Done():
			p.t.Fatalf("no %q in time:\n%s", text, all)
		}
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait returns what became of the process. Whatever it logged is JSON, and holds no secret.
func (p *process) wait() outcome {
	p.t.Helper()
	<-p.done
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if p.ctx.Err() != nil {
		p.t.Errorf("did not end in %v", processLimit)
	}
	lines, _ := p.errors()
	o := outcome{code: p.cmd.ProcessState.ExitCode(), errs: strings.Join(lines, "\n")}
	keepsSecrets(p.t, o.errs)
	logged, _, _ := strings.Cut("\n"+o.errs, "\nviva: ") // the program's last words are for a person
	for line := range strings.Lines(strings.TrimPrefix(logged, "\n")) {
		var entry struct{ Level, Time, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level == "" || entry.Msg == "" || entry.Time == "" {
			p.t.Errorf("this is no log entry: %s", line)
		}
	}
	return o
}
