package engine_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

// R003-30, R003-31, RX-20: a word that gives the pattern away never leaves, in whatever way an expert says it, until the
// candidate has said it, or the summary begins.
func TestSecretsStayInside(t *testing.T) {
	for _, words := range []string{"Try a hash map here?", "Think of Hash-Tables!", "It is called hash_map, right?", "HASHING would do, would it not?"} {
		cast := newCast()
		cast["coach"].process = func(expert.Board) (expert.Response, error) {
			r := expert.Success(words, "")
			r.Queue = []string{words + " Why?"}
			return r, nil
		}
		c := coached(t, cast).to(coach.Thought)
		for i := range 3 {
			said := c.tell("I would compare the two prices" + strings.Repeat(" again", i) + ".")
			if strings.Contains(strings.ToLower(said.Text), "hash") || said.Text == "" {
				t.Errorf("said %q", said.Text)
			}
		}
		if len(c.fact("secret.kept", "stage")) != 3 {
			t.Errorf("%q was kept %d times", words, len(c.fact("secret.kept", "stage")))
		}
		for _, p := range c.stages {
			if strings.Contains(asJSON(t, p), "hash") {
				t.Errorf("published %+v", p)
			}
		}
	}
}

func TestWhatIsNoSecretAnyMore(t *testing.T) {
	c := coached(t, newCast()).to(coach.Thought)
	if !c.iv.Reveals(c.u, "So you would use a hash table.") || c.iv.Reveals(c.u, "So you would compare them.") {
		t.Error("what is hidden is not")
	}
	u := c.u.Clone()
	u.Turns = append(u.Turns, state.Turn{Speaker: state.SpeakerCandidate, Text: "I would use a hash table."})
	if c.iv.Reveals(u, "So you would use a hash table.") || !c.iv.Reveals(u, "A hash map, in other words.") {
		t.Error("what the candidate has said is no secret, and nothing else")
	}
	if c.to(coach.Summary); c.iv.Reveals(c.u, "It was a hash map.") {
		t.Error("the summary may not say it")
	}
	two := newChat(t, interview(t, "two_stage")).start(engine.Started{})
	if two.iv.Reveals(two.u, "hash map") {
		t.Error("an interview without secrets has one")
	}
}

// R003-30, RM-30: when all parts are over a candidate who asks for the best way is told, and what they say of it afterwards is not judged.
func TestTheBestWayIsToldWhenAllIsOver(t *testing.T) {
	l := led{newChat(t, interview(t, "evaluation"))}
	l.start(engine.Started{Model: true, Vars: map[string]string{"problem": "door_log"}})
	const told = "Keep the badges in a hash set: looking one up takes one step, so n for the whole."
	say := l.turn("I'd look through all that came before, and that's n squared.")
	if got := l.brief(say); !l.iv.Reveals(l.u, told) || !strings.Contains(got, "hash") {
		t.Fatalf("nothing is hidden: %s", got)
	}
	if got := l.brief(say); !strings.Contains(got, "a small hint of your own") { // no prepared one, which may ask for what was found
		t.Errorf("the hints are not its own: %s", got)
	}
	l.replies(say, "That's right. Do you have a question for me?", answer("n squared", "finish"))
	say = l.turn("So what's the quickest way?")
	if got := l.brief(say); l.iv.Reveals(l.u, told) || !strings.Contains(got, "is told, in two plain sentences") || strings.Contains(got, "Words that you do not say") {
		t.Errorf("it may not be told: %s", got)
	}
	l.replies(say, told, respond.Reading{Acts: []respond.Act{{Kind: "question", Quote: "what's the quickest way"}}, Did: "answer"})
	turns := l.u.Current().Turns
	say = l.turn("Ah, so it is n in time, with a hash set.")
	l.replies(say, "Yes.", answer("n in time", "answer"))
	if last := l.u.Turns[len(l.u.Turns)-2]; l.u.Current().Turns != turns || !last.Aside {
		t.Errorf("what was told counts: %+v", last)
	}
	l.replays()
}

// R003-95: no reply holds the code of a solution before the summary.
func TestNoSolutionCode(t *testing.T) {
	solution := "Here it is.\nseen = {}\nfor i, p in enumerate(prices):\n  if target - p in seen: return [seen[target - p], i]\n  seen[p] = i"
	for words, kept := range map[string]bool{
		solution: true, "```go\nreturn x\n```": true,
		"function find(a) { for (let i = 0; i < a.length; i++) { if (a[i] == t) return i; } }": true,
		"What happens when i is zero, and the list is empty?":                                  false,
		"If the price equals the target, what do you return then?":                             false,
		"You write total = total + price; is it ever reset?":                                   false,
	} {
		cast := newCast()
		c := coached(t, cast).to(coach.Pseudocode)
		cast["reviewer"].process = func(expert.Board) (expert.Response, error) { return expert.Success(words, ""), nil }
		said := c.tell("I would begin with the first price.")
		if got := said.Text != words; got != kept {
			t.Errorf("%q: said %q", words, said.Text)
		}
	}
}
