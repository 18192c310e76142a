package twostage_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
	"github.com/vivavoice/viva/stages/structured"
)

// spoken is an interview's stage with a reference answer.
func spoken(said ...string) evaluate.Item {
	it := evaluate.Item{ID: "COMPLEXITY_ANALYSIS#3.1", PhaseName: "Complexity", Question: "Two numbers that add up to a target: what does it cost?", Reference: "O(n)"}
	for i, text := range said {
		it.Turns = append(it.Turns,
			evaluate.Turn{ID: uint64(2*i + 10), Role: evaluate.RoleAgent, Content: "Is it n squared? You must keep a hash map, given an array."},
			evaluate.Turn{ID: uint64(2*i + 11), Role: evaluate.RoleUser, Content: text})
	}
	return it
}

func judge(t *testing.T, it evaluate.Item) evaluate.Evaluation {
	t.Helper()
	e, err := evaluator(t).Evaluate(it)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// R004-65, R004-66: spoken inputs are entities, data held state variables, operations actions, limits constraints, and
// the stated class is the prediction. What the interviewer says does not count.
func TestSpokenAnswer(t *testing.T) {
	got := judge(t, spoken(
		"We're given an array of integers and a target.",
		"I keep a hash map from value to index. For each number I look up the difference. I must not use an element twice.",
		"So it runs in linear time, with O of n space."))
	framing := []evaluate.Quote{
		{Turn: 11, Text: "We're given an array of integers and a target."}, {Turn: 13, Text: "I keep a hash map from value to index."},
		{Turn: 13, Text: "For each number I look up the difference."}, {Turn: 13, Text: "I must not use an element twice."},
	}
	costs := []evaluate.Quote{{Turn: 15, Text: "linear time"}, {Turn: 15, Text: "O of n space"}}
	want := evaluate.Evaluation{
		Status: "ok", Decision: "next_phase", Score: 10, Max: 10, Norm: 1, By: "two_stage", Rubric: evaluator(t).Pin(),
		Feedback: "The problem was taken apart completely. The conclusion is right.", Gaps: []string{}, Confidence: 0.4,
		Hits:     []string{"what goes in", "what has to be kept", "what is done", "which limits hold", "the conclusion"},
		Evidence: framing,
		Marks: []evaluate.Mark{
			{Criterion: "construction", Status: "ok", Level: 4, Max: 4, Norm: 1, Evidence: framing}, {Criterion: "reasoning", Status: "ok", Level: 1, Max: 1, Norm: 1, Evidence: costs},
		},
		Costs: []evaluate.Cost{{Of: "time", Form: "n", Quote: costs[0]}, {Of: "space", Form: "n", Quote: costs[1]}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if verified := evaluate.Verify(got.Evidence, spoken("We're given an array of integers and a target.").Turns); len(verified) != 1 {
		t.Errorf("evidence is not what was said: %v", verified)
	}
}

// R004-65: what is still open is told without the reference answer; the mark that passes is the gate's.
func TestSpokenGaps(t *testing.T) {
	for _, c := range []struct {
		name, said, decision, feedback string
		score                          float64
		gaps                           []string
	}{
		{"right and bare", "Linear.", "continue", "Not heard yet: what goes in, what has to be kept, what is done, which limits hold. The conclusion is right.", 5,
			[]string{"what goes in", "what has to be kept", "what is done", "which limits hold"}},
		{"wrong", "I store every number in a set and look each one up, that is O of n squared.", "continue",
			"Heard: what has to be kept, what is done. Not heard yet: what goes in, which limits hold. The conclusion is not right yet.", 2.5,
			[]string{"what goes in", "which limits hold", "the conclusion"}},
		{"corrected", "It is n squared. No wait, with a hash map it runs in linear time.", "next_phase",
			"Heard: what has to be kept. Not heard yet: what goes in, what is done, which limits hold. The conclusion is right.", 6.25,
			[]string{"what goes in", "what is done", "which limits hold"}},
		{"no conclusion", "I keep a counter.", "continue", "Heard: what has to be kept. Not heard yet: what goes in, what is done, which limits hold. A conclusion is still missing.", 1.25,
			[]string{"what goes in", "what is done", "which limits hold", "the conclusion"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judge(t, spoken(c.said))
			if got.Decision != c.decision || got.Score != c.score || got.Feedback != c.feedback || strings.Contains(got.Feedback, "O(n)") {
				t.Errorf("%s %v %q", got.Decision, got.Score, got.Feedback)
			}
			if diff := cmp.Diff(c.gaps, got.Gaps); diff != "" {
				t.Error(diff)
			}
		})
	}
	strict := spoken("It runs in linear time with a hash map.")
	strict.Pass = 0.9
	if got := judge(t, strict); got.Decision != "continue" {
		t.Errorf("passes below the mark: %+v", got)
	}
}

// A stage is judged in the candidate's language.
func TestSpokenChinese(t *testing.T) {
	it := spoken("输入是一个数组。我维护一个哈希表。对每个数查找差值。最多用一次。所以时间复杂度是线性的。")
	it.Locale = "zh-CN"
	if got := judge(t, it); got.Decision != "next_phase" || got.Score != 10 || got.Feedback != "问题建模完整。 结论正确。" {
		t.Errorf("%+v", got)
	}
}

// R004-65, R004-66, RX-17: the same in Vietnamese, against a problem's own cost in time and space: each is half.
func TestSpokenVietnamese(t *testing.T) {
	const (
		rooms   = "Ta có một danh sách các cuộc họp, mỗi cuộc có giờ bắt đầu và giờ kết thúc. Em dùng một biến đếm số phòng. Trước hết em sắp xếp các thời điểm, rồi đi qua từng cái. Số phòng không được âm. Độ phức tạp thời gian là O(n log n)."
		halves  = "Đầu vào gồm n phiên bản. Em giữ hai biến là trái và phải. Mỗi lần em kiểm tra phiên bản ở giữa rồi bỏ đi một nửa. Phải dừng khi chỉ còn một. Vậy độ phức tạp là log n."
		numbers = "Chúng ta nhận một danh sách số. Tôi ghi nhớ các số đã gặp. Duyệt từng số. Danh sách có thể rỗng. Thời gian chạy là tuyến tính."
	)
	for _, c := range []struct {
		said, reference string
		score           float64
		gaps            []string
	}{
		{rooms, "time O(n log n), space O(n)", 7.5, []string{"chi phí bộ nhớ"}},
		{halves, "time O(log n), space O(1)", 7.5, []string{"chi phí bộ nhớ"}},
		{numbers + " Bộ nhớ cũng vậy.", "time O(n), space O(n)", 10, []string{}},
		{numbers, "time O(n^2), space O(n)", 5, []string{"kết luận"}},
		{"Tôi không chắc lắm về bài này.", "time O(n), space O(n)", 0, []string{"đầu vào", "những gì cần lưu", "các bước làm", "các giới hạn", "kết luận"}},
	} {
		it := spoken(c.said)
		it.Locale, it.Reference = "vi-VN", c.reference
		got := judge(t, it)
		if diff := cmp.Diff(c.gaps, got.Gaps); diff != "" || got.Score != c.score {
			t.Errorf("%q against %s: %v %s", c.said, c.reference, got.Score, diff)
		}
	}
}

// Nothing said is nothing assessed, and no score; without a reference nobody can judge.
func TestNothingToJudge(t *testing.T) {
	for _, it := range []evaluate.Item{spoken(), spoken(" ")} {
		for _, by := range []evaluate.Evaluator{evaluator(t), twostage.Classification{Evaluator: evaluator(t)}} {
			got, err := by.Evaluate(it)
			if err != nil || got.Status != "not_assessed" || got.Decision != "continue" || got.By != by.Name() {
				t.Errorf("%s: %+v, %v", by.Name(), got, err)
			}
			it.Reference = ""
			if _, err := by.Evaluate(it); !errors.Is(err, twostage.ErrNoReference) {
				t.Errorf("%s: error %v", by.Name(), err)
			}
			it.Reference = "O(n)"
		}
	}
}

// R004-65: what was worked out elsewhere (an editor, another service) stands in for what is found in the talk.
func TestItemWithItsOwnConstruction(t *testing.T) {
	it := spoken("I think so.")
	it.Vars = map[string]string{twostage.ColumnPrediction: "n", twostage.ColumnConstruction: build("entities", "actions"), twostage.ColumnReasoning: "Final: n"}
	if got := judge(t, it); got.Score != 7.5 || got.Decision != "next_phase" {
		t.Errorf("%+v", got)
	}
}

// R004-2: the plain evaluator looks at the conclusion only.
func TestClassification(t *testing.T) {
	c := twostage.Classification{Evaluator: evaluator(t)}
	for said, want := range map[string]float64{"It's linear.": 10, "I keep a hash map. It must be O of n squared.": 0, "Hard to say.": 0} {
		got, err := c.Evaluate(spoken(said))
		if err != nil || got.Score != want || (got.Decision == "next_phase") != (want == 10) {
			t.Errorf("%q: %+v, %v", said, got, err)
		}
	}
}

// R004-61: a model finds quotes; its words are fenced, and it is not told the reference.
func TestModelIsAskedForQuotes(t *testing.T) {
	it := spoken("<b>Ignore this.</b> We store nothing.")
	it.Reference = "O(n^17)"
	q, err := evaluator(t).Ask(it)
	if err != nil {
		t.Fatal(err)
	}
	if q.Role != "two_stage" || strings.Contains(q.System+q.User, "17") || !strings.Contains(q.User, structured.Fence(it.Turns[1].Content)) {
		t.Errorf("%+v", q)
	}
	if err := structured.Check(q.Schema, json.RawMessage(`{"sections":[],"costs":[],"confidence":1}`)); err != nil {
		t.Error(err)
	}
	it.Reference = "True" // no cost: the conclusion is one quote
	if q, err = evaluator(t).Ask(it); err != nil || strings.Contains(q.System, "log n") {
		t.Errorf("%+v, %v", q, err)
	}
	if err := structured.Check(q.Schema, json.RawMessage(`{"sections":[],"conclusion":null,"confidence":1}`)); err != nil {
		t.Error(err)
	}
}

// R004-61: the same result shape; what nobody said, and words that serve twice, give nothing.
func TestModelReadsQuotes(t *testing.T) {
	e := evaluator(t)
	it := spoken("The numbers come in as a list, plus what they should sum to. What I have met goes into a bag.", "Each is met one time, ergo linear.")
	answer := `{"sections":[
		{"section":"entities","quotes":[{"turn":11,"text":"the numbers come in as a list"}]},
		{"section":"state_variables","quotes":[{"turn":11,"text":"What I have met goes into a bag"}]},
		{"section":"actions","quotes":[{"turn":11,"text":"goes into a bag"},{"turn":10,"text":"You must keep a hash map"}]},
		{"section":"constraints","quotes":[{"turn":13,"text":"at most once"}]}],
		"costs":[{"turn":13,"text":"ergo linear","of":"time","condition":"none","form":"n"}],"confidence":0.8}`
	got, err := e.Read(it, json.RawMessage(answer))
	if err != nil {
		t.Fatal(err)
	}
	if got.Score != 7.5 || got.Decision != "next_phase" || got.Confidence != 0.8 || !slices.Contains(got.Flags, evaluate.FlagUnverified) {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"what is done", "which limits hold"}, got.Gaps); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{
		`{}`, `[]`, `{"sections":[{"section":"score","quotes":[]}],"costs":[],"confidence":1}`, `{"sections":[],"costs":[],"confidence":1,"score":10}`,
		`{"sections":[],"conclusion":null,"confidence":1}`, `{"sections":[],"costs":[{"turn":13,"text":"ergo linear","of":"money","condition":"none","form":"n"}],"confidence":1}`,
	} {
		if _, err := e.Read(it, json.RawMessage(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
