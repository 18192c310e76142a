package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/definition"
)

// expecting are ears that note what kind of answer the question earns.
type expecting struct {
	*rig
	kinds []string
}

func (e *expecting) Expect(_, answer string) { e.kinds = append(e.kinds, answer) }

// The ears are told the kind of answer that the question on its way earns: that of the opening, of a slot, or any.
func TestExpectedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ears := &expecting{}
		iv := altered(t, func(d *definition.Definition) {
			intro, past := d.Stages[0], d.Stages[1]
			intro.Expect, past.Expect = "yes_no", "story"
			intro.Slots = append([]definition.Slot(nil), intro.Slots...)
			for i := range intro.Slots {
				intro.Slots[i].Expect = "short"
			}
			d.Stages[0], d.Stages[1] = intro, past
		}, nil)
		ears.rig = newRig(t, iv, nil, func(o *session.Options) { o.Ears = ears })
		ears.answer = opening("Hi, I am Jordan.")
		ears.runFor(2 * time.Minute)
		if len(ears.kinds) < 4 {
			t.Fatalf("asked %d times", len(ears.kinds))
		}
		if diff := cmp.Diff([]string{"yes_no", "short"}, ears.kinds[:2]); diff != "" {
			t.Error(diff)
		}
		story := false
		for _, kind := range ears.kinds {
			story = story || kind == "story"
		}
		if !story {
			t.Errorf("the second stage opens with a story: %q", ears.kinds)
		}
	})
}

// What a model asks is known when it was heard: only then are the ears told what kind of answer it earns, and not where it was cut off.
func TestExpectedAnswersToAModel(t *testing.T) {
	for question, want := range map[string][]string{
		"How many bakers were you?":            {"", "", "short"},
		"Could you tell me about one evening?": {"", "", "story"},
		"What was hard about it?":              {"", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			ears := &expecting{}
			asked := 0
			model := modelFunc(func(llm.Request) reply {
				asked++
				return reply{wait: 200 * time.Millisecond, text: []string{question}}
			})
			ears.rig = newRig(t, interview(t, "two_stage"), model, func(o *session.Options) { o.Ears, o.Start.Model = ears, true })
			ears.answer = opening("I am a baker")
			ears.runFor(22 * time.Second)
			if diff := cmp.Diff(want, ears.kinds); diff != "" || asked != 1 {
				t.Errorf("%q, asked %d times: %s", question, asked, diff)
			}
		})
	}
}

// opening is a candidate who answers once, and then listens.
func opening(text string) func(*session.Session, int, string) {
	return func(s *session.Session, n int, _ string) {
		if n > 1 {
			return
		}
		say(s, text)
	}
}
