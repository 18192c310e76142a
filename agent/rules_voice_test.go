package agent

import (
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/engine"
)

// The rules of what is heard: 1, 3, 4, 5, 8, 9, 10.

// scrap is what may be heard of an utterance that was stopped at the very moment it began: a frame, and one that fades.
const scrap = 2 * audio.VoiceFrame

// voice takes a note on the voice and the track.
func (r *rules) voice(n note) {
	c := r.calls[n.generation]
	switch n.kind {
	case noteAsked:
		r.asked = max(r.asked, n.generation)
		r.calls[n.generation] = &call{generation: n.generation, utterance: n.utterance, firm: n.firm, held: n.on}
	case notePaused:
		r.pause(n)
	case noteShown:
		r.shown(n.utterance)
	case noteFrame:
		r.frame(n, c)
	case noteSpoke:
		r.spoke(n, c)
	case noteReleased:
		if c != nil {
			c.held = false
		}
	case noteCut:
		r.cut(n, c)
	}
}

func (r *rules) cut(n note, c *call) {
	if c == nil {
		r.breach(oneReply, "generation %d was cut, and nobody asked for it", n.generation)
		return
	}
	if !c.cut {
		c.cut, c.cutAt = true, n.at
	}
	r.settled(c)
}

// prompt is how soon a voice that was paused is on the track again: two frames.
const prompt = 40 * time.Millisecond

// settled: the utterance is neither paused nor to go on any more.
func (r *rules) settled(c *call) {
	if r.paused == c {
		r.paused = nil
	}
	if r.resumed == c {
		r.resumed = nil
	}
}

func (r *rules) pause(n note) {
	c := r.calls[r.asked]
	switch {
	case n.on && c != nil && !c.cut && !c.spoke && r.paused == nil:
		r.paused, r.resumed, c.pausedAt = c, nil, n.at
	case !n.on && r.paused != nil:
		if r.paused.samples > 0 {
			r.resumed, r.paused.resumedAt = r.paused, n.at
		}
		r.paused = nil
	}
}

// frame: rules 1, 2, 4, 9 and 10 at the last place where a stale frame could be stopped.
func (r *rules) frame(n note, c *call) {
	if c == nil {
		r.breach(oneFloor, "a frame of generation %d, which nobody asked for", n.generation)
		return
	}
	if r.resumed == c {
		r.resumed = nil
	}
	if n.n == 0 {
		return
	}
	if r.over {
		r.breach(closes, "utterance %d is heard after the end", c.utterance)
	}
	if c.generation < r.lastFrame {
		r.breach(noneAfterCut, "a frame of generation %d after one of %d", c.generation, r.lastFrame)
	}
	if c.cut && n.at > c.cutAt {
		r.breach(noneAfterCut, "utterance %d was heard %v after it was cut", c.utterance, n.at-c.cutAt)
	}
	if r.paused == c && n.at > c.pausedAt {
		r.breach(noneAfterCut, "utterance %d was heard %v after it was paused", c.utterance, n.at-c.pausedAt)
	}
	if c.samples == 0 && !c.firm && r.speaking && n.at > r.spokeSince {
		r.breach(manners, "utterance %d began while the candidate had spoken for %v", c.utterance, n.at-r.spokeSince)
	}
	c.samples += n.n
	r.lastFrame = max(r.lastFrame, c.generation)
	r.frameOf(c)
}

// frameOf compares a frame with whose turn it is to be heard.
func (r *rules) frameOf(c *call) {
	s := r.said[c.utterance]
	switch {
	case s == nil || c.held:
		r.breach(oneFloor, "utterance %d was heard before its turn was decided", c.utterance)
		return
	case s.Visit > r.u.Visit || s.Visit < r.u.Visit && r.now > r.visitSince:
		r.breach(oneFloor, "a frame of visit %d in visit %d", s.Visit, r.u.Visit)
	case r.u.Floor.Utterance != c.utterance && r.now > r.floorSince:
		r.breach(oneFloor, "utterance %d is heard, %d has had the floor for %v", c.utterance, r.u.Floor.Utterance, r.now-r.floorSince)
	}
	if c.samples <= scrap || s.reply.heard == c.utterance {
		return
	}
	if s.reply.heard != 0 && s.reply.heard != r.u.Floor.Withdrawn { // what cut in on the candidate counts for nothing
		r.breach(oneReply, "utterance %d says again what %d has said", c.utterance, s.reply.heard)
	}
	s.reply.heard = c.utterance
}

func (r *rules) spoke(n note, c *call) {
	if c == nil {
		r.breach(oneReply, "generation %d was spoken, and nobody asked for it", n.generation)
		return
	}
	c.spoke, c.text, c.complete, c.failed = true, n.text, n.on, n.err != nil
	r.settled(c)
	if c.firm && !c.cut && !c.failed && c.samples == 0 && n.text != "" {
		r.breach(manners, "utterance %d is firm and was not heard", c.utterance)
	}
}

// shown: what is shown, as what is heard, has been decided on.
func (r *rules) shown(utterance uint64) {
	for generation := r.asked; generation > 0; generation-- {
		if c := r.calls[generation]; c != nil && c.utterance == utterance && !c.held {
			return
		}
	}
	r.breach(oneFloor, "words of utterance %d, which was never decided on", utterance)
}

// decided is the use of the voice that was decided on; of an utterance, drafts may have been made before.
func (r *rules) decided(utterance uint64) *call {
	for generation := r.asked; generation > 0; generation-- {
		if c := r.calls[generation]; c != nil && c.utterance == utterance && !c.held {
			return c
		}
	}
	return &call{}
}

// voiceStarted: rule 3.
func (r *rules) voiceStarted(e engine.VoiceStarted) {
	s := r.said[e.Utterance]
	switch {
	case s == nil:
		r.breach(oneEnd, "a start of utterance %d, which the engine has not asked for", e.Utterance)
		return
	case s.ended > 0:
		r.breach(oneEnd, "utterance %d starts after its end", e.Utterance)
	case r.decided(e.Utterance).samples == 0:
		r.breach(oneEnd, "utterance %d has started, and nothing is heard of it", e.Utterance)
	}
	if s.started++; s.started > 1 {
		r.breach(oneEnd, "utterance %d started %d times", e.Utterance, s.started)
	}
}

// voiceEnded: rules 3 and 5.
func (r *rules) voiceEnded(e engine.VoiceEnded) {
	s := r.said[e.Utterance]
	if s == nil {
		r.breach(oneEnd, "an end of utterance %d, which the engine has not asked for", e.Utterance)
		return
	}
	if s.ended++; s.ended > 1 {
		r.breach(oneEnd, "utterance %d ended %d times", e.Utterance, s.ended)
	}
	c := r.decided(e.Utterance)
	if c.samples > 0 && s.started == 0 && r.u.Ended == "" {
		r.breach(oneEnd, "utterance %d was heard and has no start", e.Utterance)
	}
	if e.Failed == "" { // else its words were shown
		r.kept(e, c)
	}
}

// kept: a word counts once its sound has been sent; the ends of clauses are estimated until they are synthesised.
func (r *rules) kept(e engine.VoiceEnded, c *call) {
	most := c.samples*int64(time.Second)/audio.VoiceRate/int64(r.wordTime) + 2
	words := int64(len(strings.Fields(e.Heard)))
	if words > 0 && (c.samples == 0 || r.wordTime > 0 && words > most) {
		r.breach(onlyHeard, "utterance %d: %d words are kept, %d samples were heard", e.Utterance, words, c.samples)
	}
	if !c.spoke || e.Heard != c.text || e.Cut == c.complete {
		r.breach(onlyHeard, "utterance %d: %q is kept (cut %t), %q was heard (complete %t)", e.Utterance, e.Heard, e.Cut, c.text, c.complete)
	}
}

// noted: rule 5 on what the transcript gains by the end of an utterance.
func (r *rules) noted(before int, e engine.VoiceEnded) {
	want := 1
	if e.Heard == "" {
		want = 0
	}
	gained := r.u.Turns[before:]
	if len(gained) != want {
		r.breach(onlyHeard, "utterance %d added %d turns to the transcript", e.Utterance, len(gained))
		return
	}
	if want == 1 && (gained[0].Text != e.Heard || gained[0].Interrupted != e.Cut) {
		r.breach(onlyHeard, "utterance %d: %q is in the transcript (interrupted %t) after %q (cut %t)",
			e.Utterance, gained[0].Text, gained[0].Interrupted, e.Heard, e.Cut)
	}
}
