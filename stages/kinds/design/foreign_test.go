package design

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// saying is a company's service that answers every call with this.
type saying struct {
	status int
	body   string
}

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

// FuzzService: whatever a company's service answers to any call, what is taken of it is bounded and can be spoken, journalled and
// counted; all else is an error of type *Error.
func FuzzService(f *testing.F) {
	for _, seed := range []string{
		`{"question":"Design a\nsearch engine.\u0007"}`, `{"phases":[{"id":"one","name":"One","keywords":["a",{"phrase":"b","weight":1e308,"aliases":{"en":["c"]}}],"pass":7,"hard":-9223372036854775808}]}`,
		`{"phases":[{"id":"one","name":"x","keywords":[{}]},{"id":"one"}]}`, `{"phases":[null]}`, `{"phases":{}}`,
		`{"decision":"hire","score":42,"gaps":null,"evidence":[{"turn":1,"text":"a cache"},{"turn":1,"text":"never"}]}`,
		`{"decision":"next","score":1,"min":-1.7e308,"max":1.7e308,"parts":[{"marks":[{"level":9}]}],"hits":["` + strings.Repeat("h", 300) + `"]}`,
		`{"decision":"next","score":1,"parts":[{"id":"p","marks":[{"criterion":"` + strings.Repeat("c", 2000) + `"}]}]}`,
		`{"name":"x","url":"http://127.0.0.1/"}`, `null`, `[]`, ``, `{"question":5}`,
	} {
		f.Add(200, []byte(seed))
	}
	f.Add(404, []byte(``))
	f.Add(302, []byte(`{}`))
	allowed, err := parseAllowed([]string{"127.0.0.1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := &Remote{service: &service{
			company: "far", base: &url.URL{Scheme: "http", Host: "127.0.0.1"}, wait: time.Minute, allowed: allowed,
			client: &http.Client{Transport: saying{status, string(body)}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		}}
		refused(t, r.StartInterview(t.Context(), "system_design", Candidate{Session: "s"}))
		q, err := r.GetQuestion(t.Context())
		if refused(t, err); err == nil && q == "" {
			t.Error("an empty question")
		}
		spoken(t, q, maxQuestion)
		phases, err := r.GetPhases(t.Context())
		if refused(t, err); len(phases) > maxPhases || err == nil && len(phases) == 0 {
			t.Errorf("%d sub-phases, %v", len(phases), err)
		}
		planned(t, phases)
		history := []evaluate.Turn{{ID: 1, Role: evaluate.RoleUser, Content: "There is a cache."}}
		e, err := r.EvaluatePhase(t.Context(), "one", history)
		if refused(t, err); err != nil {
			return
		}
		raw, err := json.Marshal(e)
		if err != nil || len(raw) > state.MaxEntry/2 || !(e.Score >= e.Min && e.Score <= e.Max) || e.By != "company:far" || len(e.Marks) > 0 {
			t.Errorf("%d bytes, %v: %.1000s", len(raw), err, raw)
		}
		for _, q := range e.Evidence {
			if !strings.Contains(history[0].Content, q.Text) {
				t.Errorf("nobody said %q", q.Text)
			}
		}
		spoken(t, e.Feedback, 2000)
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	var is *Error
	if err != nil && !errors.Is(err, ErrNoPhases) && !errors.Is(err, ErrNoQuestion) && (!errors.As(err, &is) || len(err.Error()) > 4<<10 || errors.Is(err, context.DeadlineExceeded)) {
		t.Errorf("%.300v", err)
	}
}

// spoken holds that a text can be said: on one line, and no longer than so many characters.
func spoken(t *testing.T, text string, most int) {
	t.Helper()
	if utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
		t.Errorf("%.300q cannot be said", text)
	}
}

func planned(t *testing.T, phases []state.Phase) {
	t.Helper()
	seen := make(map[string]bool)
	for _, p := range phases {
		spoken(t, p.Name, maxName)
		spoken(t, p.Description, maxDescription)
		if seen[p.ID] || !phaseID.MatchString(p.ID) || p.Name == "" || len(p.Keywords) == 0 || len(p.Keywords) > maxKeywords ||
			!(p.Pass >= 0 && p.Pass <= 1) || p.Soft < 0 || p.Hard < 0 || p.Hard.Duration() > maxPhaseTime {
			t.Errorf("it is taken: %+v", p)
		}
		seen[p.ID] = true
		for _, k := range p.Keywords {
			spoken(t, k.Phrase, maxName)
			if k.Phrase == "" || !(k.Weight >= 0 && k.Weight <= maxWeight) || math.Signbit(k.Weight) {
				t.Errorf("it is taken: %+v", k)
			}
		}
	}
}
