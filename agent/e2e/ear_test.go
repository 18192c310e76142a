package e2e

import (
	"sync"
	"testing"
	"time"

	"github.com/pion/rtp"

	"github.com/vivavoice/viva/pipeline/audio"
)

// pause is the silence after which the agent counts as quiet. Between two sentences it is quiet for less.
const pause = 900 * time.Millisecond

// cut is the silence after which the agent counts as interrupted (issue 2: "before ≥ 250 ms of silence").
const cut = 250 * time.Millisecond

// threshold is the level above which a frame is voice, dBFS. It is that of the load test.
const threshold = -45

// sound is one voiced packet of the agent.
type sound struct {
	track  string
	at     time.Time
	length time.Duration
}

// ear hears the agent's voice.
type ear struct {
	mu       sync.Mutex
	decoders map[string]*audio.Decoder // guarded by mu; by track
	pcm      []int16                   // guarded by mu
	voiced   []sound                   // guarded by mu

	recorder *recorder // nil: none; keeps what is heard
}

func newEar() *ear {
	return &ear{decoders: map[string]*audio.Decoder{}, pcm: make([]int16, 6*audio.InputFrame)}
}

// hear takes a packet as it arrives.
func (e *ear) hear(track string, p *rtp.Packet, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	decoder := e.decoders[track]
	if decoder == nil {
		var err error
		if decoder, err = audio.NewDecoder(); err != nil {
			return
		}
		e.decoders[track] = decoder
	}
	n, err := decoder.Decode(e.pcm, p.Payload)
	if err == nil && n > 0 && e.recorder != nil {
		e.recorder.note(e.pcm[:n], at)
	}
	if err == nil && n > 0 && audio.Level(e.pcm[:n]) > threshold {
		e.voiced = append(e.voiced, sound{track: track, at: at, length: time.Duration(n) * time.Second / audio.InputRate})
	}
}

// since are the voiced packets that arrived after t.
func (e *ear) since(t time.Time) []sound {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.voiced {
		if e.voiced[i].at.After(t) {
			return append([]sound(nil), e.voiced[i:]...)
		}
	}
	return nil
}

// tracks are those on which something was received.
func (e *ear) tracks() map[string]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := map[string]bool{}
	for track := range e.decoders {
		known[track] = true
	}
	return known
}

// awaitVoice waits until so much voice has been heard after t.
func (e *ear) awaitVoice(t *testing.T, since time.Time, amount time.Duration) {
	t.Helper()
	eventually(t, "voice of the agent", func() bool {
		var heard time.Duration
		for _, s := range e.since(since) {
			heard += s.length
		}
		return heard >= amount
	})
}

// stopped is when the last voice arrived before the first silence, of the length of cut, after t; t if there was none.
func (e *ear) stopped(t time.Time) time.Time {
	last := t
	for _, s := range e.since(t) {
		if s.at.Sub(last) >= cut {
			break
		}
		last = s.at
	}
	return last
}
