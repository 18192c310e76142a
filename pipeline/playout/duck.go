package playout

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	// maskLimit is how much may pass unheard under a duck: a word or two, over which the candidate spoke. There the voice waits, and when it
	// comes back it repeats the clause.
	maskLimit = 600 * time.Millisecond
	// memory is how much of what was sent is kept for that: 48 bytes for each ms.
	memory = maskLimit + clauseReach + 100*time.Millisecond
	// clauseReach is how far back the start of a clause is looked for: a breath of five steps of 10 ms that stay below quiet, in dBFS.
	clauseReach = 1200 * time.Millisecond
	clauseStep  = sampleRate / 100
	clauseRest  = 5
	quiet       = -45.0
)

// duckGain is −36 dB: a voice that cannot be heard by somebody who speaks.
var duckGain = audio.Decibels(-36)

// veil is the duck that the voice is under.
type veil struct {
	on    bool
	drawn bool  // the voice is down: what is sent is not heard
	from  int64 // position of the utterance since when
	sent  int64 // samples that the track accepted since
}

// full says that no more may pass under it; read is the position of the utterance.
func (v veil) full(read int64) bool { return v.drawn && read-v.from >= int64(samplesIn(maskLimit)) }

func (v veil) gain() float32 {
	if v.on {
		return duckGain
	}
	return 1
}

// Duck lowers the voice by 36 dB, or brings it back, over 20 ms. What is sent under it, 0.6 s at most, counts as heard only where
// the voice comes back before that; else the clause is repeated.
func (g *Gate) Duck(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case on == g.veil.on:
		return
	case on:
		g.veil.on = true
	default:
		g.liftLocked(samplesIn(maskLimit))
		g.wake()
	}
	g.level.Set(g.veil.gain(), frameSamples)
}

// liftLocked ends a duck. If more than limit passed under it, the voice goes back to where it began, and to the start of the clause.
func (g *Gate) liftLocked(limit int) {
	v, u := g.veil, g.current
	g.veil = veil{}
	if u == nil || !v.drawn {
		return
	}
	if masked := int(u.read - v.from); masked >= limit {
		u.read -= int64(g.queue.Back(masked))
		if limit > 0 {
			g.repeatLocked()
		}
		return
	}
	u.heard += v.sent
	u.counted = v.from + v.sent
}

// repeatLocked goes back to the start of the clause under way: behind the last breath, if there was one within reach. What is heard
// twice counts once, and no clause is repeated a second time: however often it is disturbed, the voice gets on.
func (g *Gate) repeatLocked() {
	u := g.current
	if u == nil || !u.started {
		return
	}
	var step [clauseStep]int16
	rest := 0
	for back := clauseStep; back <= samplesIn(clauseReach); back += clauseStep {
		if g.queue.Past(step[:], back) == 0 {
			return
		}
		if rest++; audio.Level(step[:]) > quiet {
			rest = 0
		}
		if rest == clauseRest {
			if back -= (clauseRest - 1) * clauseStep; u.read-int64(back) > u.repeated {
				u.read -= int64(g.queue.Back(back))
				u.repeated = u.read
			}
			return
		}
	}
}

// countLocked accounts for a frame that the track accepted.
func (g *Gate) countLocked(s slot) {
	u := s.utterance
	if s.masked && g.veil.drawn && g.current == u {
		g.veil.sent += int64(s.speech)
		return
	}
	u.heard += min(int64(s.speech), max(0, s.until-u.counted))
	u.counted = max(u.counted, s.until)
}
