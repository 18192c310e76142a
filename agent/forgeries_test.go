package agent

import (
	"errors"
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// forgedSound breaks the rules of what is heard.
func forgedSound() []forgery {
	return []forgery{
		{rule: oneFloor, name: "a frame of a stage that is over", doctor: frameAfterHandoff},
		{rule: oneFloor, name: "a draft is heard before it is released", doctor: without(noteReleased, nil)},
		{rule: oneFloor, name: "words of an utterance are shown that nobody decided on", doctor: changed(noteShown, nil, func(n *note) { n.utterance += 1000 })},
		{rule: oneFloor, name: "a frame of nobody", doctor: changed(noteFrame, nil, func(n *note) { n.generation += 1000 })},
		{rule: oneFloor, name: "the one before goes on when another has the floor", doctor: without(noteCut, nil), engine: otherFloor},
		{rule: noneAfterCut, name: "a frame after the cut", doctor: frameAfter(noteCut)},
		{rule: noneAfterCut, name: "a frame after the pause", doctor: frameAfter(notePaused)},
		{rule: noneAfterCut, name: "a frame of an older generation", doctor: frameAfterHandoff},
		{rule: oneEnd, name: "an end comes twice", doctor: twice(noteJournalled, journal[engine.VoiceEnded])},
		{rule: oneEnd, name: "an end never comes", doctor: without(noteJournalled, journal[engine.VoiceEnded])},
		{rule: oneEnd, name: "a start comes twice", doctor: twice(noteJournalled, journal[engine.VoiceStarted])},
		{rule: oneEnd, name: "a start never comes", doctor: without(noteJournalled, journal[engine.VoiceStarted])},
		{rule: oneEnd, name: "a start without sound", doctor: silent},
		{rule: onlyHeard, name: "more is kept than was heard", doctor: changed(noteJournalled, cutShort, func(n *note) {
			e := n.event.(engine.VoiceEnded)
			e.Heard += " and a good many words that nobody in the room has heard a sound of, not even one of them"
			n.event = e
		})},
		{rule: onlyHeard, name: "a cut is not marked", doctor: changed(noteJournalled, cutShort, func(n *note) {
			e := n.event.(engine.VoiceEnded)
			e.Cut = false
			n.event = e
		})},
		{rule: onlyHeard, name: "the transcript has other words", doctor: same, engine: otherWords},
		{rule: pauseEnds, name: "a paused voice is forgotten", doctor: forgottenPause},
		{rule: pauseEnds, name: "a voice that was to go on is silent", doctor: silentAfterPause},
		{rule: manners, name: "it begins while the candidate speaks", doctor: speechBeforeFrame},
		{rule: manners, name: "a firm utterance gives way", doctor: same, engine: each(func(s engine.StopSpeech) []engine.Effect {
			return []engine.Effect{engine.StopSpeech{Utterance: s.Utterance, Reason: "bargein"}}
		})},
		{rule: closes, name: "closing takes a minute", doctor: changed(noteOver, nil, func(n *note) { n.at += time.Minute })},
		{rule: closes, name: "the session fails", doctor: changed(noteOver, nil, func(n *note) { n.err = errors.New("disk full") })},
		{rule: closes, name: "a frame after the end", doctor: frameAfter(noteOver)},
	}
}

// forgedStory breaks the rules of what is decided.
func forgedStory() []forgery {
	return []forgery{
		{rule: oneReply, name: "two replies to a turn", doctor: same, engine: each(func(s engine.Say) []engine.Effect {
			other := s
			other.Utterance += 1000
			return []engine.Effect{s, other}
		})},
		{rule: oneReply, name: "a turn without a reply", doctor: same, engine: each(func(engine.Say) []engine.Effect { return nil })},
		{rule: oneReply, name: "a turn that is not in the transcript", doctor: same, engine: otherWords},
		{rule: oneReply, name: "a reply that is never spoken", doctor: without(noteAsked, func(n note) bool { return !n.on })},
		{rule: oneReply, name: "a reply that is said again after it was heard", doctor: same, engine: repeats},
		{rule: oneReading, name: "a reading comes twice", doctor: twice(noteJournalled, journal[engine.Read])},
		{rule: oneReading, name: "a reading of nothing", doctor: changed(noteJournalled, journal[engine.Read], func(n *note) {
			e := n.event.(engine.Read)
			e.Utterance += 1000
			n.event = e
		})},
		{rule: oneHandoff, name: "a handoff is done twice", doctor: same, engine: double("handoff.done")},
		{rule: oneHandoff, name: "a stage is entered twice", doctor: same, engine: double("stage.enter")},
		{rule: oneHandoff, name: "a stage is entered before the last is left", doctor: same, engine: drop("stage.exit")},
		{rule: oneHandoff, name: "a late timer hands over the next stage", doctor: changed(noteJournalled, handsOver, func(n *note) {
			e := n.event.(engine.TimerFired)
			e.Visit--
			n.event = e
		}), engine: credulous},
		{rule: nothingLost, name: "a fact never arrives", doctor: withoutReported},
		{rule: nothingLost, name: "two facts change places", doctor: swapReported},
		{rule: nothingLost, name: "a turn has other words", doctor: changed(notePosted, journal[engine.UserTurn], func(n *note) {
			n.event = engine.UserTurn{Text: "something else"}
		})},
		{rule: nothingLost, name: "a gap in the sound", doctor: heard(note{kind: noteSound, n: 320}, note{kind: noteSound, generation: 640, n: 320})},
		{rule: nothingLost, name: "sound comes twice", doctor: heard(note{kind: noteSound, n: 320}, note{kind: noteSound, n: 320})},
		{rule: nothingLost, name: "a recogniser for each stage", doctor: heard(note{kind: noteOpened}, note{kind: noteOpened})},
		{rule: sameStory, name: "the journal has another time", doctor: changed(noteJournalled, journal[engine.VoiceEnded], func(n *note) { n.clock += 7 })},
		{rule: sameStory, name: "a fact is not acted on", doctor: without(noteLogged, func(n note) bool { return n.fact.Name == "turn.received" })},
		{rule: sameStory, name: "a fact is acted on twice", doctor: twice(noteLogged, func(n note) bool { return n.fact.Name == "turn.received" })},
		{rule: sameStory, name: "the state was changed beside the journal", doctor: changed(noteOver, nil, func(n *note) {
			n.user = n.user.Clone()
			n.user.NextID++
		})},
	}
}

func cutShort(n note) bool {
	e, is := n.event.(engine.VoiceEnded)
	return is && e.Cut && e.Failed == "" && e.Heard != ""
}

// frameAfter puts a frame of what was heard last behind a note.
func frameAfter(kind noteKind) func([]note) []note {
	return func(trace []note) []note {
		var last note
		for i, n := range trace {
			if n.kind == noteFrame {
				last = n
			}
			paused := n.kind == notePaused && n.on
			if last.generation > 0 && n.kind == kind && (paused || n.generation == last.generation || kind == noteOver) {
				return insert(trace, i, last)
			}
		}
		return nil
	}
}

// frameAfterHandoff repeats a frame of the first stage in the second.
func frameAfterHandoff(trace []note) []note {
	first := find(trace, noteFrame, nil)
	later := find(trace, noteFrame, func(n note) bool { return n.at > 0 && lateVisit(trace, n.at) })
	if first < 0 || later < 0 {
		return nil
	}
	return insert(trace, later, trace[first])
}

// lateVisit says whether the second stage had been entered by then.
func lateVisit(trace []note, by time.Duration) bool {
	return slices.ContainsFunc(trace, func(n note) bool { return n.kind == noteJournalled && n.at < by && n.user.Visit > 1 })
}

// otherFloor gives the floor to another utterance as soon as one is heard.
func otherFloor(right step) step {
	return func(u *state.UserData, at state.Millis, ev engine.Event) (*state.UserData, []engine.Effect) {
		u, effects := right(u, at, ev)
		if _, started := ev.(engine.VoiceStarted); started {
			u.Floor.Utterance += 1000
		}
		return u, effects
	}
}

// otherWords notes what nobody said.
func otherWords(right step) step {
	return func(u *state.UserData, at state.Millis, ev engine.Event) (*state.UserData, []engine.Effect) {
		after, effects := right(u, at, ev)
		if n := len(after.Turns); n > len(u.Turns) {
			after.Turns[n-1].Text += " or so"
		}
		return after, effects
	}
}

// silent drops the sound of the first utterance that starts.
func silent(trace []note) []note {
	i := find(trace, noteJournalled, journal[engine.VoiceStarted])
	if i < 0 {
		return nil
	}
	return append(slices.DeleteFunc(trace[:i:i], func(n note) bool { return n.kind == noteFrame }), trace[i:]...)
}

// forgottenPause lets five seconds pass while the voice is paused.
func forgottenPause(trace []note) []note {
	i := find(trace, notePaused, func(n note) bool { return n.on })
	if i < 0 {
		return nil
	}
	for j := i + 1; j < len(trace); j++ {
		trace[j].at += 5 * time.Second
	}
	return trace
}

// silentAfterPause drops all that is heard after a pause.
func silentAfterPause(trace []note) []note {
	on := find(trace, notePaused, func(n note) bool { return n.on })
	off := find(trace, notePaused, func(n note) bool { return !n.on })
	if on < 0 || off < on {
		return nil
	}
	return slices.DeleteFunc(trace, func(n note) bool { return n.kind == noteFrame && n.at >= trace[off].at })
}

// handsOver fits a timer that ends a stage.
func handsOver(n note) bool {
	e, is := n.event.(engine.TimerFired)
	return is && e.Name == engine.TimerGrace && e.Visit == n.user.Visit && n.user.Ended == ""
}

// credulous takes every timer for one of the stage on the floor.
func credulous(right step) step {
	return func(u *state.UserData, at state.Millis, ev engine.Event) (*state.UserData, []engine.Effect) {
		if timer, is := ev.(engine.TimerFired); is {
			timer.Visit = u.Visit
			ev = timer
		}
		return right(u, at, ev)
	}
}

// speechBeforeFrame lets the candidate speak before the voice begins.
func speechBeforeFrame(trace []note) []note {
	i := find(trace, noteFrame, nil)
	if i < 1 || trace[i].at < 2*time.Millisecond {
		return nil
	}
	return slices.Insert(trace, i, note{kind: noteSpeech, at: trace[i].at - time.Millisecond, on: true})
}

// repeats holds back what was heard, and says it again.
func repeats(right step) step {
	return func(u *state.UserData, at state.Millis, ev engine.Event) (*state.UserData, []engine.Effect) {
		after, effects := right(u, at, ev)
		for i, e := range effects {
			if say, is := e.(engine.Say); is && u.Current() != nil && u.Current().Held != nil {
				say.Text = u.Current().Held.Text
				effects[i] = say
			}
		}
		if _, started := ev.(engine.VoiceStarted); started {
			heard := after.Floor.Reply
			after.Current().Held = &heard
		}
		return after, effects
	}
}

// reported fits what the ears report.
func reported(n note) bool {
	switch n.event.(type) {
	case engine.SpeechStarted, engine.SpeechStopped, engine.UserTurn:
		return true
	}
	return false
}

// withoutReported loses the first fact of the ears on its way to the journal.
func withoutReported(trace []note) []note { return without(noteJournalled, reported)(trace) }

// swapReported changes the order in which the first two facts of the ears were reported.
func swapReported(trace []note) []note {
	i := find(trace, notePosted, journal[engine.SpeechStarted])
	j := find(trace, notePosted, journal[engine.SpeechStopped])
	if i < 0 || j < 0 {
		return nil
	}
	trace[i].event, trace[j].event = trace[j].event, trace[i].event
	return trace
}

// heard puts notes of the ears in front of a trace.
func heard(notes ...note) func([]note) []note {
	return func(trace []note) []note { return append(notes, trace...) }
}
