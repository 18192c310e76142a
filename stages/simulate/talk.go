package simulate

import (
	"cmp"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// talk is the candidate's turn in progress.
type talk struct {
	text  string
	began state.Millis
	lasts time.Duration
	lost  bool // the recogniser will not understand it
	goOn  int  // how often the candidate goes on after having been stopped
}

// longAfter and longEvery are when a long answer is reported, nearly as pipeline/listen does.
const (
	longAfter = 30 * time.Second
	longEvery = 5 * time.Second // there every second, which decides nothing more
)

// prompted lets the candidate react to words that were heard to their end.
func (w *world) prompted(e engine.Say, heard string) {
	if w.person == nil || w.ended != "" || w.u.Floor.Away {
		return
	}
	a := w.person.React(Situation{State: w.u, Say: e, Text: heard, At: w.now})
	w.plan++
	plan := w.plan
	w.after(a.Wait, func() {
		if plan == w.plan && w.talk == nil && w.voice.air == 0 {
			w.perform(a)
		}
	})
}

// mayInterrupt lets the candidate speak into an utterance.
func (w *world) mayInterrupt(e engine.Say) {
	if w.person == nil || w.talk != nil || w.u.Floor.Away {
		return
	}
	a, does := w.person.Interrupt(Situation{State: w.u, Say: e, Text: w.voice.text, At: w.now, Lasts: Speaking(w.voice.text)})
	if !does {
		return
	}
	w.after(a.Wait, func() {
		if w.voice.air != e.Utterance || w.talk != nil || w.u.Floor.Away {
			return
		}
		w.perform(a)
		w.after(500*time.Millisecond, func() {
			if w.voice.air == e.Utterance && w.talk != nil && !e.Uninterruptible {
				w.heard.BargeIns++
				w.send(engine.BargeIn{Utterance: e.Utterance, Onset: max(1, w.talk.began)})
			}
		})
	})
}

// perform does what the candidate has in mind.
func (w *world) perform(a Action) {
	if w.ended != "" || w.u.Floor.Away {
		return
	}
	switch {
	case a.Gone:
		w.send(engine.Gone{Reason: cmp.Or(a.Reason, "hung up")})
	case a.Away > 0:
		w.leave(a.Away)
	case a.Noise:
		w.send(engine.SpeechStarted{})
		w.after(400*time.Millisecond, func() { w.send(engine.SpeechStopped{}) })
		w.after(900*time.Millisecond, func() { w.send(engine.NoWords{Reason: "noise"}) })
	case a.Text == "" && a.Code == "":
	case a.Typed:
		w.send(engine.UserTurn{Text: a.Text, Typed: true, Began: w.now, Reason: "typed"})
	default:
		if a.Code != "" {
			w.send(engine.CodeChanged{Text: a.Code, Language: cmp.Or(a.Language, "pseudocode")})
		}
		w.speak(&talk{text: a.Text, lost: a.Lost, goOn: a.GoOn})
	}
}

// leave loses the connection for a while.
func (w *world) leave(d time.Duration) {
	w.talk = nil
	w.plan++
	w.send(engine.Away{})
	w.after(d, func() {
		if w.ended == "" {
			w.send(engine.Back{})
		}
	})
}

// speak begins a spoken turn; its end follows from its words.
func (w *world) speak(t *talk) {
	if t.text == "" || w.ended != "" {
		return
	}
	t.began, t.lasts = w.now, Speaking(t.text)
	w.talk = t
	w.send(engine.SpeechStarted{})
	if t.lasts > 6*time.Second && w.chance(0.2) {
		w.breathe(t)
	}
	w.goesOn(t, longAfter)
	w.after(t.lasts, func() { w.fallSilent(t) })
}

// goesOn reports a long answer while it lasts; less often once the interviewer has stepped in, because then it says nothing new.
func (w *world) goesOn(t *talk, lasted time.Duration) {
	if lasted >= t.lasts {
		return
	}
	w.after(lasted-(w.now-t.began).Duration(), func() {
		if w.talk != t {
			return
		}
		words := int((lasted - pause) / perWord)
		w.send(engine.LongSpeech{Lasted: state.FromDuration(lasted), Words: words})
		every := longEvery
		if v := w.u.Current(); v != nil && v.SteppedIn {
			every *= 10
		}
		w.goesOn(t, lasted+every)
	})
}

// breathe puts a pause into a turn that does not end it.
func (w *world) breathe(t *talk) {
	at := t.lasts / 2
	w.after(at, func() {
		if w.talk == t {
			w.send(engine.SpeechStopped{})
		}
	})
	w.after(at+700*time.Millisecond, func() {
		if w.talk == t {
			w.send(engine.SpeechStarted{})
		}
	})
}

// fallSilent ends a turn: the silence is heard at once, the words follow.
func (w *world) fallSilent(t *talk) {
	if w.talk != t {
		return
	}
	w.talk = nil
	w.send(engine.SpeechStopped{})
	wait := w.between(300*time.Millisecond, 1100*time.Millisecond)
	if w.chance(0.05) {
		wait += 2 * time.Second // a slow recogniser
	}
	w.after(wait, func() {
		if w.u.Floor.Away || w.ended != "" {
			return
		}
		if t.lost {
			w.send(engine.NoWords{Reason: "not understood"})
			return
		}
		w.send(engine.UserTurn{Text: t.text, Began: t.began, Confidence: 0.9, Reason: "silence"})
	})
}

// takeTurn ends the running turn now. Some candidates go on all the same.
func (w *world) takeTurn() {
	t := w.talk
	w.talk = nil
	if t == nil {
		w.after(10*time.Millisecond, func() { w.send(engine.NoWords{Reason: "nothing to take"}) })
		return
	}
	text := portion(t.text, float64((w.now-t.began).Duration())/float64(t.lasts))
	rest := strings.TrimSpace(strings.TrimPrefix(t.text, text))
	w.after(50*time.Millisecond, func() {
		if strings.TrimSpace(text) == "" {
			w.send(engine.NoWords{Reason: "taken"})
		} else {
			w.send(engine.UserTurn{Text: text, Began: t.began, Confidence: 0.9, Reason: "taken"})
		}
	})
	if t.goOn > 0 && rest != "" {
		w.after(600*time.Millisecond, func() {
			if w.talk == nil && !w.u.Floor.Away {
				w.speak(&talk{text: rest, goOn: t.goOn - 1})
			}
		})
	}
}
