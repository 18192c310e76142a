package agent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/record"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// leftAlone is how long after its last event an interview is given up: nobody may take it up any more, and clocks of several
// machines may differ.
const leftAlone = resumeWithin + 5*time.Minute

// Sweep ends and reports interviews that dead workers left and nobody has taken up, until ctx ends; without an archive it
// returns at once. What is under way then is finished by Close.
func (i *Interviewer) Sweep(ctx context.Context) error {
	if i.o.Archive == nil {
		return nil
	}
	o := assessment.Sweep{
		Left: i.o.Archive, Quiet: leftAlone, Case: i.leftCase, Count: i.o.Metrics.Swept,
		Find: func(kind, locale string) (*engine.Interview, error) {
			return i.o.Library.Find(Metadata{Interview: kind, Locale: locale})
		},
	}
	return i.assessment.Sweep(ctx, o)
}

// leftCase is an interview that was left: nobody is in its room any more.
func (i *Interviewer) leftCase(s *store.Session, iv *engine.Interview) assessment.Case {
	id := s.ID
	c := assessment.Case{
		Session: id, Room: s.Room, Began: s.Began, Interview: iv, Models: i.o.Engines.Models, Link: i.o.Link,
		Journal:   func(ctx context.Context) ([]state.Entry, error) { return i.o.Archive.Read(ctx, id) },
		Recording: func() *report.Recording { return i.leftRecording(id) },
	}
	if i.judges != nil {
		c.Model = i.judges(session.NewMeter(iv.Def.Budget.SessionTokens).Beside())
	}
	return c
}

// leftRecording is the first recording of a session that is in the folder; nil: there is none.
func (i *Interviewer) leftRecording(id string) *report.Recording {
	if i.o.Recordings == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordLimit)
	defer cancel()
	all, err := i.o.Recordings.Index.Recordings(ctx, id)
	if err != nil {
		i.o.Logger.Warn("recording.index", zap.String("session", id), zap.Error(err))
	}
	for _, r := range all {
		if offset, err := i.beginningOf(r.Path); err == nil {
			return &report.Recording{URL: "recording.ogg", Offset: state.FromDuration(offset), Duration: state.FromDuration(r.Duration)}
		}
	}
	return nil
}

func (i *Interviewer) beginningOf(path string) (time.Duration, error) {
	f, err := i.o.Recordings.Folder.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // only read
	return record.OffsetIn(f)
}
