package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

const (
	// greetingLimit bounds the synthesis of one greeting ahead of its interview.
	greetingLimit = 30 * time.Second
	// warmLimit bounds how many fixed utterances of one interview are synthesised ahead.
	warmLimit = 24
	// heardAfter is how long an utterance is taken to last when an interview is walked through; only the order matters.
	heardAfter = state.Millis(5000)
)

// prefetcher is a voice engine that can keep sentences ready, as speak.Cache does.
type prefetcher interface {
	Prefetch(ctx context.Context, like tts.Request, texts ...string) error
}

// greetings are the openings that are being synthesised ahead.
type greetings struct {
	mu    sync.Mutex
	begun []chan struct{} // guarded by mu: each is closed when its opening is ready, or will not be
}

// add notes one more.
func (g *greetings) add() chan struct{} {
	done := make(chan struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = append(g.begun, done)
	return done
}

// greet starts to synthesise the opening: as far as dispatch knows the candidate, while the room is being joined, and
// once the room has told their name, while the voice is being connected. What is not ready in time is spoken as it comes. It
// outlives ctx, for the sound may serve another interview by then, but not greetingLimit.
func (a *attendance) greet(ctx context.Context, who state.Candidate) {
	keep, ok := a.i.o.Engines.TTS.(prefetcher)
	if !ok || a.interview == nil || a.meta.Resume != "" { // it was greeted before
		return
	}
	start := a.start(who)
	text, like := opening(a.interview, start), soundOf(a.interview, start, a.i.o.Engines.Speech)
	done := a.greetings.add()
	a.guard.Start("greeting", func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), greetingLimit)
		defer cancel()
		err := a.guard.Try("greeting", func() error { return keep.Prefetch(ctx, like, text) }) // without it the opening comes later
		if err != nil {
			a.log.Warn("greeting.prefetch", zap.Error(err))
		}
	})
}

// awaitGreeting waits for the goroutines of greet, which are over long before in any interview that was held.
func (a *attendance) awaitGreeting(ctx context.Context) {
	a.greetings.mu.Lock()
	begun := a.greetings.begun
	a.greetings.mu.Unlock()
	for _, done := range begun {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// voiceOf is the request of an interview's voice, as a session makes it.
func voiceOf(iv *engine.Interview) tts.Request {
	return tts.Request{Voice: iv.Def.Voice.Name, Speed: iv.Def.Voice.Speed, Language: iv.Words.Locale()}
}

// opening is the first thing that is said, empty when a model is to word it.
func opening(iv *engine.Interview, start engine.Started) string {
	_, effects := iv.Step(&state.UserData{}, 0, start)
	return fixedText(effects)
}

// Warm synthesises how every interview opens, and what the default one says whatever the candidate answers: what follows
// on silence. It returns when all is kept, at the first failure, or when ctx ends; interviews need not wait for it. Words that
// the voice refuses, such as those in a language it does not have, are passed over and told at the end. An engine that keeps
// nothing is left alone.
func (i *Interviewer) Warm(ctx context.Context) error {
	keep, ok := i.o.Engines.TTS.(prefetcher)
	if !ok {
		return nil
	}
	var refused []error
	for _, kind := range i.o.Library.kinds {
		for _, iv := range i.o.Library.interviews[kind.ID] {
			if iv.Def.Problems != nil {
				continue // it opens with a task, and which one depends on the session
			}
			err := keepReady(ctx, keep, iv, opening(iv, engine.Started{Locale: iv.Words.Locale()}))
			if err != nil && fault.KindOf(err) != fault.BadRequest {
				return err
			}
			refused = append(refused, err)
		}
	}
	for _, iv := range i.o.Library.interviews[i.o.Library.defaultKind] {
		if err := keepReady(ctx, keep, iv, fixed(iv)...); err != nil {
			return errors.Join(append(refused, err)...)
		}
	}
	return errors.Join(refused...)
}

func keepReady(ctx context.Context, keep prefetcher, iv *engine.Interview, texts ...string) error {
	like := voiceOf(iv)
	like.Fixed = true // nobody was there to say anything, or to have a name
	for _, text := range texts {
		if text == "" {
			continue
		}
		if err := keep.Prefetch(ctx, like, text); err != nil {
			return fmt.Errorf("keep the fixed words of interview %s: %w", iv.Def.Kind, err)
		}
	}
	return nil
}

// fixed walks through the interview with a candidate who says nothing, and returns what is said, in order.
func fixed(iv *engine.Interview) (texts []string) {
	u, effects := iv.Step(&state.UserData{}, 0, engine.Started{Locale: iv.Words.Locale()})
	for now := state.Millis(0); len(texts) < warmLimit; {
		if text := fixedText(effects); text != "" {
			texts = append(texts, text)
		}
		var ev engine.Event
		if ev, now = silence(u, now); ev == nil || u.Ended != "" {
			break
		}
		u, effects = iv.Step(u, now, ev)
	}
	return texts
}

// silence is what happens next when nobody but the interviewer speaks: its utterance is heard, or the first timer fires.
func silence(u *state.UserData, now state.Millis) (engine.Event, state.Millis) {
	switch f := u.Floor; {
	case f.Utterance != 0 && f.Audible:
		return engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit}, now + heardAfter
	case f.Utterance != 0:
		return engine.VoiceStarted{Utterance: f.Utterance}, now
	}
	var first engine.TimerFired
	at := state.Millis(-1)
	for name, t := range u.Timers {
		due := max(now, t.Armed+t.After)
		if at < 0 || due < at || due == at && t.ID < first.ID {
			first, at = engine.TimerFired{Name: name, ID: t.ID, Visit: t.Visit}, due
		}
	}
	if at < 0 {
		return nil, now
	}
	return first, at
}

// fixedText is the text of the Say among the effects that no model words.
func fixedText(effects []engine.Effect) string {
	for _, e := range effects {
		if say, ok := e.(engine.Say); ok && say.Lead == nil {
			return say.Text
		}
	}
	return ""
}
