package webhook

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// DeadLetter is a line of the file of dead letters: a delivery that was given up, with all it takes to make it by hand.
type DeadLetter struct {
	At       time.Time       `json:"at"`
	ID       string          `json:"id"`
	Session  string          `json:"session"`
	To       string          `json:"to"` // scheme and host only
	Attempts int             `json:"attempts"`
	Problem  string          `json:"problem"` // of the last try
	Body     json.RawMessage `json:"body"`
}

// bury writes a dead letter.
func (c *Courier) bury(d store.Delivery, problem string) {
	fields := []zap.Field{
		zap.String("id", d.ID), zap.String("to", c.target), zap.Int("attempts", d.Attempts), zap.String("problem", problem),
		zap.String("dead_letters", c.o.DeadLetters),
	}
	if err := c.write(DeadLetter{
		At: time.Now().UTC(), ID: d.ID, Session: d.Session, To: c.target, Attempts: d.Attempts, Problem: problem, Body: d.Body,
	}); err != nil {
		fields = append(fields, zap.Error(err))
	}
	c.o.Logger.Error("webhook.dead", fields...)
}

// write adds a line. The file, and the folder where that is missing, are for their owner only: it holds a report.
func (c *Courier) write(l DeadLetter) error {
	if c.o.DeadLetters == "" {
		return nil
	}
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	c.file.Lock()
	defer c.file.Unlock()
	if err := os.MkdirAll(filepath.Dir(c.o.DeadLetters), 0o700); err != nil {
		return err
	}
	return alone(c.o.DeadLetters, func() error { return appendLine(c.o.DeadLetters, line) })
}

func appendLine(file string, line []byte) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose the path
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(append(line, '\n'))
	return err
}

// abandon makes dead letters of what a Memory still holds: with the process it would be lost.
func (c *Courier) abandon() {
	left, is := c.o.Outbox.(*Memory)
	if !is {
		return
	}
	for _, d := range left.take() {
		problem := "the worker ended before it could be delivered"
		if d.Problem != "" {
			problem += "; the last try: " + d.Problem
		}
		c.o.Count("dead")
		c.bury(d, problem)
	}
}
