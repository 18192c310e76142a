package design_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/state"
)

// list is the criteria of the sample's second sub-phase, as an engine that loaded them holds them.
func list(t *testing.T, f *design.Factory) []state.Keyword {
	t.Helper()
	got, err := f.Phases(t.Context(), "far", kind, mina)
	if err != nil || len(got.Phases) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	return got.Phases[1].Keywords
}

// A name that is allowed may still lead to this machine: the address decides at the moment of connecting, so a name
// that resolves otherwise the second time (DNS rebinding) is no way in.
func TestAllowedNameToAPrivateAddress(t *testing.T) {
	s := startSample(t, nil)
	here := "http://localhost:" + port(t, s.URL)
	f := remoteFactory(t, quoted(here), design.Options{Allow: []string{"localhost"}})
	p, _ := f.For("far", kind)
	_, err := p.GetPhases(t.Context())
	var failed *design.Error
	if !errors.As(err, &failed) || failed.Kind != design.KindNotAllowed || len(s.requests()) != 0 {
		t.Errorf("got %v after %d requests", err, len(s.requests()))
	}
	listed := remoteFactory(t, quoted(here), design.Options{Allow: []string{"localhost", "127.0.0.0/8", "::1"}})
	if p, _ = listed.For("far", kind); p == nil {
		t.Fatal("no provider")
	}
	if _, err := p.GetPhases(t.Context()); err != nil {
		t.Errorf("with its address listed: %v", err)
	}
}

func card(body string, base *string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { answer(strings.ReplaceAll(body, "BASE", *base))(w, r) }
}

// The endpoint is what the A2A agent card says, in the form of protocol 1.0 and of 0.3.
func TestAgentCard(t *testing.T) {
	for name, body := range map[string]string{
		"1.0":       `{"name":"Far","supportedInterfaces":[{"url":"BASE/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"BASE/v1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`,
		"0.3":       `{"name":"Far","url":"BASE/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"grpc://x","transport":"GRPC"},{"url":"BASE/v1","transport":"HTTP+JSON"}]}`,
		"0.3 plain": `{"name":"Far","url":"BASE/v1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var base string
			s := startSample(t, map[string]http.HandlerFunc{
				"GET /.well-known/agent-card.json": card(body, &base), "POST /v1/get_phases": answer(samplePhases), "POST /get_phases": nil,
				"POST /v1/evaluate_phase": answer(`{"decision":"continue","score":3}`),
			})
			base = s.URL
			f := remoteFactory(t, "card: '"+s.URL+"'", design.Options{Token: func(string) string { return "secret" }})
			list(t, f)
			if e, err := f.Evaluate(t.Context(), "far", kind, mina, evaluate.Item{PhaseID: "deep_dive"}); err != nil || e.Score != 3 {
				t.Errorf("got %+v, %v", e, err)
			}
			cards := 0
			for _, r := range s.requests() {
				if strings.HasSuffix(r.path, "agent-card.json") {
					cards++
					if r.token != "" {
						t.Error("the token was sent for the card, which is public")
					}
				}
			}
			if cards != 1 {
				t.Errorf("the card was fetched %d times", cards)
			}
		})
	}
}

// A card on this machine does not lead the token over the network in the clear.
func TestAgentCardKeepsTheToken(t *testing.T) {
	s := startSample(t, map[string]http.HandlerFunc{"GET /card.json": answer(`{"url":"http://10.0.0.1/v1"}`)})
	p, _ := remoteFactory(t, "card: '"+s.URL+"/card.json', wait: 1s", design.Options{
		Allow: []string{"127.0.0.1", "10.0.0.1"}, Token: func(string) string { return "secret" },
	}).For("far", kind)
	_, err := p.GetPhases(t.Context())
	var failed *design.Error
	if !errors.As(err, &failed) || failed.Kind != design.KindNotAllowed || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, want that it is not allowed", err)
	}
}

// A card is the word of somebody else: it leads only where calls are allowed.
func TestAgentCardLeadsNowhereElse(t *testing.T) {
	for body, want := range map[string]design.Kind{
		`{"url":"http://10.0.0.1/v1"}`:               design.KindNotAllowed,
		`{"url":"http://elsewhere.example"}`:         design.KindNotAllowed,
		`{"url":"file:///etc/passwd"}`:               design.KindMalformed,
		`{"url":"ftp://127.0.0.1/v1"}`:               design.KindNotAllowed,
		`{"url":"http://u:p@127.0.0.1/v1"}`:          design.KindMalformed,
		`{"url":"BASE","preferredTransport":"GRPC"}`: design.KindMalformed,
		`{"name":"Far"}`:                             design.KindMalformed,
		`card`:                                       design.KindMalformed,
	} {
		var base string
		s := startSample(t, map[string]http.HandlerFunc{"GET /card.json": card(body, &base)})
		base = s.URL
		p, _ := remoteFactory(t, "card: '"+s.URL+"/card.json'", design.Options{}).For("far", kind)
		_, err := p.GetPhases(t.Context())
		var failed *design.Error
		if !errors.As(err, &failed) || failed.Kind != want {
			t.Errorf("%s gives %v, want %s", body, err, want)
		}
		s.Close()
	}
}
