package evaluate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate"
)

// answerIn is an answer to one question of a stage called Five questions.
func answerIn(locale, text string) evaluate.Item {
	return evaluate.Item{
		ID: "answer/QUESTIONS/1", PhaseID: "QUESTIONS", PhaseName: "Five questions", Question: "Which decision had the longest consequences?",
		Rubric: "clarity_specificity_confidence", Locale: locale, Turns: says(text),
	}
}

// R002-39, R002-51: what a candidate is told of an answer without a model speaks of the answer, in their language, and never names
// the stage; no answer is made up for them.
func TestFeedbackToAnAnswer(t *testing.T) {
	for name, c := range map[string]struct{ locale, text, shown, advised, absent string }{
		"half way": {"en", "At first it was slow. I measured the queries and then I rewrote the worst of them in an afternoon. That was my decision.",
			"an order that is easy to follow", "give what came of it a size", "one real example"},
		"without an example": {"en", "I am convinced that tests matter more than reviews do.", "you stand behind", "", "example"}, // not assessed: neither shown nor missing
		"whole":              {"en", "First we lost orders. I built a queue, and as a result losses fell from two hundred a day to three. That was my decision.", "a real example", "", "stronger"},
		"Chinese":            {"zh", "我相信评审非常重要。", "表述肯定", "", "例子"},
		"Vietnamese":         {"vi", "Tôi tin rằng kiểm thử quan trọng hơn.", "chắc chắn", "", "ví dụ"},
	} {
		e := judge(t, evaluate.Checklist, answerIn(c.locale, c.text))
		if !strings.Contains(e.Feedback, c.shown) || !strings.Contains(e.Feedback, c.advised) || strings.Contains(e.Feedback, c.absent) {
			t.Errorf("%s: %q", name, e.Feedback)
		}
		if strings.Contains(e.Feedback, "Five questions") || e.Improved != "" || strings.Count(e.Feedback, "; ") > 3 || strings.ContainsAny(e.Feedback, "{}") {
			t.Errorf("%s: %q, improved %q", name, e.Feedback, e.Improved)
		}
	}
	if e := judge(t, evaluate.Checklist, answerIn("en", "Maybe.")); e.Status != evaluate.StatusNotAssessed || !strings.Contains(e.Feedback, "too little") {
		t.Errorf("%+v", e)
	}
}

// R002-39: the same holds where words of a stage are looked for in one answer; of a stage as such they still name it (R000-62).
func TestCoverageOfAnAnswer(t *testing.T) {
	it := answerIn("en", "We have a cache.")
	it.Criteria = words("cache", "queue")
	if e := judge(t, evaluate.KeywordCoverage, it); e.Feedback != "What could still be said: queue." {
		t.Errorf("%q", e.Feedback)
	}
	it.Turns = says("We have a cache and a queue.")
	if e := judge(t, evaluate.KeywordCoverage, it); !strings.Contains(e.Feedback, "covers what was asked") {
		t.Errorf("%q", e.Feedback)
	}
	it.Turns = append([]evaluate.Turn{{ID: 1, Role: evaluate.RoleAgent, Content: "Go on."}}, says("We have a cache.")...)
	if e := judge(t, evaluate.KeywordCoverage, it); !strings.Contains(e.Feedback, "more about Five questions") {
		t.Errorf("of a stage: %q", e.Feedback)
	}
}

// Who advises in one language advises in all.
func TestAdviceInEveryLanguage(t *testing.T) {
	for id, r := range datafile.Shipped[evaluate.Rubric](os.DirFS("."), "rubrics/*.yaml") {
		for _, c := range r.Criteria {
			for name, texts := range map[string]map[string]string{"shown": c.Shown, "advice": c.Advice, "further": c.Further} {
				for _, language := range []string{"en", "zh", "vi"} {
					if len(texts) > 0 && texts[language] == "" {
						t.Errorf("%s: %s of %s has no %s", id, name, c.ID, language)
					}
				}
			}
		}
	}
}
