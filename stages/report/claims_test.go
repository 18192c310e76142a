package report_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// RM-31: a claim that is listed again counts as it was listed last or was settled, however the talk dealt with it, and is told once, if there
// is a reason in the language of the report: as settled, or as it was said. A right one without a reason for its reader is counted and not printed.
func TestClaimsAsTheyEnded(t *testing.T) {
	src := talked(t)
	claim := func(quote, verdict, why string, turn uint64) state.Claim {
		return state.Claim{Quote: quote, Verdict: verdict, Why: why, Turn: turn, Stage: "QUESTIONS"}
	}
	src.State.Covered, src.State.Claims = nil, []state.Claim{
		claim("finds a key in constant time", state.ClaimWrong, "not with collisions; still to take up", 1),
		claim("finds a key in constant time", state.ClaimWrong, "taken up and told", 2),
		claim("finds a key in constant time", state.ClaimRight, "settled", 3),
		claim("the billing rebuild", state.ClaimContradicts, "he said that he built nothing", 2),
		claim("It fell by forty percent", state.ClaimRight, "traced", 4),
		{Quote: "for two years", Verdict: state.ClaimWrong, Why: "it was one and a half", Turn: 2, Stage: "QUESTIONS", Settled: true},
		claim("whatever the keys", state.ClaimWrong, "键不同就不同", 1),
		claim("not measure anything", state.ClaimWrong, "what is not measured cannot be improved; asked now", 5),
	}
	src.State.Notebook = []state.Note{
		{ID: "part", Quote: "the billing rebuild", Turn: 2, Stage: "QUESTIONS"}, {ID: "part", Quote: "It fell by forty percent", Turn: 4, Stage: "QUESTIONS"},
	}
	r := build(t, src)
	var got []string
	for _, p := range r.Stages[1].Points {
		if p.Kind != report.PointTold {
			got = append(got, p.Text)
		}
	}
	want := []string{
		"Not right at first: not with collisions.",
		"Not right at first: it was one and a half.", // a remark about somebody is not for them, nor one in another language
		"Not right as you said it: what is not measured cannot be improved.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || names(r.Improvements) != "not measure anything" || len(r.Strengths) != 0 {
		t.Errorf("%s\n%+v, %+v", strings.Join(got, "\n"), r.Strengths, r.Improvements)
	}
	if !strings.Contains(r.Spoken, "right: 1; put right later: 2; not right: 3") || len(r.NextSteps) != 1 || !strings.Contains(r.NextSteps[0].Text, "cannot be improved") {
		t.Errorf("%s %+v", r.Spoken, r.NextSteps)
	}
}

// RM-30: what is noted of a part is particular facts, few of them: no questions to the interviewer, no requests, no feelings. The ids of notes are not
// printed.
func TestNotesAreFacts(t *testing.T) {
	src := talked(t)
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	src.Rules, src.State.Covered, src.State.Claims, src.State.Notebook = rules, nil, nil, nil
	for i, text := range []string{
		"We moved nine services in two years.", "The night job took forty minutes.", "Two people left in March.", "The bill was eleven thousand euros.",
		"I wrote the matching step alone.", "The customers called ninety times a month.", "It is twelve calls a month now.", "And how long will this interview still take?",
		"I am so nervous, I can hardly think.", "So you won't tell me. Great.",
	} {
		id := uint64(10 + i)
		src.State.Turns = append(src.State.Turns, state.Turn{ID: id, Speaker: state.SpeakerCandidate, Stage: "QUESTIONS", Visit: 1, At: state.Millis(1000 * id), Text: text})
		src.State.Notebook = append(src.State.Notebook, state.Note{ID: "old_lady" + string(rune('a'+i)), Quote: text, Turn: id, Stage: "QUESTIONS"})
	}
	r := build(t, src)
	noted := r.Stages[1].Noted()
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(md), "## Transcript")
	if len(noted) != 3 || strings.Contains(text, "?") || strings.Contains(text, "nervous") || strings.Contains(text, "ady") {
		t.Errorf("%d notes\n%s", len(noted), text)
	}
}

// R002-51: an answer is printed without the candidate's own questions; those that somebody else asked in it stay.
func TestAnswersWithoutQuestions(t *testing.T) {
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	src := small(t, csc(4, 4, 4))
	src.Rules = rules
	src.State.Turns[0].Text = `I asked her, "who are these begonias for?" and she laughed. What are you looking for in somebody like me?`
	if q := build(t, src).Questions[0]; q.Answer != `I asked her, "who are these begonias for?" and she laughed.` {
		t.Errorf("%q", q.Answer)
	}
}
