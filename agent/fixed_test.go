package agent

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/state"
)

// What is synthesised for every interview may be kept on disk, what holds a candidate's name may not.
func TestOnlyFixedWordsMayBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice := &reader{}
		a := attend(t, speak.NewCache(voice, 8<<20), `{"candidate":{"name":"Ada Lovelace"}}`)
		if err := a.i.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(voice.asked) < 8 || slices.ContainsFunc(voice.asked, func(r tts.Request) bool { return !r.Fixed || strings.Contains(r.Text, "Ada") }) {
			t.Errorf("warmed %+v", voice.asked)
		}
		n := len(voice.asked)
		a.greet(t.Context(), state.Candidate{})
		a.awaitGreeting(t.Context())
		if slices.ContainsFunc(voice.asked[n:], func(r tts.Request) bool { return r.Fixed }) {
			t.Errorf("greeted with %+v", voice.asked[n:])
		}
	})
}
