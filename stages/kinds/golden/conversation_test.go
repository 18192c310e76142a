package golden_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/provider"
	"github.com/vivavoice/viva/stages/structured"
	"github.com/vivavoice/viva/state"
)

// conversation holds a scenario and writes down what the model is asked.
type conversation struct {
	t  *testing.T
	iv *engine.Interview
	s  *scenario

	u       *state.UserData
	at      state.Millis
	answers []string // of the model, still to be given in this step
	move    string
	said    []string // by the interviewer in this step
	log     strings.Builder
	shown   map[string]string // what was written down last, by heading
}

func newConversation(t *testing.T, iv *engine.Interview, s *scenario) *conversation {
	return &conversation{t: t, iv: iv, s: s, u: &state.UserData{}, shown: make(map[string]string)}
}

func (c *conversation) hold() {
	c.t.Helper()
	c.note("# %s, %s: %s\n", c.s.Kind, c.s.Locale, c.s.About)
	c.send(engine.Started{Session: "golden", Locale: c.s.Locale, Candidate: state.Candidate{Name: c.s.Name}, Model: true, Vars: c.s.Vars})
	for i, st := range c.s.Steps {
		c.note("\n# %d\n", i+1)
		c.said, c.move, c.answers = nil, "", st.Model
		if st.Code != "" {
			c.note("code: %s\n", st.Code)
			c.send(engine.CodeChanged{Text: st.Code})
		}
		c.note("candidate: %s\n", st.Say)
		c.send(engine.SpeechStarted{})
		began := c.at
		c.send(engine.SpeechStopped{})
		c.send(engine.UserTurn{Text: st.Say, Began: began})
		c.check(i+1, &st.Want)
		if len(c.answers) > 0 {
			c.t.Errorf("step %d: the model was not asked for %q", i+1, c.answers)
		}
	}
}

func (c *conversation) note(format string, args ...any) { fmt.Fprintf(&c.log, format, args...) }

// once writes a text down, unless it is what stood under the same heading before.
func (c *conversation) once(heading, text string) {
	if c.shown[heading] == text {
		c.note("[%s: as before]\n", heading)
		return
	}
	c.shown[heading] = text
	c.note("[%s]\n%s\n", heading, text)
}

// send has an event happen, and carries out what follows from it.
func (c *conversation) send(ev engine.Event) {
	c.t.Helper()
	c.at += 2500
	var effects []engine.Effect
	c.u, effects = c.iv.Step(c.u, c.at, ev)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Say:
			c.speak(e)
		case engine.Run:
			c.send(c.run(e))
		}
	}
}

// speak has the interviewer's move worded, by the model where it may, and heard.
func (c *conversation) speak(say engine.Say) {
	c.t.Helper()
	c.move = string(say.Move)
	text, ended := say.Text, engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit}
	if say.Ask != nil {
		answer := c.worded(say)
		if call, is := strings.CutPrefix(answer, "tool "); is {
			name, args, _ := strings.Cut(call, " ")
			c.send(engine.ToolCalled{Utterance: say.Utterance, Visit: say.Visit, Call: "1", Name: name, Args: json.RawMessage(args)})
			if c.u.Floor.Utterance == say.Utterance {
				ended.Tools = 1
				c.send(ended)
			}
			return
		}
		text, ended.Worded = answer, true
	}
	c.said = append(c.said, text)
	c.note("interviewer (%s, %s): %s\n", say.Stage, say.Move, text)
	c.send(engine.VoiceStarted{Utterance: say.Utterance})
	ended.Heard = text
	c.send(ended)
}

func (c *conversation) worded(say engine.Say) string {
	c.t.Helper()
	r, err := say.Ask.Request(false)
	if err != nil {
		c.t.Fatal(err)
	}
	c.note("\n## the model is asked to word the move %s in %s\n", say.Move, say.Stage)
	for i, line := range r.Lines {
		if i == 0 {
			c.once("system", line.Text)
			continue
		}
		c.note("[%s] %s\n", line.Role, line.Text)
	}
	var tools strings.Builder
	for _, tool := range r.Tools {
		fmt.Fprintf(&tools, "%s: %s\n  %s\n", tool.Name, tool.Description, tool.Schema)
	}
	if tools.Len() > 0 {
		c.once("tools", strings.TrimSpace(tools.String()))
	}
	return c.answer()
}

// answer is the model's next one.
func (c *conversation) answer() string {
	c.t.Helper()
	if len(c.answers) == 0 {
		c.t.Fatalf("the model is asked and has no answer; asked so far:\n%s", tail(c.log.String()))
	}
	text := c.answers[0]
	c.answers = c.answers[1:]
	c.note("## it answers: %s\n\n", text)
	return text
}

func tail(text string) string { return text[max(0, len(text)-1500):] }

// run answers a task: companies from their files, models by the script.
func (c *conversation) run(r engine.Run) engine.TaskDone {
	c.t.Helper()
	done := engine.TaskDone{Task: r.Task, Visit: r.Visit}
	var err error
	switch r.Kind {
	case engine.TaskPhases, engine.TaskQuestion:
		done.Result, err = c.company(r)
	default:
		done.Answer, err = c.structured(r)
	}
	if err != nil {
		done.Failed = err.Error()
		c.note("## it fails: %v\n", err)
	}
	return done
}

func (c *conversation) company(r engine.Run) (json.RawMessage, error) {
	c.t.Helper()
	f, err := provider.NewFactory(provider.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	who, ctx := provider.Candidate{Session: "golden", Locale: c.s.Locale}, context.Background()
	if r.Kind == engine.TaskQuestion {
		q, err := f.Question(ctx, r.Company, r.InterviewType, who)
		return encoded(q, err)
	}
	phases, err := f.Phases(ctx, r.Company, r.InterviewType, who)
	return encoded(phases, err)
}

func encoded(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// structured asks the model for an object, and once more if what it answers cannot be used.
func (c *conversation) structured(r engine.Run) (json.RawMessage, error) {
	c.t.Helper()
	q, err := r.Ask()
	if err != nil {
		c.t.Fatal(err)
	}
	answer, text, err := c.asked(r, q)
	if err == nil {
		return answer, nil
	}
	answer, _, err = c.asked(r, structured.Repair(q, text, err))
	return answer, err
}

func (c *conversation) asked(r engine.Run, q structured.Question) (answer json.RawMessage, text string, err error) {
	c.t.Helper()
	c.note("\n## the model is asked as %s, for %s, at most %d tokens\n", q.Role, q.Name, q.MaxTokens)
	c.once("system of "+q.Role, q.System)
	c.note("[user]\n%s\n", strings.TrimSpace(q.User))
	c.once("schema of "+q.Role, string(q.Schema))
	text = c.answer()
	answer, err = structured.Object(text)
	if err == nil {
		err = structured.Check(q.Schema, answer)
	}
	if err == nil {
		_, err = r.Read(answer)
	}
	return answer, text, err
}

// check looks at what came of a step.
func (c *conversation) check(n int, w *want) {
	c.t.Helper()
	v := c.u.Current()
	equal := func(what, got, want string) {
		c.t.Helper()
		if want != "" && got != want {
			c.t.Errorf("step %d: %s is %q, want %q", n, what, got, want)
		}
	}
	equal("the stage", v.Stage, w.Stage)
	equal("the sub-phase", v.Item, w.Item)
	equal("the move", c.move, w.Move)
	equal("the end", c.u.Ended, w.Ended)
	if len(c.u.Visits) > 1 {
		equal("the reason", c.u.Visits[len(c.u.Visits)-2].Reason, w.Reason)
	}
	said := strings.ToLower(strings.Join(c.said, " "))
	for _, words := range w.Says {
		if !strings.Contains(said, strings.ToLower(words)) {
			c.t.Errorf("step %d: the interviewer does not say %q: %s", n, words, said)
		}
	}
	for _, words := range append(w.Not, c.s.Never...) {
		if strings.Contains(said, strings.ToLower(words)) {
			c.t.Errorf("step %d: the interviewer says %q: %s", n, words, said)
		}
	}
	c.checkBooks(n, w, v)
}

// checkBooks looks at what the interview has written down.
func (c *conversation) checkBooks(n int, w *want, v *state.StageVisit) {
	c.t.Helper()
	if w.Attempts != nil && v.Attempts != *w.Attempts {
		c.t.Errorf("step %d: %d attempts, want %d", n, v.Attempts, *w.Attempts)
	}
	if w.Score != nil {
		if len(c.u.Evaluations) == 0 {
			c.t.Errorf("step %d: nothing was judged", n)
		} else if got := c.u.Evaluations[len(c.u.Evaluations)-1].Score; math.Round(10*got) != math.Round(10**w.Score) {
			c.t.Errorf("step %d: score %v, want %v", n, got, *w.Score)
		}
	}
	for id, want := range w.Fields {
		var got string
		if raw := c.u.Fields[id].Value; len(raw) > 0 && json.Unmarshal(raw, &got) != nil {
			got = string(raw)
		}
		if got != want {
			c.t.Errorf("step %d: the field %s is %q, want %q", n, id, got, want)
		}
	}
	for id, want := range w.Slots {
		if got := c.u.Slots[id].Value; got != want {
			c.t.Errorf("step %d: the slot %s is %q, want %q", n, id, got, want)
		}
	}
}
