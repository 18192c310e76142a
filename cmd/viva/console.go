package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

func (p *program) consoleCommand() *cli.Command {
	return &cli.Command{
		Name: "console", Usage: "hold the same interview typed in this terminal: no sound, no server",
		Flags: append(flags(settings.CommandConsole),
			&cli.StringFlag{Name: "interview", Usage: "the `KIND` of interview"},
			&cli.StringFlag{Name: "name", Usage: "your `NAME`"},
			&cli.StringFlag{Name: "identity", Value: "console", Usage: "the `IDENTITY` under which the interview is kept: viva sessions export and delete go by it"},
			&cli.StringMapFlag{Name: "var", Usage: "a variable of the interview, such as company=google_like or problem=gift_pair, as `NAME=VALUE`"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := load(cmd, settings.CommandConsole)
			if err != nil {
				return err
			}
			return p.console(ctx, s, agent.Metadata{
				Interview: cmd.String("interview"), Locale: s.Interviews.Locale, Candidate: agent.Person{Name: cmd.String("name"), Identity: cmd.String("identity")},
				Vars: cmd.StringMap("var"),
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
	book := refusals.NewBook(zap.NewNop(), nil) // the report tells
	firms, err := companies(s)
	if err != nil {
		return err
	}
	defer firms.Close()
	judges, closeJudges, err := evaluators(s)
	if err != nil {
		return err
	}
	defer closeJudges()
	judges.Model = book.Watch(refusals.Evaluators, judges.Model)
	pool, err := tasks.New(tasks.Options{Companies: firms, Evaluators: judges})
	if err != nil {
		return err
	}
	kept, err := openKeeping(ctx, s, zap.NewNop())
	if err != nil {
		return err
	}
	defer kept.close(zap.NewNop())
	start := engine.Started{
		Session: fmt.Sprintf("console-%d", time.Now().UnixNano()), Locale: interview.Words.Locale(), Vars: m.Vars,
		Candidate: state.Candidate{Name: m.Candidate.Name, Identity: m.Candidate.Identity}, Helplines: s.Interviews.Helplines.ByLanguage(),
	}
	meter := session.NewMeter(interview.Def.Budget.SessionTokens)
	after, err := newConsoleAssessment(interview, start.Session, kept, judges, meter, book)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	journal, err := kept.begin(ctx, interview, &start)
	if err != nil {
		after.drop()
		return err
	}
	t := newTerminal(p.out, p.errs, interview)
	talk, err := session.New(session.Options{
		Interview: interview, Voice: t, Ears: t, Presence: t, Journal: journal, Model: book.Watch(refusals.Interviewer, words),
		Tasks: pool.For(design.Candidate{Session: start.Session, Name: start.Candidate.Name, Locale: start.Locale}, meter).Reporting(after.assessor),
		Meter: meter, Silent: after.assessor, Start: start, Logger: zap.NewNop(), Observe: t.observe,
	})
	if err != nil {
		after.drop()
		return errors.Join(err, journal.Close(), kept.end(ctx, start.Session, "", err))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wait := time.Duration(0)
	typed, unmark := pasteMarks(p.in, p.out)
	defer unmark()
	if typed {
		wait = together
	}
	go t.read(p.in, wait, talk, cancel)
	reason, err := talk.Run(ctx)
	unsaved := kept.end(ctx, start.Session, reason, err)
	stop() // who presses Ctrl-C again does not wait for the report
	text, problem := after.finish(ctx, interview, talk.UserData())
	if text != "" {
		t.print(t.out, "\n%s\n", text)
	}
	err = errors.Join(err, unsaved, problem)
	if err == nil && reason == string(inputFailed) {
		return errors.New("the interview ended early: the input could not be read")
	}
	return err
}

// afterwards bounds the wait for a report after an interview in the console, beside the definition's own wait.
const afterwards = 10 * time.Second

// consoleAssessment judges beside the one interview of a console, and makes its report.
type consoleAssessment struct {
	service  *assessment.Service
	assessor *assessment.Assessor
	waits    time.Duration
	refused  func() map[string]string
	folder   string // where the report is kept besides; "" = nowhere
	session  string
}

// newConsoleAssessment opens the assessor; by judges where it has a model, and rules where not. finish or drop closes it.
func newConsoleAssessment(iv *engine.Interview, id string, kept keeping, by tasks.Role, meter *session.Meter, book *refusals.Book) (*consoleAssessment, error) {
	o := assessment.Options{Software: "viva " + version, Logger: zap.NewNop()}
	if kept.database != nil {
		o.Archive = kept.database
	}
	service, err := assessment.New(o)
	if err != nil {
		return nil, fmt.Errorf("prepare judging and the report: %w", err)
	}
	c := &consoleAssessment{service: service, waits: iv.Def.Report.Waits(), refused: book.Found, folder: kept.folder, session: id}
	one := assessment.Case{
		Session: id, Room: "console", Began: time.Now(), Interview: iv,
		Journal: func(ctx context.Context) ([]state.Entry, error) { return kept.journals.Read(ctx, id) },
	}
	if by.Model != nil {
		one.Model = assessment.ByModel(by.Model, by.Temperature)(meter)
	}
	c.assessor = service.Open(one)
	return c, nil
}

// drop closes the assessor of an interview that was not held.
func (c *consoleAssessment) drop() {
	c.assessor.Drop()
	c.service.Close()
}

// finish closes the assessor of an interview that is over, and returns its report as Markdown; "" where none is made.
func (c *consoleAssessment) finish(ctx context.Context, iv *engine.Interview, u *state.UserData) (string, error) {
	c.assessor.Close(u)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.waits+afterwards)
	defer cancel()
	err := c.service.Wait(ctx)
	c.service.Close()
	made := c.assessor.Made()
	if iv.Def.Report == nil || made == nil {
		return "", err
	}
	made.Provenance.Refused = c.refused() // who types is the operator as well
	if c.folder != "" {
		err = errors.Join(err, fileReport(c.folder, c.session, made))
	}
	text, failed := report.Markdown(made)
	return string(text), errors.Join(err, failed)
}
