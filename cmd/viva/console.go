package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

func (p *program) consoleCommand() *cli.Command {
	return &cli.Command{
		Name: "console", Usage: "hold the same interview typed in this terminal: no sound, no server",
		Flags: append(flags(settings.CommandConsole),
			&cli.StringFlag{Name: "interview", Usage: "the `KIND` of interview"},
			&cli.StringFlag{Name: "name", Usage: "your `NAME`"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := load(cmd, settings.CommandConsole)
			if err != nil {
				return err
			}
			return p.console(ctx, s, agent.Metadata{
				Interview: cmd.String("interview"), Locale: s.Interviews.Locale, Candidate: agent.Person{Name: cmd.String("name")},
			})
		},
	}
}

func (p *program) console(ctx context.Context, s *settings.Settings, m agent.Metadata) error {
	library, err := agent.LoadLibrary(s.Interviews.Dir, s.Interviews.Default)
	if err != nil {
		return err
	}
	interview, err := library.Find(m)
	if err != nil {
		return err
	}
	words, err := model(s)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("console-%d", time.Now().UnixNano())
	journal, err := store(s).Create(ctx, id)
	if err != nil {
		return err
	}
	t := &terminal{out: p.out}
	talk, err := session.New(session.Options{
		Interview: interview, Voice: t, Ears: t, Presence: t, Journal: journal, Model: words, Logger: zap.NewNop(),
		Start: engine.Started{Session: id, Locale: interview.Words.Locale(), Candidate: state.Candidate{Name: m.Candidate.Name}, Vars: m.Vars},
	})
	if err != nil {
		return errors.Join(err, journal.Close())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go t.read(p.in, talk, cancel)
	_, err = talk.Run(ctx)
	return err
}

// terminal is an interview on paper: the voice prints at once, the candidate types. Reading cannot be interrupted, so its
// goroutine ends with the input or the program.
type terminal struct {
	mu  sync.Mutex
	out io.Writer
}

func (t *terminal) print(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, format, args...) // a closed terminal ends the input as well
}

func (t *terminal) read(in io.Reader, s *session.Session, cancel context.CancelCauseFunc) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			s.Post(session.Turn{Text: text, Typed: true, Reason: "typed"})
		}
	}
	cancel(session.Reason("input ended"))
}

// Speak implements session.Voice.
func (t *terminal) Speak(ctx context.Context, u session.Utterance, src session.Source) session.Spoken {
	var said []string
	for {
		clause, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return session.Spoken{Heard: strings.Join(said, " ")}
		}
		if said == nil {
			u.Started()
		}
		said = append(said, clause)
	}
	if text := strings.Join(said, " "); text != "" {
		t.print("\nInterviewer: %s\n> ", text)
	}
	return session.Spoken{Heard: strings.Join(said, " "), Complete: true}
}

// Stage implements session.Presence.
func (t *terminal) Stage(p engine.Publish) {
	if p.Index > 0 {
		t.print("\n── %s (%d of %d)\n", p.Title, p.Index, p.Total)
	}
}

// Done implements session.Presence.
func (t *terminal) Done(reason string) { t.print("\n── the interview is over (%s)\n", reason) }

// A terminal has no sound to pause, and the candidate's words stand on it already.

// Pause implements session.Voice.
func (t *terminal) Pause() {}

// Resume implements session.Voice.
func (t *terminal) Resume() {}

// Duck implements session.Voice.
func (t *terminal) Duck(bool) {}

// Audible implements session.Ears.
func (t *terminal) Audible(uint64, bool, bool) {}

// Take implements session.Ears.
func (t *terminal) Take() {}

// Expect implements session.Ears.
func (t *terminal) Expect(string) {}

// State implements session.Presence.
func (t *terminal) State(string) {}

// Words implements session.Presence.
func (t *terminal) Words(uint64, string) {}

// Said implements session.Presence.
func (t *terminal) Said(uint64, string) {}

// Candidate implements session.Presence.
func (t *terminal) Candidate(uint64, string, bool) {}
