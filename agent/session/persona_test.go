package session_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/persona"
)

// dresser notes how utterances are to sound, and who is shown.
type dresser struct {
	*rig

	mu     sync.Mutex
	sounds []definition.Voice // guarded by mu, by utterance
	shown  []string           // personas; belongs to the session
}

var _ session.Cast = (*dresser)(nil)

// Speak implements session.Voice.
func (d *dresser) Speak(ctx context.Context, u session.Utterance, src speak.Source) session.Spoken {
	d.mu.Lock()
	d.sounds = append(d.sounds, definition.Voice{Name: u.Name, Speed: u.Speed})
	d.mu.Unlock()
	return d.rig.Speak(ctx, u, src)
}

// Persona implements session.Cast.
func (d *dresser) Persona(id string) { d.shown = append(d.shown, id) }

// R002-64: the greeting sounds as the definition says; from the introduction on the interviewer
// sounds, by name and pace, as the persona that was chosen; without an engine that knows it, by pace alone.
func TestAPersonaHasItsOwnVoice(t *testing.T) {
	for engineName, want := range map[string]definition.Voice{
		"local": {Name: "awb", Speed: 0.95}, "openai": {Name: "onyx", Speed: 0.95}, "": {Speed: 0.95},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &dresser{}
			d.rig = newRig(t, interview(t, "persona_interview"), nil, func(o *session.Options) { o.Voice, o.Presence, o.Speech = d, d, engineName })
			d.answer = func(s *session.Session, n int, _ string) {
				switch n {
				case 1:
					say(s, "The senior one, please.")
				case 2:
					say(s, "I want to stop the interview.")
				}
			}
			if reason, err := d.s.Run(t.Context()); err != nil || reason != "done" {
				t.Fatalf("ended as %q, %v", reason, err)
			}
			if len(d.sounds) < 3 || d.sounds[0] != (definition.Voice{}) {
				t.Fatalf("%q: it sounds like %+v", engineName, d.sounds)
			}
			if i := slices.IndexFunc(d.sounds[1:], func(v definition.Voice) bool { return v != want }); i >= 0 {
				t.Errorf("%q: utterance %d sounds like %+v, want %+v", engineName, i+2, d.sounds[i+1], want)
			}
			if !slices.Equal(d.shown, []string{persona.Senior}) {
				t.Errorf("shown as %v", d.shown)
			}
		})
	}
}

// R002-4: what the candidate chose on the page comes as a fact, is journalled, and leads on at once.
func TestAPersonaChosenOnThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dresser{}
		d.rig = newRig(t, interview(t, "persona_interview"), nil, func(o *session.Options) { o.Voice, o.Presence = d, d })
		d.answer = func(s *session.Session, n int, _ string) {
			if n == 2 {
				say(s, "Goodbye.")
			}
		}
		d.at(2*wordEvery, session.Event{Event: engine.Chosen{Persona: "exec"}})
		if reason, err := d.s.Run(t.Context()); err != nil || reason != "done" {
			t.Fatalf("ended as %q, %v", reason, err)
		}
		u, _, _ := story(t, interview(t, "persona_interview"), d.store, "rig")
		if u.Vars["persona"] != persona.Executive || !slices.Equal(d.shown, []string{persona.Executive}) {
			t.Errorf("%v is interviewed by, shown %v", u.Vars, d.shown)
		}
	})
}
