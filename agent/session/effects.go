package session

import (
	"context"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/engine"
)

// act carries out one effect. Nothing here waits.
func (s *Session) act(e engine.Effect) {
	switch e := e.(type) {
	case engine.Say:
		s.say(e)
	case engine.StopSpeech:
		s.speech.stop(e.Utterance, Reason(e.Reason))
		if e.Withdrawn && e.Utterance == s.speech.said.Utterance {
			s.speech.said = s.speech.before
			s.o.Ears.Expect(s.speech.said.Turn, s.speech.said.Expects)
		}
		s.o.Ears.Audible(e.Utterance, false, false)
	case engine.TakeTurn:
		s.o.Ears.Take()
	case engine.ArmTimer:
		s.arm(e)
	case engine.CancelTimer:
		s.cancel(e)
	case engine.Publish:
		s.o.Presence.Stage(e)
	case engine.Fact:
		s.tracer.fact(e)
		s.log(e)
	case engine.Run:
		s.run(e)
	case engine.CancelRun:
		s.cancelRun(e)
	case engine.Judge:
		s.judge(e)
	case engine.Record:
		s.record(e)
	case engine.End:
		s.ended = e.Reason
	}
}

// judge has something judged beside the talk. What comes of it is a fact like any other; nobody waits for it.
func (s *Session) judge(e engine.Judge) {
	if s.o.Silent == nil {
		s.Post(Event{engine.Judged{Item: e.Item.ID, Missing: "no_judge"}})
		return
	}
	s.o.Silent.Judge(e, func(j engine.Judged) { s.Post(Event{j}) })
}

func (s *Session) record(e engine.Record) {
	if s.o.Recorder == nil {
		s.o.Logger.Warn("recording.unavailable", zap.Bool("on", e.On))
		return
	}
	s.o.Recorder.Record(e, s.u.Now)
}

func (s *Session) arm(e engine.ArmTimer) {
	fired := Event{engine.TimerFired{Name: e.Name, ID: e.ID, Visit: e.Visit}}
	s.timers[e.ID] = s.guard.After(e.After, "session", func() { s.Post(fired) })
}

func (s *Session) cancel(e engine.CancelTimer) {
	if t, ok := s.timers[e.ID]; ok {
		t.Stop()
		delete(s.timers, e.ID)
	}
}

func (s *Session) log(f engine.Fact) {
	fields := make([]zap.Field, 0, len(f.Fields))
	for _, x := range f.Fields {
		fields = append(fields, zap.Any(x.Key, x.Value))
	}
	s.o.Logger.Info(f.Name, fields...)
	s.o.Observe(f)
}

// present shows what the interviewer is doing, when it has changed.
func (s *Session) present() {
	f := s.u.Floor
	switch {
	case f.Utterance != 0 && f.Audible:
		s.show("speaking")
	case f.Utterance != 0:
		s.show("thinking")
	default:
		s.show("listening")
	}
}

func (s *Session) show(state string) {
	if s.shown == state {
		return
	}
	s.shown = state
	s.o.Presence.State(state)
}

// showPersona shows who interviews, when that has changed.
func (s *Session) showPersona() {
	p := s.o.Interview.Persona(s.u)
	if p == nil || s.persona == p.ID {
		return
	}
	s.persona = p.ID
	if cast, ok := s.o.Presence.(Cast); ok {
		cast.Persona(p.ID)
	}
}

// showProblem shows the task that the interview is about, when it has changed.
func (s *Session) showProblem() {
	if s.problem == s.u.Problem {
		return
	}
	s.problem = s.u.Problem
	if sheet, ok := s.o.Presence.(Sheet); ok {
		sheet.Problem(s.problem)
	}
}

// speech is the utterance in the air and how to stop it.
type speech struct {
	base       context.Context //nolint:containedctx // the session's own lifetime, cancelled once in close
	stopAll    context.CancelCauseFunc
	generation uint64 // of the last utterance started, prepared ones included
	utterance  uint64
	playing    uint64 // generation of the utterance put on the floor last
	// said is the latest utterance that was not withdrawn, with the answer that it earns; before is the one before.
	said, before engine.Say
	cancel       context.CancelCauseFunc
}

func (p *speech) stop(utterance uint64, why error) {
	if p.utterance == utterance && p.cancel != nil {
		p.cancel(why)
		p.utterance, p.cancel = 0, nil
	}
}

// take puts another utterance in the air.
func (p *speech) take(utterance uint64, cancel context.CancelCauseFunc) {
	if p.cancel != nil {
		p.cancel(Reason("replaced"))
	}
	p.utterance, p.cancel = utterance, cancel
}

// say starts an utterance, in place of whatever was there. It reports its end by exactly one VoiceEnded.
func (s *Session) say(e engine.Say) {
	s.discard("replaced")
	s.expect(e)
	src := s.source(e, nil)
	s.speech.take(e.Utterance, s.start(src))
	s.speech.playing = s.speech.generation
	s.asked(e, src, s.speech.generation)
}

// asked notes that an utterance was put on the floor.
func (s *Session) asked(e engine.Say, src *words, generation uint64) {
	s.watch.asked()
	s.tracer.say(e, src, generation)
}

// start speaks in a goroutine of its own and returns what stops it. A source with an escrow is held and reports nothing
// before that is opened; stopped before, it leaves no trace but its cost.
func (s *Session) start(src *words) context.CancelCauseFunc {
	ctx, cancel := context.WithCancelCause(s.speech.base)
	u := s.utterance(src)
	u.Hold = src.held != nil
	s.guard.Go(&s.tasks, "speak", func() {
		defer cancel(nil)
		defer src.close()
		spoken := s.o.Voice.Speak(ctx, u, src)
		if src.held != nil && !src.held.wait(ctx.Done()) {
			s.Post(src.waste())
			return
		}
		end := s.ending(ctx, src.say, src, spoken)
		src.await(ctx, readingWait)
		src.count()
		s.Post(Event{end})
		src.await(context.WithoutCancel(ctx), readingWait) // it counts although the words are over, or were cut off
	})
	return cancel
}

func (s *Session) utterance(src *words) Utterance {
	e, p := src.say, &src.progress
	s.speech.generation++
	u := s.sound(e)
	u.ID, u.Generation, u.Firm = e.Utterance, s.speech.generation, e.Uninterruptible
	u.Asked = func() { p.note(&p.voiceAsked) }
	u.Sounded = func() { p.note(&p.firstSound) }
	u.Started = func() {
		p.note(&p.firstPacket)
		s.o.Ears.Audible(e.Utterance, true, e.Uninterruptible)
		s.Post(Event{engine.VoiceStarted{Utterance: e.Utterance}})
	}
	u.Words = func(text string) { s.o.Presence.Words(e.Utterance, text) }
	return u
}

// ending reports an utterance. Words that could not be voiced were shown all the same: the candidate can read them.
func (s *Session) ending(ctx context.Context, e engine.Say, src *words, spoken Spoken) engine.VoiceEnded {
	err := spoken.Err
	if ctx.Err() != nil {
		err = stalled(ctx, spoken)
	}
	if err != nil {
		src.unvoiced()
	}
	worded, degraded := src.outcome()
	end := engine.VoiceEnded{
		Utterance: e.Utterance, Visit: e.Visit, Heard: spoken.Heard, Cut: !spoken.Complete,
		Worded: worded, Degraded: degraded,
	}
	if err != nil {
		end.Failed = err.Error()
		end.Heard = src.text()
	}
	if end.Heard != "" {
		s.o.Presence.Said(e.Utterance, end.Heard)
	}
	s.o.Ears.Audible(e.Utterance, false, false)
	return end
}
