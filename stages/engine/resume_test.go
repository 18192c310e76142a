package engine_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/state"
)

// crash loses all that is not in the state, and lets another worker take it up at a time, so long after the last sign.
func (k *talk) crash(at, gap float64) *talk {
	k.t.Helper()
	k.u = reread(k.t, k.u)
	clear(k.armed)
	k.send(at, engine.Resumed{Gap: state.Millis(gap * 1000)})
	for name, timer := range k.u.Timers {
		if _, armed := k.armed[timer.ID]; !armed {
			k.t.Errorf("%.1f s: nobody runs the timer %s", at, name)
		}
	}
	return k
}

// reread is the state as another process has it.
func reread(t testing.TB, u *state.UserData) *state.UserData {
	t.Helper()
	raw, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	again := &state.UserData{}
	if err := json.Unmarshal(raw, again); err != nil {
		t.Fatal(err)
	}
	return again
}

// RX-18, R002-59: a question that was heard and not answered is asked in other words, behind a word of welcome; the opening
// does not come again, and the time nobody was there does not count.
func TestResumeAsksWhatWaits(t *testing.T) {
	k := newTalk(t, false).heard(1).crash(61, 55)
	k.wants(2, "intro.welcome_back", "intro.open.reprompt")
	if got := k.left(engine.TimerDeadline); got != 84*time.Second {
		t.Errorf("%s left of the limit, want 84s: 6 s of it had passed", got)
	}
	if v := k.u.Visits[0]; v.Absent != 55_000 || v.AwaySince != 0 {
		t.Errorf("absent for %d since %d", v.Absent, v.AwaySince)
	}
	k.heard(63).turn(66, "I am a teacher, and I am proud of my school").heard(70)
	k.slot("role", state.SlotFilled)
	if k.u.Stage != "PAST_EXPERIENCE" || k.u.Visit != 2 {
		t.Errorf("in visit %d of %s", k.u.Visit, k.u.Stage)
	}
}

// RX-18: an answer that is in the journal, and was not replied to, is replied to now. No word of it has to be said again.
func TestResumeAnswersTheLastTurn(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(3, "I am a teacher").crash(33, 30)
	k.wants(3, "intro.welcome_back", "intro.highlight")
	if v := k.u.Visits[0]; v.Turns != 1 || v.FollowUp != 1 {
		t.Errorf("%d turns, %d follow-ups", v.Turns, v.FollowUp)
	}
	k = newTalk(t, true).heard(1).turn(3, "I am a teacher").crash(33, 30)
	if say := k.last(); say.Lead == nil {
		t.Errorf("no model is asked for %q", say.Text)
	}
}

// RX-18: a reply that was in the air when the worker died counts as asked; its question comes in other words.
func TestResumeInMidSentence(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(3, "I am a teacher").begins(4).crash(34, 30)
	k.wants(3, "intro.welcome_back", "intro.highlight.reprompt")
	k = newTalk(t, false).heard(1).send(3, engine.SpeechStarted{}).crash(30, 25)
	k.wants(2, "intro.welcome_back", "intro.open.reprompt") // what was being said is lost, and asked for
	if k.u.Floor.Candidate {
		t.Error("the candidate is taken to speak still")
	}
}

// RX-18: a bridge is heard once: said now if nobody heard it, and never again if somebody did.
func TestResumeAtTheBridge(t *testing.T) {
	introduced := func() *talk {
		return newTalk(t, false).heard(1).turn(3, "I am a teacher, and I am proud of my school for nine hundred children")
	}
	k := introduced().crash(40, 30)
	if got := k.last().Prompts; k.u.Visit != 2 || !slices.Equal(got, []string{"exp.bridge", "exp.open"}) {
		t.Errorf("visit %d, said %v", k.u.Visit, got)
	}
	k = introduced().begins(8).crash(40, 30)
	if got := k.last().Prompts; k.u.Visit != 2 || !slices.Equal(got, []string{"intro.welcome_back", "exp.open.reprompt"}) {
		t.Errorf("visit %d, said %v", k.u.Visit, got)
	}
	if n := k.count("handoff.done"); n != 1 {
		t.Errorf("%d handoffs", n)
	}
}

// The goodbye is said if it was not heard; after it nothing is.
func TestResumeAtTheGoodbye(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "please stop the interview").crash(30, 20)
	if k.ended != "" || !k.last().Last || len(k.u.Timers) != 1 {
		t.Errorf("ended %q, said %+v, timers %v", k.ended, k.last(), k.u.Timers)
	}
	k = newTalk(t, false).heard(1).turn(4, "please stop the interview").begins(5).crash(30, 20)
	if k.ended != "done" || len(k.says) != 2 {
		t.Errorf("ended %q after %d utterances", k.ended, len(k.says))
	}
}

// R001-64, RX-18: the candidate was away when the worker died, and is back with the new one: one absence, not two.
func TestResumeAfterAway(t *testing.T) {
	k := newTalk(t, false).heard(1).send(11, engine.Away{}).crash(60, 30)
	k.wants(2, "intro.welcome_back", "intro.open.reprompt")
	if got := k.left(engine.TimerDeadline); k.u.Visits[0].Absent != 49_000 || got != 79*time.Second {
		t.Errorf("absent %d, %s left", k.u.Visits[0].Absent, got)
	}
}

// Nothing waits for words in another form any more: the question itself is asked again, without the greeting before it.
func TestResumeRepeatsTheQuestion(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(11, engine.TimerNoInput).heard(13).fire(23, engine.TimerNoInput).heard(25).crash(40, 12)
	if said := k.last(); !slices.Equal(said.Prompts, []string{"intro.welcome_back"}) || !strings.HasSuffix(said.Text, "What is your current job, in one sentence?") {
		t.Errorf("said %q of %v", said.Text, said.Prompts)
	}
}

// What waits before the start and after the end is nothing.
func TestResumeOfNothing(t *testing.T) {
	iv := interview(t, "two_stage")
	u, effects := iv.Step(&state.UserData{}, 5, engine.Resumed{Gap: 3})
	if len(effects) != 1 || u.Stage != "" {
		t.Errorf("%+v", effects)
	}
	k := newTalk(t, false).send(3, engine.Gone{})
	says := len(k.says)
	if k.crash(9, 3); k.ended != "candidate_left" || len(k.says) != says || len(k.u.Timers) != 0 {
		t.Errorf("%+v", k.says)
	}
}

// crash folds the journal in a process that has nothing else, and goes on so long after it.
func (c *chat) crash(gap time.Duration) {
	c.t.Helper()
	u, err := c.iv.Fold(c.entries)
	if err != nil {
		c.t.Fatal(err)
	}
	c.u = u
	c.now += state.FromDuration(gap)
	c.send(engine.Resumed{Gap: state.FromDuration(gap)})
}

// R002-59: a judge that was asked when the worker died is asked again, about the same words; so is the company that was asked for
// the parts of a talk.
func TestResumeAsksOthersAgain(t *testing.T) {
	c := remote(t)
	first := judging(c)
	c.crash(time.Minute)
	again := judging(c)
	if again.Task == first.Task || !cmp.Equal(again.Item.Turns, first.Item.Turns) || len(c.u.Tasks) != 1 {
		t.Errorf("%+v of %v", again, c.u.Tasks)
	}
	c.send(c.done(first, evaluation(evaluate.DecisionNext, 8)))
	if c.u.Current().Item != "scope" || len(c.u.Evaluations) != 0 {
		t.Errorf("an answer to the process that died counts: in %v", c.visits())
	}
	c.send(c.done(again, evaluation(evaluate.DecisionNext, 8)))
	if c.u.Current().Item != "data" {
		t.Errorf("in %v", c.visits())
	}

	d := newChat(t, design(t, "pass: 0.6", "")).start(engine.Started{}).hear()
	d.tell("Yes, let us start.")
	asked := len(d.runs)
	if asked == 0 {
		t.Fatal("the company was not asked")
	}
	pending := len(d.u.Tasks)
	d.crash(time.Minute)
	if len(d.runs) != 2*asked || len(d.u.Tasks) != pending {
		t.Errorf("%d of %d tasks were asked again, %d of %d are awaited", len(d.runs)-asked, asked, len(d.u.Tasks), pending)
	}
}

// An expert's question is repeated as it was asked: there is no script for it.
func TestResumeRepeatsAnExpert(t *testing.T) {
	cast := newCast()
	cast["reader"].process = func(expert.Board) (expert.Response, error) {
		return expert.Success("I see. Which of them comes first?", ""), nil
	}
	c := coached(t, cast)
	c.tell(understood)
	c.hear()
	c.crash(20 * time.Second)
	if said := c.last().Text; said != "I am sorry, something went wrong. Please go on. Which of them comes first?" || c.u.Stage != coach.Clarification {
		t.Errorf("said %q in %s", said, c.u.Stage)
	}
}

// RX-18, R002-59: after any events at all, the worker dies and another goes on. Folding gives the state byte by byte; no stage is
// entered and no turn is lost or made by it; the interview goes on by itself from there.
func TestResumeAfterAnything(t *testing.T) {
	for _, kind := range []string{"two_stage", "conversation"} {
		iv := interview(t, kind)
		rapid.Check(t, func(r *rapid.T) {
			u, _ := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s", Model: rapid.Bool().Draw(r, "model")})
			for range rapid.IntRange(1, 40).Draw(r, "events") {
				u, _ = iv.Step(u, u.Now+state.Millis(rapid.IntRange(0, 9000).Draw(r, "later")), anyEvent(r, u))
			}
			before := reread(t, u)
			gap := state.Millis(rapid.IntRange(-5, 1_800_000).Draw(r, "gap"))
			after, effects := iv.Step(before, u.Now+max(gap, 0), engine.Resumed{Gap: gap})
			sane(r, iv, before, after, effects)
			if !bytes.Equal(marshal(t, u), marshal(t, before)) {
				r.Fatal("resuming changed the state it was given")
			}
			handed := len(after.Visits) != len(u.Visits)
			if overtime := u.Current().Overtime; len(after.Turns) != len(u.Turns) || handed && !overtime && !u.Current().Owed {
				r.Fatalf("%d turns and %d visits became %d and %d", len(u.Turns), len(u.Visits), len(after.Turns), len(after.Visits))
			}
			if after.Ended == "" && after.Floor.Away {
				r.Fatal("the candidate is taken to be away")
			}
			sane(r, iv, after, after, nil)
		})
	}
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// RX-18, R002-59: the worker of a whole interview dies after each of its events in turn. Whenever it does, the interview that
// another takes up comes to what the first would have come to: the same stages, every answer once and none lost, the same facts,
// no bridge and no prompt twice.
func TestCrashAfterEveryEvent(t *testing.T) {
	pure(t)
	iv := interview(t, "two_stage")
	whole := newSim(t, iv)
	whole.answer = patientAnswers
	whole.start().run(10 * time.Minute)
	const gap = 40 * time.Second
	for n := 1; n < len(whole.entries); n++ {
		u, err := iv.Fold(whole.entries[:n])
		if err != nil {
			t.Fatal(err)
		}
		if u.Ended != "" {
			break
		}
		s := newSim(t, iv)
		s.answer, s.u, s.entries = patientAnswers, u, slices.Clone(whole.entries[:n])
		s.now = whole.entries[n-1].At + state.FromDuration(gap)
		s.send(engine.Resumed{Gap: state.FromDuration(gap)})
		s.run(20 * time.Minute)
		s.check()
		after := whole.entries[n-1].Type
		if got, want := s.stages(), whole.stages(); !slices.Equal(got, want) || s.u.Ended != "done" {
			t.Errorf("crash after %d, %s: stages %v, ended %q", n, after, got, s.u.Ended)
		}
		if got, want := answersOf(s.u), answersOf(whole.u); !slices.Equal(got, want) {
			t.Errorf("crash after %d, %s: answers %q, want %q", n, after, got, want)
		}
		for id, slot := range whole.u.Slots {
			if got := s.u.Slots[id]; got.Value != slot.Value || got.Status != slot.Status {
				t.Errorf("crash after %d, %s: %s is %+v, want %+v", n, after, id, got, slot)
			}
		}
		for stage, ids := range s.u.Ledger.Asked {
			if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("crash after %d, %s: in %s something was asked twice: %v", n, after, stage, ids)
			}
		}
		if left := s.u.Visits[0]; left.Left-left.Entered-left.Absent > 90_000 {
			t.Errorf("crash after %d, %s: the gap counts: %+v", n, after, left)
		}
	}
}

// patientAnswers gives each answer when its question is asked, in whatever words.
func patientAnswers(s *sim, said engine.Say) {
	asked, _, _ := strings.Cut(s.u.Current().Prompt, "#")
	said.Prompts = []string{asked}
	goodAnswers(s, said)
}

func answersOf(u *state.UserData) []string {
	var all []string
	for _, turn := range u.Turns {
		if turn.Speaker == state.SpeakerCandidate {
			all = append(all, turn.Text)
		}
	}
	return all
}
