package evaluate_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
)

func marks(e evaluate.Evaluation) map[string]int {
	out := make(map[string]int)
	for _, m := range e.Marks {
		if m.Status == evaluate.StatusOK {
			out[m.Criterion] = m.Level
		}
	}
	return out
}

// RX-8, RX-14, RX-16: a story by rules: levels with quotes, "we" caps, and absent is not the same as not asked for.
func TestStarByRules(t *testing.T) {
	for _, c := range []struct {
		name, locale, text string
		vars               map[string]string
		want               map[string]int
		decision           string
	}{
		{"a whole story", "en", "Two years ago our team was losing customers to slow pages. My job was to get them under a second. I rewrote the cache instead of adding servers, because most reads were the same. In the end load times fell by sixty percent.", nil,
			map[string]int{"situation": 5, "task": 5, "action": 5, "result": 4}, "next_phase"},
		{"only we", "en", "Last year the project was slow. We rewrote the cache and we tested it because it mattered.", nil,
			map[string]int{"situation": 3, "action": 1}, "continue"},
		{"not asked is not assessed", "en", "I rewrote the cache.", nil, map[string]int{"action": 3}, "continue"},
		{"declined is the lowest level", "en", "I rewrote the cache.", map[string]string{"declined": "result", "probed": "task, situation"},
			map[string]int{"situation": 1, "task": 1, "action": 3, "result": 1}, "continue"},
		{"Chinese", "zh", "去年我们的系统经常故障。我负责数据库。我重构了索引，因为查询太慢。结果延迟降低了百分之五十。", nil,
			map[string]int{"situation": 5, "task": 3, "action": 4, "result": 4}, "next_phase"},
		{"Chinese, only we", "zh", "我们重构了索引。", nil, map[string]int{"action": 1}, "continue"},
		{"Vietnamese, as candidates speak", "vi", "Hồi tháng năm kho bên em hay trễ đơn, khách dọa nghỉ. Em phụ trách ca tối. Em không thuê thêm người vì tốn, em xếp lại kệ. Đơn trễ giảm từ 30 xuống 4.", nil,
			map[string]int{"situation": 5, "task": 3, "action": 5, "result": 4}, "next_phase"},
		{"a plan", "zh", "我会先列一个计划。", nil, map[string]int{"action": 1}, "continue"},
		{"silence", "en", "", nil, map[string]int{}, "continue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			it := evaluate.Item{ID: "story", Locale: c.locale, Vars: c.vars, Turns: says(c.text)}
			e := judge(t, evaluate.Checklist, it)
			got := marks(e)
			for id, level := range c.want {
				if got[id] != level {
					t.Errorf("%s has level %d, want %d", id, got[id], level)
				}
			}
			if len(got) != len(c.want) || e.Decision != c.decision {
				t.Errorf("marked %v, %s with %v", got, e.Decision, e.Score)
			}
			for _, q := range e.Evidence {
				if q.Turn != 10 || !strings.Contains(c.text, q.Text) {
					t.Errorf("nobody said %q", q.Text)
				}
			}
			if e.Confidence >= 0.5 {
				t.Errorf("rules claim a confidence of %v", e.Confidence)
			}
		})
	}
}

// The same cap holds for a model's level: code, not the model, decides whose actions they were.
func TestWeCapsAModelToo(t *testing.T) {
	it := evaluate.Item{ID: "story", Turns: says("We rewrote the cache.")}
	e := read(t, rubricJudge(t, evaluate.Checklist), it,
		`{"levels":[{"criterion":"action","evidence":[{"turn":10,"text":"We rewrote the cache"}],"level":5}],"feedback":"","improved":"","confidence":1}`)
	if got := marks(e)["action"]; got != 2 {
		t.Errorf("the action has level %d", got)
	}
}

// A stage's own criteria are a checklist as they stand; by rules and by a model.
func TestChecklistOfCriteria(t *testing.T) {
	it := evaluate.Item{ID: "reference", Criteria: words("role", "dates", "strengths"), Turns: says("Her role was lead. The dates were 2020 to 2022.")}
	e := judge(t, evaluate.Checklist, it)
	if e.Decision != evaluate.DecisionNext || len(e.Hits) != 2 || e.By != evaluate.Checklist {
		t.Errorf("got %+v", e)
	}
	it.Turns = says("Her role was lead.")
	if e = judge(t, evaluate.Checklist, it); e.Decision != evaluate.DecisionContinue || strings.Join(e.Gaps, " ") != "dates strengths" {
		t.Errorf("got %+v", e)
	}
	it.Turns = nil
	if e = judge(t, evaluate.Checklist, it); e.Status != evaluate.StatusNotAssessed {
		t.Errorf("silence gives %+v", e)
	}
	it.Turns = says("Her role was lead.")
	q, err := rubricJudge(t, evaluate.Checklist).Ask(it)
	if err != nil || !strings.Contains(q.User, "about this point: strengths?") {
		t.Errorf("the model is asked %s, %v", q.User, err)
	}
}
