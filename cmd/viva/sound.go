package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// retainEvery is how often the worker looks for sound that is too old, besides at its start.
const retainEvery = 24 * time.Hour

// openSound opens the folder for recordings, and makes it; nil: there is none. The caller closes it.
func openSound(s *settings.Settings) (*os.Root, error) {
	if s.Recording.Dir == "" {
		return nil, nil
	}
	err := os.MkdirAll(s.Recording.Dir, 0o700)
	if err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(s.Recording.Dir); err == nil {
			return root, nil
		}
	}
	return nil, fmt.Errorf("open the folder for recordings (correct recording.dir, or leave it empty to record nothing): %w", err)
}

// swept is what became of files that are to be deleted.
type swept struct {
	gone    []string // they are not there any more
	unfound []string // they may be in another folder
	failed  error
}

// sweep deletes files. One that is not there is gone when others of its month are or were here, else this may be the wrong
// folder.
func sweep(root *os.Root, paths []string) (s swept) {
	var problems []error
	for _, p := range paths {
		err := root.Remove(p)
		_, month := root.Stat(path.Dir(p))
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist) && month == nil:
			s.gone = append(s.gone, p)
		case errors.Is(err, fs.ErrNotExist):
			s.unfound = append(s.unfound, p)
		default:
			problems = append(problems, fmt.Errorf("delete a recording: %w", err))
		}
	}
	s.failed = errors.Join(problems...)
	return s
}

// recordings is where the worker keeps sound; nil: nowhere.
func (k keeping) recordings() *agent.Recordings {
	if k.sound == nil {
		return nil
	}
	return &agent.Recordings{Folder: k.sound, Index: k.database}
}

// retain deletes sound that is older than the time it is kept, at once and then daily; with 0 it does nothing. It goes on
// when that fails: the next time does what is left.
func retain(ctx context.Context, k keeping, keep time.Duration, log *zap.Logger) error {
	if k.sound == nil || keep == 0 {
		return nil
	}
	ticker := time.NewTicker(retainEvery)
	defer ticker.Stop()
	for {
		expire(ctx, k, time.Now().Add(-keep), log)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// expire deletes the sound of interviews that ended before a time, and what an earlier purge has left.
func expire(ctx context.Context, k keeping, before time.Time, log *zap.Logger) {
	paths, err := k.database.PurgeRecordings(ctx, before)
	if err == nil && len(paths) > 0 {
		s := sweep(k.sound, paths)
		err = errors.Join(s.failed, k.database.Removed(ctx, s.gone...))
		log.Info("recordings.purged", zap.Int("deleted", len(s.gone)), zap.Int("not_found", len(s.unfound)))
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("recordings.purge", zap.Error(err))
	}
}
