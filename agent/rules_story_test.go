package agent

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// The rules of what is decided: 1, 2, 6, 7, 9, 10, 11, 12.

// journalled steps through an event beside the session.
func (r *rules) journalled(n note) {
	r.events++
	if !reflect.DeepEqual(r.u, n.user) {
		r.breach(sameStory, "before %s the journal tells another state:\n%s\n%s", engine.Name(n.event), asJSON(n.user), asJSON(r.u))
	}
	if len(r.told) > 0 {
		r.breach(sameStory, "%s was not acted on before %s", r.told[0].Name, engine.Name(n.event))
		r.told = nil
	}
	if r.fed {
		r.arrived(n.event)
	}
	switch e := n.event.(type) {
	case engine.VoiceStarted:
		r.voiceStarted(e)
	case engine.VoiceEnded:
		r.voiceEnded(e)
	case engine.Read:
		r.read(e)
	}
	before := r.u
	var effects []engine.Effect
	r.u, effects = r.step(before, n.clock, n.event)
	if r.u.Visit != before.Visit {
		r.visitSince = n.at
	}
	if r.u.Floor.Utterance != before.Floor.Utterance {
		r.floorSince = n.at
	}
	if r.u.Ended != before.Ended {
		r.endedAt = n.at
	}
	r.decide(before, n.event, effects)
}

// decide checks what an event led to.
func (r *rules) decide(before *state.UserData, ev engine.Event, effects []engine.Effect) {
	r.visits(before)
	said := r.effects(before, ev, effects)
	r.hold(before)
	switch e := ev.(type) {
	case engine.UserTurn:
		r.turn(before, e, said)
	case engine.TimerFired:
		r.asksFor(e.Visit, before)
	case engine.Read:
		r.asksFor(e.Visit, before)
	case engine.VoiceEnded:
		r.noted(len(before.Turns), e)
	}
}

// arrived: rule 11. What the ears reported comes in their order, and all of it; rule 2 for turns.
func (r *rules) arrived(ev engine.Event) {
	switch ev.(type) {
	case engine.SpeechStarted, engine.SpeechStopped, engine.UserTurn, engine.NoWords, engine.LongSpeech, engine.Away, engine.Back:
	default:
		return
	}
	if len(r.waiting) == 0 {
		r.breach(nothingLost, "%s was journalled, and nobody has reported it", engine.Name(ev))
		return
	}
	want := r.waiting[0]
	r.waiting = r.waiting[1:]
	if engine.Name(want) != engine.Name(ev) {
		r.breach(nothingLost, "%s was journalled, next is %s", engine.Name(ev), engine.Name(want))
		return
	}
	if turn, is := ev.(engine.UserTurn); is && turn.Text != want.(engine.UserTurn).Text {
		r.breach(nothingLost, "the turn %q was journalled, next is %q", turn.Text, want.(engine.UserTurn).Text)
	}
}

// sound: rule 11 on the microphone's samples.
func (r *rules) sound(from, n uint64) {
	if from != r.heardTo {
		r.breach(nothingLost, "the recogniser heard sample %d after %d", from, r.heardTo)
	}
	r.heardTo = from + n
}

// reopened: rule 11. The recogniser belongs to the session and outlives every stage.
func (r *rules) reopened() {
	if r.opened++; r.opened > 1 {
		r.breach(nothingLost, "the recogniser was opened %d times", r.opened)
	}
}

// logged: rule 12. The facts that the session acts on are those of the journal, in order. Those of its own, such as what
// became of a draft, are none of the engine's.
func (r *rules) logged(f engine.Fact) {
	switch {
	case len(r.told) > 0 && r.told[0].Name == f.Name:
		if !slices.Equal(r.told[0].Fields, f.Fields) {
			r.breach(sameStory, "%s was told with %v, the journal says %v", f.Name, f.Fields, r.told[0].Fields)
		}
		r.told = r.told[1:]
	case r.names[f.Name]:
		r.breach(sameStory, "%s was told, the journal does not say so", f.Name)
	}
}

// visits: rules 1 and 7. Visits only grow, and all but the last have been left.
func (r *rules) visits(before *state.UserData) {
	u := r.u
	if u.Visit < before.Visit || u.Visit > before.Visit+1 || int(u.Visit) != len(u.Visits) {
		r.breach(oneHandoff, "visit %d follows %d, %d are noted", u.Visit, before.Visit, len(u.Visits))
	}
	for i, v := range u.Visits {
		if left := v.Reason != ""; left != (i < len(u.Visits)-1) && u.Ended == "" {
			r.breach(oneFloor, "visit %d of %d: left because of %q", i+1, len(u.Visits), v.Reason)
		}
	}
}

// asksFor: rule 7. What was meant for one visit does not end another.
func (r *rules) asksFor(visit uint64, before *state.UserData) {
	if r.u.Visit != before.Visit && visit != before.Visit {
		r.breach(oneHandoff, "visit %d was handed over by what was meant for %d", before.Visit, visit)
	}
}

// effects books what an event asks for and returns its utterance.
func (r *rules) effects(before *state.UserData, ev engine.Event, effects []engine.Effect) (said *saying) {
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Say:
			if said != nil {
				r.breach(oneReply, "%s asked for utterance %d and %d", engine.Name(ev), said.Utterance, e.Utterance)
			}
			said = r.say(before, e)
		case engine.StopSpeech:
			s := r.said[e.Utterance]
			if s != nil && s.Uninterruptible && (e.Reason == "speech" || e.Reason == "bargein") {
				r.breach(manners, "utterance %d is firm and was stopped by %s", e.Utterance, e.Reason)
			}
		case engine.Fact:
			r.fact(e)
		}
	}
	return said
}

func (r *rules) say(before *state.UserData, e engine.Say) *saying {
	if _, twice := r.said[e.Utterance]; twice {
		r.breach(oneReply, "utterance %d was asked for twice", e.Utterance)
	}
	s := &saying{Say: e, reply: &reply{words: wordsOf(e)}}
	if v := before.Current(); r.held != nil && v != nil && v.Held != nil && r.held.words == wordsOf(e) {
		s.reply = r.held
	}
	r.said[e.Utterance] = s
	return s
}

// hold follows a reply that waits: rule 9, a firm one does not.
func (r *rules) hold(before *state.UserData) {
	v := r.u.Current()
	if v == nil || v.Held == nil {
		r.held = nil
		return
	}
	if v.Held.Firm && !r.u.Floor.Away {
		r.breach(manners, "a firm reply waits for the candidate")
	}
	held := words{r.u.Visit, v.Held.Text, v.Held.Must}
	if r.held != nil && r.held.words == held {
		return
	}
	r.held = &reply{words: held}
	if s := r.said[before.Floor.Utterance]; s != nil && s.reply.words == held {
		r.held = s.reply
	}
}

// words tell one reply from another. One that a model leads has no text yet: it is told what it has to do at most.
type words struct {
	visit      uint64
	text, must string
}

func wordsOf(e engine.Say) words {
	if e.Lead != nil {
		return words{e.Visit, e.Text, e.Lead.Must}
	}
	return words{visit: e.Visit, text: e.Text}
}

// fact: rule 7, as the log tells it.
func (r *rules) fact(f engine.Fact) {
	r.told = append(r.told, f)
	r.names[f.Name] = true
	visit, _ := field(f, "visit").(uint64)
	switch f.Name {
	case "handoff.done":
		if r.handoffs[visit]++; r.handoffs[visit] > 1 {
			r.breach(oneHandoff, "visit %d was handed over %d times", visit, r.handoffs[visit])
		}
	case "stage.exit":
		if r.left[visit]++; r.left[visit] > 1 {
			r.breach(oneHandoff, "visit %d was left %d times", visit, r.left[visit])
		}
	case "stage.enter":
		if r.entered[visit]++; r.entered[visit] > 1 {
			r.breach(oneHandoff, "visit %d was entered %d times", visit, r.entered[visit])
		}
		if visit > 1 && r.left[visit-1] == 0 {
			r.breach(oneHandoff, "visit %d was entered before %d was left", visit, visit-1)
		}
	}
}

func field(f engine.Fact, key string) any {
	for _, x := range f.Fields {
		if x.Key == key {
			return x.Value
		}
	}
	return nil
}

// turn: rule 2. The turn is in the transcript once, and an utterance answers it, or waits to, or for somebody who is asked,
// unless nothing is to be said.
func (r *rules) turn(before *state.UserData, e engine.UserTurn, said *saying) {
	if before.Ended != "" || before.Stage == "" || strings.TrimSpace(e.Text) == "" {
		return
	}
	gained := r.u.Turns[len(before.Turns):]
	if len(gained) != 1 || gained[0].Speaker != state.SpeakerCandidate || gained[0].Text != e.Text {
		r.breach(oneReply, "the turn %q added %d to the transcript", e.Text, len(gained))
	}
	v := r.u.Current()
	waits := v.Held != nil || v.Owed || len(r.u.Tasks) > 0
	if said == nil && !waits && r.u.Ended == "" && !r.silent(before, e) {
		r.breach(oneReply, "the turn %q has no reply, and no reason why", e.Text)
	}
}

// silent says whether the interviewer has a reason to answer a turn with silence: it says goodbye, the words belong to a
// stage that is over or came under a voice that was not to be interrupted, or time to think was asked for once more.
func (r *rules) silent(before *state.UserData, e engine.UserTurn) bool {
	v := before.Current()
	switch {
	case r.def.Stage(before.Stage).Final, v.Thinking:
		return true
	case e.Typed:
		return false
	}
	return e.Began < v.Entered || before.Floor.Firm
}

// read: rule 6.
func (r *rules) read(e engine.Read) {
	s := r.said[e.Utterance]
	if s == nil {
		r.breach(oneReading, "a reading of utterance %d, which the engine has not asked for", e.Utterance)
		return
	}
	if s.readings++; s.readings > 1 {
		r.breach(oneReading, "utterance %d was read %d times", e.Utterance, s.readings)
	}
}

// end holds the rules that only the end can show.
func (r *rules) end(n note) {
	r.over = true
	if n.err != nil {
		r.breach(closes, "the session failed: %v", n.err)
	}
	if late := n.at - r.endedAt; late > time.Second {
		r.breach(closes, "it took %v to close", late)
	}
	for id, s := range r.said {
		if s.ended == 0 {
			r.breach(oneEnd, "utterance %d has no end", id)
		}
		spoken := 0
		for _, c := range r.calls {
			if c.utterance == id && !c.held {
				spoken++
			}
		}
		if spoken != 1 {
			r.breach(oneReply, "utterance %d was spoken %d times", id, spoken)
		}
	}
	if was, is := asJSON(n.user), asJSON(r.u); was != is {
		r.breach(sameStory, "at the end the journal tells another state:\n%s\n%s", was, is)
	}
	if len(r.waiting) > 0 && r.u.Ended == "" {
		r.breach(nothingLost, "%s never arrived", engine.Name(r.waiting[0]))
	}
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
