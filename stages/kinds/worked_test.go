package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// RM-9: "how did I do" is answered with what holds of the work and what to practise, out of what the sheet of the problem knows.
func TestWorkIsLookedBackOn(t *testing.T) {
	th := think(t, "en", "first_failure")
	for _, text := range []string{
		"We have a row of releases and a check that passes or not.", "I keep a lower and an upper bound and split what lies between in the middle.",
		"That comes to the logarithm of n.", "How did I do so far?",
	} {
		th.tell(text)
	}
	for _, want := range []string{"is one that works", "split what lies between in the middle", "the time it takes is counted right"} {
		if !strings.Contains(th.last(), want) {
			t.Errorf("said %q, want %q", th.last(), want)
		}
	}
}

// RM-9, RM-17: what is said by the way takes no approach, and names no case.
func TestWordsByTheWayAreNoWork(t *testing.T) {
	th := think(t, "en", "door_log")
	for _, text := range []string{
		"It was a rainy day, I remember, and the meeting room was full.", "Then there was this other thing in the middle of everything, which nobody had expected at all.", "How did I do so far?",
	} {
		th.tell(text)
	}
	for _, not := range []string{"is one that works", "without being asked"} {
		if strings.Contains(th.last(), not) {
			t.Errorf("said %q", th.last())
		}
	}
}

// RM-6, RM-11, RM-13: both questions of a turn are answered, a case with what is asked of it, and a question behind an answer; who gives up is
// met with a human word and a hint of the problem's own, and one that is not spent.
func TestProblemIsAskedAbout(t *testing.T) {
	for _, test := range []struct {
		locale, problem string
		say             []string
		want            []string
	}{
		{"en", "room_plan", []string{"Is this taped, and how long will it take?"}, []string{"recorded", "minutes"}},
		{"en", "room_plan", []string{"Okay, so one talk stops at noon, and the next one starts exactly at noon, does that count as a conflict?"}, []string{"free again"}},
		{"en", "door_log", []string{"I take the numbers one at a time. Does the door ever write a number down wrongly?"}, []string{"?"}},
		{"en", "door_log", []string{"I give up, this is not for me.", "yes please, a hint"}, []string{"?"}},
		{"vi", "room_plan", []string{"bài này khó ghê, thôi mình chịu thua."}, []string{"gợi ý"}},
	} {
		th := think(t, test.locale, test.problem)
		for _, text := range test.say {
			th.tell(text)
		}
		for _, want := range test.want {
			if !strings.Contains(th.last(), want) || strings.Contains(th.last(), "used up") {
				t.Errorf("%q: said %q, want %q", test.say, th.last(), want)
			}
		}
	}
	th := think(t, "en", "door_log")
	th.tell("I take the numbers one at a time. Does the door ever write a number down wrongly?")
	if last := th.last(); !strings.Contains(last, "ssum") && !strings.Contains(last, "sensible") {
		t.Errorf("an open question is not given back to the candidate: %q", last)
	}
}

// RM-6: a statement about unusual inputs, and what somebody asks themselves, asks for no fact.
func TestStatementsAskForNoFact(t *testing.T) {
	for _, text := range []string{
		"A single entry is returned as it is. With nothing in it, nobody is.", "For eight numbers, is it four looks? No wait, it's three.",
	} {
		th := think(t, "en", "door_log")
		th.tell(text)
		for _, fact := range []string{"Up to", "may be empty", "report"} {
			if strings.Contains(th.last(), fact) {
				t.Errorf("%q: said %q", text, th.last())
			}
		}
	}
}

// RM-19: two numbers of one thing that are reckoned for the same amount are asked about.
func TestNumbersForTheSameAmount(t *testing.T) {
	th := think(t, "en", "first_failure")
	th.tell("For five hundred releases I need nine checks, since I go to the middle each time.")
	th.tell("So fifteen checks for five hundred, and that is that.")
	if last := th.last(); !strings.Contains(last, "nine checks") || !strings.Contains(last, "fifteen checks") {
		t.Errorf("said %q", last)
	}
}

// A wish for a part before there are parts is not passed over, and neither is a question about the task.
func TestEarlyWishes(t *testing.T) {
	for text, want := range map[string]string{
		"Hello. Could we begin with the screens? I like that best.":                      "built on it",
		"Yes, ready. One thing: do old pictures go away after a week, or stay for ever?": "yours to decide",
	} {
		th := &thinker{t: t, iv: loaded(t, "system_design", "en"), u: &state.UserData{}}
		th.send(engine.Started{Session: "s1", Locale: "en"})
		th.tell(text)
		if said := strings.Join(th.said, " "); !strings.Contains(said, want) {
			t.Errorf("%q: said %q", text, said)
		}
	}
}

// RM-9, RM-16: words that stand in other talk, too ("I remember", "in the middle"), are no way that somebody took and that "holds".
func TestTalkOfOtherThingsIsNoWay(t *testing.T) {
	for problem, text := range map[string]string{
		"door_log":      "The coffee was cold, and I remember that it rained.",
		"first_failure": "And then the lunch came, right in the middle.",
	} {
		th := think(t, "en", problem)
		th.tell(text)
		th.tell("How did I do so far?")
		if last := th.last(); strings.Contains(last, "works") || strings.Contains(last, "What holds") {
			t.Errorf("%s: said %q", problem, last)
		}
	}
}

// RM-11: who asks for the question again gets that question, and a task whole.
func TestTheQuestionAgainIsThatQuestion(t *testing.T) {
	th := think(t, "en", "door_log")
	task := th.last()
	th.tell("Could you repeat the question?")
	if last := th.last(); !strings.Contains(last, "badge") || last == task {
		t.Errorf("the task again: %q", last)
	}
	th.tell("I take the numbers one at a time, and write each of them down.")
	asked := lastSentence(th.last())
	th.tell("Could you repeat the question?")
	if last := th.last(); !strings.Contains(last, asked) {
		t.Errorf("asked %q, and again %q", asked, last)
	}
}

func lastSentence(text string) string {
	at := strings.LastIndex(strings.TrimRight(text, "?"), ". ")
	return text[max(0, at+1):]
}

// RM-11, RM-13: who is angry with the interviewer is met as somebody who is angry, and their words are not taken up; a hint that is wished for then is
// something easier, and no break; and at the end there is nothing that a hint could help with.
func TestAngerAndHintsOutOfPlace(t *testing.T) {
	for _, text := range []string{"You are useless, this whole interview is a joke and I will not cooperate with a machine.", "This interview is a waste of time."} {
		th := starts(t, "two_stage", "en")
		th.tell("I am a data analyst at a hospital.")
		if th.tell(text); strings.Contains(th.last(), "useless") || strings.Contains(th.last(), "machine") || strings.Contains(th.last(), "waste") || !strings.Contains(th.last(), "easier") {
			t.Errorf("%q: said %q", text, th.last())
		}
		if th.tell("Yes, a hint would help."); strings.Contains(th.last(), "break") || strings.Contains(th.last(), "back") {
			t.Errorf("a hint: said %q", th.last())
		}
	}
	th := starts(t, "two_stage", "en")
	for _, text := range []string{
		"I am a data analyst at a hospital, and I am proud of cutting our build times from forty minutes to six.",
		"The project was a billing system that our customers needed before the new year, and I built the part that sends the bills.",
		"I rewrote the nightly run myself and measured each step of it.", "As a result we reduced the errors by forty percent.", "It cost us two weeks.",
	} {
		if th.tell(text); strings.Contains(th.last(), "add") {
			break
		}
	}
	for range 6 {
		if th.u.Stage == "DONE" {
			break
		}
		if th.tell("Yes, a hint would help."); strings.Contains(th.last(), "One way in") || strings.Contains(th.last(), "Start small") || strings.Contains(th.last(), "Over to you") {
			t.Errorf("at the end: said %q", th.last())
		}
	}
	if th.u.Stage != "DONE" {
		t.Errorf("six wishes for a hint at the end, and still in %s", th.u.Stage)
	}
}
