package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// broken is the reason, for the journal and the store, of an interview that panicked and could not be gone on with.
const broken = "broken"

// held is an interview that is being held, as far as it outlives a panic in it.
type held struct {
	beginning

	at       time.Time // when its clock began
	meter    *session.Meter
	assessor *assessment.Assessor
	spans    *spans
	tape     atomic.Pointer[recording] // the one under way, or the last
	last     *state.UserData           // after the last event that was taken; nil before the first
}

// hold holds the interview. What panics in it is resumed once from its journal, as if by another worker; what panics again
// ends with a goodbye and a report.
func (a *attendance) hold(job context.Context, who room.Participant) error {
	ctx, lost := context.WithCancelCause(context.WithoutCancel(job))
	defer lost(nil)
	a.lost, a.ended = lost, ctx.Done()
	over := false
	defer func() { a.lease.end(ctx, over) }() // also after a panic: another worker goes on
	began, err := a.open(ctx, state.Candidate{Identity: who.Identity, Name: who.Name})
	if err != nil {
		a.giveUp(ctx, err)
		return err
	}
	defer context.AfterFunc(job, func() { a.stop(job) })()
	h := &held{
		beginning: began, at: began.began(), meter: session.NewMeter(a.interview.Def.Budget.SessionTokens),
		spans: newSpans(ctx, a.i.o.Tracer, began.start.Session, a.interview.Def.Kind),
	}
	h.assessor = a.assessor(&began, h.meter, func() *report.Recording { return h.tape.Load().report() })
	reason, err := a.attempt(ctx, h)
	if guard.Is(err) && ctx.Err() == nil {
		if again := a.goOn(ctx, h); again == nil {
			reason, err = a.attempt(ctx, h)
		} else {
			a.log.Error("interview.unresumed", zap.Error(again))
		}
	}
	switch {
	case err == nil || ctx.Err() != nil || h.last == nil:
	case guard.Is(err):
		reason = broken
		a.part(ctx, h)
	case reason == "" && !errors.Is(err, store.ErrConflict): // whoever writes the journal now has the floor
		a.farewell(ctx, h)
	}
	h.spans.end(reason, err)
	a.saveEnd(ctx, h.start.Session, reason, err)
	over = reason != ""
	a.conclude(ctx, h.assessor, h.last, reason, err)
	a.log.Info("interview.ended", zap.String("reason", reason), zap.Error(err))
	return err
}

// attempt holds the interview until it ends or breaks: then the error is a guard.Panic.
func (a *attendance) attempt(ctx context.Context, h *held) (reason string, err error) {
	ctx, stop := a.guard.Watch(ctx)
	defer stop()
	err = a.guard.Try("interview", func() error {
		reason, err = a.converse(ctx, h)
		return err
	})
	return reason, err
}

// converse opens the ears and runs a session.
func (a *attendance) converse(ctx context.Context, h *held) (reason string, err error) {
	journal := state.Journal(counting{h.journal, &a.intake.journalled})
	a.intake.journalled.Store(h.size)
	x, err := newEars(ctx, a.i.o.Engines, a.interview.Words.Locale(), a.log)
	if err != nil {
		return "failed", errors.Join(err, journal.Close())
	}
	a.ears = x
	candidate := design.Candidate{Session: h.start.Session, Name: h.start.Candidate.Name, Locale: h.start.Locale}
	kept := a.newRecording(ctx, &h.beginning)
	h.tape.Store(kept)
	o := session.Options{
		Interview: a.interview, Start: h.start, Resume: h.resume, Voice: a.voice, Ears: x, Presence: a.presence,
		Journal: journal, Model: a.i.o.Engines.LLM, Logger: a.log, Observe: a.observer(ctx, h.assessor), Speculate: a.i.o.Speculate, Signals: a.i.o.Signals,
		Tasks: a.i.tasks.For(candidate, h.meter).Reporting(h.assessor), Meter: h.meter, Silent: h.assessor, Speech: a.i.o.Engines.Speech,
		Trace: func(t session.Trace) { a.traced(ctx, t, h.spans) },
	}
	if kept != nil {
		o.Recorder = kept
	}
	s, err := session.New(o)
	if err != nil {
		return "", errors.Join(err, journal.Close())
	}
	x.to(s)
	a.presence.setLeased(a.leased())
	a.session.Store(s)
	if gone := a.gone.Load(); gone != nil {
		s.Post(*gone)
	}
	if h.resume == nil {
		for _, m := range a.materials(ctx) {
			a.post(m)
		}
	}
	a.room.OnMicrophone(func(frame []int16, position int64) {
		x.hear(frame)
		if !x.deaf.Load() { // else the interviewer does not hear it either: the button to talk is up
			a.tape.candidate(frame, position)
		}
	})
	reason, err = s.Run(ctx)
	a.room.OnMicrophone(nil)
	h.last = s.UserData()
	kept.close(ctx)
	a.i.o.Metrics.discarded(a.voice.gate.Dropped())
	return reason, err
}

// reopener is a store whose journals can be gone on with.
type reopener interface {
	Resume(ctx context.Context, session string) (state.Journal, []state.Entry, error)
}

// reopen opens the journal of the interview once more.
func (a *attendance) reopen(ctx context.Context, h *held) (state.Journal, []state.Entry, error) {
	keep, can := a.i.o.Store.(reopener)
	if !can {
		return nil, nil, errors.New("its journal cannot be gone on with")
	}
	journal, entries, err := keep.Resume(ctx, h.start.Session)
	if err == nil {
		a.fence(journal)
	}
	return journal, entries, err
}

// goOn prepares to go on with an interview that broke, with a voice and ears of its own.
func (a *attendance) goOn(ctx context.Context, h *held) error {
	a.closeEars()
	journal, entries, err := a.reopen(ctx, h)
	if err != nil {
		return fmt.Errorf("go on with the interview: %w", err)
	}
	r, err := a.refold(&store.Session{ID: h.start.Session, Began: h.at}, entries)
	if err == nil {
		err = a.openVoice()
	}
	if err != nil {
		return fmt.Errorf("go on with the interview: %w", errors.Join(err, journal.Close()))
	}
	h.journal, h.resume, h.size = journal, r, sizesOf(entries)
	a.log.Info("interview.resumed", zap.Uint64("entries", r.Entries), zap.Duration("gap", r.Gap))
	return nil
}

// part says goodbye in an interview that broke, and ends it in its journal.
func (a *attendance) part(ctx context.Context, h *held) {
	a.farewell(ctx, h)
	if err := a.guard.Try("parting", func() error { return a.finish(ctx, h) }); err != nil {
		a.log.Error("interview.unended", zap.Error(err))
		u := *h.last
		u.Ended = broken
		h.last = &u
	}
	a.presence.Done(broken)
}

// farewell says goodbye in an interview that cannot be gone on with here: nobody is left alone in a silent room.
func (a *attendance) farewell(ctx context.Context, h *held) {
	words := partingWords(a.interview.Words.Locale())
	utterance := h.last.Floor.Utterance + 1
	err := a.guard.Try("parting", func() error {
		a.presence.Said(utterance, words) // who cannot be spoken to can read
		if err := a.openVoice(); err != nil {
			return err
		}
		ctx, stop := a.guard.Watch(ctx) // the voice may be what is broken
		defer stop()
		a.voice.tell(ctx, words, voiceOf(a.interview))
		return nil
	})
	if err != nil {
		a.log.Error("interview.parting", zap.Error(err))
	}
}

// finish ends the interview in its state and its journal.
func (a *attendance) finish(ctx context.Context, h *held) error {
	at := max(h.last.Now, state.FromDuration(time.Since(h.at)))
	ev := engine.Stop{Reason: broken}
	u, effects := a.interview.Step(h.last, at, ev)
	if u.Ended == "" {
		return errors.New("it did not end")
	}
	h.last = u
	for _, e := range effects {
		if f, is := e.(engine.Fact); is {
			a.i.o.Metrics.Observe(f)
		}
	}
	journal, entries, err := a.reopen(ctx, h)
	if err != nil {
		a.log.Warn("journal.unended", zap.Error(err))
		return nil // the archive is told, too
	}
	entry, err := engine.Encode(uint64(len(entries)+1), at, ev)
	if err == nil {
		err = journal.Append(entry)
	}
	if err = errors.Join(err, journal.Close()); err != nil {
		a.log.Warn("journal.unended", zap.Error(err))
	}
	return nil
}

// partingWords are what is said when an interview cannot be gone on with.
func partingWords(locale string) string {
	language := prompts.Language(locale)
	switch language {
	case "zh":
		return "很抱歉，我这边出了问题，面试无法继续。感谢您的时间，再见。"
	case "vi":
		return "Xin lỗi, phía tôi đã gặp sự cố và không thể tiếp tục buổi phỏng vấn. Cảm ơn bạn đã dành thời gian. Tạm biệt."
	}
	return "I am sorry, something went wrong on my side, and I cannot go on with this interview. Thank you for your time. Goodbye."
}
