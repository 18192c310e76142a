package session

import (
	"slices"
	"sync"
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

// maxDecisions bounds those of a record; later ones are counted only.
const maxDecisions = 64

// Trace is the record of one utterance of the interviewer: the turn of the candidate that it answers, what was decided on the
// way and why, and when its parts came. All times are of one clock; the zero time says that it did not happen. No words of
// the candidate are in it.
type Trace struct {
	Turn      uint64 // number of the candidate's turn, from 1; 0: it answers none
	Visit     uint64
	Stage     string
	Utterance uint64 // 0: the turn asked for no reply
	Move      string
	Typed     bool   // the turn was typed
	Prepared  bool   // the reply was prepared before the turn was decided
	Handoff   string // why the stage was left before it; empty: it was not
	Complete  bool   // it was heard to its end
	Failed    bool   // it could not be voiced

	SpeechEnded  time.Time // end of the candidate's last word
	TurnDecided  time.Time
	ReplyDecided time.Time // the utterance was asked for
	ModelAsked   time.Time
	FirstToken   time.Time
	FirstClause  time.Time
	LastWord     time.Time // of a model that leads the turn: its words were over
	Reading      time.Time // and what it understood was there
	VoiceAsked   time.Time
	FirstSound   time.Time // of the voice engine
	FirstPacket  time.Time
	LastPacket   time.Time
	Ended        time.Time

	ReadingTokens int // an estimate

	Decisions []Decision
	Dropped   int // decisions beyond the bound
	Stops     []Stop
}

// Decision is one thing that was decided, and why.
type Decision struct {
	At        time.Time
	What, Why string
}

// Stop is a time the voice was stopped because the candidate made a sound.
type Stop struct {
	Onset   time.Time // of the sound; zero = not known
	Decided time.Time // that the voice be silent
	Silent  time.Time // its last packet that was heard; zero = not known
	Real    bool      // it was an interruption; else the voice went on
}

// Gap is the silence that the candidate heard: from their last word to the first packet of the answer.
func (t *Trace) Gap() (d time.Duration, ok bool) { return between(t.SpeechEnded, t.FirstPacket) }

// ReadingDelay is how long after the model's last word its reading was there.
func (t *Trace) ReadingDelay() (d time.Duration, ok bool) { return between(t.LastWord, t.Reading) }

// Own is the part of the gap after the turn was decided that was not spent waiting for providers.
func (t *Trace) Own() (d time.Duration, ok bool) { return t.own(t.TurnDecided) }

// Lag is what this machine alone took to answer a turn: from the moment a reply was asked for to its first packet, less the wait for
// providers. What the talk waited for on purpose before that is no part of it.
func (t *Trace) Lag() (d time.Duration, ok bool) {
	if t.TurnDecided.IsZero() {
		return 0, false
	}
	return t.own(t.ReplyDecided)
}

// HandoffSilence is the time from the decision for a bridge to its first packet, less the wait for providers.
func (t *Trace) HandoffSilence() (d time.Duration, ok bool) {
	if t.Handoff == "" {
		return 0, false
	}
	if !t.TurnDecided.IsZero() {
		return t.own(t.TurnDecided)
	}
	return t.own(t.ReplyDecided)
}

func (t *Trace) own(from time.Time) (time.Duration, bool) {
	d, ok := between(from, t.FirstPacket)
	if !ok {
		return 0, false
	}
	model := overlap(from, t.FirstPacket, t.ModelAsked, t.FirstClause)
	voice := overlap(from, t.FirstPacket, t.VoiceAsked, t.FirstSound)
	return max(0, d-model-voice), true
}

// Delay is how long after the decision the last packet was sent.
func (s *Stop) Delay() (d time.Duration, ok bool) { return between(s.Decided, s.Silent) }

// Onward is the time from the onset of the sound to the last packet.
func (s *Stop) Onward() (d time.Duration, ok bool) { return between(s.Onset, s.Silent) }

// between is the time from a to b, not below 0; ok is false when one did not happen.
func between(a, b time.Time) (d time.Duration, ok bool) {
	if a.IsZero() || b.IsZero() {
		return 0, false
	}
	return max(0, b.Sub(a)), true
}

// overlap is how much of the time from a to b lies between from and to.
func overlap(from, to, a, b time.Time) time.Duration {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	if a.Before(from) {
		a = from
	}
	if b.After(to) {
		b = to
	}
	return max(0, b.Sub(a))
}

func (t *Trace) decide(what, why string) {
	if len(t.Decisions) == maxDecisions {
		t.Dropped++
		return
	}
	t.Decisions = append(t.Decisions, Decision{At: time.Now(), What: what, Why: why})
}

// progress notes when the parts of an utterance came. It is safe for concurrent use.
type progress struct {
	mu                                                                       sync.Mutex
	modelAsked, firstToken, firstClause, voiceAsked, firstSound, firstPacket time.Time // guarded by mu
	lastWord, reading                                                        time.Time // guarded by mu
	readingBytes                                                             int       // guarded by mu
}

// note sets the time of one of the fields, once.
func (p *progress) note(field *time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if field.IsZero() {
		*field = time.Now()
	}
}

// read notes that a reading of so many bytes has come.
func (p *progress) read(bytes int) {
	p.note(&p.reading)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readingBytes = bytes
}

// copy puts the times into the record.
func (p *progress) copy(t *Trace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.ModelAsked, t.FirstToken, t.FirstClause = p.modelAsked, p.firstToken, p.firstClause
	t.VoiceAsked, t.FirstSound, t.FirstPacket = p.voiceAsked, p.firstSound, p.firstPacket
	t.LastWord, t.Reading, t.ReadingTokens = p.lastWord, p.reading, (p.readingBytes+charsPerToken-1)/charsPerToken
}

// tracer makes the records. It belongs to the session's goroutine.
type tracer struct {
	open  Trace            // of the utterance to come
	live  map[uint64]*live // by utterance: asked for, and not over
	turns uint64
}

// live is the record of an utterance that is not over.
type live struct {
	Trace
	progress   *progress
	generation uint64
}

// about returns the record of an utterance, or the one to come.
func (r *tracer) about(utterance uint64) *Trace {
	if l := r.live[utterance]; l != nil {
		return &l.Trace
	}
	return &r.open
}

// turn notes a turn of the candidate.
func (r *tracer) turn(m Turn) {
	r.turns++
	t := &r.open
	t.Turn, t.Typed, t.SpeechEnded, t.TurnDecided = r.turns, m.Typed, m.Ended, m.Decided
	if t.TurnDecided.IsZero() {
		t.TurnDecided = time.Now()
	}
	t.decide("turn.decided", m.Reason)
}

// decisive names the facts that are decisions, and the fields that say why.
var decisive = map[string][]string{
	"handoff.done": {"reason", "source"}, "handoff.noop": {"reason", "source"}, "timer.fired": {"timer"}, "fallback": {"kind", "do"},
	"reply.held": {"move"}, "turn.limit": nil, "turn.no_words": {"cause"},
	"task.started": {"kind", "subject"}, "task.done": {"kind", "failed", "degraded"}, "task.cancelled": {"kind", "reason"},
	"evaluation.done": {"item", "decision", "by"}, "expert.answered": {"expert", "next"}, "expert.failed": {"expert", "kind"},
	"hint.given": nil, "stage.refused": {"proposed"}, "secret.kept": nil, "secret.withheld": nil, "budget.spent": nil,
	"speculation.started": nil, "speculation.adopted": nil, "speculation.discarded": {"reason"},
	"reading.missing": {"error"},
}

// fact notes a decision of the engine or of the session.
func (r *tracer) fact(f engine.Fact) {
	keys, ok := decisive[f.Name]
	if !ok {
		return
	}
	why := ""
	for _, x := range f.Fields {
		value, is := x.Value.(string)
		if !is || !slices.Contains(keys, x.Key) || value == "" {
			continue
		}
		if why != "" {
			why += " "
		}
		why += value
		if f.Name == "handoff.done" && x.Key == "reason" {
			r.open.Handoff = value
		}
	}
	r.open.decide(f.Name, why)
}

// say turns the open record into that of an utterance.
func (r *tracer) say(e engine.Say, src *words, generation uint64) {
	t := r.open
	r.open = Trace{}
	t.Visit, t.Stage, t.Utterance, t.Move = e.Visit, e.Stage, e.Utterance, string(e.Move)
	t.ReplyDecided, t.Prepared = time.Now(), src.held != nil
	r.live[e.Utterance] = &live{Trace: t, progress: &src.progress, generation: generation}
}

// traceInterruption notes what is done to the voice in the air. It comes before it is done.
func (s *Session) traceInterruption(m Interruption) {
	l := s.tracer.live[m.Utterance]
	if l == nil {
		return
	}
	l.decide("floor."+string(m.Action), m.Reason)
	if m.At.IsZero() {
		m.At = time.Now()
	}
	n := len(l.Stops)
	pending := n > 0 && l.Stops[n-1].Silent.IsZero() && !l.Stops[n-1].Real
	switch {
	case (m.Action == Duck || m.Action == Pause) && !pending && n < maxDecisions:
		l.Stops = append(l.Stops, Stop{Onset: m.Onset, Decided: m.At})
	case m.Action == Unduck && pending: // it went on meanwhile
		l.Stops = l.Stops[:n-1]
	case m.Action == Resume && pending:
		l.Stops[n-1].Silent = s.lastSound(l.generation)
	case m.Action == Interrupt && pending:
		l.Stops[n-1].Real = true
	case m.Action == Interrupt:
		l.Stops = append(l.Stops, Stop{Onset: m.Onset, Decided: m.At, Real: true})
	}
}

// lastSound is when what was spoken under this generation was last heard; zero when that is not known.
func (s *Session) lastSound(generation uint64) time.Time {
	if pulse, ok := s.o.Voice.(Pulse); ok {
		if last, at := pulse.LastSound(); last == generation {
			return at
		}
	}
	return time.Time{}
}

// follow ends the record of an utterance that is over.
func (s *Session) follow(ev engine.Event) {
	e, ok := ev.(engine.VoiceEnded)
	if !ok {
		return
	}
	l := s.tracer.live[e.Utterance]
	if l == nil {
		return
	}
	delete(s.tracer.live, e.Utterance)
	l.Complete, l.Failed = !e.Cut && e.Failed == "", e.Failed != ""
	if e.Degraded != "" {
		l.decide("script.stands_in", e.Degraded)
	}
	if e.Failed != "" {
		l.decide("voice.failed", e.Failed)
	}
	s.finish(l)
}

func (s *Session) finish(l *live) {
	t := &l.Trace
	l.progress.copy(t)
	t.LastPacket, t.Ended = s.lastSound(l.generation), time.Now()
	if n := len(t.Stops); n > 0 && t.Stops[n-1].Silent.IsZero() {
		t.Stops[n-1].Silent = t.LastPacket
	}
	s.report(*t)
}

// unanswered ends the record of a turn that asked for no reply.
func (s *Session) unanswered() {
	if s.tracer.open.Turn == 0 {
		return
	}
	t := s.tracer.open
	s.tracer.open = Trace{}
	t.Visit, t.Stage, t.Ended = s.u.Visit, s.u.Stage, time.Now()
	s.report(t)
}

// endTraces ends the records of utterances whose end nobody reported.
func (s *Session) endTraces() {
	for utterance, l := range s.tracer.live {
		delete(s.tracer.live, utterance)
		s.finish(l)
	}
}

func (s *Session) report(t Trace) {
	s.logTrace(&t)
	s.o.Trace(t)
}
