package assessment

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// Bounds of what waits for an archive that is slow, full or away.
const (
	firstSave = 2 * time.Second // who waits for the first try may be a candidate
	saveAgain = time.Second     // from the first try to the second; twice as long from each to the next
	savePause = 15 * time.Second
	keepLimit = time.Hour
	spoolSize = 64 << 20 // bytes
	leastSize = 4 << 10  // that one thing counts for, so that their number is bounded, too
)

// Keep writes something of so many bytes into the archive with write, which may be called again after it has succeeded. What cannot be
// written within two seconds waits in the service and is tried again, for an hour at most, so that Keep's error is only for those who
// depend on it at once. Wait waits for it, and Close gives it one last try. What is lost in the end is logged as an error under name.
func (s *Service) Keep(ctx context.Context, log *zap.Logger, name string, size int, write func(context.Context) error) error {
	try := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		return write(ctx)
	}
	err := try(firstSave)
	if err == nil {
		return nil
	}
	size = max(size, leastSize)
	insist := func() {
		defer s.spool.Release(int64(size))
		s.insist(log, name, try, err)
	}
	switch {
	case final(err):
	case !s.spool.TryAcquire(int64(size)):
		err = errors.Join(err, errors.New("too much waits for the store already"))
	case s.begin(insist):
		log.Warn(name, zap.Error(err), zap.Bool("waits", true))
		return err
	default: // the service is closed
		s.spool.Release(int64(size))
		if err = try(archiveLimit); err == nil {
			return nil
		}
	}
	log.Error(name, zap.Error(err))
	return err
}

// final reports whether another try cannot help: the session was deleted.
func final(err error) bool {
	return errors.Is(err, store.ErrNoSession) || errors.Is(err, store.ErrClosed)
}

// insist tries until it succeeds, cannot, or has no more time.
func (s *Service) insist(log *zap.Logger, name string, try func(time.Duration) error, err error) {
	began := time.Now()
	for pause, last := saveAgain, false; err != nil && !final(err) && !last; pause = min(2*pause, savePause) {
		select {
		case <-time.After(pause):
			last = time.Since(began) >= keepLimit
		case <-s.life.Done():
			last = true
		}
		err = try(archiveLimit)
	}
	if err != nil {
		log.Error(name, zap.Error(err))
		return
	}
	log.Info("archive.caught_up", zap.String("after", name), zap.Duration("waited", time.Since(began)))
}
