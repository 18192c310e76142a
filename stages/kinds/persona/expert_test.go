package persona_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/persona"
)

// stages of the interview that the tests hold.
var stages = []string{"choose", "interview", "done"}

// talk plays the engine's part: it keeps the board between turns, through JSON, as a journal does.
type talk struct {
	t       *testing.T
	experts []expert.Expert
	board   expert.Board
	said    []string
}

func newTalk(t *testing.T, fields map[string]any) *talk {
	return &talk{
		t: t, experts: generator(t).Experts(definition.Personas{Menu: "choose", Questions: "interview"}),
		board: expert.Board{CurrentStage: "choose", Locale: "en", Fields: fields, Types: map[string]string{"persona": "text", "role": "text", "questions": "list"}},
	}
}

// answer has the stage's expert answer a turn.
func (k *talk) answer(words string) expert.Response {
	k.t.Helper()
	k.board.Input = words
	k.board.Turns++
	k.board.History = append(k.board.History, evaluate.Turn{Role: evaluate.RoleUser, Content: words})
	var active []expert.Expert
	for _, e := range k.experts {
		if e.ShouldActivate(k.board) {
			active = append(active, e)
		}
	}
	if len(active) != 1 {
		k.t.Fatalf("%d experts are active in %s", len(active), k.board.CurrentStage)
	}
	r, err := expert.Safe(active[0], k.board, stages)
	if err != nil {
		k.t.Fatal(err)
	}
	k.take(r)
	return r
}

func (k *talk) take(r expert.Response) {
	k.t.Helper()
	raw, err := json.Marshal(r.Updates)
	if err != nil {
		k.t.Fatal(err)
	}
	var updates map[string]any
	if err := json.Unmarshal(raw, &updates); err != nil {
		k.t.Fatal(err)
	}
	if k.board.Fields == nil {
		k.board.Fields = map[string]any{}
	}
	if k.board.Secret.Fields == nil {
		k.board.Secret.Fields = map[string]any{}
	}
	for field, v := range updates {
		if field != expert.FieldExtra {
			k.board.Fields[field] = v
			continue
		}
		before, _ := k.board.Secret.Fields[field].(map[string]any)
		if before == nil {
			before = map[string]any{}
		}
		for name, value := range v.(map[string]any) {
			before[name] = value
		}
		k.board.Secret.Fields[field] = before
	}
	k.said = append(k.said, r.Message)
	k.board.History = append(k.board.History, evaluate.Turn{Role: evaluate.RoleAgent, Content: r.Message})
	if r.NextStage != "" {
		k.board.CurrentStage = r.NextStage
	}
}

func (k *talk) questions() []any {
	list, _ := k.board.Fields["questions"].([]any)
	return list
}

// noted are the answers on the board.
func (k *talk) noted() []any {
	extra, _ := k.board.Secret.Fields[expert.FieldExtra].(map[string]any)
	list, _ := extra[expert.FieldAnswers].([]any)
	return list
}

// R002-5, R002-7, R002-24, R002-25: a whole interview by rules: the menu, one clarification, introduction and first question
// as one message, five questions, no sixth.
func TestAnInterviewByRules(t *testing.T) {
	k := newTalk(t, nil)
	if r := k.answer("um, the developer"); r.NextStage != "" || !strings.Contains(r.Message, "Junior Developer") {
		t.Fatalf("%+v", r)
	}
	r := k.answer("the senior one")
	if r.NextStage != "interview" || !strings.Contains(r.Message, "senior developer here") || strings.Count(r.Message, "?") != 1 {
		t.Fatalf("%+v", r)
	}
	for n := 1; n < 5; n++ {
		if r := k.answer("I did this and that."); r.NextStage != "" || strings.Count(r.Message, "?") != 1 {
			t.Fatalf("after answer %d: %+v", n, r)
		}
	}
	last := k.answer("And that is my fifth answer.")
	if last.NextStage != "done" || strings.Contains(last.Message, "?") || !cmp.Equal(last.Flags, []string{persona.FlagAsked}) {
		t.Fatalf("%+v", last)
	}
	if n := len(k.questions()); n != 5 {
		t.Errorf("%d questions were asked", n)
	}
	extra, _ := k.board.Secret.Fields[expert.FieldExtra].(map[string]any)
	if extra[expert.FieldIndex] != 5.0 || extra[cast.FieldChosenBy] != "voice" || k.board.Fields["persona"] != persona.Senior {
		t.Errorf("the board ends with %v, %v", k.board.Fields, extra)
	}
}

// R002-5: unclear twice is HR.
func TestUnclearTwiceBeginsWithHR(t *testing.T) {
	k := newTalk(t, nil)
	k.answer("what")
	if r := k.answer("dunno really"); r.NextStage != "interview" || k.board.Fields["persona"] != persona.HR || !strings.Contains(r.Message, "human resources") {
		t.Errorf("%+v", r)
	}
}

// R002-6, R002-65: a persona and role that are set are taken; without a menu the first question has the introduction.
func TestAPersonaThatIsSet(t *testing.T) {
	k := newTalk(t, map[string]any{"persona": "exec", "job_description": "Position: Product Manager\nWe build maps."})
	k.board.CurrentStage = "interview"
	r := k.answer("Hello!")
	if !strings.Contains(r.Message, "executive side") || strings.Contains(r.Message, "Junior Developer") || k.board.Fields["role"] != "Product Manager" {
		t.Errorf("%+v, %v", r, k.board.Fields)
	}
	k = newTalk(t, map[string]any{"persona": "exec"})
	if r := k.answer("Hi."); r.NextStage != "interview" || k.board.Fields["persona"] != persona.Executive || k.board.Fields["role"] != "Junior Data Analyst" {
		t.Errorf("%+v, %v", r, k.board.Fields)
	}
}

// An interviewer who was interrupted has asked all the same: the answers that follow stay with their questions.
func TestAnInterruptedQuestionKeepsItsAnswer(t *testing.T) {
	k := newTalk(t, map[string]any{"persona": "hr"})
	k.answer("Hi.")
	k.answer("First answer.")
	last := len(k.board.History) - 1
	words := strings.Fields(k.board.History[last].Content)
	k.board.History[last].Content = strings.Join(words[:5], " ")
	second, _ := k.questions()[1].(string)
	if r := k.answer("Cutting in with a second answer."); r.Answered == nil || r.Answered.Question != second {
		t.Errorf("%+v", r.Answered)
	}
	if diff := cmp.Diff([]any{"First answer.", "Cutting in with a second answer."}, k.noted()); diff != "" {
		t.Error(diff)
	}
}

// R002-34, R002-35: what answers a question, with its turns: requests and questions back are none of it, and an answer that goes on is
// one. The menu answers nothing.
func TestWhatIsAnswered(t *testing.T) {
	k := newTalk(t, nil)
	if r := k.answer("The senior one."); r.Answered != nil {
		t.Fatalf("the menu is judged: %+v", r.Answered)
	}
	question, _ := k.questions()[0].(string)
	for _, words := range []string{"What do you mean by that?", "Could you give me an example?", "Sorry?"} {
		r := k.answer(words)
		if r.Answered != nil || !strings.HasSuffix(r.Message, question) || len(k.questions()) != 1 {
			t.Errorf("%q: %+v", words, r)
		}
	}
	k.board.History = append(k.board.History, evaluate.Turn{ID: 7, Role: evaluate.RoleUser, Content: "I built a billing service."})
	r := k.answer("And I ran it for two years.")
	want := &expert.Answered{
		Question: question, Number: 1, Turns: []uint64{7},
		Vars: map[string]string{"persona": persona.Senior, "interviewer": "Senior Developer", "role": persona.DefaultRole},
	}
	if diff := cmp.Diff(want, r.Answered); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"I built a billing service. And I ran it for two years."}, k.board.Secret.Fields[expert.FieldExtra].(map[string]any)[expert.FieldAnswers]); diff != "" {
		t.Error(diff)
	}
}

// R002-34: whoever says to the first question, which comes in one message with the introduction, no more than that they are
// ready hears it again, once: that is no answer, and none that is judged.
func TestReadyIsNoAnswer(t *testing.T) {
	for locale, turns := range map[string][]string{
		"en": {"Yes, I am ready.", "Yes, I’m ready to start.", "Hello!", "Okay, let's go.", "Sure, all good."},
		"zh": {"我准备好了。", "好的，可以开始了。", "嗯，好。", "你好！"},
		"vi": {"Vâng, tôi sẵn sàng.", "Dạ, tôi đã sẵn sàng rồi.", "Được, bắt đầu đi."},
	} {
		for _, words := range turns {
			k := newTalk(t, map[string]any{"persona": "hr"})
			k.board.Locale = locale
			k.answer("Hello.")
			question, _ := k.questions()[0].(string)
			r := k.answer(words)
			if !strings.HasSuffix(r.Message, question) || r.Message == question || r.Answered != nil || len(k.questions()) != 1 {
				t.Errorf("%q is taken for an answer: %+v", words, r)
			}
			r = k.answer("I studied statistics and cleaned data for two years.")
			if len(k.questions()) != 2 || r.Answered == nil || r.Answered.Number != 1 {
				t.Fatalf("%q: the answer is not taken: %+v", words, r)
			}
			if diff := cmp.Diff([]any{"I studied statistics and cleaned data for two years."}, k.noted()); diff != "" {
				t.Errorf("%q: %s", words, diff)
			}
			if r = k.answer(words); len(k.questions()) != 3 || r.Answered == nil {
				t.Errorf("%q to the second question: %+v", words, r)
			}
		}
	}
}

// R002-34: once is enough, and an answer that begins so and goes on is one.
func TestReadyOnceOnly(t *testing.T) {
	k := newTalk(t, map[string]any{"persona": "hr"})
	k.answer("Hello.")
	k.answer("Yes, I am ready.")
	if r := k.answer("I am ready, let's start."); len(k.questions()) != 2 || r.Answered == nil {
		t.Errorf("a second time: %+v", r)
	}
	for locale, words := range map[string]string{
		"en": "Yes, I'm ready, I studied statistics.", "zh": "准备好了，我学统计。", "vi": "Vâng, tôi học thống kê.",
	} {
		k := newTalk(t, map[string]any{"persona": "hr"})
		k.board.Locale = locale
		k.answer("Hello.")
		if r := k.answer(words); len(k.questions()) != 2 || r.Answered == nil || !cmp.Equal(k.noted(), []any{words}) {
			t.Errorf("%q is not taken: %+v", words, r)
		}
	}
}

// A question of which nobody has heard enough was not asked: it comes again, without the introduction that was heard, and is
// not counted twice.
func TestAQuestionThatNobodyHeard(t *testing.T) {
	k := newTalk(t, map[string]any{"persona": "senior"})
	first := k.answer("Hello.")
	question, _ := k.questions()[0].(string)
	last := len(k.board.History) - 1
	k.board.History[last].Content = strings.Join(strings.Fields(first.Message)[:9], " ")
	r := k.answer("Yes, hello, can you hear me?")
	if r.Message != question || len(k.questions()) != 1 || r.Answered != nil {
		t.Errorf("%+v, %v", r, k.questions())
	}
	words := strings.Fields(first.Message)
	if k.board.History[last].Content = strings.Join(words[:len(words)-3], " "); len(k.questions()) != 1 {
		t.Fatal("the test's own talk is broken")
	}
	if r = k.answer("I built a service."); len(k.questions()) != 2 || r.Answered == nil || r.Answered.Question != question {
		t.Errorf("most of it was heard: %+v", r)
	}
}

// What is said before a question that is put once more depends on why, asks nothing itself, and changes; without a question of
// its own an expert says nothing.
func TestPuttingAQuestionOnceMore(t *testing.T) {
	for _, locale := range []string{"en", "zh", "vi"} {
		k := newTalk(t, map[string]any{"persona": "hr"})
		k.board.Locale = locale
		e, _ := k.experts[1].(expert.Repeater)
		k.board.CurrentStage = "interview"
		if text := e.Repeat(k.board, expert.OnSilence); text != "" {
			t.Errorf("before the first question: %q", text)
		}
		k.answer("Hello.")
		question, _ := k.questions()[0].(string)
		seen := make(map[string]bool)
		for _, why := range []expert.Occasion{expert.OnRequest, expert.OnSilence, expert.OnSimpler, expert.OnReturn} {
			text := e.Repeat(k.board, why)
			if !strings.HasSuffix(text, question) || strings.Count(text, "?")+strings.Count(text, "？") != 1 || seen[text] || len(text) == len(question) {
				t.Errorf("%s, %s: %q", locale, why, text)
			}
			seen[text] = true
		}
		one := e.Repeat(k.board, expert.OnSilence)
		k.board.History = append(k.board.History, evaluate.Turn{Role: evaluate.RoleAgent, Content: one})
		if e.Repeat(k.board, expert.OnSilence) == one {
			t.Errorf("%s: the same words twice", locale)
		}
	}
}

// R002-61: the number of questions is the definition's.
func TestTheNumberOfQuestionsIsSet(t *testing.T) {
	k := newTalk(t, map[string]any{"persona": "hr"})
	k.experts = generator(t).Experts(definition.Personas{Menu: "choose", Questions: "interview", Count: 2})
	k.answer("Hi.")
	k.answer("First.")
	if r := k.answer("Second answer."); r.NextStage != "done" || len(k.questions()) != 2 {
		t.Errorf("%+v", r)
	}
}
