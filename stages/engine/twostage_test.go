package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
)

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var threeStages = []string{"SELF_INTRO", "PAST_EXPERIENCE", "DONE"}

// goodAnswers answers by prompt: an introduction in two turns and a whole story.
func goodAnswers(s *sim, said engine.Say) {
	last := said.Prompts[len(said.Prompts)-1]
	answers := map[string]string{
		"intro.open":      "Hi, my name is Jordan and I am a backend engineer at a payments company",
		"intro.highlight": "I am really good at finding bugs that nobody else can find",
		"exp.open":        "It was a project to replace the old billing system because the company kept losing invoices",
		"exp.action":      "I designed the new schema and wrote the migration with two colleagues",
		"exp.result":      "We reduced lost invoices by ninety percent",
		"last_word":       "No, that is all, thank you.",
	}
	text, ok := answers[strings.TrimSuffix(strings.SplitN(last, "#", 2)[0], "_in")] // to a piece of the answer before, or not
	if !ok {
		s.t.Errorf("unexpected question %s: %s", last, said.Text)
		text = "I am not sure what to say to that"
	}
	s.say(900*time.Millisecond, text)
}

// R001-1, R001-12, R001-13, R001-14, R001-16, R001-20, R001-26, R001-30, R001-31, R001-32, R001-33, R001-34,
// R001-78, R001-79, R001-80, R001-82, RM-22: the normal run, with one filler in five utterances.
func TestNormalRun(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = goodAnswers
	s.start().run(10 * time.Minute)
	s.check()
	if diff := cmp.Diff(threeStages, s.stages()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{engine.ReasonComplete, engine.ReasonComplete}, s.factsOf("handoff.done", "reason")); diff != "" {
		t.Error(diff)
	}
	want := []string{"intro.open", "intro.highlight", "exp.bridge", "exp.open", "exp.action_in", "exp.ack", "exp.result_in", "last_word", "bye.bridge", "bye.open"}
	if diff := cmp.Diff(want, s.prompts()); diff != "" {
		t.Error(diff)
	}
	if got := s.u.Visits[0].Summary; got != "you work as backend engineer, and you mentioned really good at finding bugs that nobody else can find" {
		t.Errorf("summary %q", got)
	}
	bridge := s.says[2]
	if bridge.Visit != 2 || bridge.Stage != "PAST_EXPERIENCE" || bridge.Move != engine.MoveBridge {
		t.Errorf("the bridge belongs to the new stage: %+v", bridge)
	}
	parts := []string{"Thank you, Jordan", "Now let's turn to your past experience", "Could you tell me about one project"}
	for i, at := 0, 0; i < len(parts); i++ {
		j := strings.Index(bridge.Text[at:], parts[i])
		if j < 0 {
			t.Errorf("%q is not in its place in %q", parts[i], bridge.Text)
			break
		}
		at += j
	}
	if s.ended != "done" || s.u.StageStart == 0 || s.u.LastActivity == 0 {
		t.Errorf("ended %q, stage start %d, last activity %d", s.ended, s.u.StageStart, s.u.LastActivity)
	}
}

// R001-10: no score or grade. That a report follows is said at the end alone, because one does (RM-30).
func TestNoScore(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = goodAnswers
	s.start().run(10 * time.Minute)
	for _, word := range []string{"score", "grade", "report", "rating"} {
		for _, say := range s.says {
			if strings.Contains(strings.ToLower(say.Text), word) {
				if word == "report" && say.Last {
					continue
				}
				t.Errorf("%q says %q", say.Prompts, word)
			}
		}
	}
}

// R001-5, R001-13, R001-58, R001-59, R001-77, R001-81: silence alone reaches the end, by the ladder.
func TestSilentCandidateReachesDone(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start().run(10 * time.Minute)
	s.check()
	if s.ended != "done" {
		t.Fatalf("ended %q", s.ended)
	}
	if diff := cmp.Diff([]any{engine.ReasonIdle, engine.ReasonIdle}, s.factsOf("handoff.done", "reason")); diff != "" {
		t.Error(diff)
	}
	want := []string{"intro.open", "intro.open.reprompt", "intro.open.simple", "exp.forced", "exp.open", "exp.open.reprompt", "exp.open.simple", "bye.forced", "bye.open"}
	if diff := cmp.Diff(want, s.prompts()); diff != "" {
		t.Error(diff)
	}
}

// R001-58, R001-61: the silence clock starts when playback ends, and stands still while the agent speaks.
func TestSilenceCountsFromTheEndOfPlayback(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start().run(10 * time.Minute)
	gap := func(i int) time.Duration { return (s.plays[i].from - s.plays[i-1].to).Duration() }
	if got := gap(1); got != 10*time.Second+200*time.Millisecond {
		t.Errorf("reprompt came %s after the opening", got)
	}
	if got := gap(2); got != 10*time.Second+200*time.Millisecond {
		t.Errorf("the simpler question came %s after the reprompt: in all 20 s of silence", got)
	}
	if got := gap(3); got != 15*time.Second+200*time.Millisecond {
		t.Errorf("the bridge came %s after the simpler question: in all 35 s of silence", got)
	}
}

// R001-6, R001-7, R001-28, R001-55, R001-73: answers that never complete anything still move on, at the third turn.
func TestMaximumTurns(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, said engine.Say) {
		if said.Stage == "SELF_INTRO" {
			s.say(time.Second, "hmm yes")
		}
	}
	s.start().run(10 * time.Minute)
	s.check()
	if got := s.factsOf("handoff.done", "reason")[0]; got != engine.ReasonTurns {
		t.Errorf("left because of %v", got)
	}
	if got := s.u.Visits[0].Turns; got != 3 {
		t.Errorf("after %d turns", got)
	}
}

// R001-27: the candidate says that the introduction is over.
func TestCandidateSaysThatIsAll(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, said engine.Say) {
		if len(s.says) == 1 {
			s.say(time.Second, "I like long walks by the sea. So yeah, that's my background.")
		}
	}
	s.start().run(10 * time.Minute)
	if got := s.factsOf("handoff.done", "reason")[0]; got != engine.ReasonIntent {
		t.Errorf("left because of %v", got)
	}
}

// R001-56, R001-57, R001-60, R001-71: the hard deadline, here in a stage without a silence ladder.
func TestDeadlineForcesTheBridgeWithASummary(t *testing.T) {
	iv := interview(t, "two_stage")
	iv.Def.Stages[0].NoInput = nil
	s := newSim(t, iv)
	s.start()
	s.do(8*time.Second, func() {
		s.send(engine.UserTurn{Text: "I am a nurse", Began: s.now})
	})
	s.until(2 * time.Minute)
	s.check()
	if got := s.factsOf("handoff.done", "reason"); len(got) == 0 || got[0] != engine.ReasonDeadline {
		t.Fatalf("left because of %v", got)
	}
	if kinds := s.factsOf("fallback", "kind"); !slices.Contains(kinds, any("deadline")) {
		t.Errorf("fallbacks %v", kinds)
	}
	bridge := s.says[len(s.says)-1]
	for _, x := range s.says {
		if x.Stage == "PAST_EXPERIENCE" {
			bridge = x
			break
		}
	}
	if !strings.Contains(bridge.Text, "From what I have heard so far, you work as nurse") || bridge.Visit != 2 {
		t.Errorf("forced bridge: %q", bridge.Text)
	}
	if at := s.u.Visits[0].Left.Duration(); at != 90*time.Second {
		t.Errorf("left after %s", at)
	}
}

// R001-62: a deadline that fires while the candidate speaks waits for the turn end …
func TestDeadlineWaitsForTheTurnEnd(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start()
	s.do(85*time.Second, func() { s.send(engine.SpeechStarted{}) })
	s.do(94*time.Second, func() { s.send(engine.SpeechStopped{}) })
	s.do(95*time.Second, func() { s.send(engine.UserTurn{Text: "well yes", Began: s.now - 9000}) })
	s.silence(84 * time.Second)
	s.until(96 * time.Second)
	if got := s.u.Visits[0].Left.Duration(); got != 95*time.Second {
		t.Errorf("left after %s, want at the end of the turn, 95s", got)
	}
	s.check()
}

// … and the grace cuts in when there is none; the words still arrive in the stage they began in.
func TestGraceCutsIn(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.takeTurn = func(s *sim) { s.send(engine.UserTurn{Text: "and I led a team of nine people", Began: 85_000}) }
	s.start()
	s.do(85*time.Second, func() { s.send(engine.SpeechStarted{}) })
	s.silence(84 * time.Second)
	s.until(102 * time.Second)
	if got := s.u.Visits[0].Left.Duration(); got != 100*time.Second {
		t.Errorf("left after %s, want T plus the grace, 100s", got)
	}
	last := s.u.Turns[len(s.u.Turns)-1]
	if last.Stage != "SELF_INTRO" || s.u.Visits[1].Turns != 0 {
		t.Errorf("the late turn: %+v; turns in stage 2: %d", last, s.u.Visits[1].Turns)
	}
	for _, x := range s.says {
		if x.Visit == 2 && !x.Uninterruptible {
			t.Error("over a candidate who does not stop, the bridge must be heard to its end")
		}
	}
	s.check()
}

// silence keeps the ladder quiet until d: noises that are no answer.
func (s *sim) silence(d time.Duration) {
	for at := 8 * time.Second; at < d; at += 8 * time.Second {
		s.do(at, func() {
			s.send(engine.UserTurn{Text: "could you repeat that", Began: s.now})
		})
	}
}

// R001-16: the end is final.
func TestNothingLeavesDone(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start().run(10 * time.Minute)
	before := asJSON(t, s.u.Visits)
	said := len(s.says)
	for _, ev := range []engine.Event{
		engine.UserTurn{Text: "wait, one more thing"}, engine.Operator{Command: "skip"},
		engine.TimerFired{Name: engine.TimerDeadline, ID: 1, Visit: 1}, engine.BargeIn{Utterance: 3}, engine.Back{}, engine.Started{},
	} {
		s.send(ev)
	}
	if asJSON(t, s.u.Visits) != before || len(s.says) != said || s.count("session.end") != 1 {
		t.Error("an event after the end changed something")
	}
}

// The candidate asks to stop: goodbye at once.
func TestCandidateStopsTheInterview(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = func(s *sim, _ engine.Say) { s.say(time.Second, "please stop the interview") }
	s.start().run(time.Minute)
	if diff := cmp.Diff([]string{"SELF_INTRO", "DONE"}, s.stages()); diff != "" {
		t.Error(diff)
	}
}

// R001-65, R001-66, R001-67, R001-68, R001-70, R001-71, R001-72: the facts of the log.
func TestFacts(t *testing.T) {
	s := newSim(t, interview(t, "two_stage"))
	s.answer = goodAnswers
	s.start().run(10 * time.Minute)
	for name, want := range map[string]int{"stage.enter": 3, "stage.exit": 3, "handoff.done": 2, "turn.received": 6, "session.end": 1} {
		if got := s.count(name); got != want {
			t.Errorf("%d × %s, want %d", got, name, want)
		}
	}
	for _, name := range []string{"prompt.issued", "timer.started", "timer.cancelled"} {
		if s.count(name) == 0 {
			t.Errorf("no %s", name)
		}
	}
	exit := s.facts[slices.IndexFunc(s.facts, func(f engine.Fact) bool { return f.Name == "stage.exit" })]
	var keys []string
	for _, f := range exit.Fields {
		keys = append(keys, f.Key)
	}
	if diff := cmp.Diff([]string{"stage", "visit", "reason", "source", "lasted", "turns", "follow_ups", "reprompts", "barge_ins"}, keys); diff != "" {
		t.Error(diff)
	}
	silent := newSim(t, interview(t, "two_stage")).start().run(10 * time.Minute)
	if silent.count("timer.fired") == 0 || silent.count("fallback") == 0 {
		t.Error("a silent run shows timers and fallbacks")
	}
	for _, f := range s.facts {
		for _, x := range f.Fields {
			if v, ok := x.Value.(string); ok && strings.Contains(v, "invoices") {
				t.Errorf("the candidate's words are in %s", f.Name)
			}
		}
	}
}
