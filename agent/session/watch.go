package session

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/engine"
)

// Patience is how long the watchdogs let something last before they step in (voice-pipeline facts, sections 11 and 12). The
// limits of providers are shorter: a watchdog finds what they missed. Fields left zero get the defaults.
type Patience struct {
	// Start bounds the time from an utterance being asked for to its first sound: 15 s, more than a model and then a voice
	// take to fail. Sound bounds how long an utterance that is heard may be without sound: 8 s.
	Start, Sound time.Duration
	// Pause bounds a pause whose reason nobody decided about: 10 s.
	Pause time.Duration
	// Speech bounds speech of which nothing is understood and that does not end: 45 s. A recogniser that waits for the end
	// of speech understands nothing before; nobody speaks for so long without taking a breath.
	Speech time.Duration
	// Answer bounds the wait for a voice or ears that were told to come to an end: 5 s.
	Answer time.Duration
}

func (p *Patience) fill() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&p.Start, 15 * time.Second}, {&p.Sound, 8 * time.Second}, {&p.Pause, 10 * time.Second}, {&p.Speech, 45 * time.Second},
		{&p.Answer, 5 * time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
}

// Watchdogs, as the log and the metrics name them.
const (
	watchThinking  = "thinking"  // the model is silent: the script stands in
	watchStarting  = "starting"  // an utterance does not begin: its words are shown, and it is given up
	watchSpeaking  = "speaking"  // an utterance went silent: the same
	watchVoice     = "voice"     // the voice does not even stop: the interview goes on without waiting for it
	watchPaused    = "paused"    // nobody decided about a pause: the voice goes on
	watchListening = "listening" // speech without words and without end: the turn is ended, and sound alone is no speech any more
	watchEars      = "ears"      // the ears do not end the turn: it had no words
)

// watch is what the watchdogs know. The zero time stands for "not so". It belongs to the session's goroutine.
type watch struct {
	timer *time.Timer
	due   time.Time // when timer fires

	said    time.Time // when the utterance on the floor was asked for
	sounded time.Time // since when it should be heard: it started, or was resumed
	paused  time.Time
	given   time.Time // when it was given up

	open    bool      // the ears hear speech
	unclear time.Time // since when they hear it without words
	taken   time.Time // when they were told to end it
	noise   bool      // what they hear is taken to be noise until words show
}

// alarm says that a watchdog has stepped in.
type alarm struct {
	Which     string
	Utterance uint64
	Lasted    time.Duration
}

// look makes the session look after its watchdogs.
type look struct{}

// errStalled says why an utterance was given up.
var errStalled = errors.New("the voice gave no sound for too long")

// stalled returns errStalled for an utterance that was given up before its end.
func stalled(ctx context.Context, s Spoken) error {
	if !s.Complete && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return nil
}

// asked begins to watch an utterance.
func (w *watch) asked() {
	w.said, w.sounded, w.paused, w.given = time.Now(), time.Time{}, time.Time{}, time.Time{}
}

// words ends what the ears are suspected of.
func (w *watch) words() { w.unclear, w.taken, w.noise = time.Time{}, time.Time{}, false }

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// heed notes an event for the watchdogs; it reports false for one that the interview must not heed: the sound of a stage
// with push to talk, and noise.
func (s *Session) heed(ev engine.Event) bool {
	w := &s.watch
	switch e := ev.(type) {
	case engine.SpeechStarted:
		w.open = true
		if s.talk.manual || w.noise {
			return false
		}
		w.unclear = time.Now()
	case engine.SpeechStopped:
		w.open, w.unclear = false, time.Time{}
		if s.talk.manual || w.noise {
			return s.u.Floor.Candidate && !s.talk.pressed
		}
	case engine.NoWords:
		w.unclear, w.taken = time.Time{}, time.Time{}
	case engine.VoiceStarted:
		if e.Utterance == s.u.Floor.Utterance {
			w.sounded = time.Now()
		}
	}
	return true
}

// understood notes words: somebody speaks after all.
func (s *Session) understood(text string) error {
	w := &s.watch
	if text == "" {
		return nil
	}
	if !w.unclear.IsZero() {
		w.unclear = time.Now()
	}
	if !w.noise {
		return nil
	}
	w.noise = false
	if !w.open {
		return nil
	}
	return s.happened(engine.SpeechStarted{})
}

// keepWatch sets the timer to the next thing that must not last longer.
func (s *Session) keepWatch() {
	w := &s.watch
	at, _ := s.voiceDue()
	if ears, _ := s.earsDue(); at.IsZero() || !ears.IsZero() && ears.Before(at) {
		at = ears
	}
	if at.IsZero() || !w.due.IsZero() && !at.Before(w.due) {
		return // a timer that fires too early only looks
	}
	w.due = at
	if w.timer == nil {
		w.timer = s.guard.After(time.Until(at), "session", func() { s.Post(look{}) })
		return
	}
	w.timer.Reset(time.Until(at))
}

// voiceDue returns until when the utterance on the floor is let go on as it does, and which watchdog steps in then.
func (s *Session) voiceDue() (time.Time, string) {
	w, p, f := &s.watch, &s.o.Patience, &s.u.Floor
	switch {
	case f.Utterance == 0:
		return time.Time{}, ""
	case !w.given.IsZero():
		return w.given.Add(p.Answer), watchVoice
	case !f.Audible:
		return w.said.Add(p.Start), watchStarting
	case !w.paused.IsZero():
		return w.paused.Add(p.Pause), watchPaused
	}
	pulse, ok := s.o.Voice.(Pulse)
	if !ok {
		return time.Time{}, ""
	}
	last := w.sounded
	if generation, at := pulse.LastSound(); generation == s.speech.playing && at.After(last) {
		last = at
	}
	return last.Add(p.Sound), watchSpeaking
}

// earsDue is voiceDue for the ears.
func (s *Session) earsDue() (time.Time, string) {
	switch w := &s.watch; {
	case !s.u.Floor.Candidate || s.talk.manual:
		return time.Time{}, ""
	case !w.taken.IsZero():
		return w.taken.Add(s.o.Patience.Answer), watchEars
	case !w.unclear.IsZero():
		return w.unclear.Add(s.o.Patience.Speech), watchListening
	}
	return time.Time{}, ""
}

// look steps in where something has lasted too long.
func (s *Session) look() error {
	s.watch.due = time.Time{}
	now := time.Now()
	if at, which := s.voiceDue(); which != "" && !now.Before(at) {
		if err := s.rescueVoice(which); err != nil {
			return err
		}
	}
	if at, which := s.earsDue(); which != "" && !now.Before(at) {
		return s.rescueEars(which)
	}
	return nil
}

func (s *Session) rescueVoice(which string) error {
	w, p, f := &s.watch, &s.o.Patience, &s.u.Floor
	fired := alarm{Which: which, Utterance: f.Utterance}
	switch which {
	case watchPaused:
		fired.Lasted = p.Pause
		s.alarm(fired)
		s.traceInterruption(Interruption{Utterance: f.Utterance, Action: Resume, Reason: "watchdog"})
		s.resume()
		return nil
	case watchVoice:
		fired.Lasted = p.Answer
		s.alarm(fired)
		s.o.Ears.Audible(f.Utterance, false, false)
		return s.step(engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Cut: true, Failed: "the voice does not answer"})
	case watchStarting:
		fired.Lasted = p.Start
	default:
		fired.Lasted = p.Sound
	}
	s.alarm(fired)
	w.given = time.Now()
	s.speech.stop(f.Utterance, errStalled)
	return nil
}

func (s *Session) rescueEars(which string) error {
	w, p := &s.watch, &s.o.Patience
	if which == watchListening {
		s.alarm(alarm{Which: which, Lasted: p.Speech})
		w.taken, w.noise = time.Now(), true
		s.o.Ears.Take()
		return nil
	}
	s.alarm(alarm{Which: which, Lasted: p.Answer})
	w.unclear, w.taken = time.Time{}, time.Time{}
	if err := s.step(engine.SpeechStopped{}); err != nil {
		return err
	}
	return s.step(engine.NoWords{Reason: "the ears do not answer"})
}

// alarm tells that a watchdog has fired.
func (s *Session) alarm(m alarm) {
	f := engine.Fact{Name: "watchdog.fired", Fields: []engine.Field{
		{Key: "which", Value: m.Which}, {Key: "stage", Value: s.u.Stage}, {Key: "visit", Value: s.u.Visit},
		{Key: "utterance", Value: m.Utterance}, {Key: "lasted", Value: m.Lasted},
	}}
	s.tracer.about(m.Utterance).decide(f.Name, m.Which)
	s.o.Logger.Warn(f.Name, zap.String("which", m.Which), zap.String("stage", s.u.Stage), zap.Uint64("visit", s.u.Visit),
		zap.Uint64("utterance", m.Utterance), zap.Duration("lasted", m.Lasted))
	s.o.Observe(f)
}
