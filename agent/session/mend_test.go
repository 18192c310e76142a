package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
)

// doubting shows how certain the turns were.
type doubting struct {
	*rig
	shown []session.Certainty
}

// Candidate implements session.Presence.
func (d *doubting) Candidate(_ uint64, _ string, c session.Certainty) { d.shown = append(d.shown, c) }

// A turn that the recogniser was not sure of is shown so. The candidate puts the latest one right; what comes after they have spoken
// again is too late.
func TestOnlyTheLatestTurnIsMended(t *testing.T) {
	for name, c := range map[string]struct {
		mends uint64
		want  int
	}{"the latest": {2, 1}, "the one before": {1, 0}, "one that was not spoken": {3, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &doubting{}
				d.rig = newRig(t, interview(t, "two_stage"), nil, func(o *session.Options) { o.Presence = d })
				d.answer = func(_ *session.Session, n int, _ string) {
					if n > 1 {
						return
					}
					d.at(time.Second, session.Turn{Text: "I am a maker.", Confidence: 0.9})
					d.at(9*time.Second, session.Turn{Text: "I wake bread.", Confidence: 0.4})
					d.at(14*time.Second, session.Turn{Text: "I make bread.", Typed: true, Mends: c.mends, Reason: "mended"})
				}
				d.runFor(40 * time.Second)
				if diff := cmp.Diff([]session.Certainty{session.Final, session.Unsure}, d.shown); diff != "" {
					t.Errorf("shown:\n%s", diff)
				}
				entries, err := d.store.Read(t.Context(), "rig")
				if err != nil {
					t.Fatal(err)
				}
				mended := 0
				for _, e := range entries {
					ev, err := engine.Decode(e)
					if err != nil {
						t.Fatal(err)
					}
					if turn, is := ev.(engine.UserTurn); is && turn.Mends && turn.Text == "I make bread." {
						mended++
					}
				}
				if mended != c.want {
					t.Errorf("mended %d times, want %d", mended, c.want)
				}
			})
		})
	}
}
