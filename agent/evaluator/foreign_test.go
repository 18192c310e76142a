package evaluator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// talk is what the candidate of these tests has said.
var talk = evaluate.Item{
	ID: "q1", Question: "How?", Answer: "I would shard by code, because reads go by code.",
	Turns: []evaluate.Turn{
		{ID: 1, Role: evaluate.RoleAgent, Content: "How do you store links?"},
		{ID: 2, Role: evaluate.RoleUser, Content: "I would shard by code, because reads go by code. " + strings.Repeat("And so on\u2028 and on. ", 400)},
	},
}

// quoting is an answer that quotes the candidate at such length that it would not go into a journal.
func quoting() []byte {
	list := strings.TrimSuffix(strings.Repeat(`{"turn":2,"text":"on and so on and"},`, 100), ",")
	mark := `{"criterion":"c","status":"ok","level":2,"min":1,"max":5,"norm":0.5,"evidence":[` + list + `]}`
	return []byte(`{"status":"ok","decision":"next","score":5,"min":0,"max":10,"by":"x","marks":[` + strings.TrimSuffix(strings.Repeat(mark+",", 60), ",") + `]}`)
}

// FuzzAnswer: whatever a service answers, an evaluation is on its scale, quotes what was said, fits into an entry of a journal, and
// is the same when it is accepted again.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"status":"ok","decision":"next","score":7,"min":0,"max":10,"by":"x","evidence":[{"turn":2,"text":"shard by code"}]}`,
		`{"status":"ok","decision":"hire","score":1e300,"min":-1e308,"max":1e308,"by":"x","gaps":["\u0000"],"confidence":9}`,
		`{"status":"ok","score":1,"min":0,"max":1,"by":"x","marks":[{"criterion":"a","status":"ok","level":9,"min":1,"max":5,"norm":3,"evidence":[{"turn":2,"text":"never"}]}],"flags":["z","a","a"]}`,
		`{"status":"degraded","min":0,"max":10,"by":"x","parts":[{"id":"p","weight":-1,"status":"ok","score":99,"marks":[{"status":"ok","min":5,"max":1}]}]}`,
		`{"status":"ok","max":1,"by":"x","flags":["` + strings.Repeat(`\u2028`, 3000) + `"],"marks":[{"criterion":"` + strings.Repeat("c", 3000) + `"}]}`,
		`{"status":"maybe"}`, `{}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Add(quoting())
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxAnswer {
			return // is not read
		}
		e, err := accept(text, talk)
		if err != nil {
			if len(err.Error()) > 1<<10 {
				t.Errorf("refused by %d bytes", len(err.Error()))
			}
			return
		}
		if !(e.Score >= e.Min && e.Score <= e.Max) || !(e.Norm >= 0 && e.Norm <= 1) || !(e.Confidence >= 0 && e.Confidence <= 1) {
			t.Errorf("off its scale: %+v", e)
		}
		quotes := e.Evidence
		for _, m := range e.Marks {
			quotes = append(quotes, m.Evidence...)
			if m.Status == evaluate.StatusOK && (m.Level < m.Min || m.Level > m.Max || !(m.Norm >= 0 && m.Norm <= 1)) {
				t.Errorf("off its scale: %+v", m)
			}
		}
		for _, q := range quotes {
			if q.Turn != 2 || !strings.Contains(talk.Turns[1].Content, q.Text) {
				t.Errorf("nobody said %+v", q)
			}
		}
		entry, err := engine.Encode(1, 0, engine.Judged{Item: "q1", Evaluation: &e})
		if err != nil {
			t.Fatal(err)
		}
		if len(entry.Data) > state.MaxEntry-1024 {
			t.Errorf("a journal does not take its %d bytes", len(entry.Data))
		}
		e.Flags = nil // those of the first time stay, and what they are for is gone
		once, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := accept(once, talk)
		if err != nil {
			t.Fatalf("it is not accepted again: %v", err)
		}
		again.Flags = nil
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("accepted again it is another:\n%.2000s\n%.2000s", once, twice)
		}
	})
}

// FuzzRefusal: what a service answers instead is an error with bounded words.
func FuzzRefusal(f *testing.F) {
	f.Add(422, "1", `{"error":{"kind":"item","message":"m"}}`)
	f.Add(429, "99999999999999999999", `{"error":5}`)
	f.Add(302, "-1", `<html>`)
	f.Add(0, "", `{"error":{"kind":"x","message":"`+strings.Repeat(`\u0001`, 400)+`"}}`)
	f.Fuzz(func(t *testing.T, status int, wait, body string) {
		err := refused(&http.Response{StatusCode: status, Header: http.Header{"Retry-After": {wait}}}, []byte(body))
		if err == nil || len(err.Error()) > 16*maxMessage || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes: %.300q", len(err.Error()), err)
		}
	})
}

// FuzzRequest: what is asked of the service is judged within its limits or refused.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"item":{"id":"q1","answer":"I did."},"evaluator":"keywords","budget_ms":1000}`, `{"item":{"id":"q"},"evaluator":"x"} {}`,
		`{"item":{"id":"q"},"evaluator":"x","budget_ms":-1}`, `{"item":{"turns":[null]}}`, `null`, `{"item":`, ``,
	} {
		f.Add([]byte(seed))
	}
	s := &Service{}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, status, err := s.read(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, pathJudge, bytes.NewReader(body)))
		if err != nil {
			if status < 400 || status > 499 || len(err.Error()) > 4<<10 {
				t.Errorf("refused with %d and %d bytes", status, len(err.Error()))
			}
			return
		}
		if r.Evaluator == "" || r.Item.ID == "" || r.budget() <= 0 || r.budget() > MaxBudget || words(r.Item) > maxWords {
			t.Errorf("it is taken: %+v", r)
		}
	})
}
