package design_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/structured"
)

// sample is a company's own service, as one would write it: sub-phases of its own, and a judge with the company's rubric.
// What would be a model is the function assess.
type sample struct {
	*httptest.Server
	assess func(structured.Question) string

	mu   sync.Mutex
	seen []seen
}

// seen is a request that came in.
type seen struct {
	path, session, token string
	body                 map[string]any
}

const samplePhases = `{"phases":[
  {"id":"problem_understanding","name":"Problem Understanding","description":"Understand user needs and system goals","keywords":["users","goals","constraints","non-goals"]},
  {"id":"deep_dive","name":"Deep Dive","description":"One part in depth","keywords":[{"phrase":"bottleneck","aliases":{"en":["hot spot"]},"weight":2},"cache"],"pass":0.5}]}`

// startSample serves the company; with holds its calls that are answered by other handlers.
func startSample(t *testing.T, with map[string]http.HandlerFunc) *sample {
	s := &sample{assess: func(structured.Question) string { return "" }}
	mux := http.NewServeMux()
	calls := map[string]http.HandlerFunc{
		"POST /start_interview": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"POST /get_question":    answer(`{"question":"Design a\nsearch engine."}`),
		"POST /get_phases":      answer(samplePhases),
		"POST /evaluate_phase":  s.evaluate,
	}
	for pattern, handle := range with {
		calls[pattern] = handle
	}
	for pattern, handle := range calls {
		if handle != nil {
			mux.HandleFunc(pattern, handle)
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func (s *sample) note(r *http.Request) {
	one := seen{path: r.URL.Path, session: r.Header.Get(design.SessionHeader), token: r.Header.Get("Authorization")}
	if r.URL.Path != "/evaluate_phase" {
		_ = json.NewDecoder(r.Body).Decode(&one.body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, one)
}

func (s *sample) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// evaluate judges with the company's rubric.
func (s *sample) evaluate(w http.ResponseWriter, r *http.Request) {
	var request struct {
		PhaseID string          `json:"phase_id"`
		History []evaluate.Turn `json:"conversation_history"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	found, _ := evaluate.Lookup(evaluate.LLMRubric)
	judge := found.(evaluate.Judge)
	it := evaluate.Item{ID: request.PhaseID, PhaseID: request.PhaseID, Turns: request.History, Rubric: "google_system_design"}
	question, err := judge.Ask(it)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	e, err := judge.Read(it, json.RawMessage(s.assess(question)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(e)
}

// remoteFactory makes a factory in which the company "far" has its service at the given address.
func remoteFactory(t *testing.T, at string, o design.Options) *design.Factory {
	t.Helper()
	o.Folders = append(o.Folders, companies("company: far\ninterviews: {system_design: {remote: {"+at+"}}}\n"))
	if o.Allow == nil {
		o.Allow = []string{"127.0.0.1"}
	}
	return factory(t, o)
}

func port(t *testing.T, server string) string {
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func quoted(text string) string { return "url: '" + strings.TrimSpace(text) + "'" }
