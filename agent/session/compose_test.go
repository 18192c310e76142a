package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
)

// A composer words as a session does: the model's words and what it understood, and nothing where the model fails or repeats itself.
func TestComposerWordsAsASessionDoes(t *testing.T) {
	iv := interview(t, "two_stage")
	for name, c := range map[string]struct {
		model llm.Model
		check func(session.Composed, engine.Say) bool
	}{
		"no model": {nil, func(c session.Composed, _ engine.Say) bool {
			return c.Text == "" && !c.Worded && c.Degraded == "there is no model"
		}},
		"words": {modelFunc(func(llm.Request) reply { return reply{text: []string{"Trams, I see. Which part was hardest?"}} }),
			func(c session.Composed, _ engine.Say) bool {
				return c.Worded && c.Text == "Trams, I see. Which part was hardest?" && c.Degraded == ""
			}},
		"fails": {modelFunc(func(llm.Request) reply { return reply{err: errors.New("the service is down")} }),
			func(c session.Composed, _ engine.Say) bool {
				return c.Text == "" && strings.Contains(c.Degraded, "the service is down")
			}},
		"repeats": {modelFunc(func(llm.Request) reply { return reply{text: []string{"What do you do at the moment?"}} }),
			func(c session.Composed, _ engine.Say) bool { return c.Text == "" && c.Degraded != "" }},
		"understands": {modelFunc(func(llm.Request) reply {
			return reply{text: []string{`{"say":"Trams, I see.","reading":{"did":"ask"}}`}}
		}), func(c session.Composed, _ engine.Say) bool {
			return c.Text == "Trams, I see." && string(c.Reading) == `{"did":"ask"}`
		}},
	} {
		t.Run(name, func(t *testing.T) {
			say := session.ToWord(t, iv, "What do you do at the moment?")
			got, err := session.NewComposer(session.ComposerOptions{Interview: iv, Model: c.model}).Compose(t.Context(), say)
			if err != nil || !c.check(got, say) {
				t.Errorf("%v, %+v, the script has %q", err, got, say.Text)
			}
		})
	}
}

// A task that nobody carries out fails in words; a composer whose context has ended says so.
func TestComposerWithoutHelp(t *testing.T) {
	iv := interview(t, "two_stage")
	c := session.NewComposer(session.ComposerOptions{Interview: iv, Model: modelFunc(func(llm.Request) reply { return reply{text: []string{"Well."}} })})
	if done := c.CarryOut(t.Context(), engine.Run{Task: 7, Visit: 2}); done.Task != 7 || done.Failed == "" {
		t.Errorf("%+v", done)
	}
	spent := session.NewMeter(10)
	spent.Add(10)
	poor := session.NewComposer(session.ComposerOptions{Interview: iv, Meter: spent, Model: modelFunc(func(llm.Request) reply { return reply{text: []string{"Well."}} })})
	if got, err := poor.Compose(t.Context(), session.ToWord(t, iv, "What do you do at the moment?")); err != nil || got.Worded || got.Text != "" || got.Degraded == "" {
		t.Errorf("without tokens: %v, %+v", err, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	say := session.ToWord(t, iv, "What do you do at the moment?")
	if _, err := c.Compose(ctx, say); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
