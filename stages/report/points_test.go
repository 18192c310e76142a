package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// talked is an interview without questions in which things were noted, covered and claimed.
func talked(t testing.TB) report.Source {
	t.Helper()
	src := small(t)
	src.Expected = 0
	said := []string{
		"A hash map always finds a key in constant time, whatever the keys.", "I led the billing rebuild for two years.",
		"Ah, with collisions a hash map can take linear time.", "It fell by forty percent.", "I would not measure anything there.",
	}
	for i, text := range said {
		src.State.Turns = append(src.State.Turns, state.Turn{
			ID: uint64(i + 1), Speaker: state.SpeakerCandidate, Stage: "QUESTIONS", Visit: 1, At: state.Millis(1000 * (i + 1)), Text: text,
		})
	}
	src.State.Visits = []state.StageVisit{{Stage: "QUESTIONS", Visit: 1, Turns: len(said), Help: state.Help{HintLevel: 1}}}
	src.State.Notebook = []state.Note{
		{ID: "project", Value: "billing", Quote: "billing", Turn: 2, Stage: "QUESTIONS"},
		{ID: "project", Value: "billing rebuild", Quote: "the billing rebuild", Turn: 2, Stage: "QUESTIONS"},
		{ID: "team", Value: "nine", Quote: "nine people", Turn: 2, Stage: "QUESTIONS"}, // nobody said that
		{ID: "mood", Value: "tired", Quote: "for two years", Turn: 2, Stage: "QUESTIONS"},
	}
	cover := func(criterion string, level int, quote string, turn uint64) state.Cover {
		return state.Cover{Criterion: criterion, Level: level, Quote: quote, Turn: turn, Stage: "QUESTIONS"}
	}
	src.State.Covered = []state.Cover{
		cover("result", 1, "two years", 2), cover("result", 3, "It fell by forty percent", 4), cover("purpose", 3, "It fell by forty percent", 4), cover("measuring", 1, "not measure anything", 5),
		cover("teamwork", 3, "we all agreed", 2), // nobody said that
	}
	src.State.Claims = []state.Claim{
		{Quote: "finds a key in constant time", Verdict: state.ClaimWrong, Why: "collisions make a hash map slower.", Turn: 1, Stage: "QUESTIONS", Taken: true, Settled: true},
		{Quote: "a hash map can take linear time", Verdict: state.ClaimRight, Why: "with many collisions it is linear", Turn: 3, Stage: "QUESTIONS"},
		{Quote: "It fell by forty percent", Verdict: state.ClaimUnchecked, Turn: 4, Stage: "QUESTIONS"},
		{Quote: "not measure anything", Verdict: state.ClaimWrong, Why: "what is not measured cannot be improved", Turn: 5, Stage: "QUESTIONS"},
	}
	return src
}

// RM-30, RM-31: a report without scores tells what was told, covered, right and wrong, each with its quote; what nobody said is left
// out, the later note and level count, and what was put right is progress and no weakness.
func TestPointsOfAPart(t *testing.T) {
	r := build(t, talked(t))
	s := r.Stages[1]
	var got []string
	for _, p := range s.Points {
		quote := "-"
		if p.Quote != nil {
			quote = p.Quote.Text
		}
		got = append(got, p.Kind+" "+p.Text+" | "+quote)
	}
	want := []string{
		"covered What came of it: only touched on at first, covered in full in the end. | It fell by forty percent",
		"covered Measuring: only touched on. | not measure anything",
		"wrong Not right at first: collisions make a hash map slower. | finds a key in constant time",
		"right Right: with many collisions it is linear. | a hash map can take linear time",
		"wrong Not right as you said it: what is not measured cannot be improved. | not measure anything",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if s.Answers != 5 || r.Coverage.Answers != 5 || r.Overall != nil || r.Status != report.Unscored || noted(r, "nothing_said") {
		t.Errorf("%+v, %s, %+v", r.Coverage, r.Status, r.Notes)
	}
	strong, weak := names(r.Strengths), names(r.Improvements)
	if strong != "what came of it" || weak != "measuring, not measure anything" {
		t.Errorf("strengths %s; to improve %s", strong, weak)
	}
	if len(r.NextSteps) != 2 || !strings.Contains(r.NextSteps[0].Text, "measuring") || !strings.Contains(r.NextSteps[1].Text, "not measure anything") {
		t.Errorf("%+v", r.NextSteps)
	}
	if !strings.Contains(r.Spoken, "right: 1; put right later: 1; not right: 1") || strings.Contains(r.Spoken, "hash") {
		t.Errorf("said: %s", r.Spoken)
	}
}

func names(findings []report.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}

// RM-30: what somebody wrote and the hints they had stand with the part, in every form.
func TestCodeAndHintsOfAPart(t *testing.T) {
	src := talked(t)
	def := *src.Definition
	def.Report = &definition.Report{Code: "pseudocode"}
	def.Stages = append([]definition.Stage(nil), def.Stages...)
	def.Stages[1].Limits.Hints = 3
	src.Definition = &def
	raw, err := json.Marshal("for x in list:\n    return x")
	if err != nil {
		t.Fatal(err)
	}
	src.State.Fields = map[string]state.Field{"pseudocode": {Value: raw, Visit: 1}}
	r := build(t, src)
	if s := r.Stages[1]; s.Code == nil || s.Code.Lines != 2 || s.Hints == nil || *s.Hints != 1 {
		t.Fatalf("%+v", s)
	}
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	html, err := report.HTML(r, report.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(md), string(html)} {
		for _, want := range []string{"    return x", "hints: 1", "a hash map can take linear time"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in the report", want)
			}
		}
	}
}

// RM-2, RM-31: requests, refusals, questions and silence are no answers, and a question that only got those was not answered.
func TestOnlyAnswersCount(t *testing.T) {
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	for text, answered := range map[string]bool{
		"I wrote a script that checks the feed before it is loaded.": true,
		"A heap?": true,
		"How long is this interview going to take?": false,
		"I would rather not say.":                   false,
		"Could you repeat the question, please?":    false,
		"…":                                         false,
	} {
		src := small(t, csc(4, 4, 4), csc(4, 4, 4))
		src.Rules, src.State.Turns[1].Text = rules, text
		r := build(t, src)
		want := 1
		if answered {
			want = 2
		}
		if r.Coverage.Answered != want || r.Coverage.Answers != want || strings.Contains(r.Spoken, "You answered all") != answered {
			t.Errorf("%q: %+v, %s", text, *r.Coverage, r.Spoken)
		}
	}
}

// RX-20: what a point gives away is not for the candidate.
func TestPointsAreGuarded(t *testing.T) {
	r := build(t, talked(t))
	own := report.ForCandidate(r, func(text string) bool { return strings.Contains(text, "collisions") })
	if len(own.Stages[1].Points) != len(r.Stages[1].Points)-2 {
		t.Errorf("%+v", own.Stages[1].Points)
	}
}

// An answer stands with the question before it alone, and a wish for a hint answers none.
func TestAnswersToQuestionsInStore(t *testing.T) {
	src := talked(t)
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	src.Rules, src.State.Turns, src.State.Claims = rules, nil, nil
	for i, text := range []string{
		"What happens if the list is empty?", "A small hint would help me.", "What happens if a note points to itself?", "Take your time.",
		"What happens near the end?", "I would return nothing there, since the loop does not run at all.",
	} {
		speaker := state.SpeakerAgent
		if i == 1 || i == 5 {
			speaker = state.SpeakerCandidate
		}
		src.State.Turns = append(src.State.Turns, state.Turn{ID: uint64(i + 1), Speaker: speaker, Stage: "QUESTIONS", Visit: 1, At: state.Millis(1000 * i), Text: text})
	}
	for i, turn := range []int{0, 2, 4} {
		src.State.Queue = append(src.State.Queue, state.Queued{ID: uint64(i + 1), Text: src.State.Turns[turn].Text, Status: state.Answered, Visit: 1})
	}
	var got []string
	for _, p := range build(t, src).Stages[1].Points {
		if p.Kind == report.PointAsked || p.Kind == report.PointOpen {
			got = append(got, p.Kind+" "+p.Name)
		}
	}
	want := "open What happens if the list is empty?; open What happens if a note points to itself?; asked What happens near the end?"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}
