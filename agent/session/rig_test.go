package session_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

// Times of the rig's voice, of which the last is no provider's.
const (
	soundAfter  = 120 * time.Millisecond // the engine's first sound
	packetAfter = 5 * time.Millisecond   // after that
	fade        = 4 * time.Millisecond   // the last packet after a pause or a stop
	wordEvery   = 333 * time.Millisecond
)

// rig is a stage whose voice takes its time as a real one, and can break; it also has a button and tells when it was heard.
type rig struct {
	*stage
	logs   *observer.ObservedLogs
	traces []session.Trace
	speak  func(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken // nil: as it should be

	mu      sync.Mutex
	problem string // guarded by mu: the one shown last
	halted  bool   // guarded by mu: Pause without Resume
	ducked  bool
	from    uint64    // guarded by mu: generation heard last
	sounded time.Time // guarded by mu

	resumes int
	takes   []time.Time
	hearing []bool // calls of Hear
}

var (
	_ session.Pulse  = (*rig)(nil)
	_ session.Button = (*rig)(nil)
	_ session.Sheet  = (*rig)(nil)
)

// newRig makes a session of the interview; change may alter its options.
func newRig(t testing.TB, iv *engine.Interview, model llm.Model, change func(*session.Options)) *rig {
	t.Helper()
	r := &rig{stage: newStage(t, "two_stage", nil)}
	core, logs := observer.New(zap.DebugLevel)
	r.logs = logs
	journal, err := r.store.Create(t.Context(), "rig")
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{
		Interview: iv, Start: engine.Started{Session: "rig", Locale: "en"}, Voice: r, Ears: r, Presence: r, Journal: journal, Model: model,
		Logger: zap.New(core), Observe: r.observe, Speculate: true, Trace: func(x session.Trace) { r.traces = append(r.traces, x) },
	}
	if change != nil {
		change(&o)
	}
	if r.s, err = session.New(o); err != nil {
		t.Fatal(err)
	}
	return r
}

// altered is an interview whose definition or words were changed.
func altered(t testing.TB, change func(d *definition.Definition), words *prompts.Catalogue) *engine.Interview {
	t.Helper()
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(defs["two_stage"])
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	if words == nil {
		words = interview(t, "two_stage").Words
	}
	iv, err := engine.New(defs["two_stage"], words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// runFor runs the session for a time.
func (r *rig) runFor(d time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeoutCause(r.t.Context(), d, session.Reason("enough"))
	defer cancel()
	if _, err := r.s.Run(ctx); err != nil {
		r.t.Fatal(err)
	}
}

// at posts messages at times since the start.
func (r *rig) at(d time.Duration, m ...session.Message) {
	time.AfterFunc(d, func() {
		for _, m := range m {
			r.s.Post(m)
		}
	})
}

// watchdogs are the alarms so far.
func (r *rig) watchdogs() (list []string) {
	for _, v := range r.values("watchdog.fired", "which") {
		which, _ := v.(string)
		list = append(list, which)
	}
	return list
}

// Speak implements session.Voice.
func (r *rig) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	if r.speak != nil {
		return r.speak(ctx, u, src)
	}
	var heard []string
	for begun := false; ; begun = true {
		clause, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			return r.over(u, heard, true)
		}
		if err != nil || !begun && !r.begin(ctx, u, clause.Text) {
			return session.Spoken{Err: err}
		}
		for _, w := range strings.Fields(clause.Text) {
			if !r.word(ctx, u) {
				return r.over(u, heard, false)
			}
			heard = append(heard, w)
			u.Words(" " + w)
		}
	}
}

// begin waits for the first sound and lets its first packet go.
func (r *rig) begin(ctx context.Context, u session.Utterance, clause string) bool {
	u.Asked()
	if !passes(ctx, soundAfter) {
		return false
	}
	u.Sounded()
	if !r.hold(ctx, u, clause) || !passes(ctx, packetAfter) || !r.enter(ctx, u) {
		return false
	}
	r.sound(u.Generation)
	u.Started()
	return true
}

// word lets a word be heard, after a pause if there is one.
func (r *rig) word(ctx context.Context, u session.Utterance) bool {
	for done := time.Duration(0); done < wordEvery; {
		if !passes(ctx, time.Millisecond) {
			passes(context.WithoutCancel(ctx), fade)
			if !r.isHalted() {
				r.sound(u.Generation)
			}
			return false
		}
		if !r.isHalted() {
			r.sound(u.Generation)
			done += time.Millisecond
		}
	}
	return true
}

func passes(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (r *rig) sound(generation uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ducked {
		r.from, r.sounded = generation, time.Now()
	}
}

// Duck implements session.Voice: what is said under it is not heard.
func (r *rig) Duck(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ducked = on
	if on {
		r.sounded = time.Now().Add(fade)
	}
}

func (r *rig) isHalted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.halted
}

func (r *rig) halt(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.halted = on
}

// Pause implements session.Voice: the fade goes out a little later.
func (r *rig) Pause() {
	time.AfterFunc(fade, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.ducked {
			r.sounded = time.Now()
		}
		r.ducked = false
	})
	r.halt(true)
}

// Resume implements session.Voice.
func (r *rig) Resume() {
	r.resumes++
	r.halt(false)
}

// LastSound implements session.Pulse.
func (r *rig) LastSound() (uint64, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from, r.sounded
}

// Problem implements session.Sheet.
func (r *rig) Problem(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problem = id
}

// Hear implements session.Button.
func (r *rig) Hear(on bool) { r.hearing = append(r.hearing, on) }

// Take implements session.Ears.
func (r *rig) Take() {
	r.takes = append(r.takes, time.Now())
	r.taken(r.s)
}
