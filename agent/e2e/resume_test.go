package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// accident is an interview whose worker's process is killed in the middle, and which another worker takes up.
type accident struct {
	*office // of the other worker
	guest   *guest
	process *process
	file    string
	meta    string
}

// begin has the interview held by a process of its own.
func begin(t *testing.T, meta string) *accident {
	t.Helper()
	a := &accident{file: filepath.Join(t.TempDir(), "interviews.db"), meta: meta}
	a.process = startWorker(t, roomName(t), a.file)
	a.guest = enter(t, visit{})
	(&office{t: t, name: roomName(t), server: server}).dispatch(roomName(t), meta)
	return a
}

// strike kills the process, starts another worker, and sends that into the room, as `viva dispatch --room` does: LiveKit does not
// dispatch a job again whose worker is gone. It returns when the room has its interviewer again.
func (a *accident) strike(t *testing.T) {
	t.Helper()
	if err := a.process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	database, err := store.Open(t.Context(), a.file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the worker has ended before
	a.office = open(t, plan{archive: database})
	a.dispatch(roomName(t), a.meta)
	a.await("session.taken_up", nil)
	t.Logf("taken up %v after the kill", time.Since(killed).Round(time.Millisecond))
}

// sessionLeft is the one session of the store.
func (a *accident) sessionLeft(t *testing.T) store.Listed {
	t.Helper()
	database, _ := a.journals.(*store.Store)
	page, err := database.List(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Sessions) != 1 {
		t.Fatalf("the store has %d sessions: %+v", len(page.Sessions), page.Sessions)
	}
	return page.Sessions[0]
}

// TestWorkerDiesMidInterview: the process dies while it asks about the project. Another goes on in the same stage, with a word of
// welcome and the question that waited; the introduction and the bridge do not come again, no answer is lost, and what is known
// at the end is what an interview without the accident would know (RX-18, R002-59, R001-64).
func TestWorkerDiesMidInterview(t *testing.T) {
	t.Parallel()
	a := begin(t, twoStage)
	g := a.guest
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.types(introduction)
	g.awaitWords("past experience")
	eventually(t, "the end of the question", func() bool { return g.heardOut(0) })
	g.types(answers[1])
	eventually(t, "the question about the candidate's part", func() bool {
		return len(g.transcripts(false)) >= 3 && g.latest("lk.agent.state") == "speaking"
	})
	before := len(g.transcripts(false))
	struck := time.Now()
	a.strike(t)

	g.awaitWords("welcome back")
	g.ear.awaitVoice(t, struck, 500*time.Millisecond)
	if stage := g.latest("viva.stage"); stage != "PAST_EXPERIENCE" {
		t.Errorf("taken up in %s", stage)
	}
	eventually(t, "the end of the welcome", func() bool { return g.heardOut(0) })
	g.types(answers[2])
	g.awaitWords("what changed because of it")
	eventually(t, "the end of the question", func() bool { return g.heardOut(0) })
	g.types(answers[3])
	g.awaitWords("goodbye")
	g.awaitAgentLeft()
	if result := a.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}

	s := a.sessionLeft(t)
	if s.State != store.Ended || s.Reason != "done" || s.Kind != "two_stage" || s.Room != roomName(t) || s.Identity != "candidate" || s.Definition == "" {
		t.Errorf("the store has %+v", s.Session)
	}
	r := a.recordOfSession(s.ID, agent.Metadata{Interview: "two_stage"})
	checkTakenUp(t, r, introduction, answers[1], answers[2], answers[3])
	if got, want := r.stages(), []string{"SELF_INTRO", "PAST_EXPERIENCE", "DONE"}; !slices.Equal(got, want) || r.user.Ended != "done" {
		t.Errorf("stages %q to %q, want %q to done", got, r.user.Ended, want)
	}
	for _, said := range g.transcripts(false)[before:] {
		if strings.Contains(strings.ToLower(said.Text), "now let's turn to your past") {
			t.Errorf("the bridge was spoken again: %q", said.Text)
		}
	}
	checkUndisturbed(t, a.office, r)
}

// checkTakenUp: one other worker went on, every answer is there once and in order, and no prompt was issued twice.
func checkTakenUp(t *testing.T, r record, answers ...string) {
	t.Helper()
	resumed := 0
	for _, ev := range r.events {
		if _, is := ev.(engine.Resumed); is {
			resumed++
		}
	}
	var given []string
	for _, turn := range r.user.Turns {
		if turn.Speaker == state.SpeakerCandidate {
			given = append(given, turn.Text)
		}
	}
	if resumed != 1 || !slices.Equal(given, answers) {
		t.Errorf("resumed %d times, answers %q, want once and %q", resumed, given, answers)
	}
	checkLedger(t, r)
	checkOneVoiceEach(t, r)
}

// checkOneVoiceEach is checkOneVoice for an interview of two processes: the first one's last utterance has no end.
func checkOneVoiceEach(t *testing.T, r record) {
	t.Helper()
	i := slices.IndexFunc(r.events, func(ev engine.Event) bool { _, is := ev.(engine.Resumed); return is })
	checkOneVoice(t, record{events: r.events[:i]})
	checkOneVoice(t, record{events: r.events[i:]})
}

// checkUndisturbed folds the same turns without the accident: slots, stages and how they were left are the same.
func checkUndisturbed(t *testing.T, o *office, r record) {
	t.Helper()
	iv, err := o.library.Find(agent.Metadata{Interview: "two_stage"})
	if err != nil {
		t.Fatal(err)
	}
	u := &state.UserData{}
	for i, ev := range r.events {
		if _, is := ev.(engine.Resumed); is {
			ev = engine.Back{}
			u, _ = iv.Step(u, r.entries[i-1].At, engine.Away{})
		}
		u, _ = iv.Step(u, r.entries[i].At, ev)
	}
	known := func(u *state.UserData) string {
		facts := map[string]string{}
		for id, slot := range u.Slots {
			facts[id] = string(slot.Status) + " " + slot.Value
		}
		for _, v := range u.Visits {
			facts[v.Stage] = v.Reason
		}
		raw, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if got, want := known(r.user), known(u); got != want {
		t.Errorf("known at the end:\n%s, and without the accident\n%s", got, want)
	}
	absent := r.user.Visits[1].Absent
	if absent <= 0 {
		t.Errorf("absent for %d ms: the gap counts", absent)
	}
}

// latest is the last value of an attribute of the agent, or "".
func (g *guest) latest(name string) string {
	values := g.attribute(name)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// personaJob has its interviewer chosen already.
const personaJob = `{"interview":"persona_interview","vars":{"persona":"hr","role":"Junior Data Analyst"}}`

// TestWorkerDiesBetweenQuestions: an interview that an expert leads goes on at the same question. Those that were asked stay asked,
// and what was answered stays answered (R002-59, RX-18).
func TestWorkerDiesBetweenQuestions(t *testing.T) {
	t.Parallel()
	a := begin(t, personaJob)
	g := a.guest
	reply := func(what, words string) (asked string) {
		before := len(g.transcripts(false))
		g.types(words)
		eventually(t, what, func() bool { return g.heardOut(before) })
		return lastSaid(g)
	}
	eventually(t, "the opening", func() bool {
		return g.latest("viva.stage") == "QUESTIONS" && g.heardOut(0)
	})
	const ready = "Yes, I am ready."
	first := reply("the first question", ready)
	const story = "At my last job I cleaned the sales data of two years and found that a tenth of it was counted twice."
	second := reply("the second question", story)
	a.strike(t)
	g.awaitWords("welcome back")
	eventually(t, "the end of the welcome", func() bool { return g.heardOut(0) })
	const next = "I talked to both teams, wrote down what each of them needed, and we agreed on one report for all."
	third := reply("the third question", next)
	const stop = "please stop the interview"
	g.types(stop)
	stopped := time.Now()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("asked %q, %q, %q; now %s in %s, and said %q", first, second, third, g.latest("lk.agent.state"), g.latest("viva.stage"), lastSaid(g))
		}
	})
	a.jobEnded(roomName(t))
	t.Logf("ended %v after it was asked to", time.Since(stopped))

	s := a.sessionLeft(t)
	r := a.recordOfSession(s.ID, agent.Metadata{Interview: "persona_interview"})
	checkTakenUp(t, r, ready, story, next, stop)
	if first == second || second == third || r.user.Stage == "MENU" {
		t.Errorf("asked %q, %q, %q, in %s", first, second, third, r.user.Stage)
	}
	if s.State != store.Ended || s.Evaluations != 2 || !s.Report {
		t.Errorf("the store has %+v, want two judgements and a report", s)
	}
	items := map[string]bool{}
	for _, j := range r.user.Judgements {
		if items[j.Item] {
			t.Errorf("%s is judged twice", j.Item)
		}
		items[j.Item] = true
	}
}

// heardOut reports whether the interviewer has said more than so many things, the last of them to its end, and listens. The state
// alone does not tell: words come sooner than the news that somebody speaks.
func (g *guest) heardOut(before int) bool {
	segments := g.transcripts(false)
	return len(segments) > before && segments[len(segments)-1].Closed && g.latest("lk.agent.state") == "listening"
}

// awaitTurn waits for the candidate's turn, when the interviewer has said more than so many things. Its attribute alone tells nothing just
// after words came, or were typed: it may be that of a moment ago.
func (g *guest) awaitTurn(before int) {
	g.t.Helper()
	eventually(g.t, "turn of the candidate", func() bool { return g.heardOut(before) })
}

// lastSaid is what the interviewer said last.
func lastSaid(g *guest) string {
	said := g.transcripts(false)
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1].Text
}
