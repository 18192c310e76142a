package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

const telling = "  - {id: TELL, title: Report, responder: report, prompts: {open: report.open}, fallback: report.late}\n"

// reporting is a talk that has come to the stage of the report; its opening is not heard yet.
func reporting(t testing.TB, edit ...string) *chat {
	t.Helper()
	text := strings.NewReplacer(edit...).Replace(strings.Replace(silentYAML, "REPORT\n", telling, 1))
	c := newChat(t, compile(t, text, silentWords)).start(engine.Started{Locale: "en"})
	c.hear()
	c.tell("I built a queue.")
	c.send(engine.Operator{Command: "goto", Argument: "SECOND"})
	c.hear()
	c.now += 1000
	c.send(engine.UserTurn{Text: "Quadratic time.", Began: c.now})
	if c.u.Stage != "TELL" {
		t.Fatalf("in %s", c.u.Stage)
	}
	return c
}

// task is the one report that was asked for.
func (c *chat) task() engine.Run {
	c.t.Helper()
	var out []engine.Run
	for _, r := range c.runs {
		if r.Kind == engine.TaskReport {
			out = append(out, r)
		}
	}
	if len(out) != 1 {
		c.t.Fatalf("the report was asked for %d times", len(out))
	}
	return out[0]
}

func (c *chat) reported(spoken string) {
	c.t.Helper()
	c.send(c.done(c.task(), engine.ReportDone{Spoken: spoken, Status: "complete", Link: "https://example.org/r/x"}))
}

const summary = "Thank you. Your overall score is 3.8 of 5. The full report is on the page."

// R002-26, R002-33, R002-46, R002-47, R002-55, R002-56: the last answer leads to the notice that the report is being prepared, and at
// the same moment the report is asked for, with all that was said and sent; it is told when it is there, and then comes the goodbye.
func TestTheReportIsToldAndThenTheGoodbye(t *testing.T) {
	c := reporting(t)
	if c.last().Text != "I am preparing your report." || c.last().Move != engine.MoveOpen && c.last().Move != engine.MoveBridge {
		t.Errorf("%+v", c.last())
	}
	r := c.task()
	if r.Budget != 25*time.Second || r.Attempt != 1 || r.State == nil || len(r.State.Judgements) != 4 || len(r.State.Turns) != len(c.u.Turns) {
		t.Fatalf("%+v", r)
	}
	r.State.Judgements[0].Missing = "scribbled"
	if c.u.Judgements[0].Missing != "" {
		t.Error("the snapshot shares memory with the state")
	}
	c.hear()
	for _, j := range c.u.Judgements {
		c.now += 1500
		c.send(engine.Judged{Item: j.Item, Evaluation: someEvaluation(4)})
	}
	c.pass(5 * time.Second)
	if n := len(c.says); c.says[n-1].Move == engine.MoveReport {
		t.Fatal("something is told before it is there")
	}
	c.reported(summary)
	if said := c.last(); said.Text != summary || said.Move != engine.MoveReport || said.Uninterruptible {
		t.Errorf("%+v", said)
	}
	c.hear()
	if c.u.Stage != "END" || c.last().Text != "Goodbye." || c.ended != "done" {
		t.Errorf("in %s after %q: %q", c.u.Stage, c.last().Text, c.ended)
	}
	if v := c.u.Visits[len(c.u.Visits)-2]; v.Reason != engine.ReasonComplete || v.Source != "report" {
		t.Errorf("%+v", v)
	}
	c.whole()
}

// R002-48, R002-63: a report that is late, fails or cannot be read is announced for later, and the interview goes on.
func TestALateReportFollows(t *testing.T) {
	for name, become := range map[string]func(*chat){
		"late":   func(c *chat) { c.pass(25 * time.Second) },
		"failed": func(c *chat) { c.send(engine.TaskDone{Task: c.task().Task, Visit: c.u.Visit, Failed: "disk full"}) },
		"unreadable": func(c *chat) {
			c.send(engine.TaskDone{Task: c.task().Task, Visit: c.u.Visit, Result: json.RawMessage(`"no"`)})
		},
	} {
		c := reporting(t).hear()
		visit := c.u.Visit
		if name == "late" {
			c.pass(21 * time.Second) // the opening took two seconds of the 25
			if c.u.Stage != "TELL" || c.last().Text != "I am preparing your report." {
				t.Errorf("said %q too early", c.last().Text)
			}
		}
		become(c)
		c.hear()
		if n := len(c.says); c.says[n-2].Text != "Your report will follow." || c.last().Text != "Goodbye." || c.ended != "done" {
			t.Errorf("%s: said %q, %q", name, c.says[n-2].Text, c.last().Text)
		}
		before := asJSON(t, c.u.Visits)
		c.send(engine.TaskDone{Task: c.task().Task, Visit: visit, Result: json.RawMessage(`{"spoken":"Now!"}`)})
		if asJSON(t, c.u.Visits) != before || c.last().Text != "Goodbye." {
			t.Errorf("%s: a report that came too late was told", name)
		}
		if cancelled := len(c.cancels); (name == "late") != (cancelled == 1) {
			t.Errorf("%s: %d cancelled", name, cancelled)
		}
		c.whole()
	}
}

// R002-49: a report is told once, even if its result comes twice, and while its opening is still being said it waits for the floor.
func TestAQuickReportWaitsForTheFloor(t *testing.T) {
	c := reporting(t)
	c.reported(summary)
	c.reported(summary)
	if c.last().Text != "I am preparing your report." {
		t.Errorf("cut in with %q", c.last().Text)
	}
	f := c.u.Floor
	c.send(engine.VoiceStarted{Utterance: f.Utterance})
	c.now += 2000
	c.send(engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Heard: c.last().Text})
	if c.last().Text != summary {
		t.Errorf("said %q", c.last().Text)
	}
	c.hear()
	if told := c.fact("report.done", "status"); len(told) != 1 || c.ended != "done" {
		t.Errorf("told %d times, ended %q", len(told), c.ended)
	}
	c.whole()
}

// What the candidate says during the wait is kept, and answered by one word of patience; nothing of it is judged (R002-60), and
// silence is left alone.
func TestWordsDuringTheWait(t *testing.T) {
	c := reporting(t).hear()
	sent, turns := len(c.judges), len(c.u.Turns)
	if said := c.tell("How long will it take?"); said.Move != engine.MoveHold || said.Text != "One moment, please." {
		t.Errorf("answered by %+v", said)
	}
	if said := c.tell("I could tell you more about the queue."); said.Text != "" {
		t.Errorf("answered again by %q", said.Text)
	}
	c.send(engine.UserTurn{Text: " ", Began: c.now})
	c.send(engine.NoWords{Reason: "noise"})
	c.pass(10 * time.Second)
	if len(c.judges) != sent || len(c.u.Turns) != turns+3 || c.u.Stage != "TELL" {
		t.Errorf("%d judged, %d turns, in %s", len(c.judges)-sent, len(c.u.Turns)-turns, c.u.Stage)
	}
	c.reported(summary)
	if c.hear(); c.ended != "done" {
		t.Errorf("in %s", c.u.Stage)
	}
	c.whole()
}

// R002-60: after the report was asked for nothing is judged any more, even if an operator goes back.
func TestNothingIsJudgedAfterTheReport(t *testing.T) {
	c := reporting(t).hear()
	sent := len(c.judges)
	c.send(engine.Operator{Command: "goto", Argument: "FIRST"})
	c.hear()
	c.tell("And then I built another queue.")
	c.send(engine.Operator{Command: "goto", Argument: "TELL"})
	c.hear()
	if len(c.judges) != sent || c.ended != "done" {
		t.Errorf("%d judged, ended %q in %s", len(c.judges)-sent, c.ended, c.u.Stage)
	}
	c.task() // once
	c.replays()
}

// The candidate speaks when the report is ready: it waits until they are done, and so does the news that it will follow.
func TestReportWaitsForTheCandidate(t *testing.T) {
	c := reporting(t).hear()
	c.now += 1000
	c.send(engine.SpeechStarted{})
	n := len(c.says)
	c.reported(summary)
	if len(c.says) != n {
		t.Errorf("spoke over the candidate: %q", c.last().Text)
	}
	c.now += 3000
	c.send(engine.SpeechStopped{})
	c.now += 500
	c.send(engine.UserTurn{Text: "That was fun.", Began: c.now - 3500})
	if c.last().Text != summary {
		t.Errorf("said %q", c.last().Text)
	}
	if c.hear(); c.ended != "done" {
		t.Errorf("in %s", c.u.Stage)
	}
	c.whole()
}

// Interrupting the summary ends it, and the goodbye follows when the candidate has finished: by voice, by typing, by a noise.
func TestInterruptingTheSummary(t *testing.T) {
	for name, interrupt := range map[string]func(c *chat, u uint64){
		"voice": func(c *chat, u uint64) {
			c.send(engine.SpeechStarted{})
			c.send(engine.BargeIn{Utterance: u})
			if c.u.Stage != "TELL" {
				t.Error("went on while the candidate spoke")
			}
			c.send(engine.VoiceEnded{Utterance: u, Visit: c.u.Visit, Heard: "Thank you. Your", Cut: true})
			c.now += 1000
			c.send(engine.SpeechStopped{})
			c.send(engine.UserTurn{Text: "I have to go.", Began: c.now - 1000})
		},
		"noise": func(c *chat, u uint64) {
			c.send(engine.SpeechStarted{})
			c.send(engine.BargeIn{Utterance: u})
			c.send(engine.VoiceEnded{Utterance: u, Visit: c.u.Visit, Heard: "Thank you.", Cut: true})
			c.now += 1000
			c.send(engine.SpeechStopped{})
			c.send(engine.NoWords{})
		},
		"typed": func(c *chat, u uint64) {
			c.send(engine.UserTurn{Text: "Thanks, bye for now.", Typed: true, Began: c.now})
			c.send(engine.VoiceEnded{Utterance: u, Visit: c.u.Visit, Heard: "Thank you.", Cut: true})
		},
	} {
		c := reporting(t).hear()
		c.reported(summary)
		u := c.u.Floor.Utterance
		c.send(engine.VoiceStarted{Utterance: u})
		c.now += 700
		interrupt(c, u)
		if c.u.Stage != "END" || c.last().Text != "Goodbye." {
			t.Errorf("%s: in %s, said %q", name, c.u.Stage, c.last().Text)
		}
		if c.hear(); c.ended != "done" {
			t.Errorf("%s: not ended", name)
		}
		c.whole()
	}
}

// Who asks to stop during the wait is told that the report will follow, with the goodbye; so is somebody whom the deadline cuts off.
func TestLeavingDuringTheWait(t *testing.T) {
	c := reporting(t).hear()
	c.tell("Please stop the interview.")
	if c.last().Text != "Your report will follow. Goodbye." || len(c.cancels) != 1 || c.ended != "done" {
		t.Errorf("said %q, cancelled %v", c.last().Text, c.cancels)
	}
	c.whole()
	c = reporting(t).hear()
	c.now += 1000
	c.send(engine.SpeechStarted{}) // and does not stop
	for range 4 {
		c.pass(30 * time.Second)
	}
	if c.last().Text != "Your report will follow. Goodbye." || !c.last().Uninterruptible {
		t.Errorf("in %s, said %q", c.u.Stage, c.last().Text)
	}
}

// R002-56: without a spoken summary the interview simply goes on, as soon as the report is there.
func TestReportThatIsNotSpoken(t *testing.T) {
	c := reporting(t, "report: {wait: 20s}", "report: {wait: 20s, spoken: false}").hear()
	c.reported(summary)
	if c.hear(); c.last().Text != "Goodbye." || slices.ContainsFunc(c.says, func(s engine.Say) bool { return s.Move == engine.MoveReport }) {
		t.Errorf("said %q", c.last().Text)
	}
	c = reporting(t).hear()
	c.reported("  ")
	if c.hear(); c.last().Text != "Goodbye." {
		t.Errorf("an empty summary was told as %q", c.last().Text)
	}
	c = reporting(t).hear()
	c.reported(strings.Repeat("word ", 900))
	if n := len(c.last().Text); n > 1500 {
		t.Errorf("%d characters are spoken", n)
	}
}

// A candidate who is away hears the report when they are back; the wait does not run meanwhile. Whoever leaves for good or is
// stopped hears nothing, and the task is called off.
func TestAwayDuringTheReport(t *testing.T) {
	c := reporting(t).hear()
	c.send(engine.Away{})
	c.now += 60_000
	c.reported(summary)
	n := len(c.says)
	if c.u.Stage != "TELL" || n != len(c.says) {
		t.Errorf("in %s", c.u.Stage)
	}
	c.send(engine.Back{})
	if c.last().Text != summary {
		t.Errorf("said %q", c.last().Text)
	}
	if c.hear(); c.ended != "done" {
		t.Errorf("in %s", c.u.Stage)
	}
	c = reporting(t)
	c.send(engine.Away{})
	c.send(engine.Back{})
	if c.last().Text != "I am preparing your report." {
		t.Errorf("said %q", c.last().Text)
	}
	for _, end := range []engine.Event{engine.Gone{}, engine.Stop{Reason: "shutdown"}} {
		c := reporting(t).hear()
		c.send(end)
		if len(c.cancels) != 1 || c.ended == "" {
			t.Errorf("%+v: cancelled %v", end, c.cancels)
		}
	}
}

// RX-18, R002-59: a worker that takes over asks for what is out once more, judgements and report, and nothing that is there already.
func TestResumingAsksForJudgementsAndReportAgain(t *testing.T) {
	c := reporting(t).hear()
	c.send(engine.Judged{Item: "answers/FIRST/1", Evaluation: someEvaluation(4)})
	before := c.judges
	c.judges, c.runs = nil, nil
	c.send(engine.Resumed{Gap: 5000})
	var again []string
	for _, j := range c.judges {
		again = append(again, j.Item.ID)
		if k := slices.IndexFunc(before, func(b engine.Judge) bool { return b.Item.ID == j.Item.ID }); k < 0 || asJSON(t, before[k]) != asJSON(t, j) {
			t.Errorf("sent another item: %+v", j)
		}
	}
	if strings.Join(again, " ") != "parts/FIRST/1 parts/SECOND/2 right/SECOND/1" {
		t.Errorf("sent again: %v", again)
	}
	c.reported(summary)
	if c.hear(); c.ended != "done" {
		t.Errorf("in %s: said %q", c.u.Stage, c.last().Text)
	}
	c.replays()
}

// The silence ladder does not run during the wait, and no timer of it is left.
func TestNoLadderDuringTheWait(t *testing.T) {
	c := reporting(t).hear()
	for name := range c.u.Timers {
		if name != engine.TimerTask && name != engine.TimerDeadline {
			t.Errorf("timer %s runs", name)
		}
	}
	if left := c.stages[len(c.stages)-1].Left; left != 85*time.Second {
		t.Errorf("the page is told that %s are left", left)
	}
}

// R002-48, R002-55: somebody who talks on and on over a report that is there is stepped in on once, and hears it then.
func TestAReportIsToldToWhoTalksOn(t *testing.T) {
	c := reporting(t).hear()
	c.now += 1000
	c.send(engine.SpeechStarted{})
	c.send(engine.LongSpeech{Lasted: 40_000, Words: 90})
	if n := len(c.takes); n != 0 {
		t.Error("stepped in before there was anything to tell")
	}
	c.reported(summary)
	c.send(engine.LongSpeech{Lasted: 20_000, Words: 50})
	if len(c.takes) != 0 {
		t.Error("stepped in on an answer of 20 s")
	}
	c.send(engine.LongSpeech{Lasted: 41_000, Words: 92})
	c.send(engine.LongSpeech{Lasted: 42_000, Words: 95}) // the turn is on its way
	if len(c.takes) != 1 || c.u.Stage != "TELL" {
		t.Fatalf("stepped in %d times, in %s", len(c.takes), c.u.Stage)
	}
	c.now += 200
	c.send(engine.UserTurn{Text: "And then there was the other thing.", Began: c.now - 42_000})
	if c.last().Text != summary {
		t.Errorf("said %q", c.last().Text)
	}
	if c.hear(); c.ended != "done" {
		t.Errorf("in %s", c.u.Stage)
	}
	c.whole()
}

// R002-55: who talks over the summary as well, and does not stop, is let go: the report is on the page. The interview ends as
// it should, not by its deadline.
func TestAReportIsNotForcedOnWhoTalksOverIt(t *testing.T) {
	c := reporting(t).hear()
	c.now += 1000
	c.send(engine.SpeechStarted{})
	c.reported(summary)
	c.send(engine.LongSpeech{Lasted: 30_000, Words: 70})
	c.send(engine.UserTurn{Text: "And then there was the other thing.", Began: c.now - 30_000})
	u := c.u.Floor.Utterance
	c.send(engine.VoiceStarted{Utterance: u})
	c.send(engine.SpeechStarted{})
	c.send(engine.BargeIn{Utterance: u})
	c.send(engine.VoiceEnded{Utterance: u, Visit: c.u.Visit, Heard: "Thank you.", Cut: true})
	c.now += 29_000
	c.send(engine.LongSpeech{Lasted: 29_000, Words: 70})
	if c.u.Stage != "TELL" {
		t.Fatal("let go while there was still time")
	}
	c.now += 2000
	c.send(engine.LongSpeech{Lasted: 31_000, Words: 75})
	if v := c.u.Visits[len(c.u.Visits)-2]; c.u.Stage != "END" || v.Reason != engine.ReasonComplete || len(c.takes) != 2 {
		t.Errorf("in %s, %s, taken %d times", c.u.Stage, v.Reason, len(c.takes))
	}
	if strings.Contains(c.last().Text, "follow") {
		t.Errorf("said %q of a report that was told", c.last().Text)
	}
	c.whole()
}

// fire lets the timers of the next while fire; nothing that is being said ends meanwhile.
func (c *chat) fire(d time.Duration) {
	until := c.now + state.FromDuration(d)
	for {
		name, due := "", until+1
		for n, t := range c.u.Timers {
			if at := t.Armed + t.After; at < due {
				name, due = n, at
			}
		}
		if name == "" || c.ended != "" {
			break
		}
		c.now = max(c.now, due)
		c.send(engine.TimerFired{Name: name, ID: c.u.Timers[name].ID, Visit: c.u.Timers[name].Visit})
	}
	c.now = max(c.now, until)
}

// R002-48: a summary that began late is said to its end, beyond the limit of its stage. One that never ends is cut, and the
// report said to follow.
func TestTheDeadlineDoesNotCutTheSummary(t *testing.T) {
	for _, ends := range []bool{true, false} {
		c := reporting(t).hear()
		c.now += 1000
		c.send(engine.SpeechStarted{})
		c.reported(summary)
		c.fire(85 * time.Second) // the limit is 85 s, and its grace runs from there
		c.send(engine.SpeechStopped{})
		c.now += 300
		c.send(engine.UserTurn{Text: "So that was that.", Began: c.now - 85_000})
		u := c.u.Floor.Utterance
		c.send(engine.VoiceStarted{Utterance: u})
		c.fire(30 * time.Second)
		if c.u.Floor.Utterance != u || c.u.Stage != "TELL" {
			t.Fatalf("the summary was cut; said %q", c.last().Text)
		}
		if ends {
			c.send(engine.VoiceEnded{Utterance: u, Visit: c.u.Visit, Heard: summary})
			if c.last().Text != "Goodbye." {
				t.Errorf("said %q", c.last().Text)
			}
			continue
		}
		c.fire(90 * time.Second)
		if c.last().Text != "Your report will follow. Goodbye." {
			t.Errorf("in %s, said %q", c.u.Stage, c.last().Text)
		}
	}
}
