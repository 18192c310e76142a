package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/respond"
)

const (
	open  = "Still open:"
	taken = "Taken up already, until they put it right:"
)

// claims is a reading of an answer that holds these claims.
func claims(quote, did string, list ...respond.Claim) respond.Reading {
	r := answer(quote, did)
	r.Claims = list
	return r
}

// RM-19: a claim is taken up by words that ask about it or name it, whatever they do, or when the reading says so; then it is no work to be done.
func TestAnyMoveTakesUpAClaim(t *testing.T) {
	yes, no := true, false
	const asks, passes = "And on memory: what does your dictionary hold at the end?", "The extra memory we count in a minute. How long is the list?"
	for name, test := range map[string]struct {
		words, did string
		taken      *bool
		want       string
	}{
		"a probe asks":                   {asks, "probe", nil, taken},
		"a finish asks":                  {asks, "finish", nil, taken},
		"left for later, and yet asked":  {asks, "probe", &no, taken},
		"other words":                    {"How long is the list?", "probe", nil, open},
		"the reading says so":            {"How long is the list?", "probe", &yes, taken},
		"named and left for later":       {passes, "probe", &no, open},
		"a challenge of something else":  {"How long is the list?", "challenge", &no, open},
		"a challenge that does not tell": {"How long is the list?", "challenge", nil, taken},
	} {
		l := lead(t, "two_stage")
		l.says("It needs nothing extra in memory.", test.words, claims("It needs nothing extra", test.did,
			respond.Claim{Quote: "nothing extra in memory", Verdict: "wrong", Why: "The dictionary grows.", Taken: test.taken}))
		_, got, found := strings.Cut(l.brief(l.turn("Let me think.")), test.want+"\n- wrong (The dictionary grows.)")
		if !found || strings.Contains(got, open) || test.want == taken && strings.Contains(got, taken) {
			t.Errorf("%s: not in %q", name, test.want)
		}
		l.replays()
	}
}

// RM-19, RM-20: what the candidate puts right without being asked is settled.
func TestACorrectionSettlesAClaim(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("It is used by the fourteen shops.", "What is it used for?", claims("used by the fourteen shops", "probe",
		respond.Claim{Quote: "the fourteen shops", Verdict: "contradicts", Why: "Forty before."}))
	l.says("Sorry, it was forty shops, of course.", "And what for?", respond.Reading{Acts: []respond.Act{{Kind: "correction", Quote: "it was forty shops"}}, Did: "probe"})
	if got := l.brief(l.turn("For pots.")); !l.u.Claims[0].Settled || strings.Contains(got, open) || strings.Contains(got, taken) {
		t.Errorf("%+v; the brief is\n%s", l.u.Claims, got)
	}
	l.says("Sorting is linear.", "Which one?", claims("Sorting is linear", "probe", respond.Claim{Quote: "Sorting is linear", Verdict: "wrong", Why: "By comparing it costs n log n."}))
	l.says("No, sorting by comparing costs n log n.", "Yes.", claims("sorting by comparing", "probe", respond.Claim{Quote: "sorting by comparing costs n log n", Verdict: "right"}))
	if c := l.u.Claims; len(c) != 3 || !c[1].Settled {
		t.Errorf("%+v", c)
	}
}

// RM-19: a claim in other words is the same claim, and has the later words; with other numbers it is another one. Two claims of one turn are two.
func TestAClaimStandsOnce(t *testing.T) {
	l := lead(t, "two_stage")
	wrong := func(quote, why string) respond.Claim { return respond.Claim{Quote: quote, Verdict: "wrong", Why: why} }
	var got []string
	for _, c := range []respond.Claim{
		wrong("ten comparisons", "Each with each."),
		wrong("it takes 10 comparisons for five items", "Each is compared with each."),
		wrong("it takes twelve comparisons", "Each with each."),
		wrong("Sorting is linear nowadays", "sorting by comparing costs n log n"),
		wrong("it finds it in linear time", "sorting by comparing is n log n"),
	} {
		l.says("Well, "+c.Quote+".", "Go on.", claims(c.Quote, "probe", c))
	}
	l.says("The rows are read once and the rows are read in order.", "Go on.", claims("rows are read once", "probe", wrong("The rows are read once", "Twice."), wrong("the rows are read", "Not all.")))
	for _, c := range l.u.Claims {
		got = append(got, c.Quote)
	}
	want := []string{"it takes 10 comparisons for five items", "it takes twelve comparisons", "it finds it in linear time", "The rows are read once", "the rows are read"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	l.replays()
}

// RM-19: what is left for later stays open, also when it is named in passing, until a question asks about it; what nobody could check is done with
// once it was asked about; and what is wrong for the same reason is one claim.
func TestWhatIsLeftForLaterStaysOpen(t *testing.T) {
	no := false
	l := lead(t, "two_stage")
	l.says("It needs nothing extra in memory. And we were told that it saves a third.", "How long is the list?", claims("nothing extra in memory", "probe",
		respond.Claim{Quote: "nothing extra in memory", Verdict: "wrong", Why: "The dictionary grows.", Taken: &no},
		respond.Claim{Quote: "it saves a third", Verdict: "unchecked", Why: "Who measured the third?", Taken: &no}))
	l.says("A million.", "That is long for your memory and its dictionary. What do you read first?", answer("A million", "probe"))
	got := l.brief(l.turn("Let me think."))
	if !strings.Contains(got, open+"\n- wrong (The dictionary grows.)") || !strings.Contains(got, "- unchecked (Who measured the third?)") {
		t.Errorf("before they were asked about, the brief is\n%s", got)
	}
	l.replies(l.last(), "You said that it saves a third. Who measured that third?", answer("Let me think", "probe"))
	l.says("Nobody, I am afraid.", "What does your dictionary hold extra in memory at the end?", answer("Nobody", "probe"))
	if got := l.brief(l.turn("Let me think.")); strings.Contains(got, "unchecked (") || strings.Contains(got, open) || !strings.Contains(got, taken+"\n- wrong (The dictionary grows.)") {
		t.Errorf("when both were asked about, the brief is\n%s", got)
	}
	l.replies(l.last(), "Go on.", claims("Let me think", "probe"))
	l.says("And it stays small.", "How?", claims("it stays small", "probe", respond.Claim{Quote: "it stays small", Verdict: "wrong", Why: "the dictionary grows"}))
	if n := len(l.u.Claims); n != 2 {
		t.Errorf("%d claims: %+v", n, l.u.Claims)
	}
	l.replays()
}

// RM-20, RM-27: a note that was put right, or told anew, is gone; of what the talk shows a note holds its value; what the part is about that is on
// stays when there is no room for all.
func TestNotesThatBearOnThePartStay(t *testing.T) {
	l := lead(t, "two_stage")
	note := func(r respond.Reading, id, value, quote string) respond.Reading {
		r.Notes = append(r.Notes, respond.Note{ID: id, Value: value, Quote: quote})
		return r
	}
	book := func() string {
		_, got, _ := strings.Cut(l.brief(l.turn("Let me think.")), "Notebook")
		got, _, _ = strings.Cut(got, "Clock:")
		return got
	}
	const told = "My desk is made of oak, and I like it."
	l.says(told, "And the cost?", note(answer("made of oak", "probe"), "desk", "likes a wooden desk", "made of oak"))
	r := claims("a look-up is free", "probe", respond.Claim{Quote: "a look-up is free", Verdict: "wrong", Why: "Each is read."})
	l.says("And a look-up is free.", "Is it?", note(r, "cost", "look-ups are free", "a look-up is free"))
	if got := book(); !strings.Contains(got, ">likes a wooden desk<") || strings.Contains(got, "oak") || !strings.Contains(got, "look-ups are free") {
		t.Errorf("%s", got)
	}
	r = claims("no, each is read", "finish", respond.Claim{Quote: "a look-up is free", Verdict: "settled"})
	l.says("Oh no, each is read.", "Then your project: what was it?", note(r, "reading", "each is read in full", "each is read"))
	if got := book(); strings.Contains(got, "look-ups are free") {
		t.Errorf("in %s: %s", l.u.Stage, got)
	}
	l.says("Each is read in full, twice a day.", "Go on.", note(answer("Each is read in full", "probe"), "reading", "each is read in full, twice", "Each is read in full"))
	l.says("We saved 12 hours for Oona in the end.", "How?", note(answer("We saved 12 hours", "probe"), "result", "12 hours saved", "saved 12 hours"))
	for n := range 50 {
		l.says(fmt.Sprintf("Well, and then the %d things happened which I will tell at some length if there is room for it, as there is, I think, and we have the time and a chair. %s", n+100, strings.Repeat("And on. ", 40)), "And?", answer("which I will tell", "probe"))
	}
	if got := book(); !strings.Contains(got, "12 hours saved") || !strings.Contains(got, "Oona") || strings.Count(got, "reading (") != 1 || !strings.Contains(got, "129 things") {
		t.Errorf("%s", got)
	}
	l.replays()
}

// RM-11: a hint that leads to a way is not offered to who has found one: the interviewer may give one of its own.
func TestAHintThatDoesNotFitIsNotOffered(t *testing.T) {
	l := lead(t, "algorithm_coach")
	l.says("I know what goes in.", "How would you go about it?", answer("I know what goes in", "finish"))
	if got := l.brief(l.turn("I don't know.")); !strings.Contains(got, "The next hint") || !strings.Contains(got, "- hint: give the next hint") {
		t.Fatalf("the brief is\n%s", got)
	}
	found := answer("walk through it once", "finish")
	found.Covered = []respond.Cover{{Criterion: "user_approach", Level: 3, Quote: "walk through it once"}}
	l.replies(l.last(), "Think a little.", answer("I don't know", "ask"))
	l.says("I walk through it once and keep what I need.", "What does it cost?", found)
	if got := l.brief(l.turn("Hm. Give me a hint.")); l.u.Stage != "COMPLEXITY_ANALYSIS" || strings.Contains(got, "The next hint") || !strings.Contains(got, "- hint: a small hint of your own") {
		t.Errorf("in %s the brief is\n%s", l.u.Stage, got)
	}
	l.replies(l.last(), "How often do you walk?", wish("hint", "Give me a hint", "hint", ""))
	if l.u.Voids > 0 {
		t.Errorf("%d void", l.u.Voids)
	}
	l.replays()
}
