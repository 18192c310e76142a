package session

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/engine"
)

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

// limits are how long the watchdogs let something last before they step in (voice-pipeline facts, sections 11 and 12). Those of
// providers are shorter: a watchdog finds what they missed. A recogniser that waits for the end of speech understands nothing before;
// nobody speaks for 45 s without taking a breath.
var limits = map[string]time.Duration{
	watchStarting:  15 * time.Second, // more than a model and then a voice take to fail
	watchSpeaking:  8 * time.Second,
	watchVoice:     5 * time.Second,
	watchPaused:    10 * time.Second,
	watchListening: 45 * time.Second,
	watchEars:      5 * time.Second,
}

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
	w, f := &s.watch, &s.u.Floor
	switch {
	case f.Utterance == 0:
		return time.Time{}, ""
	case !w.given.IsZero():
		return due(w.given, watchVoice)
	case !f.Audible:
		return due(w.said, watchStarting)
	case !w.paused.IsZero():
		return due(w.paused, watchPaused)
	}
	if _, can := s.o.Voice.(Pulse); !can {
		return time.Time{}, ""
	}
	if at := s.lastSound(s.speech.playing); at.After(w.sounded) {
		return due(at, watchSpeaking)
	}
	return due(w.sounded, watchSpeaking)
}

func due(since time.Time, which string) (time.Time, string) { return since.Add(limits[which]), which }

// earsDue is voiceDue for the ears.
func (s *Session) earsDue() (time.Time, string) {
	switch w := &s.watch; {
	case !s.u.Floor.Candidate || s.talk.manual:
		return time.Time{}, ""
	case !w.taken.IsZero():
		return due(w.taken, watchEars)
	case !w.unclear.IsZero():
		return due(w.unclear, watchListening)
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
	f := &s.u.Floor
	s.alarm(alarm{Which: which, Utterance: f.Utterance, Lasted: limits[which]})
	switch which {
	case watchPaused:
		s.traceInterruption(Interruption{Utterance: f.Utterance, Action: Resume, Reason: "watchdog"})
		s.resume()
		return nil
	case watchVoice:
		s.o.Ears.Audible(f.Utterance, false, false)
		return s.step(engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Cut: true, Failed: "the voice does not answer"})
	}
	s.watch.given = time.Now()
	s.speech.stop(f.Utterance, errStalled)
	return nil
}

func (s *Session) rescueEars(which string) error {
	w := &s.watch
	s.alarm(alarm{Which: which, Lasted: limits[which]})
	if which == watchListening {
		w.taken, w.noise = time.Now(), true
		s.o.Ears.Take()
		return nil
	}
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
