package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Utterance is what a Voice is asked to say.
type Utterance struct {
	ID uint64 // the engine's number; of several drafts of an utterance one at most is heard
	// Generation grows with every call of Speak.
	Generation uint64
	// Hold prepares the utterance; nothing of it may be heard before Holder.Release.
	Hold     bool
	Name     string // the engine's name of a voice; empty = its default
	Language string
	Speed    float64
	Firm     bool // goes on although the candidate speaks
	// Started is called once, when the first frame is on its way; Words with the words that have become audible since
	// the last call, a leading space where one belongs. Neither may be called after Speak has returned.
	Started func()
	Words   func(more string)
}

// Source yields the clauses of an utterance as they are written, and io.EOF after the last.
type Source interface {
	Next(ctx context.Context) (string, error)
}

// Spoken is how an utterance ended.
type Spoken struct {
	Heard    string // the words that reached the candidate
	Complete bool   // all of it was heard
	Err      error  // why it could not be spoken, or not to its end; nil when it was merely cut
}

// Voice is how the interviewer is heard. One utterance is in the air at a time: the session cancels ctx before it
// asks for another, and the voice must be silent at once then.
type Voice interface {
	Speak(ctx context.Context, u Utterance, src Source) Spoken
	// Pause holds the voice, Resume goes on from the exact sample, Duck lowers it.
	Pause()
	Resume()
	Duck(on bool)
}

// Holder is a Voice that can prepare an utterance without letting it be heard. Speculation needs one.
type Holder interface {
	// Release lets the held utterance of this generation be heard. It may come before Speak was called, and must not
	// block.
	Release(generation uint64)
}

// Ears is the listening side, as far as the session steers it. The calls must not block.
type Ears interface {
	// Audible tells which utterance is in the air; on is false when it has ended.
	Audible(utterance uint64, on, firm bool)
	// Take ends the candidate's running turn: a Turn or NoWords follows.
	Take()
	// Expect tells in which manner turns are taken now: patient, brisk or manual; empty = the default.
	Expect(turn string)
}

// Presence shows the interview to the room. The calls must not block.
type Presence interface {
	State(s string) // listening, thinking or speaking
	Stage(p engine.Publish)
	// Words adds words of an utterance as they become audible; put together they are what Said gets at its end.
	Words(utterance uint64, more string)
	Said(utterance uint64, text string)
	// Candidate shows the candidate's words; the number tells turns apart.
	Candidate(turn uint64, text string, final bool)
	// Done says that the interview is over.
	Done(reason string)
}

// Options are the parts of a session. Interview, Voice, Ears, Presence, Journal and Logger are required.
type Options struct {
	Interview *engine.Interview
	Start     engine.Started
	Voice     Voice
	Ears      Ears
	Presence  Presence
	Journal   state.Journal
	Model     llm.Model // nil: scripted words only
	Observe   func(engine.Fact)
	Logger    *zap.Logger
	// Speculate prepares replies on a Prospect, before the turn is decided. The Voice must be a Holder.
	Speculate bool
	// ModelWait bounds the wait for a model's first words; then the scripted ones are said. Default 4 s.
	ModelWait time.Duration
	// CloseWait bounds how long Run waits for what it started when it ends. Default 5 s.
	CloseWait time.Duration
}

// Session is one interview in progress.
type Session struct {
	o      Options
	inbox  *mailbox
	began  time.Time
	u      *state.UserData
	seq    uint64
	timers map[uint64]*time.Timer
	speech speech
	drafts drafts
	turn   uint64 // number of the candidate's turn being shown
	shown  string // the state last shown
	ended  string
	tasks  sync.WaitGroup
	done   chan struct{} // closed by Run
}

// New prepares a session; nothing starts before Run.
func New(o Options) (*Session, error) {
	switch {
	case o.Interview == nil:
		return nil, errors.New("a session needs an interview")
	case o.Voice == nil || o.Ears == nil || o.Presence == nil:
		return nil, errors.New("a session needs a voice, ears and a presence in the room")
	case o.Journal == nil:
		return nil, errors.New("a session needs a journal")
	case o.Logger == nil:
		return nil, errors.New("a session needs a logger")
	}
	if _, can := o.Voice.(Holder); o.Speculate && !can {
		return nil, errors.New("a session that prepares replies needs a voice that can hold them back")
	}
	if o.ModelWait == 0 {
		o.ModelWait = 4 * time.Second
	}
	if o.CloseWait == 0 {
		o.CloseWait = 5 * time.Second
	}
	if o.Observe == nil {
		o.Observe = func(engine.Fact) {}
	}
	o.Start.Model = o.Model != nil
	return &Session{o: o, inbox: newMailbox(), u: &state.UserData{}, timers: make(map[uint64]*time.Timer), done: make(chan struct{})}, nil
}

// ErrOverrun says that facts came faster than the session could take them: something upstream has lost its mind.
var ErrOverrun = errors.New("the session's mailbox overran")

// Run holds the interview until it ends or ctx is cancelled, and returns why it ended. The error is not nil when the
// session could not go on: the journal refused an event, or the mailbox overran.
func (s *Session) Run(ctx context.Context) (string, error) {
	defer close(s.done)
	s.began = time.Now()
	s.speech.base, s.speech.stopAll = context.WithCancelCause(context.WithoutCancel(ctx))
	err := s.take(Event{s.o.Start})
	for err == nil && s.ended == "" {
		var m Message
		if m, err = s.inbox.next(ctx); err == nil {
			err = s.take(m)
		} else if ctx.Err() != nil {
			err = s.take(Event{engine.Stop{Reason: reason(ctx)}})
		}
	}
	s.close()
	if err != nil {
		return s.ended, fmt.Errorf("hold the interview: %w", err)
	}
	return s.ended, nil
}

// Reason is an error that says, in a word for the journal, why a session's context was cancelled.
type Reason string

func (r Reason) Error() string { return string(r) }

func reason(ctx context.Context) string {
	var r Reason
	if errors.As(context.Cause(ctx), &r) {
		return string(r)
	}
	return "shutdown"
}

// Post hands a fact to the session. It never blocks; it reports false when the session is over or overrun.
func (s *Session) Post(m Message) bool { return s.inbox.put(m) }

// Done is closed when Run has returned.
func (s *Session) Done() <-chan struct{} { return s.done }

// UserData returns the state after the last event. It may be called once Done is closed.
func (s *Session) UserData() *state.UserData { return s.u }

func (s *Session) take(m Message) error {
	switch m := m.(type) {
	case Event:
		s.outdate(m.Event)
		return s.step(m.Event)
	case Turn:
		return s.answer(m)
	case Prospect:
		s.prepare(m)
	case waste:
		s.wasted(m)
	case Partial:
		s.o.Presence.Candidate(s.turn, m.Text, false)
	case Interruption:
		return s.interruption(m)
	}
	return nil
}

// answer takes a turn, and adopts the reply that was prepared for it if it is still the right one.
func (s *Session) answer(m Turn) error {
	if !m.Typed { // what was typed stands on the candidate's screen already
		s.o.Presence.Candidate(s.turn, m.Text, true)
		s.turn++
	}
	effects, err := s.decide(engine.UserTurn{
		Text: clip(m.Text), Confidence: m.Confidence, Typed: m.Typed, Began: s.since(m.Began), Reason: m.Reason,
	})
	if err != nil {
		return err
	}
	for _, e := range effects {
		if say, is := e.(engine.Say); is && s.adopt(m, say) {
			continue
		}
		s.act(e)
	}
	s.discard("state")
	s.drafts.made = 0
	s.present()
	return nil
}

// since is a moment on the session's clock; the zero time stands for now.
func (s *Session) since(t time.Time) state.Millis {
	if t.IsZero() {
		return s.at()
	}
	return max(0, state.FromDuration(t.Sub(s.began)))
}

// maxTurn bounds a turn in bytes: more than anybody says in the minutes a turn may last.
const maxTurn = 16 << 10

func clip(text string) string {
	if len(text) <= maxTurn {
		return text
	}
	cut := maxTurn
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut]
}

func (s *Session) interruption(m Interruption) error {
	if m.Utterance != s.u.Floor.Utterance {
		return nil // decided about a voice that has ended meanwhile
	}
	switch m.Action {
	case Duck:
		s.o.Voice.Duck(true)
	case Unduck:
		s.o.Voice.Duck(false)
	case Pause:
		s.o.Voice.Pause()
		s.show("listening")
		return nil
	case Resume:
		s.o.Voice.Resume()
	case Interrupt:
		return s.step(engine.BargeIn{Utterance: m.Utterance})
	}
	s.present()
	return nil
}

func (s *Session) at() state.Millis { return state.FromDuration(time.Since(s.began)) }

// step decides on an event and acts.
func (s *Session) step(ev engine.Event) error {
	effects, err := s.decide(ev)
	if err != nil {
		return err
	}
	for _, e := range effects {
		s.act(e)
	}
	s.present()
	return nil
}

// decide journals the event and folds it into the state.
func (s *Session) decide(ev engine.Event) ([]engine.Effect, error) {
	at := s.at()
	entry, err := engine.Encode(s.seq+1, at, ev)
	if err != nil {
		return nil, err
	}
	if err := s.o.Journal.Append(entry); err != nil {
		return nil, fmt.Errorf("journal event %s: %w", engine.Name(ev), err)
	}
	s.seq++
	if fired, ok := ev.(engine.TimerFired); ok {
		delete(s.timers, fired.ID)
	}
	var effects []engine.Effect
	s.u, effects = s.o.Interview.Step(s.u, at, ev)
	return effects, nil
}

func (s *Session) close() {
	for id, t := range s.timers {
		t.Stop()
		delete(s.timers, id)
	}
	s.discard("closed")
	s.speech.stopAll(Reason("closed"))
	if !waitFor(&s.tasks, s.o.CloseWait) {
		s.o.Logger.Error("session.stuck", zap.Duration("waited", s.o.CloseWait))
	}
	s.lastWords(s.inbox.close())
	if err := s.o.Journal.Close(); err != nil {
		s.o.Logger.Error("journal.failed", zap.Error(err))
	}
	s.o.Presence.Done(s.ended)
}

// lastWords keeps what was heard of an utterance that the end cut short.
func (s *Session) lastWords(left []Message) {
	for _, m := range left {
		e, ok := m.(Event)
		if !ok {
			continue
		}
		if _, heard := e.Event.(engine.VoiceEnded); !heard {
			continue
		}
		if err := s.step(e.Event); err != nil {
			s.o.Logger.Error("journal.failed", zap.Error(err))
			return
		}
	}
}

// waitFor waits for the group, at most for limit; it reports whether all were done. The goroutine it starts ends with
// the group.
func waitFor(g *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
