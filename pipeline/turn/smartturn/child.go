package smartturn

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

// closeWait is how long a runner that was told to end, or killed, may keep its standard error open through others.
const closeWait = time.Second

// child is one run of the runner's program. It is for one goroutine at a time.
type child struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	in     io.WriteCloser
	out    io.ReadCloser
	errors *murmur
}

// startChild starts the program, which ends with ctx.
func startChild(ctx context.Context, o ProcessOptions) (*child, error) {
	ctx, kill := context.WithCancel(ctx)
	c := &child{kill: kill, errors: &murmur{log: o.Logger}}
	c.cmd = exec.CommandContext(ctx, o.Command[0], o.Command[1:]...) //nolint:gosec // the command is a setting
	c.cmd.Env, c.cmd.Stderr, c.cmd.WaitDelay = o.Env, c.errors, closeWait
	c.cmd.Cancel = func() error {
		_ = c.in.Close() // what the program has started itself may hold the pipes open
		_ = c.out.Close()
		return c.cmd.Process.Kill()
	}
	err := c.pipes()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, err
	}
	return c, nil
}

func (c *child) pipes() (err error) {
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	c.out, err = c.cmd.StdoutPipe()
	return err
}

// ask puts one question and reads its answer. After an error the child is of no more use.
func (c *child) ask(question []byte, patience time.Duration) (float32, error) {
	late := time.AfterFunc(patience, c.kill)
	v, err := c.exchange(question)
	if !late.Stop() { // it is being ended, whichever way the pipes broke, and if it answered after all
		return 0, fmt.Errorf("no answer within %v", patience)
	}
	return v, err
}

func (c *child) exchange(question []byte) (float32, error) {
	if _, err := c.in.Write(question); err != nil {
		return 0, fmt.Errorf("ask the runner: %w", err)
	}
	return readAnswer(c.out)
}

// close ends the program, waits for it, and returns what it said last, as the end of a sentence.
func (c *child) close() string {
	c.kill()
	err := c.cmd.Wait() // tells that it was killed, or why it ended before
	said := c.errors.last()
	switch {
	case said != "":
		return fmt.Sprintf(" (%v: %s)", err, said)
	case err != nil:
		return fmt.Sprintf(" (%v)", err)
	}
	return ""
}

// murmur is the program's standard error: it goes to the log, and its end is kept for an error.
type murmur struct {
	log *zap.Logger

	mu   sync.Mutex
	tail []byte // guarded by mu
}

// murmurTail is how much of the standard error is kept, in bytes.
const murmurTail = 400

// Write implements io.Writer.
func (m *murmur) Write(p []byte) (int, error) {
	m.mu.Lock()
	m.tail = append(m.tail, p...)
	m.tail = m.tail[max(0, len(m.tail)-murmurTail):]
	m.mu.Unlock()
	m.log.Debug("turn_model.runner_said", zap.ByteString("text", p[:min(len(p), murmurTail)]))
	return len(p), nil
}

// last is the last line.
func (m *murmur) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(m.tail), "?")), "\n")
	return lines[len(lines)-1]
}
