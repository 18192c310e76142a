package evaluate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
)

// personaItem is one answer in a persona interview.
func personaItem(locale, text string) evaluate.Item {
	return evaluate.Item{
		ID: "answer/QUESTIONS/3", Question: "What did you build?", Locale: locale, Rubric: "clarity_specificity_confidence",
		Turns: []evaluate.Turn{{ID: 10, Role: evaluate.RoleUser, Content: text}},
		Vars:  map[string]string{"persona": "senior_developer", "interviewer": "Senior Developer", "role": "Data <b>Analyst"},
	}
}

// R002-37, R002-38, R002-45, R002-43, RX-14: an answer by rules: three dimensions from 1 to 5; only what is surely there is marked, with its
// words; what no pattern sees is not assessed, and nobody is marked down for fillers or a hesitant voice.
func TestPersonaAnswerByRules(t *testing.T) {
	for _, c := range []struct {
		name, locale, text string
		want               map[string]int
	}{
		{"a whole story", "en", "First I compared the two tables by hand, then I wrote a script, and in the end I cut the run from two hours to ten minutes. It was my decision.",
			map[string]int{"clarity": 4, "specificity": 4, "confidence": 4}},
		{"an act without size", "en", "I rewrote the report for the finance people.", map[string]int{"specificity": 3, "confidence": 4}},
		{"general words", "en", "It is important to communicate well in a team and to be flexible.", map[string]int{"specificity": 1}},
		{"fillers cost nothing", "en", "Um, uh, I, you know, I rewrote the, um, the report.", map[string]int{"specificity": 3, "confidence": 4}},
		{"only we", "en", "We rewrote the report and we cut it by ten percent.", map[string]int{}},
		{"Chinese", "zh", "首先我比较了两张表，然后我编写了脚本，最后把时间缩短了一半。这是我负责的。", map[string]int{"clarity": 4, "specificity": 4, "confidence": 4}},
		{"Vietnamese", "vi", "Đầu tiên tôi so sánh hai bảng, sau đó tôi viết một chương trình và giảm thời gian xuống 10 phút. Việc này tôi chịu trách nhiệm.",
			map[string]int{"clarity": 4, "specificity": 4, "confidence": 4}},
		{"hedges, and taken back", "en", "Maybe I fixed the till, I guess, but it was luck, forget what I said.", map[string]int{"specificity": 3, "confidence": 1}},
		{"Chinese, with a choice and a limit", "zh", "我没换试剂，因为换过一次。我去量了冰箱，十二度。仪器里面我不懂。", map[string]int{"specificity": 5, "confidence": 5}},
		{"Vietnamese, a boast", "vi", "Điểm mạnh của tôi là giao tiếp, ai cũng thích tôi.", map[string]int{"specificity": 1, "confidence": 4}},
		{"silence", "en", "", map[string]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := judge(t, evaluate.Checklist, personaItem(c.locale, c.text))
			if diff := cmp.Diff(c.want, marks(e)); diff != "" {
				t.Errorf("%s", diff)
			}
			if len(c.want) == 0 && e.Status != evaluate.StatusNotAssessed || e.Confidence >= 0.5 {
				t.Errorf("%s with a confidence of %v", e.Status, e.Confidence)
			}
			for _, q := range e.Evidence {
				if q.Turn != 10 || !strings.Contains(c.text, q.Text) {
					t.Errorf("nobody said %q", q.Text)
				}
			}
		})
	}
}

// R002-37, R002-40, R002-45: a model is told question, answer, role, persona and the criteria with their anchors; the role is fenced
// as whatever others wrote, and confidence is judged by the wording only.
func TestPersonaAnswerForAModel(t *testing.T) {
	for _, name := range []string{evaluate.Checklist, evaluate.LLMRubric} {
		q, err := rubricJudge(t, name).Ask(personaItem("en", "I built a report that saved two days a week."))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"What did you build?", "saved two days a week", "Senior Developer", "<role>Data ‹b›Analyst</role>", "Criterion clarity", "Criterion specificity",
			"Criterion confidence", "levels 1 to 5", "by the wording only, never by accent, voice",
		} {
			if !strings.Contains(q.User, want) {
				t.Errorf("%s: the model is not told %q in\n%s", name, want, q.User)
			}
		}
		if !strings.Contains(string(q.Schema), `"clarity"`) || !strings.Contains(q.System, "<role>") {
			t.Errorf("%s: %s", name, q.Schema)
		}
	}
}
