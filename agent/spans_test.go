package agent

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/vivavoice/viva/agent/session"
)

// recorder is a tracer that keeps what it is told.
type recorder struct {
	embedded.Tracer
	spans []*recorded
}

// recorded is a span.
type recorded struct {
	noop.Span
	name, parent string
	from, to     time.Time
	events       []string
	status       codes.Code
}

// Start implements trace.Tracer.
func (r *recorder) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	config := trace.NewSpanStartConfig(o...)
	s := &recorded{name: name, from: config.Timestamp()}
	if p, ok := trace.SpanFromContext(ctx).(*recorded); ok {
		s.parent = p.name
	}
	r.spans = append(r.spans, s)
	return trace.ContextWithSpan(ctx, s), s
}

// End implements trace.Span.
func (s *recorded) End(o ...trace.SpanEndOption) {
	config := trace.NewSpanEndConfig(o...)
	s.to = config.Timestamp()
}

// AddEvent implements trace.Span.
func (s *recorded) AddEvent(name string, _ ...trace.EventOption) { s.events = append(s.events, name) }

// SetStatus implements trace.Span.
func (s *recorded) SetStatus(c codes.Code, _ string) { s.status = c }

// Issue 3: session → turn → stt, llm, tts, playout, each with its own times.
func TestSpansOfATurn(t *testing.T) {
	r := &recorder{}
	s := newSpans(t.Context(), r, "job", "two_stage")
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	x := session.Trace{
		Turn: 1, Utterance: 4, SpeechEnded: at(0), TurnDecided: at(600), ReplyDecided: at(601), ModelAsked: at(602), FirstToken: at(800),
		FirstClause: at(850), VoiceAsked: at(851), FirstSound: at(970), FirstPacket: at(975), LastPacket: at(4000), Ended: at(4010),
		Decisions: []session.Decision{{At: at(600), What: "turn.decided", Why: "complete"}}, Failed: true,
	}
	s.turn(t.Context(), &x)
	s.end("done", errors.New("disk full"))
	type span struct {
		Name, Parent string
		From, To     int // ms
	}
	var got []span
	for _, x := range r.spans[1:] {
		got = append(got, span{x.name, x.parent, int(x.from.Sub(began).Milliseconds()), int(x.to.Sub(began).Milliseconds())})
	}
	want := []span{{"turn", "session", 0, 4010}, {"stt", "turn", 0, 600}, {"llm", "turn", 602, 850}, {"tts", "turn", 851, 970}, {"playout", "turn", 975, 4000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	turn := r.spans[1]
	if len(turn.events) != 1 || turn.status != codes.Error || r.spans[0].status != codes.Error {
		t.Errorf("events %v, status %v and %v", turn.events, turn.status, r.spans[0].status)
	}
}

// A scripted opening has no turn, no transcription and no model; a prepared reply began before its turn was decided.
func TestSpansOfWhatDidNotHappen(t *testing.T) {
	r := &recorder{}
	s := newSpans(t.Context(), r, "job", "two_stage")
	began := time.Now()
	s.turn(t.Context(), &session.Trace{ReplyDecided: began, VoiceAsked: began, Ended: began.Add(time.Second)})
	s.turn(t.Context(), &session.Trace{Prepared: true, TurnDecided: began, ModelAsked: began.Add(-time.Second), Ended: began.Add(time.Second)})
	var names []string
	for _, x := range r.spans {
		names = append(names, x.name)
	}
	if diff := cmp.Diff([]string{"session", "turn", "tts", "turn", "llm"}, names); diff != "" {
		t.Error(diff)
	}
	if got := began.Sub(r.spans[3].from); got != time.Second {
		t.Errorf("the prepared turn began %v before its decision", got)
	}
}

// Without a tracer nothing is told, and nothing breaks.
func TestNoSpans(t *testing.T) {
	s := newSpans(t.Context(), nil, "job", "two_stage")
	s.turn(t.Context(), &session.Trace{})
	s.end("done", nil)
	if s != nil {
		t.Error("spans without a tracer")
	}
}
