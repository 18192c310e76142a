package session_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// RX-18: the tokens that the talk has used are in its journal with each utterance, so that who takes it up goes on with them, and a
// budget that was spent stays so.
func TestResumeKeepsTheCountOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iv := interview(t, "two_stage")
		first := newRig(t, iv, nil, func(o *session.Options) {
			o.Meter = session.NewMeter(1000)
			o.Meter.Add(700)
		})
		first.runFor(30 * time.Second)
		left, err := first.store.Read(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		left = left[:slices.IndexFunc(left, func(e state.Entry) bool { return e.Type == "stop" })]
		u, err := iv.Fold(left)
		if err != nil || u.Tokens != 700 {
			t.Fatalf("the journal tells of %d tokens, %v", u.Tokens, err)
		}
		meter := session.NewMeter(1000)
		second := newRig(t, iv, nil, func(o *session.Options) {
			o.Meter = meter
			o.Resume = &session.Resumption{State: u, Entries: uint64(len(left)), Last: left[len(left)-1].At, Gap: time.Minute}
		})
		second.runFor(time.Second)
		if meter.Used() != 700 || meter.Spent() {
			t.Errorf("%d tokens are counted, spent %v", meter.Used(), meter.Spent())
		}
		if meter.Add(300); !meter.Spent() {
			t.Error("the budget of the whole interview is not spent")
		}
	})
}

// RX-18: what an utterance has used of a model stands with its own end, not with the next one's.
func TestTokensStandWithTheirUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, "two_stage", replied(new(int)))
		g.answer = answers
		run(t, g)
		entries, err := g.store.Read(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		before, worded := 0, 0
		for _, e := range entries {
			ev, err := engine.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			end, ended := ev.(engine.VoiceEnded)
			if !ended || !end.Worded {
				continue
			}
			if end.Tokens <= before {
				t.Errorf("after utterance %d the talk has used %d tokens, %d before it", end.Utterance, end.Tokens, before)
			}
			before, worded = end.Tokens, worded+1
		}
		if worded < 2 {
			t.Fatalf("%d replies of the model", worded)
		}
	})
}

// RX-18: a session that goes on with what another process left begins with Resumed in place of Started, numbers its entries on,
// keeps the clock, and runs what was left of the timers: the gap counts for none of them.
func TestResumeAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iv := interview(t, "two_stage")
		first := newRig(t, iv, nil, nil)
		first.runFor(6 * time.Second)
		left, err := first.store.Read(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		// The process is killed: nobody writes that it stopped.
		left = left[:slices.IndexFunc(left, func(e state.Entry) bool { return e.Type == "stop" })]
		u, err := iv.Fold(left)
		if err != nil || u.Ended != "" {
			t.Fatalf("ended %q, %v", u.Ended, err)
		}
		last := left[len(left)-1].At
		const gap = 10 * time.Minute
		before := u.Timers[engine.TimerDeadline].Left(last)

		second := newRig(t, iv, nil, func(o *session.Options) {
			o.Resume = &session.Resumption{State: u, Entries: uint64(len(left)), Last: last, Gap: gap}
		})
		second.runFor(90 * time.Second)
		entries, err := second.store.Read(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		if e := entries[0]; e.Type != "resumed" || e.Seq != uint64(len(left))+1 || e.At != last+state.FromDuration(gap) {
			t.Errorf("it begins with %+v, want resumed as entry %d at %d", e, len(left)+1, last+state.FromDuration(gap))
		}
		whole, err := iv.Fold(slices.Concat(left, entries))
		if err != nil {
			t.Fatal(err)
		}
		if whole.Visits[0].Absent != state.FromDuration(gap) || len(whole.Visits) < 2 {
			t.Fatalf("absent %d, %d visits", whole.Visits[0].Absent, len(whole.Visits))
		}
		taken, err := iv.Fold(slices.Concat(left, entries[:1]))
		if err != nil {
			t.Fatal(err)
		}
		if got := taken.Timers[engine.TimerDeadline].After; got != before || before == 0 {
			t.Errorf("%s of the limit were left, and %s are", before.Duration(), got.Duration())
		}
		opened := 0
		for _, id := range whole.Ledger.Asked["SELF_INTRO"] {
			if id == "intro.open" {
				opened++
			}
		}
		if opened != 1 || u.Visit != 1 {
			t.Errorf("opened %d times; the state that was given is in visit %d", opened, u.Visit)
		}
	})
}
