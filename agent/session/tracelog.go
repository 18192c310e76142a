package session

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logTrace writes a record as one event. Times are in ms since the session began, spans in ms.
func (s *Session) logTrace(t *Trace) {
	entry := s.o.Logger.Check(zap.InfoLevel, "turn.trace")
	if entry == nil {
		return
	}
	fields := []zap.Field{
		zap.Uint64("turn", t.Turn), zap.Uint64("visit", t.Visit), zap.String("stage", t.Stage), zap.Uint64("utterance", t.Utterance),
		zap.String("move", t.Move), zap.Bool("typed", t.Typed), zap.Bool("prepared", t.Prepared), zap.String("handoff", t.Handoff),
		zap.Bool("complete", t.Complete), zap.Bool("voiced", !t.Failed),
	}
	for _, x := range []struct {
		name string
		of   func() (time.Duration, bool)
	}{{"gap_ms", t.Gap}, {"own_ms", t.Own}, {"handoff_ms", t.HandoffSilence}, {"reading_ms", t.ReadingDelay}} {
		if d, ok := x.of(); ok {
			fields = append(fields, zap.Float64(x.name, milliseconds(d)))
		}
	}
	if !t.Reading.IsZero() {
		fields = append(fields, zap.Int("reading_tokens", t.ReadingTokens))
	}
	for _, x := range []struct {
		name string
		at   time.Time
	}{
		{"at_speech_ended", t.SpeechEnded}, {"at_turn_decided", t.TurnDecided}, {"at_reply_decided", t.ReplyDecided},
		{"at_model_asked", t.ModelAsked}, {"at_first_token", t.FirstToken}, {"at_first_clause", t.FirstClause},
		{"at_last_word", t.LastWord}, {"at_reading", t.Reading},
		{"at_voice_asked", t.VoiceAsked}, {"at_first_sound", t.FirstSound}, {"at_first_packet", t.FirstPacket},
		{"at_last_packet", t.LastPacket}, {"at_end", t.Ended},
	} {
		if !x.at.IsZero() {
			fields = append(fields, zap.Float64(x.name, milliseconds(x.at.Sub(s.began))))
		}
	}
	decisions := make([]zapcore.ObjectMarshalerFunc, 0, len(t.Decisions))
	for _, d := range t.Decisions {
		decisions = append(decisions, func(o zapcore.ObjectEncoder) error {
			o.AddFloat64("at", milliseconds(d.At.Sub(s.began)))
			o.AddString("what", d.What)
			if d.Why != "" {
				o.AddString("why", d.Why)
			}
			return nil
		})
	}
	fields = append(fields, zap.Objects("decisions", decisions), zap.Int("decisions_dropped", t.Dropped), zap.ObjectValues("stops", t.Stops))
	entry.Write(fields...)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (s *Stop) MarshalLogObject(o zapcore.ObjectEncoder) error {
	o.AddBool("real", s.Real)
	if d, ok := s.Delay(); ok {
		o.AddFloat64("decision_ms", milliseconds(d))
	}
	if d, ok := s.Onward(); ok {
		o.AddFloat64("onset_ms", milliseconds(d))
	}
	return nil
}
