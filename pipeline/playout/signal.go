package playout

import "github.com/vivavoice/viva/pipeline/audio"

// Signal lets a short sound be heard that belongs to no utterance: it starts none, is counted by none, and silences none. It is heard only
// where no utterance has the track, a held one apart; one that is opened or released cuts it, fading out within 10 ms. Signal reports false
// where an utterance has the track, or another signal. The gate reads pcm until the sound is over: it must not be changed.
func (g *Gate) Signal(pcm []int16) bool {
	g.mu.Lock()
	free := !g.closed && len(pcm) > 0 && len(g.signal) == 0 && (g.current == nil || g.current.held)
	if free {
		g.signal, g.sounding = pcm, false
	}
	g.mu.Unlock()
	if free {
		g.wake()
	}
	return free
}

// signalLocked returns the next frame of the signal: its fade, or nothing if it has not begun, where it is not alone any more.
func (g *Gate) signalLocked(alone bool) slot {
	t := &g.track
	n := copy(t.pcm[:], g.signal)
	g.signal = g.signal[n:]
	if !alone {
		g.signal = nil
		if !g.sounding {
			return slot{}
		}
		n = min(n, fadeSamples)
		audio.FadeOut(t.pcm[:n])
	}
	clear(t.pcm[n:])
	g.sounding = true
	t.tail = tailFrames
	return slot{speech: n}
}
