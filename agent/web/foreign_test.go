package web

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/livekit/protocol/auth"

	"github.com/vivavoice/viva/agent"
)

// mostMetadata is what a worker takes as the metadata of a job, in bytes (agent.ParseMetadata).
const mostMetadata = 64 << 10

// FuzzTokenRequest: whatever is posted is answered with JSON, and whatever gets a token gets a job that a worker takes: with
// metadata that is short enough, says what was asked for, and claims no consent that was not given.
func FuzzTokenRequest(f *testing.F) {
	many := make([]string, 20)
	for i := range many {
		many[i] = `"v` + strings.Repeat("x", i) + `":"` + strings.Repeat("<", 780) + `"`
	}
	for _, seed := range []string{
		`{}`, `{"interview":"two_stage","name":" Ada ","locale":"en","vars":{"company":"x"}}`, `{"consent":{"recording":true,"by":"spoken"}}`,
		`{"interview":"conversation","consent":{"recording":true,"by":"x"}}`, `{"name":"\u0007"}`, `{"name":"\u2028\ud800"}`, `{"locale":"en-"}`,
		`{"nobody":1}`, `{} {}`, `null`, `[]`, ``, `{"vars":{"a b":""}}`, `{"interview":"conversation","vars":{` + strings.Join(many, ",") + `}}`,
	} {
		f.Add(seed)
	}
	h, err := New(testOptions())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h.limiter = newLimiter(1 << 20)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request(http.MethodPost, "/api/token", body, nil))
		if w.Code != http.StatusOK {
			var said struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code < 400 || w.Code > 499 || said.Error == "" || w.Body.Len() > 64<<10 {
				t.Errorf("answered %d, %d bytes: %.300s", w.Code, w.Body.Len(), w.Body)
			}
			return
		}
		var got tokenResponse
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		v, err := auth.ParseAPIToken(got.Token)
		if err != nil {
			t.Fatal(err)
		}
		_, claims, err := v.Verify(testSecret)
		if err != nil {
			t.Fatal(err)
		}
		if claims.Video.Room != got.Room || claims.Identity != got.Identity || claims.Video.RoomAdmin || claims.Video.RoomCreate || claims.Video.RoomList {
			t.Errorf("granted %+v", claims.Video)
		}
		text := claims.GetRoomConfiguration().GetAgents()[0].GetMetadata()
		if len(text) > mostMetadata {
			t.Errorf("a worker would not take %d bytes of metadata", len(text))
		}
		var said agent.Metadata
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			t.Fatal(err)
		}
		if utf8.RuneCountInString(said.Candidate.Name) > maxName || said.Consent != nil && said.Consent.By != "page" {
			t.Errorf("the job says %+v", said)
		}
	})
}

// secretWords stand in a report that nobody without the key may see.
const secretWords = "my salary was forty"

// FuzzReports: whatever path and body somebody without the key sends, no report comes, and with a key nothing fails.
func FuzzReports(f *testing.F) {
	f.Add("/api/reports/search", `{"text":"ada","limit":5,"from":"2026-01-02T03:04:05Z"}`)
	f.Add("/api/reports/search", `{"offset":-1}`)
	f.Add("/api/reports/search", `{"limit":1e9}`)
	f.Add("/api/reports/login", `{"key":"x"}`)
	f.Add("/reports/..%2f..%2fetc", "")
	f.Add("/r/%00/report.json", "")
	f.Add("/reports/s-1/recording-99999999999999999999", "")
	f.Add("/reports/s-1/report.md", "")
	kept := &shelf{reports: map[string]json.RawMessage{"s-1": json.RawMessage(`{"version":"` + secretWords + `"}`)}, links: map[string]string{}}
	f.Fuzz(func(t *testing.T, path, body string) {
		for _, key := range []string{"", "a key of many characters"} {
			s, err := NewReports(ReportsOptions{Archive: kept, Key: "a key of many characters", RatePerMinute: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				r := request(method, "/", body, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) })
				if r.URL, err = r.URL.Parse(path); err != nil || !strings.HasPrefix(r.URL.Path, "/") {
					return
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code >= 500 {
					t.Errorf("%s %q is answered with %d: %s", method, path, w.Code, w.Body)
				}
				if key == "" && strings.Contains(html.UnescapeString(w.Body.String()), secretWords) {
					t.Errorf("%s %q shows a report to anybody", method, path)
				}
			}
		}
	})
}
