package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/debrief"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// afterwards bounds the wait for a report after an interview in the console, beside the definition's own wait.
const afterwards = 10 * time.Second

// consoleDebrief judges beside the one interview of a console, and makes its report.
type consoleDebrief struct {
	service *debrief.Service
	desk    *debrief.Desk
	waits   time.Duration
	refused func() map[string]string
	folder  string // where the report is kept besides; "" = nowhere
	session string
}

// newConsoleDebrief opens the desk; by judges where it has a model, and rules where not. finish or drop closes it.
func newConsoleDebrief(iv *engine.Interview, id string, kept keeping, by tasks.Role, meter *session.Meter, book *refusals.Book) (*consoleDebrief, error) {
	o := debrief.Options{Software: "viva " + version, Logger: zap.NewNop()}
	if kept.database != nil {
		o.Archive = kept.database
	}
	service, err := debrief.New(o)
	if err != nil {
		return nil, fmt.Errorf("prepare judging and the report: %w", err)
	}
	c := &consoleDebrief{service: service, waits: iv.Def.Report.Waits(), refused: book.Found, folder: kept.folder, session: id}
	one := debrief.Case{
		Session: id, Room: "console", Began: time.Now(), Interview: iv,
		Journal: func(ctx context.Context) ([]state.Entry, error) { return kept.journals.Read(ctx, id) },
	}
	if by.Model != nil {
		one.Model = debrief.ByModel(by.Model, by.Temperature)(meter)
	}
	c.desk = service.Open(one)
	return c, nil
}

// drop closes the desk of an interview that was not held.
func (c *consoleDebrief) drop() {
	c.desk.Drop()
	c.service.Close()
}

// finish closes the desk of an interview that is over, and returns its report as Markdown; "" where none is made.
func (c *consoleDebrief) finish(ctx context.Context, iv *engine.Interview, u *state.UserData) (string, error) {
	c.desk.Close(u)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.waits+afterwards)
	defer cancel()
	err := c.service.Wait(ctx)
	c.service.Close()
	made := c.desk.Made()
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
