package simulate

import (
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

// probe continues from here on a copy with time alone: no candidate, no model, no answers to tasks. The end has to come.
func (w *world) probe() {
	o := w.o
	o.Probe, o.Observe, o.Person, o.Interviewer, o.Desk = false, nil, nil, nil, nil
	p := newWorld(w.iv, o)
	p.person, p.words, p.tasks.mute, p.judges.mute = nil, nil, true, true
	p.u, p.now = w.u.Clone(), w.now
	p.restore()
	p.loop()
	if p.ended == "" {
		w.check.report(Progress, w.u, "from stage %s, time alone leads no further than stage %s", w.u.Stage, p.u.Stage)
	}
}

// restore puts back around a state what it implies: its timers run, its utterance is in the air, its candidate falls silent.
func (w *world) restore() {
	for name, t := range w.u.Timers {
		w.arm(engine.ArmTimer{Name: name, ID: t.ID, Visit: t.Visit, After: t.Left(w.now).Duration()})
	}
	if f := w.u.Floor; f.Utterance != 0 {
		e := engine.Say{Utterance: f.Utterance, Visit: f.Visit, Stage: w.u.Stage, Move: engine.Move(f.Move), Text: f.Text, Last: f.Last}
		if f.Audible {
			w.voice.open[e.Utterance], w.voice.air, w.voice.text, w.voice.began = e, e.Utterance, e.Text, w.now
			w.after(Speaking(e.Text), func() {
				if w.voice.air == e.Utterance {
					w.voice.air = 0
					w.ending(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
				}
			})
		} else {
			w.say(e)
		}
	}
	if w.u.Floor.Candidate {
		w.after(time.Second, func() { w.send(engine.SpeechStopped{}) })
		w.after(2*time.Second, func() { w.send(engine.NoWords{Reason: "silence"}) })
	}
	if w.u.Floor.Away {
		w.after(time.Second, func() { w.send(engine.Back{}) })
	}
}
