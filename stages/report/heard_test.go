package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// RM-17: what a model alone took for somebody's role stands in the report in its whole sentence and under no name; what the rules hear, too,
// keeps its name; and a remark is no fact at all.
func TestFactsThatAModelAloneTook(t *testing.T) {
	for text, want := range map[string]string{
		"We have to serve three big cities from the first day.":   "",
		"I work as a backend engineer at a payments company.":     "role",
		"My neighbour bought a red bicycle by the sea last year.": "none",
	} {
		src := plain(t, text)
		def := *src.Definition
		def.Stages = slices.Clone(def.Stages)
		at := def.Index("QUESTIONS")
		def.Stages[at].Slots = []definition.Slot{{ID: "role", Hint: "their role"}}
		src.Definition = &def
		words := strings.Join(strings.Fields(text)[:6], " ")
		src.State.Slots = map[string]state.Slot{"role": {Status: state.SlotFilled, Value: words, Turn: 1, By: "model"}}
		var told []report.Point
		for _, p := range build(t, src).Stages[1].Points {
			if p.Kind == report.PointTold {
				told = append(told, p)
			}
		}
		switch {
		case want == "none" && slices.ContainsFunc(told, func(p report.Point) bool { return p.Name != "" }),
			want != "none" && (len(told) != 1 || strings.TrimSuffix(text, ".") != strings.TrimSuffix(told[0].Quote.Text, ".") || (told[0].Name == "") != (want == "")):
			t.Errorf("%s: %+v", text, told)
		}
	}
}

// RM-30: what was said after a question is told as that, whether or not it was taken for an answer; not what came after something else was
// said at length, and the interviewer had gone on.
func TestWhatWasSaidAfterAQuestion(t *testing.T) {
	const question, answer = "What happens if a stall would lose money?", "I would also test one that loses money, because the loop might skip the stall."
	for name, c := range map[string]struct {
		said []string
		want string
	}{
		"answered":   {[]string{answer}, report.PointAsked},
		"unanswered": {[]string{"Could you give me a hint?"}, report.PointOpen},
		"too late":   {[]string{"You are useless, this whole interview is a joke and I will not cooperate with a machine.", "> Let us leave it there.", answer}, ""},
	} {
		src := plain(t, append([]string{"I would look at each stall once, from the first one on.", "> " + question}, c.said...)...)
		src.State.Queue = []state.Queued{{ID: 1, Text: question, Status: state.Asked, Visit: 1}}
		points := build(t, src).Stages[1].Points
		at := slices.IndexFunc(points, func(p report.Point) bool { return p.Name == question })
		if c.want == "" && at >= 0 || c.want != "" && (at < 0 || points[at].Kind != c.want) {
			t.Errorf("%s: %+v", name, points)
		}
	}
}

// R002-52: one good answer of five is no strength of the talk.
func TestOneAnswerIsNotTypical(t *testing.T) {
	none := []evaluate.Mark{{Criterion: "clarity"}, {Criterion: "specificity"}, {Criterion: "confidence"}}
	confident := func() []evaluate.Mark {
		m := csc(4, 4, 4)
		m[0].Status, m[1].Status = evaluate.StatusNotAssessed, evaluate.StatusNotAssessed
		return m
	}
	if r := build(t, small(t, confident(), none, none, none, none)); len(r.Strengths) > 0 || strings.Contains(r.Spoken, "stood out") {
		t.Errorf("%+v %s", r.Strengths, r.Spoken)
	}
	if r := build(t, small(t, confident(), confident(), none)); len(r.Strengths) == 0 {
		t.Error("two of three are")
	}
}

// RM-31: what was told after a numbered question belongs to it, although a model took it for no answer.
func TestWhatTheTalkPassedOver(t *testing.T) {
	const addition = "I also look after the printers on our floor, and nobody else wants to do that, to be honest."
	const first, passed, second = "What did you learn?", "We built a booking system for a clinic, and I was responsible for the part with the doctors.", "What surprised you?"
	src := plain(t, "> "+first, passed, "> "+second, "Let me think for a moment.", "Sorry, could you tell me how many questions there are, before I go on with this one?")
	closing := plain(t, "> Is there anything you would like to add?", addition).State.Turns
	for i := range closing {
		closing[i].ID, closing[i].At = closing[i].ID+5, closing[i].At+5000
	}
	src.State.Turns = append(src.State.Turns, closing...)
	for _, i := range []int{1, 3, 4, 6} {
		src.State.Turns[i].Aside = true
	}
	unanswered := report.Judged{Missing: report.ReasonUnanswered}
	src.Asked = []report.Asked{{Text: first, Judged: unanswered}, {Text: second, Judged: unanswered}}
	q := build(t, src).Questions
	if q[0].Answer != passed || q[0].Reason.Code != report.ReasonNothing {
		t.Errorf("%+v", q[0])
	}
	if q[1].Answer != "" || q[1].Reason.Code != report.ReasonUnanswered {
		t.Errorf("%+v", q[1])
	}
}

// A sound that means something behind other words is a filler where it stands alone.
func TestFillersThatStandAlone(t *testing.T) {
	src := heard(t)
	src.Locale = "zh"
	src.State.Turns[3].Text = "啊，我是老师，那挺好的啊。啊，哦，对。"
	want := []report.Count{{Word: "啊", Count: 2}, {Word: "哦", Count: 1}}
	if got := build(t, src).Delivery.Fillers; !slices.Equal(want, got) {
		t.Errorf("%+v", got)
	}
}

// R002-45: fillers are those of all that was spoken, also over the interviewer's voice; and two waits are not called typical.
func TestFillersOfAllThatWasSpoken(t *testing.T) {
	src := heard(t)
	src.State.Turns[3].Text = strings.Repeat("Um, well, wait, one more thing. ", 9)
	src.Journal = slices.DeleteFunc(src.Journal, func(e state.Entry) bool { return e.At == 15_700 })
	r := build(t, src)
	if n := r.Delivery.Fillers; len(n) == 0 || n[0].Word != "um" || n[0].Count != 11 {
		t.Errorf("%+v", n)
	}
	md, err := report.Markdown(r)
	if err != nil || strings.Contains(string(md), "typical wait") {
		t.Errorf("%v: a wait of one answer is typical:\n%s", err, md)
	}
}

// RM-31: after a change of languages, parts are called in that of the report.
func TestPartsAreCalledInTheReportsLanguage(t *testing.T) {
	src := plain(t, "We need two tables here, one for the users and one for their orders.")
	src.State.Visits[0].Item = "data"
	src.State.SubPhases = &state.SubPhases{Stage: "QUESTIONS", Items: []state.Phase{{ID: "data", Name: "数据设计", Names: map[string]string{"en": "Data Design", "zh": "数据设计"}}}}
	if s := build(t, src).Stages; !slices.ContainsFunc(s, func(s report.Stage) bool { return s.Title == "Data Design" }) {
		t.Errorf("%+v", s)
	}
}

// RM-30: a model that leads says itself which of its words were a hint: none is counted that nobody had use for.
func TestHintsThatSomebodyNeeded(t *testing.T) {
	for text, want := range map[string]int{"I keep two pointers, one from each end.": 0, "Could you give me a hint, please?": 1} {
		src := plain(t, text, "I move the one at the smaller number inwards.")
		def := *src.Definition
		def.Stages = slices.Clone(def.Stages)
		def.Stages[def.Index("QUESTIONS")].Limits.Hints = 3
		src.Definition, src.State.Model = &def, true
		src.State.Visits[0].HintLevel = 1
		if got := build(t, src).Stages[1].Hints; got == nil || *got != want {
			t.Errorf("%s: %v hints", text, got)
		}
		src.State.Model = false
		if got := build(t, src).Stages[1].Hints; got == nil || *got != 1 {
			t.Errorf("%s: %v hints by rules", text, got)
		}
	}
}
