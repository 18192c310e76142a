package design_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/structured"
)

var mina = design.Candidate{Session: "s-1", Name: "Mina", Locale: "en"}

// R000-64, R000-56: question and sub-phases of a company's own service.
func TestRemoteInterview(t *testing.T) {
	s := startSample(t, nil)
	f := remoteFactory(t, quoted(s.URL), design.Options{Token: func(company string) string { return "of-" + company }})
	q, err := f.Question(t.Context(), "far", kind, mina)
	if err != nil || q != (design.Question{Question: "Design a search engine.", Source: "far"}) {
		t.Errorf("got %+v, %v", q, err)
	}
	got, err := f.Phases(t.Context(), "far", kind, mina)
	if err != nil || len(got.Phases) != 2 || got.Source != "far" || got.Local || got.Degraded != "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	// R000-66: neither five of them, nor the default ids.
	if p := got.Phases[1]; p.ID != "deep_dive" || p.Pass != 0.5 || p.Keywords[0].Weight != 2 || p.Keywords[1].Phrase != "cache" {
		t.Errorf("the second sub-phase is %+v", p)
	}
	for _, r := range s.requests() {
		if r.session != "s-1" || r.token != "Bearer of-far" || r.body["interview_type"] != kind {
			t.Errorf("%s came with %+v", r.path, r)
		}
	}
	if first := s.requests()[0]; first.path != "/start_interview" || first.body["candidate_info"].(map[string]any)["name"] != "Mina" {
		t.Errorf("the interview starts with %+v", first)
	}
}

// R000-65, R000-67: a sub-phase is judged by the service, with a model and the company's rubric.
func TestRemoteJudges(t *testing.T) {
	s := startSample(t, nil)
	s.assess = func(q structured.Question) string {
		if !strings.Contains(q.User, "large search") && !strings.Contains(q.User, "Criterion users_and_goals:") {
			return `{}`
		}
		return `{"levels":[{"criterion":"users_and_goals","evidence":[{"turn":2,"text":"Students look up books"}],"level":4},
		  {"criterion":"estimation","evidence":[{"turn":2,"text":"two thousand queries per second"}],"level":4}],
		  "feedback":"Clear goals.","improved":"Say what is out of scope.","confidence":0.9}`
	}
	f := remoteFactory(t, quoted(s.URL), design.Options{})
	it := evaluate.Item{PhaseID: "problem_understanding", Turns: []evaluate.Turn{
		{ID: 1, Role: "agent", Content: "Who is it for?"},
		{ID: 2, Role: "user", Content: "Students look up books. I assume two thousand queries per second."},
	}}
	e, err := f.Evaluate(t.Context(), "far", kind, mina, it)
	if err != nil {
		t.Fatal(err)
	}
	if e.Decision != evaluate.DecisionNext || e.Score != 7.5 || e.By != "company:far" || e.Status != evaluate.StatusOK || e.Rubric != "google_system_design@1" {
		t.Errorf("got %+v", e)
	}
	if len(e.Evidence) != 2 || e.Evidence[0].Turn != 2 { // RX-16
		t.Errorf("the evidence is %v", e.Evidence)
	}
}

// R000-54, RX-13, RX-16: what a service answers is bounded before anybody sees it.
func TestRemoteEvaluationIsSanitized(t *testing.T) {
	s := startSample(t, map[string]http.HandlerFunc{"POST /evaluate_phase": answer(
		`{"decision":"hire","score":42,"gaps":null,"status":"whatever","by":"me","evidence":[{"turn":1,"text":"a cache"},{"turn":1,"text":"never said"}],"unknown":{}}`)})
	p, _ := remoteFactory(t, quoted(s.URL), design.Options{}).For("far", kind)
	e, err := p.EvaluatePhase(t.Context(), "deep_dive", said("There is a cache."))
	if err != nil {
		t.Fatal(err)
	}
	if e.Decision != evaluate.DecisionContinue || e.Score != 10 || e.Norm != 1 || e.Gaps == nil || e.By != "company:far" || len(e.Evidence) != 1 {
		t.Errorf("got %+v", e)
	}
	if diff := cmp.Diff([]string{evaluate.FlagClamped, evaluate.FlagUnknownDecision}, e.Flags); diff != "" {
		t.Error(diff)
	}
}

func TestRemotePhasesAreSanitized(t *testing.T) {
	long := strings.Repeat("x", 5000)
	s := startSample(t, map[string]http.HandlerFunc{"POST /get_phases": answer(`{"phases":[{"id":"one","name":"` + long + `\u0007\n","description":"",
	  "keywords":["", {"phrase":" a\tb ","weight":-4,"aliases":{"en":["","` + long + `"]}}],"pass":7,"soft":-5,"hard":99999999999}]}`)})
	p, _ := remoteFactory(t, quoted(s.URL), design.Options{}).For("far", kind)
	list, err := p.GetPhases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := list[0]
	if len(got.Name) != 80 || got.Description != got.Name || got.Pass != 0 || got.Soft != 0 || got.Hard.Duration() != time.Hour {
		t.Errorf("got %+v", got)
	}
	if k := got.Keywords; len(k) != 1 || k[0].Phrase != "a b" || k[0].Weight != 0 || len(k[0].Aliases["en"][0]) != 80 || math.Signbit(k[0].Weight) {
		t.Errorf("the keywords are %+v", k)
	}
}

// R000-40, R000-70: a service without sub-phases keeps the single phase; one without a question leaves it to the others.
func TestRemoteOptsIn(t *testing.T) {
	for name, calls := range map[string]map[string]http.HandlerFunc{
		"no such calls": {"POST /get_phases": nil, "POST /get_question": nil, "POST /start_interview": nil},
		"empty answers": {"POST /get_phases": answer(`{"phases":[]}`), "POST /get_question": answer(`{"question":" "}`)},
		"not built yet": {"POST /get_phases": status(501), "POST /get_question": status(405)},
	} {
		t.Run(name, func(t *testing.T) {
			f := remoteFactory(t, quoted(startSample(t, calls).URL), design.Options{})
			got, err := f.Phases(t.Context(), "far", kind, mina)
			if err != nil || len(got.Phases) != 0 || got.Degraded != "" || got.Source != "far" {
				t.Errorf("got %+v, %v", got, err)
			}
			q, err := f.Question(t.Context(), "far", kind, mina)
			if err != nil || !strings.HasPrefix(q.Question, "Design ") || q.Source != design.Default || q.Degraded != "" {
				t.Errorf("got %+v, %v", q, err)
			}
		})
	}
}

// R000-69: failure, timeout and malformed answers are told apart, and the default judgement stands in, marked degraded.
func TestRemoteFailures(t *testing.T) {
	stuck := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does a server notice that the caller has gone
		<-r.Context().Done()
	}
	huge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip") // small on the wire
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte(`{"decision":"` + strings.Repeat("a", 2<<20)))
		_ = z.Close()
	}
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"decision"`))
	}
	for _, c := range []struct {
		name      string
		handle    http.HandlerFunc
		kind      design.Kind
		retryable bool
	}{
		{"stuck", stuck, design.KindTimeout, true},
		{"overloaded", status(503), design.KindStatus, true},
		{"too many", status(429), design.KindStatus, true},
		{"refused", status(403), design.KindStatus, false},
		{"no such call", status(404), design.KindStatus, false},
		{"a page", answer("<html>"), design.KindMalformed, false},
		{"a list", answer("[]"), design.KindMalformed, false},
		{"no score", answer(`{"decision":"next_phase"}`), design.KindMalformed, false},
		{"a score in words", answer(`{"decision":"next_phase","score":"ten"}`), design.KindMalformed, false},
		{"too large", huge, design.KindTooLarge, false},
		{"a redirect", redirect, design.KindNotAllowed, false},
		{"cut off", cut, design.KindUnreachable, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startSample(t, map[string]http.HandlerFunc{"POST /evaluate_phase": c.handle})
			wait := time.Minute
			if c.kind == design.KindTimeout {
				wait = 50 * time.Millisecond
			}
			f, patient := remoteFactory(t, quoted(s.URL), design.Options{Wait: wait}), remoteFactory(t, quoted(s.URL), design.Options{Wait: time.Minute})
			p, _ := f.For("far", kind)
			_, err := p.EvaluatePhase(t.Context(), "deep_dive", said("secret words"))
			var failed *design.Error
			if !errors.As(err, &failed) || failed.Kind != c.kind || failed.Retryable() != c.retryable {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "secret words") {
				t.Errorf("the candidate's words are in the error: %v", err)
			}
			it := evaluate.Item{PhaseID: "deep_dive", Turns: said("A hot spot and a cache."), Criteria: list(t, patient)}
			e, err := f.Evaluate(t.Context(), "far", kind, mina, it)
			if err != nil || e.Status != evaluate.StatusDegraded || e.Degraded != "company far: "+string(c.kind) || e.Decision != evaluate.DecisionNext {
				t.Errorf("instead of the service: %+v, %v", e, err)
			}
			if slices.ContainsFunc(s.requests(), func(r seen) bool { return r.path == "/elsewhere" }) {
				t.Error("the redirect was followed")
			}
		})
	}
}

// R000-69: without the service's sub-phases and question, the company's file or the default company answers.
func TestRemoteGone(t *testing.T) {
	s := startSample(t, nil)
	f := remoteFactory(t, quoted(s.URL), design.Options{})
	s.Close()
	got, err := f.Phases(t.Context(), "far", kind, mina)
	if err != nil || len(got.Phases) != 5 || got.Source != design.Default || !got.Local || got.Degraded != "company far: unreachable" {
		t.Errorf("got %+v, %v", got, err)
	}
	q, err := f.Question(t.Context(), "far", kind, mina)
	if err != nil || !strings.HasPrefix(q.Question, "Design ") || q.Degraded != "company far: unreachable" {
		t.Errorf("got %+v, %v", q, err)
	}
	own := factory(t, design.Options{Allow: []string{"127.0.0.1"}, Folders: []fs.FS{companies("company: far\ninterviews: {system_design: {remote: {" +
		quoted(s.URL) + "}, phases: [{id: own, name: Own, description: D, keywords: [cache]}]}}\n")}})
	if got, err = own.Phases(t.Context(), "far", kind, mina); err != nil || len(got.Phases) != 1 || got.Source != "far" {
		t.Errorf("with a file of its own: %+v, %v", got, err)
	}
}

// Nobody waits any more: no judgement is made up.
func TestCancelledIsNotDegraded(t *testing.T) {
	s := startSample(t, nil)
	f := remoteFactory(t, quoted(s.URL), design.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e, err := f.Evaluate(ctx, "far", kind, mina, evaluate.Item{Turns: said("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", e, err)
	}
	if p, err := f.Phases(ctx, "far", kind, mina); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", p, err)
	}
	if q, err := f.Question(ctx, "far", kind, mina); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", q, err)
	}
}

// Malformed lists are no lists: the default company's sub-phases stand in.
func TestRemotePhasesThatCannotBeUsed(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"id":"p","name":"N","keywords":["k"]},`, 13), ",")
	for name, body := range map[string]string{
		"no id": `{"name":"N","keywords":["k"]}`, "odd id": `{"id":"../x","name":"N","keywords":["k"]}`,
		"twice": `{"id":"p","name":"N","keywords":["k"]},{"id":"p","name":"N","keywords":["k"]}`, "no name": `{"id":"p","keywords":["k"]}`,
		"no keywords": `{"id":"p","name":"N"}`, "too many": many, "a number": `{"id":"p","name":3}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := startSample(t, map[string]http.HandlerFunc{"POST /get_phases": answer(`{"phases":[` + body + `]}`)})
			got, err := remoteFactory(t, quoted(s.URL), design.Options{}).Phases(t.Context(), "far", kind, mina)
			if err != nil || got.Degraded != "company far: malformed" || len(got.Phases) != 5 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
