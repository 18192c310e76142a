package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// hiding is the two-stage interview with something to hide in its first stage.
func hiding(t testing.TB) *engine.Interview {
	t.Helper()
	return altered(t, func(d *definition.Definition) {
		d.Fields = map[string]definition.BoardField{"answer": {Type: "text", Secret: true, From: "var.answer"}}
		d.Vars = map[string]definition.Var{"answer": {Default: "sliding window"}}
	}, nil)
}

// shownWords notes what reaches the transcript in the room.
type shownWords struct {
	*rig
	words []string
}

func (s *shownWords) Words(_ uint64, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = append(s.words, more)
}

func (s *shownWords) Said(_ uint64, text string) { s.Words(0, " | "+text+" | ") }

// A model that tells what is hidden is cut off before it is heard, read, or kept; what came before stands (R003-30, R003-31, RX-20, RM-28).
func TestModelThatTells(t *testing.T) {
	for name, c := range map[string]struct {
		text  []string
		heard string // of the model's words
	}{
		"at once":           {[]string{"You want a sliding window here. What do you bake?"}, ""},
		"after a beginning": {[]string{"That is good bread. ", "Now, a sliding window would do. ", "What do you bake?"}, "That is good bread."},
		"in two sentences":  {[]string{"Think of something sliding. ", "Window by window, what do you bake?"}, "Think of something sliding."},
		"spelled out":       {[]string{"It is the S-l-i-d-i-n-g w-i-n-d-o-w. ", "What do you bake?"}, ""},
		"and nothing else":  {[]string{"Use the sliding-window trick."}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shown := &shownWords{}
				shown.rig = newRig(t, hiding(t), modelFunc(func(llm.Request) reply { return reply{wait: 100 * time.Millisecond, text: c.text} }), func(o *session.Options) { o.Presence = shown })
				shown.answer = opening("Hi, I am Jordan.")
				shown.runFor(25 * time.Second)
				u := shown.s.UserData()
				all := strings.Join(append(shown.heard, shown.words...), "\n")
				for _, turn := range u.Turns {
					if turn.Speaker == state.SpeakerAgent {
						all += "\n" + turn.Text
					}
				}
				if understand.Reveals(all, []string{"sliding window"}) {
					t.Errorf("it was told: %s", all)
				}
				if n := shown.count("secret.withheld"); n == 0 {
					t.Error("nothing was withheld")
				}
				if len(shown.heard) < 2 || !strings.HasPrefix(shown.heard[1], c.heard) || strings.Contains(shown.heard[1], "bake") {
					t.Errorf("heard %q", shown.heard)
				}
			})
		})
	}
}

// What the candidate has said themselves is no secret, and neither is anything in an interview that hides nothing.
func TestWordsThatMayBeSaid(t *testing.T) {
	model := modelFunc(func(llm.Request) reply { return reply{text: []string{"A sliding window it is. Which one?"}} })
	for name, c := range map[string]struct {
		iv  func(testing.TB) *engine.Interview
		say string
	}{
		"said before":    {hiding, "Hi, I am Jordan, and I open a sliding window."},
		"nothing hidden": {func(t testing.TB) *engine.Interview { return interview(t, "two_stage") }, "Hi, I am Jordan."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.iv(t), model, nil)
				r.answer = opening(c.say)
				r.runFor(25 * time.Second)
				if len(r.heard) < 2 || !strings.Contains(r.heard[1], "sliding window") || r.count("secret.withheld") > 0 {
					t.Errorf("heard %q", r.heard)
				}
			})
		})
	}
}
