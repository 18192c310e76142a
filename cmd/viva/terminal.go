package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
)

// maxLine bounds one line of input, in bytes. A session cuts a turn far below it.
const maxLine = 1 << 20

// Why an interview ends with its input.
const (
	inputEnded  session.Reason = "input ended"
	inputFailed session.Reason = "input failed"
)

// terminal is an interview on paper: the voice prints at once, the candidate types. A line is handed over only when it
// is the candidate's turn, so that answers that come from a file meet the questions they are meant for.
type terminal struct {
	turn      chan struct{} // one slot: it is the candidate's turn
	interview *engine.Interview

	mu        sync.Mutex // serialises what is printed
	out, errs io.Writer

	complained string // the last complaint; belongs to the session
	asks       bool   // the stage wants to hear something; belongs to the session
}

var (
	_ session.Voice    = (*terminal)(nil)
	_ session.Ears     = (*terminal)(nil)
	_ session.Presence = (*terminal)(nil)
	_ session.Sheet    = (*terminal)(nil)
)

func newTerminal(out, errs io.Writer, iv *engine.Interview) *terminal {
	return &terminal{turn: make(chan struct{}, 1), out: out, errs: errs, interview: iv, asks: true}
}

func (t *terminal) print(to io.Writer, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(to, format, args...) // a closed terminal ends the input as well
}

// read hands over turn after turn, and ends the interview when there are no more. wait is how long a turn waits for more lines, as typed
// ones do. Reading cannot be interrupted, so its goroutines end with the input or the program.
func (t *terminal) read(in io.Reader, wait time.Duration, s *session.Session, end context.CancelCauseFunc) {
	input := readLines(in, wait, s.Done())
	for {
		text, more := input.turn()
		if !more {
			break
		}
		if !t.await(s) {
			return
		}
		s.Post(session.Turn{Text: text, Typed: true, Reason: "typed"})
	}
	if !t.await(s) {
		return // the last answer ended the interview
	}
	if err := input.err; err != nil {
		t.print(t.errs, "viva: read the input: %v\n", err)
		end(inputFailed)
		return
	}
	end(inputEnded)
}

// await waits for the candidate's turn. It reports false when the interview is over, which its own limits see to.
func (t *terminal) await(s *session.Session) bool {
	select {
	case <-t.turn:
		return true
	case <-s.Done():
		return false
	}
}

// State implements session.Presence: listening is the candidate's turn, but while the report is waited for.
func (t *terminal) State(state string) {
	if state != "listening" || !t.asks {
		select {
		case <-t.turn:
		default:
		}
		return
	}
	select {
	case t.turn <- struct{}{}:
	default:
	}
}

func (t *terminal) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	var said []string
	for {
		clause, err := src.Next(ctx)
		if err != nil {
			t.finish(said)
			return session.Spoken{Heard: strings.Join(said, " "), Complete: errors.Is(err, io.EOF)}
		}
		if said == nil {
			u.Started()
			t.print(t.out, "\nInterviewer:")
		}
		t.print(t.out, " %s", clause.Text)
		said = append(said, clause.Text)
	}
}

func (t *terminal) finish(said []string) {
	if said != nil {
		t.print(t.out, "\n> ")
	}
}

// observe tells what went wrong with the model, once for each cause in a row.
func (t *terminal) observe(f engine.Fact) {
	if f.Name != "model.degraded" {
		return
	}
	for _, x := range f.Fields {
		if why, ok := x.Value.(string); ok && x.Key == "error" && why != t.complained {
			t.complained = why
			t.print(t.errs, "viva: the scripted words stand in for the model's: %s\n", why)
		}
	}
}

func (t *terminal) Stage(p engine.Publish) {
	st := t.interview.Def.Stage(p.Stage)
	t.asks = st == nil || st.Responder != definition.ByReport
	switch {
	case p.Index > 0 && p.Item != "":
		t.print(t.out, "\n── %s (%d of %d, part %d of %d)\n", p.Title, p.Index, p.Total, p.Phase, p.Phases)
	case p.Index > 0:
		t.print(t.out, "\n── %s (%d of %d)\n", p.Title, p.Index, p.Total)
	}
}

func (t *terminal) Problem(id string) {
	if p := t.interview.Problem(id); p != nil {
		locale := t.interview.Words.Locale()
		t.print(t.out, "\n── %s\n%s\n", problem.In(p.Title, locale), problem.In(p.Text, locale))
	}
}

func (t *terminal) Done(reason string) {
	t.print(t.out, "\n── the interview is over (%s)\n", reason)
}

// A terminal has no sound to pause, and the candidate's words stand on it already.

func (t *terminal) Pause()                                      {}
func (t *terminal) Resume()                                     {}
func (t *terminal) Duck(bool)                                   {}
func (t *terminal) Audible(uint64, bool, bool)                  {}
func (t *terminal) Take()                                       {}
func (t *terminal) Expect(string, string)                       {}
func (t *terminal) Words(uint64, string)                        {}
func (t *terminal) Said(uint64, string)                         {}
func (t *terminal) Candidate(uint64, string, session.Certainty) {}
