package evaluate_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// FuzzJudgeAnswer: whatever a model answers as a judge, an evaluation is on its scale and quotes what the candidate said; whatever
// it says of an answer that nobody quoted passes nothing.
func FuzzJudgeAnswer(f *testing.F) {
	f.Add([]byte(levels(5, 4, 3, "short code as key")))
	f.Add([]byte(levels(5, 5, 5, "never said")))
	f.Add([]byte(levels(99, -1, 0, "")))
	f.Add([]byte(`{"levels":[{"criterion":"coverage","evidence":[{"turn":5,"text":"One"}],"level":2.5}],"feedback":"\u0000","improved":"","confidence":1}`))
	f.Add([]byte(`{"levels":[{"criterion":"x","evidence":null,"level":1}],"feedback":"` + strings.Repeat("f", 700) + `","improved":"","confidence":7}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := rubricJudge(t, evaluate.LLMRubric).Read(design, json.RawMessage(raw))
		if err != nil {
			return
		}
		sound(t, e)
		for _, q := range e.Evidence {
			if q.Turn != 5 || !strings.Contains(design.Turns[1].Content, q.Text) {
				t.Errorf("the candidate did not say %+v", q)
			}
		}
		if len(e.Evidence) == 0 && (e.Decision == evaluate.DecisionNext || e.Assessed()) {
			t.Errorf("without a quote: %+v", e)
		}
	})
}

// sound holds what everybody may rely on in an evaluation.
func sound(t *testing.T, e evaluate.Evaluation) {
	t.Helper()
	if !(e.Score >= e.Min && e.Score <= e.Max) || !(e.Norm >= 0 && e.Norm <= 1) || !(e.Confidence >= 0 && e.Confidence <= 1) || e.Gaps == nil {
		t.Errorf("off its scale: %+v", e)
	}
	if e.Decision == evaluate.DecisionNext && !e.Assessed() {
		t.Errorf("passed without being judged: %+v", e)
	}
	if strings.ContainsFunc(e.Feedback+e.Improved+strings.Join(e.Gaps, "")+strings.Join(e.Hits, ""), unicode.IsControl) {
		t.Errorf("control characters in %+v", e)
	}
	raw, err := json.Marshal(e)
	if err != nil || len(raw) > state.MaxEntry {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}

// FuzzSanitize: what is made safe is sound, is the same when it is made safe again, and leaves what was given as it was.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"status":"ok","decision":"next","score":11,"min":0,"max":10,"gaps":["a\u0000",""],"hits":null,"confidence":-1}`,
		`{"min":-1.7e308,"max":1.7e308,"score":1.7e308}`, `{"min":1,"max":1.0000000000000002,"score":1.0000000000000001,"status":"failed","decision":"next"}`,
		`{"parts":[{"status":"ok","score":5,"min":9,"max":3}],"flags":["score_clamped"]}`, `{"min":0,"max":5e-324,"score":5e-324}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var given, same evaluate.Evaluation
		if json.Unmarshal(raw, &given) != nil || json.Unmarshal(raw, &same) != nil || len(raw) > 64<<10 {
			return
		}
		e := evaluate.Sanitize(given)
		if !reflect.DeepEqual(given, same) {
			t.Error("what was given is changed")
		}
		sound(t, e)
		if again := evaluate.Sanitize(e); !reflect.DeepEqual(e, again) {
			t.Errorf("made safe again it is another:\n%+v\n%+v", e, again)
		}
	})
}
