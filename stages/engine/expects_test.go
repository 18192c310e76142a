package engine_test

import (
	"testing"

	"github.com/vivavoice/viva/stages/engine"
)

// The words of our questions tell what kind of answer they earn, where the definition leaves it open or wants a story.
func TestAwaits(t *testing.T) {
	const any, story, yes, short = "", "story", "yes_no", "short"
	for _, tt := range []struct{ text, open, story string }{
		{"What do you do at the moment?", any, story},
		{"Could you tell me about one project that you are proud of?", story, story},
		{"Good. Then walk me through the design.", story, story},
		{"I see. Can you give me an example of that?", story, story},
		{"How did you decide between the two?", any, story},
		{"Thank you, that helps. What was the hardest part of it for you?", any, story},
		{"Is that still running?", yes, yes},
		{"Thanks. And did you write it yourself?", yes, yes},
		{"Ninety percent, right?", yes, yes},
		{"Are you ready to begin?", yes, yes},
		{"How many people were in the team?", short, short},
		{"And how long did that take?", short, short},
		{"Which year was that?", short, short},
		{"Who was the project for?", short, short},
		{"What is your current role?", short, short},
		{"Take your time.", any, story},
		{"", any, story},
	} {
		for stage, want := range []string{tt.open, tt.story} {
			k := newTalk(t, true)
			if stage == 1 {
				k.send(1, engine.Operator{Command: "skip"})
			}
			if got := k.iv.Awaits(k.u, tt.text); got != want {
				t.Errorf("in %s %q earns %q, want %q", k.u.Stage, tt.text, got, want)
			}
		}
	}
}
