package engine_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

var toldLeft = regexp.MustCompile(`, about (\d+) minutes? left of about (\d+)`)

// told is what a brief says of the time: how much is left of how much.
func told(t *testing.T, brief string) (left, planned int) {
	t.Helper()
	m := toldLeft.FindStringSubmatch(brief)
	if m == nil {
		t.Fatalf("no time in\n%s", brief)
	}
	left, _ = strconv.Atoi(m[1])
	planned, _ = strconv.Atoi(m[2])
	return left, planned
}

// What is told of the time is one computation: the frame, the clock and the facts agree from the first turn on, who needs the planned time is
// told of no jump, and what was announced holds.
func TestTheTimeLeftIsToldOnce(t *testing.T) {
	for kind, pace := range map[string]time.Duration{"algorithm_coach": 4 * time.Minute, "two_stage": 2 * time.Minute, "evaluation": 3 * time.Minute, "system_design": 5 * time.Minute} {
		l := led{newChat(t, interview(t, kind))}
		l.serve = provide(t, three(), true)
		l.start(engine.Started{Model: true, Candidate: state.Candidate{Name: "Ada"}})
		if kind == "system_design" {
			l.tell("Yes.")
		}
		first, before, at := 0, 0, l.u.Now
		for n := 0; n < 30 && !l.u.Current().Closing; n++ {
			say := l.turn("It is so, in my view.")
			brief := l.brief(say)
			left, planned := told(t, brief)
			if first == 0 {
				first, before, at = planned, left, l.u.Now
			}
			since := int((l.u.Now - at).Duration().Round(time.Minute).Minutes())
			if planned != first || left > before || before-left > since+2 {
				t.Errorf("%s: %d of %d minutes, %d of %d before, %d minutes ago", kind, left, planned, before, first, since)
			}
			for _, want := range []string{fmt.Sprintf("about %d minute", left), fmt.Sprintf("about %d minutes", planned), fmt.Sprintf("bout %d minute%s left", left, map[bool]string{true: " is", false: "s are"}[left == 1])} {
				if !strings.Contains(brief, want) {
					t.Errorf("%s: %q is not in\n%s", kind, want, brief)
				}
			}
			before, at = left, l.u.Now
			l.now += state.FromDuration(pace)
			l.replies(say, "And then, number "+strconv.Itoa(n)+"?", answer("It is so", "finish"))
		}
		if took := int((l.u.Now).Duration().Minutes()); took > first+2 {
			t.Errorf("%s: %d minutes, %d were announced", kind, took, first)
		}
	}
}

// What was announced holds: who has used up the time is not told that there is more of it than there is.
func TestNoMoreIsLeftThanWasAnnounced(t *testing.T) {
	l := lead(t, "two_stage")
	first := l.iv.Now(l.u).Left
	l.says("I'm a nurse.", "And your project?", answer("I'm a nurse", "finish"))
	l.now += state.Millis(time.Duration(first)*time.Minute/time.Millisecond) - l.u.Now - 80_000 - 1000
	if got := l.brief(l.turn("We moved the ward.")); !strings.Contains(got, "are gone, about 1 minute left of about") {
		t.Errorf("the brief is\n%s", got)
	}
}

// A break stops the clock: what is left before it is left after it.
func TestWhoIsAwayLosesNoTime(t *testing.T) {
	l := lead(t, "two_stage")
	was := l.iv.Now(l.u).Left
	l.send(engine.Away{})
	l.now += 300_000
	l.send(engine.Back{})
	if got := l.iv.Now(l.u).Left; got != was {
		t.Errorf("%d minutes left, %d before", got, was)
	}
}

// The model is told how long it was really silent: who asked for time had more of it than the first rung counts.
func TestTheRealSilenceIsTold(t *testing.T) {
	for did, want := range map[string]string{"wait": "nothing for 30 seconds", "probe": "nothing for 10 seconds"} {
		l := lead(t, "two_stage")
		l.says("Let me think.", "Take the time you need?", respond.Reading{Acts: []respond.Act{{Kind: "request", About: "think", Quote: "Let me think"}}, Did: did})
		timer := l.u.Timers[engine.TimerNoInput]
		l.now += timer.After
		l.send(engine.TimerFired{Name: engine.TimerNoInput, ID: timer.ID, Visit: l.u.Visit})
		if got := l.brief(l.last()); !strings.Contains(got, want) {
			t.Errorf("%s: %q after %s is not in\n%s", did, want, timer.After.Duration(), got)
		}
	}
}

// The last topic may take what the others left.
func TestTheLastTopicIsGoneInto(t *testing.T) {
	l := led{newChat(t, interview(t, "persona_interview"))}
	l.start(engine.Started{Model: true, Vars: map[string]string{"persona": "hr"}})
	l.says("Ready.", "I speak as HR. What did you build last?", respond.Reading{Did: "next"})
	for n := range 4 {
		l.says("A parser for tickets, which was slow at first.", "And topic "+strconv.Itoa(n+2)+"?", answer("A parser", "next"))
	}
	for n := range 5 {
		brief := l.brief(l.turn("We danced in the kitchen."))
		if full := n == 4; strings.Contains(brief, "- probe:") == full {
			t.Errorf("after %d follow-ups to the last question, number %d, the brief is\n%s", n, l.u.Current().Numbered, brief)
		}
		l.replies(l.last(), "And what then, number "+strconv.Itoa(n)+"?", answer("We danced", "probe"))
	}
}

// A talk of numbered questions keeps to its time: an answer gets two follow-ups, fewer where time is short, and the model is told to go on.
func TestFollowUpsAreBounded(t *testing.T) {
	l := led{newChat(t, interview(t, "persona_interview"))}
	l.start(engine.Started{Model: true, Vars: map[string]string{"persona": "hr"}})
	l.says("Ready.", "I speak as HR. What did you build last?", respond.Reading{Did: "next"})
	const must, once, closed = "it has had its follow-ups", "Only where it holds an error or a contradiction", "This topic is closed"
	for n, full := range []bool{false, false, true} {
		say := l.turn("A parser for tickets, which was slow at first.")
		brief := l.brief(say)
		if strings.Contains(brief, must) != full || strings.Contains(brief, "- probe:") == full {
			t.Errorf("after %d follow-ups the brief is\n%s", n, brief)
		}
		did := "probe"
		if full {
			did = "next"
		}
		l.replies(say, "And what then, number "+strconv.Itoa(n)+"?", answer("A parser", did))
	}
	for _, want := range []string{"", "", once, closed} { // what is wrong in the last answer gets its turn, and no second one
		if brief := l.brief(l.turn("Tickets came faster than they come.")); !strings.Contains(brief, want) {
			t.Errorf("%q is not in the brief\n%s", want, brief)
		}
		l.replies(l.last(), "Faster than they come?", answer("Tickets came", map[bool]string{true: "next", false: "challenge"}[want == closed]))
	}
	if _, planned := told(t, l.brief(l.turn("We wrote it anew."))); planned != 15 || l.u.Current().Numbered != 3 {
		t.Errorf("%d minutes are planned, question %d", planned, l.u.Current().Numbered)
	}
	l.replies(l.last(), "Who decided it?", answer("wrote it anew", "probe"))
	l.now += state.FromDuration(9 * time.Minute) // three topics have seven and a half
	if brief := l.brief(l.turn("All of us did.")); !strings.Contains(brief, must) {
		t.Errorf("behind its time the brief is\n%s", brief)
	}
	if got := l.iv.Now(l.u); got.Questions != 5 || got.Asked != 3 {
		t.Errorf("%+v", got)
	}
	for locale, want := range map[string]string{"en": "5 topics are planned, with follow-ups where they help; we are at number 3", "zh": "5 个话题", "vi": "5 chủ đề"} {
		f, _ := l.iv.Sheet(l.u).Fact("how_many_questions")
		if got, err := f.Answer(locale, l.iv.Now(l.u)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v", locale, got, err)
		}
	}
}

// A role that nobody named is not told as the candidate's, whoever leads; one that was asked for and not told is come back to.
func TestNobodyIsToldARoleThatWasAssumed(t *testing.T) {
	for _, model := range []bool{true, false} {
		l := led{newChat(t, interview(t, "persona_interview"))}
		l.start(engine.Started{Model: model})
		l.tell("The senior one, please.")
		if got := l.iv.Now(l.u).Role; got != "" || l.u.Stage != "QUESTIONS" {
			t.Errorf("model %v, in %s: the role is %q", model, l.u.Stage, got)
		}
		f, _ := l.iv.Sheet(l.u).Fact("role")
		if got, err := f.Answer("en", l.iv.Now(l.u)); err != nil || !strings.Contains(got, "No particular role") {
			t.Errorf("model %v: %q, %v", model, got, err)
		}
	}
	l := lead(t, "two_stage")
	l.says("I like big words.", "And your project?", answer("big words", "finish"))
	const missing = "not told: the candidate's current job or role; come back to it once"
	if brief := l.brief(l.turn("We rebuilt the ward's plan.")); !strings.Contains(brief, missing) {
		t.Errorf("the brief is\n%s", brief)
	}
	l = lead(t, "two_stage")
	met := answer("nurse", "finish")
	met.Covered = []respond.Cover{{Criterion: "role", Level: 2, Quote: "a nurse"}}
	l.says("I'm a nurse on a children's ward.", "And your project?", met)
	if brief := l.brief(l.turn("We rebuilt the ward's plan.")); strings.Contains(brief, missing) {
		t.Errorf("it was told: the brief is\n%s", brief)
	}
}

// What comes next is true at the end, and where a part was left for another one.
func TestWhatComesNext(t *testing.T) {
	l := lead(t, "algorithm_coach")
	next := func(want string) {
		t.Helper()
		if now := l.iv.Now(l.u); now.Next != want {
			t.Errorf("in %s (%s) next comes %q, want %q", l.u.Stage, now.Part, now.Next, want)
		}
	}
	next("Idea")
	l.says("I know what goes in and what comes out.", "How would you go about it?", answer("what goes in", "finish"))
	l.says("Can we write the code first?", "Sure. How does it begin?", wish("go_to", "write the code first", "go", "PSEUDOCODE_DESIGN"))
	next("Idea")
	l = lead(t, "two_stage")
	l.says("I'm a nurse, good with numbers.", "And your project?", answer("I'm a nurse", "finish"))
	next("")
	l.says("We rebuilt the ward's plan.", "Do you have a question?", answer("rebuilt the ward", "finish"))
	if now := l.iv.Now(l.u); !l.u.Current().Closing || now.Part != "" || now.Next != "" {
		t.Errorf("at the end: %+v", now)
	}
}
