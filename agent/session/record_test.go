package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// recorder keeps what a session asks of it.
type recorder struct {
	asked []engine.Record
	at    []state.Millis
}

// Record implements session.Recorder.
func (r *recorder) Record(e engine.Record, at state.Millis) {
	r.asked, r.at = append(r.asked, e), append(r.at, at)
}

// Consent reaches the recorder, with the time on the session's clock; a session that has none goes on without.
func TestConsentReachesTheRecorder(t *testing.T) {
	iv := altered(t, func(d *definition.Definition) { d.Recording = &definition.Recording{} }, nil)
	for _, with := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			kept := &recorder{}
			r := newRig(t, iv, nil, func(o *session.Options) {
				o.Start.Recording = engine.ConsentMetadata
				if with {
					o.Recorder = kept
				}
			})
			page := func(on bool) session.Message {
				return session.Event{Event: engine.Consent{Recording: on, By: engine.ConsentPage}}
			}
			r.at(5*time.Second, page(false))
			r.at(7*time.Second, page(true))
			r.runFor(10 * time.Second)
			if got := r.s.UserData().Recording; got != engine.ConsentPage {
				t.Errorf("the state says %q", got)
			}
			if !with {
				if n := r.logs.FilterMessage("recording.unavailable").Len(); n != 3 {
					t.Errorf("%d warnings", n)
				}
				return
			}
			want := []engine.Record{{On: true, Consent: engine.ConsentMetadata}, {Consent: engine.ConsentPage}, {On: true, Consent: engine.ConsentPage}}
			if diff := cmp.Diff(want, kept.asked); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]state.Millis{0, 5000, 7000}, kept.at); diff != "" {
				t.Error(diff)
			}
		})
	}
}
