package web

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey    = "page-test"
	testSecret = "a secret of at least thirty-two bytes"
)

func testOptions() Options {
	return Options{
		LiveKitURL: "ws://127.0.0.1:7880",
		APIKey:     testKey,
		APISecret:  testSecret,
		AgentName:  "viva",

		LocalTokens: true,
		Interviews: []agent.Kind{
			{ID: "two_stage", Title: "Introduction and experience", Description: "About ten minutes, in two parts.", Locales: []string{"en"}},
			{ID: "conversation", Title: "Open conversation", Vars: []agent.KindVar{{Name: "team"}}},
		},
	}
}

func newTestHandler(t *testing.T, change func(*Options)) *Handler {
	t.Helper()
	opts := testOptions()
	if change != nil {
		change(&opts)
	}
	h, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// request is a browser's on this machine, unless edit changes it.
func request(method, path, body string, edit func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:7890"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:50000"
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7890}))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if edit != nil {
		edit(r)
	}
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func postToken(h http.Handler, body string) *httptest.ResponseRecorder {
	return serve(h, request(http.MethodPost, "/api/token", body, nil))
}

func decode[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("body %q: %v", w.Body, err)
	}
	return v
}

func TestTokenOpensARoomAndDispatchesTheInterviewer(t *testing.T) {
	h := newTestHandler(t, nil)
	w := postToken(h, `{"interview":"conversation","name":" Jo  Brandt ","locale":"en-GB","vars":{"team":"core"}}`)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	resp := decode[tokenResponse](t, w)
	if resp.URL != "ws://127.0.0.1:7880" {
		t.Errorf("url = %q", resp.URL)
	}
	token, err := auth.ParseAPIToken(resp.Token)
	if err != nil {
		t.Fatal(err)
	}
	registered, claims, err := token.Verify(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	if token.APIKey() != testKey || token.Identity() != resp.Identity || claims.Name != "Jo  Brandt" {
		t.Errorf("key %q, identity %q, name %q", token.APIKey(), token.Identity(), claims.Name)
	}
	if left := time.Until(registered.ExpiresAt.Time); left < tokenTTL-time.Minute || left > tokenTTL {
		t.Errorf("token lives %v, want %v", left, tokenTTL)
	}
	if claims.GetParticipantKind() != livekit.ParticipantInfo_STANDARD {
		t.Errorf("kind = %v", claims.GetParticipantKind())
	}
	yes, no := true, false
	want := &auth.VideoGrant{
		RoomJoin: true, Room: resp.Room, CanPublish: &yes, CanSubscribe: &yes, CanPublishData: &yes,
		CanUpdateOwnMetadata: &no, CanPublishSources: []string{"microphone"},
	}
	if diff := cmp.Diff(want, claims.Video); diff != "" {
		t.Errorf("grant: %s", diff)
	}
	checkDispatch(t, claims, `{"interview":"conversation","candidate":{"name":"Jo  Brandt"},"locale":"en-GB","vars":{"team":"core"}}`)
}

func TestTokenDefaults(t *testing.T) {
	h := newTestHandler(t, func(o *Options) { o.DefaultInterview = "conversation" })
	first, second := decode[tokenResponse](t, postToken(h, `{}`)), decode[tokenResponse](t, postToken(h, `{}`))
	if first.Room == second.Room || first.Identity == second.Identity {
		t.Errorf("two candidates share room %q or identity %q", first.Room, first.Identity)
	}
	token, err := auth.ParseAPIToken(first.Token)
	if err != nil {
		t.Fatal(err)
	}
	_, claims, err := token.Verify(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	checkDispatch(t, claims, `{"interview":"conversation"}`)
}

func checkDispatch(t *testing.T, claims *auth.ClaimGrants, metadata string) {
	t.Helper()
	agents := claims.GetRoomConfiguration().GetAgents()
	if len(agents) != 1 || agents[0].GetAgentName() != "viva" {
		t.Fatalf("agents = %v, want viva alone", agents)
	}
	rest, ticket, _ := strings.Cut(agents[0].GetMetadata(), `,"ticket":`)
	if diff := cmp.Diff(metadata, rest+"}"); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
	var one struct{ Until time.Time }
	if err := json.Unmarshal([]byte(strings.TrimSuffix(ticket, "}")), &one); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(one.Until); left < startWithin-time.Minute || left > startWithin+time.Second {
		t.Errorf("the token may begin an interview for %v, want %v", left, startWithin)
	}
}

func TestTokenRefusesBadInput(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"not JSON", `hello`, http.StatusBadRequest, "not as expected"},
		{"nothing", ``, http.StatusBadRequest, "not as expected"},
		{"two objects", `{} {}`, http.StatusBadRequest, "follows"},
		{"unknown field", `{"room":"mine"}`, http.StatusBadRequest, "room"},
		{"wrong type", `{"name":7}`, http.StatusBadRequest, "not as expected"},
		{"unknown interview", `{"interview":"exam"}`, http.StatusBadRequest, "no such interview"},
		{"long name", `{"name":"` + strings.Repeat("é", maxName+1) + `"}`, http.StatusBadRequest, "80 characters"},
		{"control character", `{"name":"a\u0007b"}`, http.StatusBadRequest, "control"},
		{"locale", `{"locale":"en_US.UTF-8"}`, http.StatusBadRequest, "language tag"},
		{"var name", `{"vars":{"a b":"c"}}`, http.StatusBadRequest, "no choice of a b"},
		{"var value", `{"interview":"conversation","vars":{"team":"` + strings.Repeat("x", maxVarValue+1) + `"}}`, http.StatusBadRequest, "longer"},
		{"1 MB", `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, http.StatusRequestEntityTooLarge, "16384 bytes"},
		{"1 MB after the object", `{}` + strings.Repeat(" ", 1<<20), http.StatusRequestEntityTooLarge, "16384 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := postToken(newTestHandler(t, nil), tc.body)
			said := decode[struct{ Error string }](t, w).Error
			if w.Code != tc.status || !strings.Contains(said, tc.says) {
				t.Errorf("%d %q, want %d with %q", w.Code, said, tc.status, tc.says)
			}
		})
	}
}

func TestTokenAcceptsTheLongestName(t *testing.T) {
	if w := postToken(newTestHandler(t, nil), `{"name":"`+strings.Repeat("é", maxName)+`"}`); w.Code != http.StatusOK {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

func TestAPIIsForThisMachine(t *testing.T) {
	for _, tc := range []struct {
		name, peer, host string
		header           http.Header
		closed, open     int // status by default, and with OpenTokens
	}{
		{name: "loopback", peer: "127.0.0.1:1", host: "127.0.0.1:7890", closed: 200, open: 200},
		{name: "localhost", peer: "[::1]:1", host: "localhost:7890", closed: 200, open: 200},
		{name: "IPv6 literal", peer: "[::1]:1", host: "[::1]:7890", closed: 200, open: 200},
		{name: "mapped", peer: "[::ffff:127.0.0.1]:1", host: "localhost", closed: 200, open: 200},
		{name: "from the network", peer: "192.0.2.7:1", host: "127.0.0.1:7890", closed: 403, open: 200},
		{name: "rebound name", peer: "127.0.0.1:1", host: "evil.example:7890", closed: 403, open: 200},
		{name: "name that looks local", peer: "127.0.0.1:1", host: "localhost.evil.example", closed: 403, open: 200},
		{name: "no host", peer: "127.0.0.1:1", host: "", closed: 403, open: 200},
		{name: "unknown peer", peer: "@", host: "localhost", closed: 403, open: 200},
		{
			name: "through a proxy", peer: "127.0.0.1:1", host: "localhost",
			header: http.Header{"X-Forwarded-For": {"192.0.2.7"}}, closed: 403, open: 200,
		},
		{
			name: "another site's script", peer: "127.0.0.1:1", host: "localhost",
			header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, closed: 403, open: 403,
		},
		{
			name: "another origin, older browser", peer: "127.0.0.1:1", host: "localhost:7890",
			header: http.Header{"Origin": {"http://evil.example"}}, closed: 403, open: 403,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for open, want := range map[bool]int{false: tc.closed, true: tc.open} {
				h := newTestHandler(t, func(o *Options) { o.OpenTokens = open })
				w := serve(h, request(http.MethodPost, "/api/token", `{}`, func(r *http.Request) {
					r.RemoteAddr, r.Host = tc.peer, tc.host
					for k, v := range tc.header {
						r.Header[k] = v
					}
				}))
				if w.Code != want {
					t.Errorf("open=%t: status %d, want %d", open, w.Code, want)
				}
				if want == http.StatusForbidden && !open && !strings.Contains(w.Body.String(), "VIVA_WEB_OPEN_TOKENS") &&
					!strings.Contains(w.Body.String(), "another web site") {
					t.Errorf("refusal %s names no setting", w.Body)
				}
				if w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Error("CORS was allowed")
				}
			}
		})
	}
}

func TestTokenNeedsAJSONBody(t *testing.T) {
	w := serve(newTestHandler(t, nil), request(http.MethodPost, "/api/token", `{}`, func(r *http.Request) {
		r.Header.Set("Content-Type", "text/plain") // what a form of another site could send without asking
	}))
	if w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("status %d", w.Code)
	}
}

func TestTokensAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t, func(o *Options) { o.RatePerMinute = 6 })
		for range 6 {
			if w := postToken(h, `{}`); w.Code != http.StatusOK {
				t.Fatalf("status %d within the limit", w.Code)
			}
		}
		w := postToken(h, `{}`)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "10" {
			t.Fatalf("status %d, Retry-After %q; want 429 and 10", w.Code, w.Header().Get("Retry-After"))
		}
		time.Sleep(10 * time.Second)
		if w := postToken(h, `{}`); w.Code != http.StatusOK {
			t.Errorf("status %d after the time that was asked for", w.Code)
		}
		if w := postToken(h, `{}`); w.Code != http.StatusTooManyRequests {
			t.Errorf("status %d, want one token for one interval", w.Code)
		}
	})
}

func TestRoutes(t *testing.T) {
	h := newTestHandler(t, nil)
	for _, tc := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{http.MethodGet, "/", 200, "text/html; charset=utf-8"},
		{http.MethodGet, "/?interview=two_stage&name=Jo", 200, "text/html; charset=utf-8"},
		{http.MethodHead, "/", 200, "text/html; charset=utf-8"},
		{http.MethodGet, "/static/js/main.mjs", 200, "text/javascript; charset=utf-8"},
		{http.MethodGet, "/static/css/viva.css", 200, "text/css; charset=utf-8"},
		{http.MethodGet, "/static/favicon.svg", 200, "image/svg+xml"},
		{http.MethodGet, "/static/", 404, ""},
		{http.MethodGet, "/static/nothing.js", 404, ""},
		{http.MethodGet, "/static/%2e%2e/web.go", 404, ""},
		{http.MethodGet, "/elsewhere", 404, ""},
		{http.MethodPost, "/", 405, ""},
		{http.MethodGet, "/api/token", 405, ""},
		{http.MethodDelete, "/api/token", 405, ""},
		{http.MethodPost, "/api/interviews", 405, ""},
		{http.MethodGet, "/api/interviews", 200, "application/json"},
	} {
		w := serve(h, request(tc.method, tc.path, "", nil))
		if w.Code != tc.status {
			t.Errorf("%s %s: status %d, want %d", tc.method, tc.path, w.Code, tc.status)
		}
		if tc.kind != "" && w.Header().Get("Content-Type") != tc.kind {
			t.Errorf("%s %s: type %q, want %q", tc.method, tc.path, w.Header().Get("Content-Type"), tc.kind)
		}
	}
}

func TestInterviewsAreListed(t *testing.T) {
	w := serve(newTestHandler(t, nil), request(http.MethodGet, "/api/interviews", "", nil))
	got := decode[struct {
		Interviews []agent.Kind
		Default    string
	}](t, w)
	if diff := cmp.Diff(testOptions().Interviews, got.Interviews); diff != "" || got.Default != "two_stage" {
		t.Errorf("default %q, interviews: %s", got.Default, diff)
	}
}

func TestSecurityHeadersAreOnEveryResponse(t *testing.T) {
	for _, tc := range []struct{ liveKit, connect string }{
		{"ws://127.0.0.1:7880", "connect-src 'self' ws://127.0.0.1:7880 http://127.0.0.1:7880;"},
		{"wss://sfu.example", "connect-src 'self' wss://sfu.example https://sfu.example;"},
		{"https://sfu.example/path", "connect-src 'self' wss://sfu.example https://sfu.example;"},
	} {
		h := newTestHandler(t, func(o *Options) { o.LiveKitURL = tc.liveKit })
		for _, path := range []string{"/", "/static/js/main.mjs", "/api/token", "/nothing"} {
			header := serve(h, request(http.MethodGet, path, "", nil)).Header()
			policy := header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", tc.connect} {
				if !strings.Contains(policy, part) {
					t.Errorf("%s: policy %q lacks %q", path, policy, part)
				}
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			} {
				if got := header.Get(name); got != want {
					t.Errorf("%s: %s = %q, want %q", path, name, got, want)
				}
			}
		}
	}
}

func TestUnchangedFilesAreNotSentAgain(t *testing.T) {
	h := newTestHandler(t, nil)
	etag := serve(h, request(http.MethodGet, "/static/js/main.mjs", "", nil)).Header().Get("ETag")
	w := serve(h, request(http.MethodGet, "/static/js/main.mjs", "", func(r *http.Request) {
		r.Header.Set("If-None-Match", etag)
	}))
	if etag == "" || w.Code != http.StatusNotModified {
		t.Errorf("ETag %q: status %d, want 304", etag, w.Code)
	}
}

func TestNewReportsAllThatIsWrong(t *testing.T) {
	_, err := New(Options{DefaultInterview: "x", RatePerMinute: -1})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, word := range []string{"LiveKitURL", "APIKey", "APISecret", "AgentName", "RatePerMinute", "Interviews"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not mention %s", err, word)
		}
	}
	opts := testOptions()
	opts.DefaultInterview = "exam"
	if _, err := New(opts); err == nil || !strings.Contains(err.Error(), `"exam"`) {
		t.Errorf("unknown default: %v", err)
	}
}

func TestMissingBundleIsLogged(t *testing.T) {
	core, seen := observer.New(zap.WarnLevel)
	opts := testOptions()
	opts.Logger = zap.New(core)
	if _, err := newHandler(opts, fstest.MapFS{"static/index.html": {Data: []byte("page")}}); err != nil {
		t.Fatal(err)
	}
	if seen.FilterMessage("web.client_bundle_missing").Len() != 1 {
		t.Errorf("log = %v", seen.All())
	}
}

func TestUnreadableFilesAreReported(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := newHandler(testOptions(), brokenFS{broken}); !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
}
