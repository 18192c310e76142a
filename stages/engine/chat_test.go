package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// compile joins a definition and its words, both written in the test.
func compile(t testing.TB, def, words string, options ...engine.Option) *engine.Interview {
	t.Helper()
	d, err := definition.Parse("test.yaml", []byte(def))
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := prompts.Load(fstest.MapFS{d.Catalogue() + "/en.yaml": {Data: []byte(words)}}, d.Catalogue(), "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := engine.New(d, catalogue, rules, options...)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// chat is an interview turn by turn: what is said is heard at once, and time passes when the test says so.
type chat struct {
	t       testing.TB
	iv      *engine.Interview
	u       *state.UserData
	now     state.Millis
	entries []state.Entry

	says    []engine.Say
	runs    []engine.Run
	cancels []engine.CancelRun
	takes   []engine.TakeTurn
	judges  []engine.Judge
	stages  []engine.Publish
	facts   []engine.Fact
	ended   string
	serve   func(r engine.Run) (engine.TaskDone, bool) // answers a task at once
}

func newChat(t testing.TB, iv *engine.Interview) *chat {
	return &chat{t: t, iv: iv, u: &state.UserData{}}
}

func (c *chat) start(ev engine.Started) *chat {
	if ev.Session == "" {
		ev.Session = "test"
	}
	c.send(ev)
	return c
}

func (c *chat) send(ev engine.Event) {
	c.t.Helper()
	e, err := engine.Encode(uint64(len(c.entries)+1), c.now, ev)
	if err != nil {
		c.t.Fatal(err)
	}
	c.entries = append(c.entries, e)
	var effects []engine.Effect
	c.u, effects = c.iv.Step(c.u, c.now, ev)
	var answers []engine.TaskDone
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Say:
			c.says = append(c.says, e)
		case engine.Run:
			c.runs = append(c.runs, e)
			if c.serve == nil {
				continue
			}
			if done, ok := c.serve(e); ok {
				done.Task, done.Visit = e.Task, e.Visit
				answers = append(answers, done)
			}
		case engine.CancelRun:
			c.cancels = append(c.cancels, e)
		case engine.TakeTurn:
			c.takes = append(c.takes, e)
		case engine.Judge:
			c.judges = append(c.judges, e)
		case engine.Publish:
			c.stages = append(c.stages, e)
		case engine.Fact:
			c.facts = append(c.facts, e)
		case engine.End:
			c.ended = e.Reason
		}
	}
	for _, done := range answers {
		c.send(done)
	}
}

// hear plays what is on the floor to its end, as long as there is something.
func (c *chat) hear() *chat {
	for f := c.u.Floor; f.Utterance != 0 && c.ended == ""; f = c.u.Floor {
		said := c.last()
		c.send(engine.VoiceStarted{Utterance: f.Utterance})
		c.now += 2000
		c.send(engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Heard: said.Text})
	}
	return c
}

// tell has the candidate say something, once everything before was heard, and returns the reply, heard as well.
func (c *chat) tell(text string) engine.Say {
	c.t.Helper()
	c.hear()
	n := len(c.says)
	c.now += 1000
	c.send(engine.SpeechStarted{})
	began := c.now
	c.now += 2000
	c.send(engine.SpeechStopped{})
	c.now += 500
	c.send(engine.UserTurn{Text: text, Began: began})
	if len(c.says) == n {
		return engine.Say{}
	}
	c.hear()
	return c.says[n]
}

func (c *chat) last() engine.Say {
	if len(c.says) == 0 {
		return engine.Say{}
	}
	return c.says[len(c.says)-1]
}

// pass lets time pass: timers fire when they are due, and what is said is heard.
func (c *chat) pass(d time.Duration) {
	c.t.Helper()
	until := c.now + state.FromDuration(d)
	for c.ended == "" {
		name, due := "", until+1
		for n, t := range c.u.Timers {
			if at := t.Armed + t.After; at < due || at == due && n < name {
				name, due = n, at
			}
		}
		if name == "" || due > until {
			break
		}
		c.now = max(c.now, due)
		c.send(engine.TimerFired{Name: name, ID: c.u.Timers[name].ID, Visit: c.u.Timers[name].Visit})
		c.hear()
	}
	c.now = max(c.now, until)
}

func (c *chat) done(r engine.Run, result any) engine.TaskDone {
	c.t.Helper()
	raw, err := json.Marshal(result)
	if err != nil {
		c.t.Fatal(err)
	}
	return engine.TaskDone{Task: r.Task, Visit: r.Visit, Result: raw}
}

// fact returns the values of one field of all facts of a name.
func (c *chat) fact(name, key string) []any {
	var out []any
	for _, f := range c.facts {
		if f.Name != name {
			continue
		}
		for _, x := range f.Fields {
			if x.Key == key {
				out = append(out, x.Value)
			}
		}
	}
	return out
}

func (c *chat) visits() []string {
	var out []string
	for _, v := range c.u.Visits {
		name := v.Stage
		if v.Item != "" {
			name += "/" + v.Item
		}
		out = append(out, name)
	}
	return out
}

func (c *chat) reasons() []string {
	var out []string
	for _, v := range c.u.Visits {
		if v.Reason != "" {
			out = append(out, v.Reason)
		}
	}
	return out
}

// whole holds what must be true of every talk: it can be replayed to the byte, no issue of a prompt came twice, and no
// utterance is without words.
func (c *chat) whole() {
	c.t.Helper()
	replayed, err := c.iv.Fold(c.entries)
	if err != nil {
		c.t.Fatal(err)
	}
	if a, b := asJSON(c.t, replayed), asJSON(c.t, c.u); a != b {
		c.t.Errorf("replay differs:\n%s\n%s", a, b)
	}
	seen := make(map[string]bool)
	for _, say := range c.says {
		if strings.TrimSpace(say.Text) == "" || strings.Contains(say.Text, "…") {
			c.t.Errorf("utterance %d says %q", say.Utterance, say.Text)
		}
		for _, id := range say.Prompts {
			if seen[id] {
				c.t.Errorf("prompt %s came twice", id)
			}
			seen[id] = true
		}
	}
	for _, f := range c.facts {
		if f.Name == "prompt.failed" {
			c.t.Errorf("%v", f.Fields)
		}
	}
}
