package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

const (
	lunch  = "We tried it this way and that way, and in between we had lunch."
	clinic = "We built a booking system for a clinic, and I was responsible for the part with the doctors."
)

// asked is a talk with numbered questions, and the turns that were judged with each.
func asked(t *testing.T, questions map[string][]uint64, said ...string) *report.Report {
	t.Helper()
	src := plain(t, said...)
	for _, s := range said {
		if text, is := strings.CutPrefix(s, "> "); is {
			if turns, numbered := questions[text]; numbered && !slices.ContainsFunc(src.Asked, func(a report.Asked) bool { return a.Text == text }) {
				src.Asked = append(src.Asked, report.Asked{Text: text, Turns: turns, Judged: report.Judged{Missing: report.ReasonNothing}})
			}
		}
	}
	return build(t, src)
}

// RM-31: what a turn was cut off in is no answer: neither the begin of what was said before, nor the end of a sentence that began before the question.
func TestStumpsAnswerNothing(t *testing.T) {
	const first, second, third = "What do you do?", "What did you learn?", "And what then?"
	r := asked(t, map[string][]uint64{first: {2}, second: {4}, third: {6}},
		"> "+first, lunch+" "+clinic+" The meeting room was full,",
		"> "+second, "and the coffee was cold again. I learned to write tests before the code. We tried",
		"> "+third, "yes")
	for i, want := range []string{lunch + " " + clinic + " The meeting room was full,", "I learned to write tests before the code.", "yes"} {
		if got := r.Questions[i].Answer; got != want {
			t.Errorf("%d: %q, want %q", i+1, got, want)
		}
	}
	if r.Questions[0].Excerpt || !r.Questions[1].Excerpt {
		t.Errorf("%+v", r.Questions)
	}
}

// RM-31: an answer says whether something is left out of it, and whether it is to this question alone.
func TestAnswersAreCalledWhatTheyAre(t *testing.T) {
	const first, second = "What do you do?", "What did you learn?"
	r := asked(t, map[string][]uint64{first: {2, 4}, second: {8}},
		"> "+first, lunch, "> How did that end?", clinic,
		"> "+second, "No idea.", "> What surprised you, then?", "I learned that people come early when the bus is late.")
	md, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**The answer, in several turns**", "**From what you answered**"} {
		if !strings.Contains(string(md), want) {
			t.Errorf("there is no %q in\n%s", want, md)
		}
	}
	src := plain(t, "> "+first, lunch, "> What did you …", clinic)
	src.State.Turns[2].Interrupted = true
	src.Asked = []report.Asked{{Text: first, Turns: []uint64{2}}, {Text: second, Turns: []uint64{4}}}
	if got := build(t, src).Questions; len(got[1].Turns) != 1 || got[1].Answer != clinic || strings.Contains(got[0].Answer, clinic) { // cut off, it is the same question
		t.Errorf("%+v", got)
	}
	src.Asked = []report.Asked{{Text: first, Turns: nil}}
	if got := build(t, src).Questions; got[0].Answer != lunch {
		t.Errorf("%+v", got)
	}
	r = asked(t, map[string][]uint64{first: nil}, "> "+first, "Could we skip this part?", "> Are you sure?", "Yes.", "> Let us take it up again: "+first, clinic)
	if got := r.Questions[0]; got.Answer != clinic || len(got.Turns) != 1 { // it was put again
		t.Errorf("%+v", got)
	}
}

// held is the part with the questions.
func held(r *report.Report) report.Stage {
	return r.Stages[slices.IndexFunc(r.Stages, func(s report.Stage) bool { return s.ID == "QUESTIONS" })]
}

// RM-31: what an answer quotes as code holds none of the talk around it.
func TestSpokenCodeAlone(t *testing.T) {
	const code = "I set a result to zero, then for each element I add it, and at the end I return the result."
	src := plain(t, "> What happened?", lunch, "> And the code?", lunch+" "+code)
	src.Definition.Report = &definition.Report{Code: "code"}
	src.State.Fields = map[string]state.Field{"code": {Value: []byte(`"` + lunch + " " + code + `"`), Visit: 1}}
	if got := held(build(t, src)).Code; got == nil || got.Text != code {
		t.Errorf("%+v", got)
	}
	src.State.Fields["code"] = state.Field{Value: []byte(`"` + lunch + `"`), Visit: 1}
	if got := held(build(t, src)).Code; got != nil {
		t.Errorf("%+v", got)
	}
}

// RM-31: words that go on with what was said in a part are not quoted under the next, whether its time limit cut them off or it was over.
func TestWhatTheLimitCutOff(t *testing.T) {
	src := plain(t, "> What do you do?", "I teach,", "and "+clinic, "> What did you learn?", "I learned to write tests before the code of a new part.")
	src.State.Visits = append(src.State.Visits, state.StageVisit{Stage: "QUESTIONS", Item: "next", Visit: 2})
	src.State.SubPhases = &state.SubPhases{Stage: "QUESTIONS", Items: []state.Phase{{ID: "", Name: "First"}, {ID: "next", Name: "Next"}}}
	for i := range src.State.Turns {
		if i > 1 {
			src.State.Turns[i].Visit = 2
		}
	}
	for _, reason := range []string{"deadline", "complete"} {
		src.State.Visits[0].Reason = reason
		var all []string
		for _, s := range build(t, src).Stages {
			if s.Item == "next" {
				all = append(all, quotes(s)...)
			}
		}
		if slices.ContainsFunc(all, func(q string) bool { return strings.Contains(q, "clinic") }) {
			t.Errorf("%s: quoted are %q", reason, all)
		}
	}
}

// A report that is made while the talk goes on says until when it has it.
func TestReportBeforeTheEnd(t *testing.T) {
	src := plain(t, "> What do you do?", clinic)
	for ended, want := range map[string]bool{"": true, "done": false} {
		src.State.Ended = ended
		r := build(t, src)
		md, err := report.Markdown(r)
		if err != nil || r.Ongoing != want || strings.Contains(string(md), "while the talk was still going on") != want {
			t.Errorf("%q: %v %v", ended, r.Ongoing, err)
		}
	}
}

// R002-63: who came to the end of every part has not stopped early, however few of the questions were judged.
func TestEarlyIsNotWhatCameToItsEnd(t *testing.T) {
	for reason, want := range map[string]bool{"complete": false, "deadline": true} {
		src := plain(t, "> What do you do?", clinic)
		src.Expected, src.State.Ended = 5, "done"
		src.State.Visits = nil
		for i, st := range src.Definition.Stages {
			src.State.Visits = append(src.State.Visits, state.StageVisit{Stage: st.ID, Visit: uint64(10 + i), Reason: "complete"})
			if st.ID == "QUESTIONS" {
				src.State.Visits[i].Visit, src.State.Visits[i].Reason = 1, reason
			}
		}
		src.Asked = []report.Asked{{Text: "What do you do?", Turns: []uint64{2}, Judged: report.Judged{Missing: report.ReasonNothing}}}
		if r := build(t, src); r.Coverage.Early != want {
			t.Errorf("%s: %+v", reason, r.Coverage)
		}
	}
}

// RM-31: a cost that is a good solution's is called right, but not where the talk came to another one for the candidate's own.
func TestACostThatWasDisputedIsNotRight(t *testing.T) {
	src := plain(t, "> What does it cost?", "The time complexity is O of n, and the space complexity is O of one.")
	src.Cost = problem.Cost{Time: "O(n)", Space: "O(1)"}
	src.Definition.Stage("QUESTIONS").Done.Mentions = "complexity"
	for _, disputed := range []bool{false, true} {
		src.State.Flags = map[string]bool{"complexity_disputed": disputed}
		right := 0
		for _, p := range held(build(t, src)).Points {
			if p.Kind == report.PointRight {
				right++
			}
		}
		if want := map[bool]int{false: 2, true: 0}[disputed]; right != want {
			t.Errorf("disputed %v: %d costs are right, want %d", disputed, right, want)
		}
	}
}
