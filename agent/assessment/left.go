package assessment

import (
	"context"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// unreadable says that nothing can be made of a journal. Its reason is a word for the store.
type unreadable struct {
	reason string
	cause  error
}

func (e *unreadable) Error() string { return fmt.Sprintf("%s: %v", e.reason, e.cause) }
func (e *unreadable) Unwrap() error { return e.cause }

// lost is an interview that was left, folded from its journal.
type lost struct {
	interview *engine.Interview
	u         *state.UserData
	last      state.Millis            // when the last entry was written
	entries   uint64                  // in the journal
	sent      map[string]engine.Judge // what was sent to be judged, by item
}

// settle ends an interview in its journal, and reports it. It returns how it is to end in the store; without an ID there is
// nothing to say: it was over, and makes no report.
func (w *sweeper) settle(ctx context.Context, s *store.Session) (end store.Session, err error) {
	journal, entries, err := w.Left.Resume(ctx, s.ID)
	if err != nil {
		return end, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	end = store.Session{ID: s.ID, State: store.Failed, Ended: s.Began, Reason: WorkerLost}
	if len(entries) > 0 {
		end.Ended = s.Began.Add(entries[len(entries)-1].At.Duration())
	}
	l, err := w.fold(entries)
	if err != nil {
		return end, err
	}
	if err := l.end(journal); err != nil {
		return end, err
	}
	if end.Reason = l.u.Ended; end.Reason != WorkerLost {
		end.State = store.Ended
	}
	if l.interview.Def.Report == nil && s.State != store.Live {
		return store.Session{}, nil
	}
	return end, w.report(ctx, s, l)
}

// fold reads a journal with the interview that it is of, if that has not changed.
func (w *sweeper) fold(entries []state.Entry) (l *lost, err error) {
	if len(entries) == 0 {
		return nil, &unreadable{"not_begun", errors.New("its journal is empty")}
	}
	first, err := engine.Decode(entries[0])
	began, is := first.(engine.Started)
	if err != nil || !is {
		return nil, &unreadable{"journal_unreadable", errors.Join(err, errors.New("its journal does not begin with a start"))}
	}
	iv, err := w.Find(began.Kind, began.Locale)
	if err != nil {
		return nil, &unreadable{"unknown_interview", err}
	}
	if iv.Def.Hash() != began.DefHash {
		return nil, &unreadable{"definition_changed", errors.New("its definition has changed since")}
	}
	defer func() {
		if p := recover(); p != nil { // its text may hold somebody's words
			l, err = nil, &unreadable{"journal_unreadable", fmt.Errorf("folding it panicked: %T", p)}
		}
	}()
	l = &lost{interview: iv, u: &state.UserData{}, sent: make(map[string]engine.Judge)}
	for _, e := range entries {
		ev, err := engine.Decode(e)
		if err != nil {
			return nil, &unreadable{"journal_unreadable", err}
		}
		l.step(e.At, ev)
	}
	l.entries = entries[len(entries)-1].Seq
	if l.u.Stage == "" {
		return nil, &unreadable{"not_begun", errors.New("nothing was said")}
	}
	return l, nil
}

func (l *lost) step(at state.Millis, ev engine.Event) {
	var effects []engine.Effect
	l.u, effects = l.interview.Step(l.u, at, ev)
	l.last = at
	for _, e := range effects {
		if j, is := e.(engine.Judge); is {
			l.sent[j.Item.ID] = j
		}
	}
}

// end writes the end into the journal, at the time of its last entry. Should another worker have taken the interview up, that is
// refused with store.ErrConflict; should it do so later, it finds the interview over.
func (l *lost) end(journal state.Journal) error {
	if l.u.Ended != "" {
		return nil
	}
	reason := WorkerLost
	if v, st := l.u.Current(), l.interview.Def.Stage(l.u.Stage); v != nil && v.Opened && st != nil && st.Final {
		reason = "done" // the goodbye was heard, at least in part
	}
	ev := engine.Stop{Reason: reason}
	entry, err := engine.Encode(l.entries+1, l.last, ev)
	if err == nil {
		err = journal.Append(entry)
	}
	if err != nil {
		return fmt.Errorf("end an interview that was left: %w", err)
	}
	l.step(l.last, ev)
	return nil
}

// report has what is out judged, and the report made and delivered. It returns when that was dealt with; an error says that it
// was not, and may be another time.
func (w *sweeper) report(ctx context.Context, s *store.Session, l *lost) error {
	d := w.service.Open(w.Case(s, l.interview))
	for i := range l.u.Judgements {
		j := &l.u.Judgements[i]
		if e, sent := l.sent[j.Item]; sent && j.Out() {
			d.Judge(e, func(engine.Judged) {}) //nolint:contextcheck // the assessor keeps it, and has limits of its own
		}
	}
	d.Close(l.u)
	select {
	case <-d.Done():
	case <-ctx.Done():
		return fmt.Errorf("report an interview that was left: %w", context.Cause(ctx))
	}
	if errors.Is(d.problem, errClosed) {
		return d.problem
	}
	return nil // where it failed, it would fail again
}
