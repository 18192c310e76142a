package agent

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/vivavoice/viva/agent/session"
)

// spans tell OpenTelemetry of one interview: a span session, in it a span turn for each utterance, and in that stt, llm, tts
// and playout. They are made when an utterance is over, from its record, so that nothing is added to the way of the sound. A
// nil *spans tells nothing. It belongs to the session's goroutine, end excepted, which comes after.
type spans struct {
	tracer trace.Tracer
	root   trace.Span
}

func newSpans(ctx context.Context, tracer trace.Tracer, id, kind string) *spans {
	if tracer == nil {
		return nil
	}
	_, root := tracer.Start(ctx, "session", trace.WithNewRoot(),
		trace.WithAttributes(attribute.String("viva.session", id), attribute.String("viva.interview", kind)))
	return &spans{tracer: tracer, root: root}
}

// end ends the span of the interview.
func (s *spans) end(reason string, err error) {
	if s == nil {
		return
	}
	s.root.SetAttributes(attribute.String("viva.end", reason))
	if err != nil {
		s.root.SetStatus(codes.Error, err.Error())
	}
	s.root.End()
}

// turn tells of one utterance.
func (s *spans) turn(ctx context.Context, t *session.Trace) {
	if s == nil {
		return
	}
	ctx = trace.ContextWithSpan(ctx, s.root)
	from := cmp.Or(t.SpeechEnded, t.TurnDecided, t.ReplyDecided, t.Ended)
	if t.Prepared {
		from = earlier(from, t.ModelAsked)
	}
	ctx, span := s.tracer.Start(ctx, "turn", trace.WithTimestamp(from), trace.WithAttributes(turnAttributes(t)...))
	for _, d := range t.Decisions {
		span.AddEvent(d.What, trace.WithTimestamp(d.At), trace.WithAttributes(attribute.String("viva.why", d.Why)))
	}
	if t.Failed {
		span.SetStatus(codes.Error, "not voiced")
	}
	s.part(ctx, "stt", t.SpeechEnded, t.TurnDecided)
	s.part(ctx, "llm", t.ModelAsked, cmp.Or(t.FirstClause, t.Ended))
	s.part(ctx, "reading", t.LastWord, t.Reading)
	s.part(ctx, "tts", t.VoiceAsked, cmp.Or(t.FirstSound, t.Ended))
	s.part(ctx, "playout", t.FirstPacket, cmp.Or(t.LastPacket, t.Ended))
	span.End(trace.WithTimestamp(t.Ended))
}

// part tells of a part of a turn, if there was one.
func (s *spans) part(ctx context.Context, name string, from, to time.Time) {
	if from.IsZero() || to.IsZero() {
		return
	}
	_, span := s.tracer.Start(ctx, name, trace.WithTimestamp(from))
	span.End(trace.WithTimestamp(to))
}

func turnAttributes(t *session.Trace) []attribute.KeyValue {
	list := []attribute.KeyValue{
		attribute.Int64("viva.turn", int64(t.Turn)), attribute.Int64("viva.visit", int64(t.Visit)), attribute.String("viva.stage", t.Stage),
		attribute.Int64("viva.utterance", int64(t.Utterance)), attribute.String("viva.move", t.Move),
		attribute.Bool("viva.prepared", t.Prepared), attribute.Bool("viva.complete", t.Complete), attribute.Int("viva.stops", len(t.Stops)),
	}
	if t.Handoff != "" {
		list = append(list, attribute.String("viva.handoff", t.Handoff))
	}
	if d, ok := t.ReadingDelay(); ok {
		list = append(list, attribute.Int("viva.reading_tokens", t.ReadingTokens), attribute.Float64("viva.reading_ms", d.Seconds()*1000))
	}
	if gap, ok := t.Gap(); ok {
		list = append(list, attribute.Float64("viva.gap_ms", gap.Seconds()*1000))
	}
	if own, ok := t.Own(); ok {
		list = append(list, attribute.Float64("viva.own_ms", own.Seconds()*1000))
	}
	return list
}

// earlier returns the earlier of two times, of which the second may be zero.
func earlier(a, b time.Time) time.Time {
	if !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
