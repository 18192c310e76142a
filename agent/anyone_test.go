package agent

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
)

// anyone is a candidate who does anything at any time, as a listener would report it.
type anyone struct {
	w     *world
	rng   *rand.Rand
	hurry time.Duration // the longest time between two things they do
}

func (p *anyone) upTo(d time.Duration) time.Duration { return upTo(p.rng, d) }

func (p *anyone) act(ctx context.Context) {
	w := p.w
	for pass(ctx, p.upTo(p.hurry)) == nil {
		switch p.rng.IntN(20) {
		case 0:
			w.post(session.Turn{Text: p.words(), Typed: true, Reason: "typed"})
		case 1:
			w.post(session.Event{Event: engine.Away{}})
			_ = pass(ctx, p.upTo(3*time.Second)) // an end in between is found at the next one
			w.post(session.Event{Event: engine.Back{}})
		case 2:
			w.post(session.Event{Event: engine.TimerFired{Name: engine.TimerDeadline, ID: uint64(p.rng.IntN(9)), Visit: 1}})
		default:
			p.speak(ctx)
		}
	}
}

var remarks = []string{
	"I am a baker", "I am really good at finding bugs that nobody else can find", "Let me think.", "that's all", "could you repeat that",
	"I would rather not say", "It was a project to replace the billing system", "hmm", "We reduced lost invoices by ninety percent",
	"Well, it was a long time ago", "I would like to stop now",
}

func (p *anyone) words() string { return remarks[p.rng.IntN(len(remarks))] }

// speak is a turn: speech, perhaps over the voice, silences that may be its end, and the decision.
func (p *anyone) speak(ctx context.Context) {
	taken := p.begin()
	text, began := p.words(), time.Now()
	for {
		p.overlap(ctx)
		if p.rng.IntN(20) == 0 {
			p.w.post(session.Event{Event: engine.LongSpeech{Lasted: 95_000, Words: 250}})
		}
		if pass(ctx, p.upTo(900*time.Millisecond)) != nil || !p.stop(taken) {
			return
		}
		for range p.rng.IntN(4) {
			if pass(ctx, p.upTo(250*time.Millisecond)) != nil || p.over(taken) {
				return
			}
			p.w.post(session.Prospect{Text: p.almost(text), Began: began})
		}
		if pass(ctx, p.upTo(700*time.Millisecond)) != nil || p.over(taken) {
			return
		}
		if p.rng.IntN(5) > 0 {
			break
		}
		taken = p.begin()
	}
	if p.rng.IntN(10) == 0 {
		p.w.post(session.Event{Event: engine.NoWords{}})
		return
	}
	p.w.post(session.Turn{Text: p.almost(text), Began: began})
}

// almost is the text as a recogniser may give it next.
func (p *anyone) almost(text string) string {
	switch p.rng.IntN(5) {
	case 0:
		return strings.ToUpper(text) + "!"
	case 1:
		return text + " indeed"
	}
	return text
}

// begin reports speech, and how many turns had been taken by the other side before.
func (p *anyone) begin() (taken int) {
	w := p.w
	w.mu.Lock()
	w.speaking = true
	taken = w.turns
	w.noteLocked(note{kind: noteSpeech, on: true})
	w.mu.Unlock()
	w.post(session.Event{Event: engine.SpeechStarted{}})
	return taken
}

// stop reports silence, unless the turn was taken meanwhile.
func (p *anyone) stop(taken int) bool {
	w := p.w
	w.mu.Lock()
	mine := w.turns == taken
	if mine {
		w.speaking = false
		w.noteLocked(note{kind: noteSpeech})
	}
	w.mu.Unlock()
	if mine {
		w.post(session.Event{Event: engine.SpeechStopped{}})
	}
	return mine
}

func (p *anyone) over(taken int) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.w.turns != taken
}

// overlap decides about the voice that the candidate speaks over, in two steps. A firm one is left alone.
func (p *anyone) overlap(ctx context.Context) {
	w := p.w
	w.mu.Lock()
	id := w.audible
	if s := w.rules.said[id]; w.over[id] || s == nil || s.Uninterruptible {
		id = 0
	}
	w.mu.Unlock()
	if id == 0 {
		return
	}
	w.post(session.Interruption{Utterance: id, Action: session.Duck})
	_ = pass(ctx, p.upTo(300*time.Millisecond)) // what follows is posted in any case, as a listener does
	w.post(session.Interruption{Utterance: id, Action: session.Pause})
	_ = pass(ctx, p.upTo(500*time.Millisecond))
	action := session.Interrupt
	if p.rng.IntN(5) < 2 {
		action = session.Resume
	}
	w.post(session.Interruption{Utterance: id, Action: action})
}
