package session

import (
	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Recorder keeps the sound of the talk while the candidate agrees to it.
type Recorder interface {
	// Record turns that on or off; off deletes what was kept. at is the time on the session's clock. It must not block.
	Record(e engine.Record, at state.Millis)
}

func (s *Session) record(e engine.Record) {
	if s.o.Recorder == nil {
		s.o.Logger.Warn("recording.unavailable", zap.Bool("on", e.On))
		return
	}
	s.o.Recorder.Record(e, s.u.Now)
}
