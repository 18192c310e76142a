package material

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Process is an Extractor that has another process read the PDF: one that can be killed, and that may crash or run out of
// memory without harm. The process is started per document with an empty environment, so that it knows no secrets; it
// gets a Request on its input and answers with a Result on its output (package pdftext serves this).
type Process struct {
	Command []string // the program and its arguments
	// Slots bounds how many documents are read at once by what it holds; who waits longer than the context goes without. Nil: any
	// number.
	Slots chan struct{}
}

var _ Extractor = Process{}

// Request is what the process is told.
type Request struct {
	Limits Limits `json:"limits"`
	Data   []byte `json:"data"`
}

// Result is what it answers. Problem is the text of one of the errors of this package.
type Result struct {
	Extracted
	Problem string `json:"problem,omitempty"`
}

// killDelay is how long the output of a killed process is waited for.
const killDelay = 500 * time.Millisecond

// resultBytes bounds an answer, per character of text that is allowed: four bytes, escaped as JSON at worst.
const resultBytes = 12

// Extract implements Extractor. Whatever becomes of the process, the error is one of this package.
func (p Process) Extract(ctx context.Context, data []byte, limits Limits) (Extracted, error) {
	if len(p.Command) == 0 {
		return Extracted{}, ErrNoPDF
	}
	request, err := json.Marshal(Request{Limits: limits, Data: data})
	if err != nil {
		return Extracted{}, fmt.Errorf("encode the request to read a PDF: %w", err)
	}
	if p.Slots != nil {
		select {
		case p.Slots <- struct{}{}:
			defer func() { <-p.Slots }()
		case <-ctx.Done():
			return Extracted{}, fmt.Errorf("%w (waited for other documents: %w)", ErrUnread, context.Cause(ctx))
		}
	}
	out := &bounded{limit: resultBytes*limits.Characters + 4096}
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...) //nolint:gosec // the program is the operator's own
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = []string{}, bytes.NewReader(request), out, killDelay
	if err := cmd.Run(); err != nil {
		return Extracted{}, fmt.Errorf("%w (the reader ended with: %w)", ErrUnread, err)
	}
	var r Result
	if err := json.Unmarshal(out.kept, &r); err != nil {
		return Extracted{}, fmt.Errorf("%w (the reader's answer: %w)", ErrUnread, err)
	}
	if r.Problem != "" {
		return Extracted{Pages: r.Pages}, known(r.Problem)
	}
	return r.Extracted, nil
}

// told are the errors that a process tells apart; any other is ErrUnread.
var told = []error{ErrTooLarge, ErrPages, ErrNoText, ErrProtected}

// Problem is what a process answers for an error.
func Problem(err error) string {
	for _, one := range told {
		if errors.Is(err, one) {
			return one.Error()
		}
	}
	return ErrUnread.Error()
}

// known returns the error with these words.
func known(problem string) error {
	for _, one := range told {
		if one.Error() == problem {
			return one
		}
	}
	return ErrUnread
}

// errOutput stops a process that writes more than it may.
var errOutput = errors.New("there is more output than allowed")

// bounded keeps what is written up to a limit.
type bounded struct {
	kept  []byte
	limit int
}

var _ io.Writer = (*bounded)(nil)

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > b.limit {
		return 0, errOutput
	}
	b.kept = append(b.kept, p...)
	return len(p), nil
}
