package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/state/store"
)

// TestRescue: the worker's process is killed in the middle of a sentence, and nobody does anything. Another worker notices, and goes on
// with the same interview: no answer is lost, and no question comes twice.
func TestRescue(t *testing.T) {
	t.Parallel()
	a := endangered(t)
	g := a.guest
	g.types(introduction)
	g.awaitWords("past experience")
	g.awaitTurn(0)
	g.types(answers[1])
	eventually(t, "the question about the candidate's part", func() bool {
		return len(g.transcripts(false)) >= 3 && g.latest("lk.agent.state") == "speaking"
	})
	asked := len(g.transcripts(false))
	a.rescued(t)
	g.awaitWords("welcome back")
	g.awaitTurn(0)
	g.types(answers[2])
	g.awaitWords("what changed because of it")
	g.awaitTurn(0)
	g.types(answers[3])
	g.awaitWords("goodbye")
	a.jobEnded(roomName(t))
	if calls := len(a.facts("rescue.called")); calls != 1 {
		t.Errorf("an interviewer was called %d times", calls)
	}
	s := a.sessionLeft(t)
	if s.State != store.Ended || s.Reason != "done" {
		t.Errorf("the store has %+v", s.Session)
	}
	r := a.recordOfSession(s.ID, agent.Metadata{Interview: "two_stage"})
	checkTakenUp(t, r, introduction, answers[1], answers[2], answers[3])
	for _, said := range g.transcripts(false)[asked:] {
		if strings.Contains(strings.ToLower(said.Text), "now let's turn to your past") {
			t.Errorf("the bridge was spoken again: %q", said.Text)
		}
	}
}

// endangered is an interview that a process of its own has begun to hold, with another worker that watches.
func endangered(t *testing.T) *accident {
	t.Helper()
	a := &accident{file: filepath.Join(t.TempDir(), "interviews.db"), meta: twoStage}
	a.process = startWorker(t, roomName(t), a.file, leaseVar+"=yes")
	a.guest = enter(t, visit{})
	(&office{t: t, name: roomName(t), server: server}).dispatch(roomName(t), twoStage)
	a.guest.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	database, err := store.Open(t.Context(), a.file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the worker has ended before
	a.office = open(t, plan{archive: database, equip: func(o *agent.Options) { o.Leases = database }})
	return a
}

// rescued kills the worker, and returns how long the candidate waited for the other one's voice.
func (a *accident) rescued(t *testing.T) time.Duration {
	t.Helper()
	if err := a.process.Kill(); err != nil {
		t.Fatal(err)
	}
	struck := time.Now()
	since := a.await("session.taken_up", nil).At // what is heard before is the server's, as the dead one is removed
	a.guest.ear.awaitVoice(t, since, 100*time.Millisecond)
	took := a.guest.ear.since(since)[0].at.Sub(struck)
	t.Logf("called %v, taken up %v, heard %v after the kill", a.await("rescue.called", nil).At.Sub(struck).Round(time.Millisecond),
		since.Sub(struck).Round(time.Millisecond), took.Round(time.Millisecond))
	if limit := 5 * time.Second * slack; took > limit {
		t.Errorf("longer than %v", limit)
	}
	return took
}

// TestLoneWorker: the only worker is killed, and started again as by a supervisor. It goes on with the interview that it held.
func TestLoneWorker(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "interviews.db")
	p := startWorker(t, roomName(t), file, leaseVar+"=yes")
	g := enter(t, visit{})
	(&office{t: t, name: roomName(t), server: server}).dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	g.types(introduction)
	g.awaitWords("past experience")
	g.awaitTurn(0)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	again := startWorker(t, roomName(t), file, leaseVar+"=yes")
	eventually(t, "the interview that was left", func() bool { return len(again.facts("session.taken_up")) > 0 })
	since := again.facts("session.taken_up")[0].At
	g.ear.awaitVoice(t, since, 100*time.Millisecond)
	registered, heard := again.facts(registeredEvent)[0].At, g.ear.since(since)[0].at
	t.Logf("registered %v, heard %v after the kill", registered.Sub(killed).Round(time.Millisecond), heard.Sub(killed).Round(time.Millisecond))
	if took := heard.Sub(registered); took > 2*time.Second*slack {
		t.Errorf("heard %v after it could work again", took)
	}
	g.awaitWords("welcome back")
	if said := g.transcripts(false); strings.Contains(strings.ToLower(said[len(said)-1].Text), "introduc") {
		t.Errorf("it begins anew: %q", said[len(said)-1].Text)
	}
}

// TestFrozenWorker: the worker's process stands still for longer than its lease, and wakes up when another one holds the interview. It
// says and writes nothing any more.
func TestFrozenWorker(t *testing.T) {
	t.Parallel()
	a := endangered(t)
	if err := a.process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	a.await("session.taken_up", nil)
	if err := a.process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	a.guest.awaitWords("welcome back")
	a.guest.awaitTurn(0)
	a.guest.types("please stop the interview")
	if result := a.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	s := a.sessionLeft(t)
	if s.State != store.Ended { // it may take two calls: LiveKit may ask the one that stands still
		t.Errorf("the store has %+v", s.Session)
	}
	// Of two calls the first may have gone to the one that stood still: awake, it comes in, finds the interview held, and leaves.
	if agents := a.guest.agents(); len(agents) < 2 || len(agents) > 3 {
		t.Errorf("in the room there were %q", agents)
	}
	checkTakenUp(t, a.recordOfSession(s.ID, agent.Metadata{Interview: "two_stage"}), "please stop the interview")
}

// TestStoppedWorkerHandsOver: a worker that has to end at once has another one go on with its interview.
func TestStoppedWorkerHandsOver(t *testing.T) {
	t.Parallel()
	database, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "interviews.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // the workers have ended before
	with := plan{archive: database, equip: func(o *agent.Options) { o.Leases = database }}
	first, second := open(t, with), open(t, with)
	g := enter(t, visit{})
	first.dispatch(roomName(t), twoStage)
	g.ear.awaitVoice(t, time.Time{}, 500*time.Millisecond)
	if len(first.facts("job.started")) == 0 {
		first, second = second, first
	}
	stopped := time.Now()
	first.stop()
	since := second.await("session.taken_up", nil).At
	g.ear.awaitVoice(t, since, 100*time.Millisecond)
	t.Logf("the voice was heard again %v after the stop", g.ear.since(since)[0].at.Sub(stopped).Round(time.Millisecond))
	first.waitEnded()
	g.awaitWords("welcome back")
	g.awaitTurn(0)
	g.types("please stop the interview")
	if result := second.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	if s := (&accident{office: second}).sessionLeft(t); s.State != store.Ended || s.Reason == "shutdown" {
		t.Errorf("the store has %+v", s.Session)
	}
}
