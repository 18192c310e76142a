package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

func wish(about, quote, did, to string) respond.Reading {
	return respond.Reading{Acts: []respond.Act{{Kind: "request", About: about, Quote: quote}}, Did: did, To: to}
}

// RM-10: a part that is left for another one stands open in the brief, and comes next when that one is over, whether the other one lies
// before or behind it; what was held meanwhile is not held again.
func TestAPartLeftForAnotherComesNext(t *testing.T) {
	l := lead(t, "algorithm_coach")
	l.says("Okay, I know what goes in and what comes out.", "How would you go about it?", answer("what goes in", "finish"))
	l.says("Can we talk about the cost first?", "Sure. What may it cost?", wish("go_to", "talk about the cost first", "finish", ""))
	say := l.turn("Less than trying everything.")
	if got := l.brief(say); l.u.Stage != "COMPLEXITY_ANALYSIS" || !strings.Contains(got, `THOUGHT_ARTICULATION "Idea": left, not finished`) ||
		!strings.Contains(got, "open THOUGHT_ARTICULATION") {
		t.Fatalf("in %s the brief is\n%s", l.u.Stage, got)
	}
	l.replies(say, "Good. Back to your idea: what is it?", answer("Less than trying everything", "finish"))
	l.says("I walk through it once and keep notes.", "Would you write that down?", answer("walk through it once", "finish"))
	if l.u.Stage != "PSEUDOCODE_DESIGN" {
		t.Fatalf("went %v", l.visits())
	}
	l.says("Let us go back to the cost for a moment.", "Yes: what about it?", wish("go_to", "go back to the cost", "go", "COMPLEXITY_ANALYSIS"))
	l.says("The notes take memory as well.", "True. And the code?", answer("notes take memory", "finish"))
	want := []string{"PROBLEM_CLARIFICATION", "THOUGHT_ARTICULATION", "COMPLEXITY_ANALYSIS", "THOUGHT_ARTICULATION", "PSEUDOCODE_DESIGN", "COMPLEXITY_ANALYSIS", "PSEUDOCODE_DESIGN"}
	if got := l.visits(); !slices.Equal(got, want) {
		t.Errorf("went %v", got)
	}
	l.replays()
}

// RM-10: what was left out is offered again before the end, and not taken for done.
func TestAPartLeftOutIsOfferedBeforeTheEnd(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("I'd rather skip the introduction.", "Then your project: what was it?", wish("skip", "skip the introduction", "finish", ""))
	got := l.brief(l.turn("We rebuilt the ward's plan."))
	for _, want := range []string{`SELF_INTRO "Self-introduction": left, not finished`, "offered once to take up SELF_INTRO", "go to SELF_INTRO", "the part SELF_INTRO"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// leadDesign is a design interview that a model leads, at the question what the candidate does.
func leadDesign(t *testing.T) led {
	t.Helper()
	l := led{newChat(t, interview(t, "system_design"))}
	l.serve = provide(t, three(), true)
	l.start(engine.Started{Model: true, Candidate: state.Candidate{Name: "Ada"}, Vars: map[string]string{"company": "acme"}})
	l.replies(l.turn("Yes, let us start."), "What do you do?", respond.Reading{Did: "ask"})
	return l
}

// RM-10: a sub-phase that is left for a later one comes back before those that lie between.
func TestASubPhaseLeftForAnotherComesNext(t *testing.T) {
	l := leadDesign(t)
	l.says("I build billing systems.", "Design a car park. Where do you begin?", answer("I build billing systems", "finish"))
	l.says("Can we go to the data first?", "Sure: what is stored?", wish("go_to", "go to the data first", "go", "data"))
	say := l.turn("One table, with an index on the plate.")
	if got := l.brief(say); !strings.Contains(got, `scope "Scope": left, not finished`) || !strings.Contains(got, "open scope") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replies(say, "Fine. Back to the scope: who uses it?", answer("One table", "finish"))
	if got := l.u.Current().Item; got != "scope" {
		t.Errorf("in %s", got)
	}
}

// RM-10, RM-18: what is told of another part counts there, and is not asked for again; and who wants to end the parts gets to the end of them.
func TestWhatIsToldInAnotherPartCountsThere(t *testing.T) {
	l := leadDesign(t)
	l.says("I build billing systems.", "Design a car park. Where do you begin?", answer("I build billing systems", "finish"))
	r := answer("a cache before the gates", "probe")
	r.Covered = []respond.Cover{{Criterion: "cache", Level: 3, Quote: "a cache before the gates"}}
	l.says("There is a cache before the gates.", "What is in it?", r)
	if got := l.brief(l.turn("The free places.")); !strings.Contains(got, "- shape: cache (told), queue") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replies(l.last(), "And the shape of it?", wish("go_to", "The free places", "go", "shape"))
	if got := l.brief(l.turn("As I said.")); l.u.Voids > 0 || !strings.Contains(got, "cache (strong)") {
		t.Errorf("%d void; the brief is\n%s", l.u.Voids, got)
	}
	l.replies(l.last(), "Then let us close. What would you do next?", wish("go_to", "As I said", "go", "closing"))
	if l.u.Stage != "closing" || l.u.Voids > 0 {
		t.Errorf("%d void, in %v", l.u.Voids, l.visits())
	}
	if got := l.brief(l.turn("I would measure it.")); strings.Contains(got, "Not before you have offered") {
		t.Errorf("what cannot be gone to is offered:\n%s", got)
	}
	l.replays()
}

// RM-10: a part that is there to warm up and was left out is not asked for before the end.
func TestWhatIsPassingIsNotTakenUpAgain(t *testing.T) {
	l := leadDesign(t)
	l.says("Just give me the question, please.", "Design a car park. Where do you begin?", wish("go_on", "give me the question", "finish", ""))
	if got := l.brief(l.turn("With the gates.")); l.u.Stage != "design_sub_phase" || strings.Contains(got, "take up intro") || strings.Contains(got, "the part intro") || strings.Contains(got, "not told") {
		t.Errorf("in %v; the brief is\n%s", l.visits(), got)
	}
	l.replays()
}

// The clock says what is so: at the end there is as much time as was not used, up to a limit, and nobody is hurried.
func TestTheEndTakesWhatWasNotUsed(t *testing.T) {
	l := lead(t, "algorithm_coach")
	for l.u.Stage != "PATTERN_SUMMARY" {
		l.says("It is so, in my view.", "And then, after "+l.u.Stage+"?", answer("It is so", "finish"))
	}
	l.now += 200_000 // nearly all that this part has
	if got := l.brief(l.turn("I take the notes with me.")); !strings.Contains(got, "about 3 minutes left of about 34; it went quicker") || !strings.Contains(got, "quicker than planned: about 3 minutes are left") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replies(l.last(), "Good. Is there something you want to ask?", answer("the notes with me", "finish"))
	if got := time.Duration(l.u.Timers[engine.TimerDeadline].After) * time.Millisecond; got != engine.ClosingMost {
		t.Errorf("the end has %s", got)
	}
	if got := l.brief(l.turn("How much time is left?")); strings.Contains(got, "minutes left") || !strings.Contains(got, "time_left: All parts are over") ||
		!strings.Contains(got, "are gone. All parts are over; there is time for their questions.") {
		t.Errorf("the brief is\n%s", got)
	}
}

// RM-11: no hint is offered twice, in this part or another, and none asks for what was told.
func TestNoIdleHintIsOffered(t *testing.T) {
	l := lead(t, "algorithm_coach")
	p, _ := l.iv.Problems.Find(l.u.Problem)
	hints, best := p.Hints["en"], ""
	for _, a := range p.Approaches {
		if a.Quality == problem.Best {
			best = a.Names["en"]
		}
	}
	offers := func(say engine.Say, hint string) bool {
		return strings.Contains(l.brief(say), "fit it to where they are):\n"+hint)
	}
	say := l.turn("I know what goes in. Give me a hint, please.")
	if !offers(say, hints[0]) {
		t.Fatalf("the brief is\n%s", l.brief(say))
	}
	l.replies(say, "How many would that be?", wish("hint", "Give me a hint", "hint", ""))
	l.says("A lot of them.", "Then how would you go about it?", answer("A lot of them", "finish"))
	if say = l.turn("I don't know yet."); l.u.Stage != "THOUGHT_ARTICULATION" || !offers(say, hints[1]) {
		t.Errorf("in %s the brief is\n%s", l.u.Stage, l.brief(say))
	}
	l.replies(say, "Think a little.", answer("I don't know", "ask"))
	if say = l.turn("I would solve it by " + best + "."); !offers(say, hints[2]) {
		t.Errorf("%s: the brief is\n%s", best, l.brief(say))
	}
	l.replays()
}

// RM-20, RM-27: what was corrected does not stand beside the correction; a note stands in its whole clause, once the talk does not show it.
func TestTheNotebookHoldsCorrections(t *testing.T) {
	l := lead(t, "conversation")
	note := func(id, value, quote string) []respond.Note {
		return []respond.Note{{ID: id, Value: value, Quote: quote}}
	}
	l.says("We look after forty shops, all along the coast.", "Which coast?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "We look after forty shops"}}, Notes: note("size", "40 shops", "forty shops"), Did: "ask",
	})
	l.says("The west, where Oona lives.", "Who is Oona?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "The west"}}, Notes: note("who", "Oona", "where Oona lives"), Did: "ask",
	})
	l.says("Sorry, it was fourteen shops, I mixed that up.", "Fourteen, then.", respond.Reading{
		Acts: []respond.Act{{Kind: "correction", Quote: "it was fourteen shops"}}, Notes: note("shops", "14 shops", "it was fourteen shops"), Did: "ask",
	})
	_, got, _ := strings.Cut(l.brief(l.turn("Yes.")), "Notebook")
	if strings.Contains(got, "forty") || !strings.Contains(got, ">14 shops<") || !strings.Contains(got, ">Oona<") {
		t.Errorf("the notebook is\n%s", got)
	}
	l.says("And then we talked for long.", "Of what?", answer("talked for long", "ask"))
	for n := range 30 {
		l.says(strings.Repeat("Well, and then something else happened which I will tell at some length. ", 5), "Which, number "+strconv.Itoa(n)+"?", respond.Reading{
			Acts: []respond.Act{{Kind: "answer", Quote: "something else happened"}}, Notes: note("talk"+strconv.Itoa(n), "something happened", "something else happened"), Did: "ask",
		})
	}
	if _, got, _ = strings.Cut(l.brief(l.turn("And on.")), "Notebook"); strings.Contains(got, "forty") || !strings.Contains(got, "14 shops | Sorry, it was fourteen shops") || !strings.Contains(got, "The west, where Oona lives.") {
		t.Errorf("the notebook is\n%s", got)
	}
	l.replays()
}

// RM-19: a claim that was taken up stands in the brief until it was put right, so that the last word can name it.
func TestAClaimThatWasTakenUpStandsUntilItIsPutRight(t *testing.T) {
	l := lead(t, "two_stage")
	claim := func(verdict string) []respond.Claim {
		return []respond.Claim{{Quote: "sorting costs nothing", Verdict: verdict, Why: "Each card is moved."}}
	}
	l.says("First of all, sorting costs nothing.", "How many moves for ten cards?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "sorting costs nothing"}}, Did: "challenge", Claims: claim("wrong"),
	})
	say := l.turn("No idea, let us go on.")
	if got := l.brief(say); !strings.Contains(got, "Taken up already, until they put it right:\n- wrong (Each card is moved.)") || strings.Contains(got, "Still open:") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replies(say, "Then your project: what was it?", answer("No idea", "finish"))
	say = l.turn("Oh, I see now, each card has to be moved.")
	l.replies(say, "Right.", respond.Reading{Acts: []respond.Act{{Kind: "answer", Quote: "each card has to be moved"}}, Did: "probe", Claims: claim(respond.Settled)})
	if got := l.brief(l.turn("So.")); strings.Contains(got, "Taken up already") || len(l.u.Claims) != 1 || !l.u.Claims[0].Settled {
		t.Errorf("%+v; the brief is\n%s", l.u.Claims, got)
	}
	l.replays()
}

// RM-9: with the last answer come the last word on how it went and the chance of a question, then the goodbye. Who has asked how they did
// has had the last word.
func TestTheLastWordComesBeforeTheGoodbye(t *testing.T) {
	for _, asked := range []bool{false, true} {
		l := lead(t, "two_stage")
		l.says("I'm a nurse.", "And your project?", answer("I'm a nurse", "finish"))
		if asked {
			say := l.says("How am I doing so far?", "Well: you said it in three words. Practise a number.", respond.Reading{
				Acts: []respond.Act{{Kind: "question", Quote: "How am I doing"}}, Did: "word",
			})
			if got := l.brief(say); !strings.Contains(got, "- word: they ask how they did") {
				t.Errorf("the brief is\n%s", got)
			}
		}
		say := l.turn("We rebuilt the ward's plan.")
		if got := l.brief(say); strings.Contains(got, "before you tell them how it went") == asked {
			t.Errorf("asked %v: the brief is\n%s", asked, got)
		}
		l.replies(say, "In one night. Is there something you want to ask?", answer("rebuilt the ward", "finish"))
		say = l.turn("No.")
		if got := l.brief(say); strings.Contains(got, "- word: ") == asked || strings.Contains(got, "Not before you have told them how it went") == asked {
			t.Errorf("asked %v: the brief is\n%s", asked, got)
		}
		if !asked {
			l.replies(say, "You took the night's plan apart. Practise a number.", respond.Reading{Acts: []respond.Act{{Kind: "remark", Quote: "No"}}, Did: "word"})
			if say = l.turn("Thanks."); strings.Contains(l.brief(say), "- word: ") || l.u.Voids > 0 {
				t.Errorf("%d void; the brief is\n%s", l.u.Voids, l.brief(say))
			}
		}
		l.replies(say, "Goodbye, Ada.", respond.Reading{Acts: []respond.Act{{Kind: "remark", Quote: "No"}}, Did: "end"})
		if l.ended != "done" {
			t.Errorf("asked %v: ended %q", asked, l.ended)
		}
		l.replays()
	}
}

// A persona for whom no role is named asks which one the candidate wants.
func TestARoleThatNobodyNamedIsAskedFor(t *testing.T) {
	for role, asks := range map[string]bool{"": true, "Office Manager": false} {
		l := led{newChat(t, interview(t, "persona_interview"))}
		l.start(engine.Started{Model: true, Vars: map[string]string{"persona": "hr", "role": role}})
		say := l.turn("I look after the front desk of a clinic.")
		if got := l.brief(say); strings.Contains(got, "which one they want next") != asks || strings.Contains(got, "The role: Office Manager.") == asks {
			t.Errorf("%q: the brief is\n%s", role, got)
		}
	}
}
