package simulate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

func interview(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(prompts.Shipped(), defs[kind].Catalogue(), "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(defs[kind], words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// moment is one step of a sound interview, ready to be spoilt.
type moment struct {
	before  *state.UserData
	event   engine.Event
	after   *state.UserData
	effects []engine.Effect
}

// moments holds an interview and returns its steps.
func moments(t *testing.T, iv *engine.Interview) []moment {
	t.Helper()
	r := Run(iv, Options{Replay: true})
	if len(r.Violations) > 0 || r.State.Ended != "done" {
		t.Fatalf("the interview is not sound to begin with: %q, %v", r.State.Ended, r.Violations)
	}
	var out []moment
	u := &state.UserData{}
	for _, e := range r.Journal {
		ev, err := engine.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		after, effects := iv.Step(u, e.At, ev)
		out = append(out, moment{u, ev, after, effects})
		u = after
	}
	return out
}

// first returns a copy of the first step that fits.
func first(t *testing.T, list []moment, is func(moment) bool) moment {
	t.Helper()
	i := slices.IndexFunc(list, is)
	if i < 0 {
		t.Fatal("no step fits")
	}
	m := list[i]
	m.after, m.effects = m.after.Clone(), slices.Clone(m.effects)
	return m
}

func says(m moment) bool {
	return slices.ContainsFunc(m.effects, func(e engine.Effect) bool { _, is := e.(engine.Say); return is })
}

func reword(m *moment, change func(*engine.Say)) {
	for i, e := range m.effects {
		if say, is := e.(engine.Say); is {
			change(&say)
			m.effects[i] = say
		}
	}
}

// RX-5, R003-30, RX-20: each invariant fails when it is broken: a sound step of an interview is spoilt in one way, and the checker
// names that invariant.
func TestEveryInvariantCanFail(t *testing.T) {
	coach, design := interview(t, "algorithm_coach"), interview(t, "system_design")
	coaching, designing := moments(t, coach), moments(t, design)
	saying := first(t, coaching, func(m moment) bool { return says(m) && m.after.Problem != "" && m.after.Ended == "" })
	started := first(t, coaching, func(m moment) bool { _, is := m.event.(engine.VoiceStarted); return is })
	handing := first(t, designing, func(m moment) bool { return m.after.Visit > m.before.Visit && m.before.Visit > 0 })
	judged := first(t, designing, func(m moment) bool { return len(m.after.Evaluations) > len(m.before.Evaluations) })
	passing := first(t, designing, func(m moment) bool { return m.after.SubPhases != nil && len(m.after.SubPhases.Completed) > 0 })
	secret := problemOf(coach, saying.after).Secrets()[0]
	quiet := AttachedTo(t, "two_stage")
	quieting := moments(t, quiet)
	verdict := first(t, quieting, func(m moment) bool {
		_, is := m.event.(engine.Judged)
		return is && m.after.Ended == "" && !slices.Equal(outs(m.before), outs(m.after))
	})
	sending := first(t, quieting, func(m moment) bool { return slices.ContainsFunc(m.effects, isJudge) && m.after.Ended == "" })
	answering := first(t, quieting, func(m moment) bool {
		n := len(m.after.Judgements)
		return n > 0 && m.after.Judgements[n-1].Question != "" && slices.ContainsFunc(m.effects, isJudge)
	})
	reporting := first(t, quieting, func(m moment) bool { return slices.ContainsFunc(m.effects, isReport) })

	tests := []struct {
		name  string
		want  Invariant
		iv    *engine.Interview
		spoil func(c *checker) moment
	}{
		{"an old visit speaks", OneSpeaker, coach, spoilt(saying, func(m *moment) { reword(m, func(e *engine.Say) { e.Visit = 77 }) })},
		{"no words", OneSpeaker, coach, spoilt(saying, func(m *moment) { reword(m, func(e *engine.Say) { e.Text = " " }) })},
		{"over the candidate", OneSpeaker, coach, spoilt(saying, func(m *moment) { m.after.Floor.Candidate = true })},
		{"to nobody", OneSpeaker, coach, spoilt(saying, func(m *moment) { m.after.Floor.Away = true })},
		{"two at once", OneSpeaker, coach, spoilt(saying, func(m *moment) { reword(m, func(e *engine.Say) { e.Utterance += 5 }) })},
		{"after the end", OneSpeaker, coach, spoilt(saying, func(m *moment) { m.before = m.before.Clone(); m.before.Ended = "done" })},
		{"a stale timer", Fence, coach, spoilt(saying, func(m *moment) { m.event = engine.TimerFired{Name: engine.TimerDeadline, ID: 9999} })},
		{"a stale task", Fence, coach, spoilt(saying, func(m *moment) { m.event = engine.TaskDone{Task: 9999} })},
		{"two visits at once", Fence, design, spoilt(handing, func(m *moment) { m.after.Visit += 2 })},
		{"left twice", Fence, design, func(c *checker) moment {
			c.step(handing.before, handing.event, handing.after, handing.effects)
			return handing
		}},
		{"nothing runs", Progress, coach, spoilt(saying, func(m *moment) { m.after.Floor, m.after.Timers = state.Floor{}, nil })},
		{"no limit holds", Progress, coach, spoilt(saying, func(m *moment) { m.after.Now += state.FromDuration(time.Hour) })},
		{"heard twice", NoRepeats, coach, func(c *checker) moment {
			c.says = map[uint64]engine.Say{started.before.Floor.Utterance: {Prompts: []string{"x.open"}}}
			c.heard = map[string]uint64{"x.open": 99}
			return started
		}},
		{"the model repeats itself", NoRepeats, coach, func(c *checker) moment {
			c.asked = []string{"and then?"}
			m := started
			m.event = engine.VoiceEnded{Utterance: 1, Heard: "And then?", Worded: true}
			return m
		}},
		{"reprompted twice", NoRepeats, coach, spoilt(saying, func(m *moment) { m.after.Ledger.Reprompts = map[string]int{"x": 2} })},
		{"a refused slot", Refused, coach, spoilt(saying, func(m *moment) {
			m.after.Floor.Slot, m.after.Slots = "role", map[string]state.Slot{"role": {Status: state.SlotRefused}}
		})},
		{"an answered question", Refused, coach, spoilt(saying, func(m *moment) {
			m.before = m.before.Clone()
			m.before.Queue, m.after.Queue = []state.Queued{{ID: 1, Status: state.Answered}}, []state.Queued{{ID: 1, Status: state.Asked}}
		})},
		{"judged twice", Evaluation, design, spoilt(judged, func(m *moment) { m.after.Evaluations = append(m.after.Evaluations, m.after.Evaluations...) })},
		{"completed twice", Evaluation, design, spoilt(passing, func(m *moment) {
			m.after.SubPhases.Completed = append(m.after.SubPhases.Completed, m.after.SubPhases.Completed[0])
		})},
		{"history rewritten", Evaluation, design, spoilt(passing, func(m *moment) {
			m.before = m.after.Clone()
			m.after.SubPhases.Completed = nil
		})},
		{"a score is spoken", Evaluation, coach, spoilt(saying, func(m *moment) { reword(m, func(e *engine.Say) { e.Text = "You have 7.5/10." }) })},
		{"feedback is spoken", Evaluation, design, spoilt(judged, func(m *moment) {
			m.effects = append(m.effects, engine.Say{Utterance: m.after.Floor.Utterance, Visit: m.after.Visit, Text: "By the way: " + verdicts(m.after)[0]})
		})},
		{"a judgement changes the floor", Evaluation, quiet, spoilt(verdict, func(m *moment) { m.after.Floor.Utterance += 5 })},
		{"a judgement arms a timer", Evaluation, quiet, spoilt(verdict, func(m *moment) { m.after.Timers["x"] = state.Timer{} })},
		{"a judgement comes twice", Fence, quiet, spoilt(verdict, func(m *moment) { m.before = m.after.Clone(); m.after.Judgements[0].Missing = "late" })},
		{"a judgement is rewritten", Evaluation, quiet, spoilt(verdict, func(m *moment) {
			m.before = m.after.Clone()
			for i := range m.after.Judgements {
				m.after.Judgements[i].Evaluation = nil
			}
		})},
		{"an item is forgotten", Evaluation, quiet, spoilt(verdict, func(m *moment) { m.after.Judgements = nil })},
		{"an item is entered twice", Evaluation, quiet, spoilt(verdict, func(m *moment) { m.after.Judgements = append(m.after.Judgements, m.after.Judgements...) })},
		{"a silent judgement is spoken", Evaluation, quiet, spoilt(verdict, func(m *moment) {
			m.effects = append(m.effects, engine.Say{Utterance: m.after.Floor.Utterance, Visit: m.after.Visit, Text: verdicts(m.after)[0]})
		})},
		{"an item is sent twice", Evaluation, quiet, spoilt(sending, func(m *moment) { m.effects = append(m.effects, m.effects...) })},
		{"a turn answers twice", Evaluation, quiet, spoilt(answering, func(m *moment) {
			other := m.after.Judgements[len(m.after.Judgements)-1]
			other.Item += "0"
			m.after.Judgements = append(m.after.Judgements, other)
		})},
		{"an item is not in the books", Evaluation, quiet, spoilt(sending, func(m *moment) { m.after.Judgements = nil })},
		{"nothing is judged", Evaluation, quiet, spoilt(sending, rejudged(func(e *engine.Judge) { e.Item.Turns = nil }))},
		{"compared with nothing", Evaluation, quiet, spoilt(sending, rejudged(func(e *engine.Judge) { e.By, e.Item.Reference = "two_stage", "" }))},
		{"nothing is attached", Evaluation, coach, spoilt(saying, func(m *moment) { m.effects = append(m.effects, engine.Judge{}) })},
		{"two reports", Evaluation, quiet, spoilt(reporting, func(m *moment) { m.effects = append(m.effects, m.effects...) })},
		{"a report of nothing", Evaluation, quiet, spoilt(reporting, func(m *moment) { m.effects = append(m.effects, engine.Run{Kind: engine.TaskReport}) })},
		{"judged after the report", Evaluation, quiet, spoilt(sending, func(m *moment) {
			m.effects = slices.Concat([]engine.Effect{engine.Run{Kind: engine.TaskReport, State: m.after}}, m.effects)
		})},
		{"never sent", Evaluation, quiet, spoilt(sending, func(m *moment) { m.after.Ended, m.after.Judgements[0].Held = "done", true })},
		{"a turn is taken back", Replay, coach, spoilt(saying, func(m *moment) { m.before = m.before.Clone(); m.before.Turns = make([]state.Turn, 99) })},
		{"a patch is rewritten", Replay, coach, spoilt(saying, func(m *moment) {
			m.before = m.before.Clone()
			m.before.Patches, m.after.Patches = []state.Patch{{ID: 1}}, []state.Patch{{ID: 2}}
		})},
		{"the pattern is named", Secrecy, coach, spoilt(saying, func(m *moment) { reword(m, func(e *engine.Say) { e.Text = "Try a " + secret + "." }) })},
		{"the model is told", Secrecy, coach, spoilt(saying, func(m *moment) {
			reword(m, func(e *engine.Say) { e.Lead = &engine.Lead{Must: "lead to a " + secret} })
		})},
		{"the page is told", Secrecy, coach, spoilt(saying, func(m *moment) { m.effects = append(m.effects, engine.Publish{Title: secret}) })},
		{"a score off its scale", Hygiene, design, spoilt(judged, rejudge(func(e *evaluate.Evaluation) { e.Score = 99 }))},
		{"a norm that is wrong", Hygiene, design, spoilt(judged, rejudge(func(e *evaluate.Evaluation) { e.Norm = 0.123 }))},
		{"not assessed, with a score", Hygiene, design, spoilt(judged, rejudge(func(e *evaluate.Evaluation) { e.Status, e.Score = evaluate.StatusNotAssessed, 5 }))},
		{"an unknown decision", Hygiene, design, spoilt(judged, rejudge(func(e *evaluate.Evaluation) { e.Decision = "promote" }))},
	}
	tested := make(map[Invariant]bool)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newChecker(test.iv)
			m := test.spoil(c)
			c.step(m.before, m.event, m.after, m.effects)
			if !slices.ContainsFunc(c.found, func(v Violation) bool { return v.Invariant == test.want }) {
				t.Errorf("nothing was found against %s: %v", test.want, c.found)
			}
		})
		tested[test.want] = true
	}
	for _, i := range Invariants() {
		if !tested[i] {
			t.Errorf("nobody has broken %s", i)
		}
	}
}

func spoilt(m moment, spoil func(*moment)) func(*checker) moment {
	return func(*checker) moment {
		m.after, m.effects = m.after.Clone(), slices.Clone(m.effects)
		spoil(&m)
		return m
	}
}

// rejudge changes the newest judgement and keeps its record in step with it where it can.
func rejudge(change func(*evaluate.Evaluation)) func(*moment) {
	return func(m *moment) {
		r := &m.after.Evaluations[len(m.after.Evaluations)-1]
		var e evaluate.Evaluation
		if json.Unmarshal(r.Evaluation, &e) != nil {
			return
		}
		change(&e)
		raw, err := json.Marshal(e)
		if err != nil {
			return
		}
		r.Evaluation, r.Score, r.Decision, r.Status = raw, e.Score, e.Decision, e.Status
	}
}

func isJudge(e engine.Effect) bool { _, is := e.(engine.Judge); return is }

func isReport(e engine.Effect) bool {
	r, is := e.(engine.Run)
	return is && r.Kind == engine.TaskReport
}

func outs(u *state.UserData) []bool {
	out := make([]bool, len(u.Judgements))
	for i, j := range u.Judgements {
		out[i] = j.Out()
	}
	return out
}

// rejudged changes what is sent to be judged.
func rejudged(change func(*engine.Judge)) func(*moment) {
	return func(m *moment) {
		for i, e := range m.effects {
			if j, is := e.(engine.Judge); is {
				change(&j)
				m.effects[i] = j
			}
		}
	}
}

// RX-9: a journal from which an event is missing, or that was kept of another state, is found out.
func TestReplayIsFoundOut(t *testing.T) {
	iv := interview(t, "two_stage")
	r := Run(iv, Options{})
	other := r.State.Clone()
	other.Turns[0].Text += "!"
	turn := slices.IndexFunc(r.Journal, func(e state.Entry) bool { return e.Type == "turn" })
	short := slices.Delete(slices.Clone(r.Journal), turn, turn+1)
	bad := slices.Clone(r.Journal)
	bad[2].Type = "dance"
	for name, x := range map[string]struct {
		u       *state.UserData
		journal []state.Entry
	}{"a word": {other, r.Journal}, "an event": {r.State, short}, "an unknown event": {r.State, bad}} {
		c := newChecker(iv)
		c.replay(x.u, x.journal)
		if len(c.found) != 1 || c.found[0].Invariant != Replay {
			t.Errorf("%s: %v", name, c.found)
		}
	}
	c := newChecker(iv)
	if c.replay(r.State, r.Journal); len(c.found) > 0 {
		t.Errorf("%v", c.found)
	}
}

// An interview that stops moving is found out, by the loop and by the probe; one that never ends by its limit.
func TestStandstillIsFoundOut(t *testing.T) {
	iv := interview(t, "two_stage")
	o := Options{Candidate: Silent}.complete(iv)
	w := newWorld(iv, o)
	w.send(engine.Started{Session: "x"})
	w.due = nil // every timer is lost
	w.loop()
	w.person = nil
	w.u.Timers = nil
	w.u.Floor = state.Floor{}
	w.probe()
	if n := count(w.check.found, Progress); n < 2 {
		t.Errorf("%d of 2: %v", n, w.check.found)
	}
	r := Run(iv, Options{Candidate: Silent, Limit: 30 * time.Second})
	if count(r.Violations, Progress) != 1 || !strings.Contains(r.Violations[0].String(), "still in stage") {
		t.Errorf("%v", r.Violations)
	}
	w = newWorld(iv, o)
	w.voice.air = 7
	w.audible(engine.Say{Utterance: 8}, Wording{Text: "Hello."})
	if count(w.check.found, OneSpeaker) != 1 {
		t.Errorf("%v", w.check.found)
	}
}

func count(list []Violation, i Invariant) int {
	n := 0
	for _, v := range list {
		if v.Invariant == i {
			n++
		}
	}
	return n
}

// The lines of the candidates can be read, and every manner has what it says.
func TestLines(t *testing.T) {
	all, err := languages()
	if err != nil {
		t.Fatal(err)
	}
	purposes := []string{"vague", "story", "one", "two", "offer", "quit", "ramble", "understand", "approach", "cost", "code_spoken", "code", "edge", "follow", "summary", "takeaway", "yes", "any_slot"}
	for _, m := range manners {
		for _, w := range m.does {
			if !slices.Contains([]string{doAnswer, doSilence, doNoise, doSame, doLeave, doGone}, w.what) {
				purposes = append(purposes, w.what)
			}
		}
	}
	for lang, l := range all {
		for _, purpose := range purposes {
			if len(l[purpose]) == 0 {
				t.Errorf("%s has no lines for %s", lang, purpose)
			}
		}
	}
}
