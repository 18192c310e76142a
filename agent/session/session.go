package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Session is one interview in progress.
type Session struct {
	o         Options
	inbox     *mailbox
	modelWait time.Duration // for each piece of a model's reply
	began     time.Time
	u         *state.UserData
	seq       uint64
	timers    map[uint64]*time.Timer
	speech    speech
	drafts    drafts
	watch     watch
	talk      talk
	tracer    tracer
	errands   errands
	turn      uint64      // number of the candidate's turn being shown
	shown     string      // the state last shown
	problem   string      // the one shown last
	persona   string      // the one shown last
	broke     bool        // it was told that the budget of tokens is spent
	plain     atomic.Bool // the model's service takes no schema: it is told in words
	ended     string
	guard     *guard.Guard // the interview's; nil: none
	tasks     sync.WaitGroup
	done      chan struct{} // closed by Run
}

// ErrOverrun says that facts came faster than the session could take them: something upstream has lost its mind.
var ErrOverrun = errors.New("the session's mailbox overran")

// Run holds the interview until it ends or ctx is cancelled, and returns why it ended. The error is not nil when the
// session could not go on: the journal refused an event, the mailbox overran, or something in it panicked, by itself or, with
// the Panic as the cause of ctx, in a goroutine beside it. After a panic nothing tells the room that the interview is over,
// and what is in the journal may be gone on with.
func (s *Session) Run(ctx context.Context) (string, error) {
	defer close(s.done)
	s.guard = guard.From(ctx)
	s.speech.base, s.speech.stopAll = context.WithCancelCause(context.WithoutCancel(ctx))
	err := s.guard.Try("session", func() error { return s.hold(ctx) })
	if guard.Is(err) {
		s.ended = ""                              // it was not carried through
		_ = s.guard.Try("session", func() error { // what it holds may be what it broke on
			s.abandon()
			return nil
		})
	} else {
		s.close()
	}
	if err != nil {
		return s.ended, fmt.Errorf("hold the interview: %w", err)
	}
	return s.ended, nil
}

// hold takes one fact after the other until the interview is over.
func (s *Session) hold(ctx context.Context) error {
	err := s.take(Event{s.first()})
	s.keepWatch()
	for err == nil && s.ended == "" {
		var m Message
		if m, err = s.inbox.next(ctx); err == nil {
			err = s.take(m)
		} else if broken := guard.Broken(ctx); broken != nil {
			err = broken
		} else if ctx.Err() != nil {
			err = s.take(Event{engine.Stop{Reason: reason(ctx)}})
		}
		s.keepWatch()
	}
	return err
}

// Resumption is an interview that another process began, folded from its journal. The session goes on after its last entry.
type Resumption struct {
	State   *state.UserData // not changed
	Entries uint64          // in the journal so far
	Last    state.Millis    // when the last one was written, on the session's clock
	Gap     time.Duration   // how long ago that is, not negative
}

// first sets the session's clock and returns the event that it begins with: Started, or Resumed with a clock that goes on
// where the journal's stands, and with what the talk has used of models by then.
func (s *Session) first() engine.Event {
	r := s.o.Resume
	if r == nil {
		s.began = time.Now()
		return s.o.Start
	}
	gap := state.FromDuration(r.Gap)
	s.began = time.Now().Add(-(r.Last + gap).Duration())
	s.u, s.seq = r.State, r.Entries
	s.o.Meter.Add(max(0, r.State.Tokens-s.o.Meter.Used())) // it has counted what this process has used
	return engine.Resumed{Gap: gap}
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
		return s.happened(m.Event)
	case Turn:
		return s.answer(m)
	case Push:
		return s.push(m)
	case Prospect:
		s.prepare(m)
	case Signal:
		s.signal(m)
	case waste:
		s.wasted(m)
	case Partial:
		s.o.Presence.Candidate(s.turn, m.Text, Interim)
		return s.understood(m.Text)
	case Interruption:
		return s.interruption(m)
	case alarm:
		s.alarm(m)
	case look:
		return s.look()
	case outcome:
		return s.settle(m)
	case remark:
		s.note(m.name, m.fields...)
	}
	return nil
}

// happened takes a fact of the engine.
func (s *Session) happened(ev engine.Event) error {
	if _, away := ev.(engine.Away); away && s.talk.pressed {
		if err := s.release(); err != nil { // who is not there holds no button
			return err
		}
	}
	if !s.heed(ev) {
		return nil
	}
	s.outdate(ev)
	return s.step(ev)
}

// answer takes a turn, and adopts the reply that was prepared for it if it is still the right one.
func (s *Session) answer(m Turn) error {
	if m.Mends != 0 && m.Mends != s.turn {
		return nil // more was said since
	}
	if !m.Typed { // what was typed stands on the candidate's screen already
		s.o.Presence.Candidate(s.turn, m.Text, certainty(m))
		s.turn++
		s.watch.words()
	}
	s.tracer.turn(m)
	effects, err := s.decide(engine.UserTurn{
		Text: clip(m.Text), Confidence: m.Confidence, Typed: m.Typed, Mends: m.Mends != 0, Began: s.since(m.Began), Reason: m.Reason,
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
	s.unanswered()
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
	s.traceInterruption(m)
	switch m.Action {
	case Duck:
		s.o.Voice.Duck(true)
	case Unduck:
		s.o.Voice.Duck(false)
	case Pause:
		s.o.Voice.Pause()
		s.watch.paused = time.Now()
		s.show("listening")
		return nil
	case Resume:
		s.resume()
		return nil
	case Interrupt:
		e := engine.BargeIn{Utterance: m.Utterance}
		if !m.Onset.IsZero() {
			e.Onset = max(1, s.since(m.Onset))
		}
		return s.step(e)
	}
	s.present()
	return nil
}

// resume lets the paused voice go on.
func (s *Session) resume() {
	s.watch.paused, s.watch.sounded = time.Time{}, time.Now()
	s.o.Voice.Resume()
	s.present()
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
	if e, ended := ev.(engine.VoiceEnded); ended {
		e.Tokens = s.o.Meter.Used()
		ev = e
	}
	ev, entry, err := s.encode(at, ev)
	if err != nil || ev == nil {
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
	s.follow(ev)
	s.awaits(ev)
	s.showProblem()
	s.showPersona()
	return effects, nil
}

func (s *Session) close() {
	s.silence()
	s.lastWords(s.inbox.close())
	s.endTraces()
	s.closeJournal()
	s.o.Presence.Done(s.ended)
}

// abandon ends what the session has started, and decides nothing more.
func (s *Session) abandon() {
	defer s.closeJournal()
	s.silence()
	s.inbox.close()
	s.endTraces()
}

// silence ends what the session has started, and waits for it.
func (s *Session) silence() {
	for id, t := range s.timers {
		t.Stop()
		delete(s.timers, id)
	}
	s.watch.stop()
	s.discard("closed")
	s.speech.stopAll(Reason("closed"))
	if !waitFor(&s.tasks, closeWait) {
		s.o.Logger.Error("session.stuck", zap.Duration("waited", closeWait))
	}
}

func (s *Session) closeJournal() {
	if err := s.o.Journal.Close(); err != nil {
		s.o.Logger.Error("journal.failed", zap.Error(err))
	}
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
