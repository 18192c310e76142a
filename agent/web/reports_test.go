package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state/store"
)

const (
	testReportsKey = "0123456789abcdef0123456789abcdef"
	testLinkToken  = "c2VjcmV0LWxpbmstdG9rZW4"
)

// shelf is an archive in memory.
type shelf struct {
	rows    []InterviewRow
	reports map[string]json.RawMessage
	links   map[string]string
	sound   []byte
}

func (s *shelf) List(_ context.Context, f store.Filter) (InterviewPage, error) {
	found := slices.DeleteFunc(slices.Clone(s.rows), func(r InterviewRow) bool {
		return !strings.Contains(strings.ToLower(r.Candidate), strings.ToLower(f.Text)) || f.State != "" && r.State != f.State
	})
	page := InterviewPage{Total: len(found)}
	if f.Offset < len(found) {
		page.Interviews = found[f.Offset:min(len(found), f.Offset+cmp.Or(f.Limit, 50))]
	}
	return page, nil
}

func (s *shelf) Report(_ context.Context, session string) (json.RawMessage, error) {
	if raw, ok := s.reports[session]; ok {
		return raw, nil
	}
	return nil, fmt.Errorf("session %s: %w", session, ErrNoReport)
}

func (s *shelf) SessionByLink(_ context.Context, hash string) (string, error) {
	if id, ok := s.links[hash]; ok {
		return id, nil
	}
	return "", ErrNoReport
}

type sound struct{ *bytes.Reader }

func (sound) Close() error { return nil }

func (s *shelf) Parts(_ context.Context, session string) ([]Part, error) {
	if s.sound == nil || s.reports[session] == nil {
		return nil, ErrNoReport
	}
	return []Part{{Offset: -1, Open: func() (io.ReadSeekCloser, error) { return sound{bytes.NewReader(s.sound)}, nil }}}, nil
}

// newShelf holds seventy interviews; the first has a report, a link and a recording.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{reports: make(map[string]json.RawMessage), links: make(map[string]string), sound: silence(230)}
	names := []string{"Linh Tran", "Marek Nowak", "Aisha Bello", "陈 晓", "Jonas Weber", "Priya Nair", "Tomás Rivera"}
	states := []string{"ended", "ended", "live", "ended", "failed"}
	for i := range 70 {
		s.rows = append(s.rows, InterviewRow{
			Session: fmt.Sprintf("AJ_%03d", i), Kind: []string{"persona_interview", "system_design"}[i%2], Candidate: names[i%len(names)],
			State: states[i%len(states)], Began: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(-time.Duration(i) * time.Hour),
			Duration: int64(180_000 + i*7_000), Report: i%len(states) < 2,
		})
	}
	s.reports["AJ_000"] = sampleReport(t)
	s.links[LinkHash(testLinkToken)] = "AJ_000"
	return s
}

func sampleReport(t *testing.T) json.RawMessage {
	t.Helper()
	const dir = "../../stages/report/testdata/"
	var src report.Source
	raw, err := os.ReadFile(dir + "persona.json")
	if err == nil {
		err = json.Unmarshal(raw, &src)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(dir + "persona.yaml")
	}
	if err == nil {
		src.Definition, err = definition.Parse("persona.yaml", text)
	}
	if err == nil {
		raw, err = json.Marshal(report.Build(src))
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// silence is a WAV file of so many seconds, 8 kHz, 8 bit.
func silence(seconds int) []byte {
	n := uint32(seconds * 8000)
	var b bytes.Buffer
	le := func(v uint32, size int) {
		for range size {
			b.WriteByte(byte(v))
			v >>= 8
		}
	}
	b.WriteString("RIFF")
	le(36+n, 4)
	b.WriteString("WAVEfmt ")
	for _, f := range [][2]uint32{{16, 4}, {1, 2}, {1, 2}, {8000, 4}, {8000, 4}, {1, 2}, {8, 2}} {
		le(f[0], int(f[1]))
	}
	b.WriteString("data")
	le(n, 4)
	b.Write(bytes.Repeat([]byte{0x80}, int(n)))
	return b.Bytes()
}

func newTestReports(t *testing.T, s *shelf, change func(*ReportsOptions)) *Reports {
	t.Helper()
	opts := ReportsOptions{Archive: s, Key: testReportsKey, RatePerMinute: 5}
	if change != nil {
		change(&opts)
	}
	r, err := NewReports(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is a response that was read.
type answer struct {
	status  int
	header  http.Header
	body    string
	cookies []*http.Cookie
}

// ask sends one request; a header is "Name: value".
func ask(h http.Handler, method, path, body string, headers ...string) answer {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	set := http.Response{Header: w.Header()}
	return answer{status: w.Code, header: w.Header(), body: w.Body.String(), cookies: set.Cookies()}
}

const bearer = "Authorization: Bearer " + testReportsKey

// Nothing is told without the key: no list, no report, no recording.
func TestReportsNeedTheKey(t *testing.T) {
	h := newTestReports(t, newShelf(t), func(o *ReportsOptions) { o.RatePerMinute = 100 })
	for _, c := range []struct{ method, path string }{
		{"POST", "/api/reports/search"}, {"GET", "/api/reports/AJ_000"}, {"GET", "/reports/AJ_000/recording"}, {"GET", "/reports/AJ_000/report.json"},
	} {
		for _, header := range []string{"X: y", "Authorization: Bearer wrong", "Authorization: Bearer ", "Authorization: Basic " + testReportsKey, "Cookie: viva_reports=9999999999.00"} {
			resp := ask(h, c.method, c.path, "{}", header)
			if body := resp.body; resp.status != http.StatusUnauthorized && resp.status != http.StatusSeeOther || strings.Contains(body, "Linh") {
				t.Errorf("%s %s with %s: %d", c.method, c.path, header, resp.status)
			}
		}
		if resp := ask(h, c.method, c.path, "{}", bearer); resp.status != http.StatusOK {
			t.Errorf("%s %s with the key: %d", c.method, c.path, resp.status)
		}
	}
	if resp := ask(h, "GET", "/reports/AJ_000", ""); resp.header.Get("Location") != "/reports" {
		t.Errorf("a browser without a cookie is sent to %q", resp.header.Get("Location"))
	}
	if body := ask(h, "GET", "/reports", "").body; strings.Contains(body, "Linh") || !strings.Contains(body, "password") {
		t.Error("the door shows what is behind it")
	}
}

// The cookie of one browser opens the list until it ends; it holds no key, and another key's cookie opens nothing.
func TestReportsCookie(t *testing.T) {
	h := newTestReports(t, newShelf(t), func(o *ReportsOptions) { o.Secure = true })
	resp := ask(h, "POST", "/api/reports/login", `{"key":"`+testReportsKey+`"}`)
	if resp.status != http.StatusNoContent || len(resp.cookies) != 1 {
		t.Fatalf("%d %v", resp.status, resp.cookies)
	}
	c := resp.cookies[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.MaxAge <= 0 || strings.Contains(c.Value, testReportsKey) {
		t.Errorf("%+v", c)
	}
	cookie := "Cookie: " + c.Name + "=" + c.Value
	if resp := ask(h, "GET", "/reports/AJ_000", "", cookie); resp.status != http.StatusOK || !strings.Contains(resp.body, "Linh Tran") {
		t.Error("the cookie opens nothing")
	}
	other := newTestReports(t, newShelf(t), func(o *ReportsOptions) { o.Key = strings.Repeat("z", 32) })
	stamp, signature, _ := strings.Cut(c.Value, ".")
	for name, value := range map[string]string{
		"changed end": "9" + stamp + "." + signature, "ended": "1000000000." + h.gate.signature("1000000000"), "no signature": stamp, "empty": "",
	} {
		if resp := ask(h, "GET", "/api/reports/AJ_000", "", "Cookie: "+c.Name+"="+value); resp.status == http.StatusOK {
			t.Errorf("%s was let in", name)
		}
	}
	if resp := ask(other, "GET", "/api/reports/AJ_000", "", cookie); resp.status == http.StatusOK {
		t.Error("the cookie of another key was let in")
	}
	if out := ask(h, "POST", "/api/reports/logout", "").cookies; len(out) != 1 || out[0].MaxAge >= 0 {
		t.Errorf("%v", out)
	}
}

// Guessing is slow: after a few wrong keys or links the right one is not even looked at.
func TestReportsGuessing(t *testing.T) {
	for name, guess := range map[string]func(h http.Handler) answer{
		"bearer": func(h http.Handler) answer {
			return ask(h, "GET", "/api/reports/AJ_000", "", "Authorization: Bearer guess")
		},
		"login": func(h http.Handler) answer { return ask(h, "POST", "/api/reports/login", `{"key":"guess"}`) },
		"link":  func(h http.Handler) answer { return ask(h, "GET", "/r/guess", "") },
	} {
		h := newTestReports(t, newShelf(t), nil)
		for i := range 5 {
			if resp := guess(h); resp.status == http.StatusTooManyRequests {
				t.Errorf("%s: refused after %d", name, i)
			}
		}
		if resp := guess(h); resp.status != http.StatusTooManyRequests || resp.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d", name, resp.status)
		}
		if resp := ask(h, "GET", "/api/reports/AJ_000", "", bearer); resp.status != http.StatusTooManyRequests {
			t.Errorf("%s: the right key right after: %d", name, resp.status)
		}
	}
}

func TestReportsList(t *testing.T) {
	s := newShelf(t)
	core, logs := observer.New(zap.DebugLevel)
	h := newTestReports(t, s, func(o *ReportsOptions) { o.Logger = zap.New(core) })
	var page InterviewPage
	if err := json.Unmarshal([]byte(ask(h, "POST", "/api/reports/search", `{"text":"linh","state":"ended","limit":2,"offset":1}`, bearer).body), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Interviews) != 2 || page.Total != 6 || page.Interviews[0].Candidate != "Linh Tran" {
		t.Errorf("%+v", page)
	}
	if got := ask(h, "POST", "/api/reports/search", "", bearer).body; !strings.Contains(got, `"total":70`) {
		t.Errorf("%s", got)
	}
	for _, body := range []string{`{"limit":201}`, `{"offset":-1}`, `{"surprise":1}`, `[`, `{"text":"` + strings.Repeat("x", 300) + `"}`} {
		if resp := ask(h, "POST", "/api/reports/search", body, bearer); resp.status != http.StatusBadRequest {
			t.Errorf("%.40s: %d", body, resp.status)
		}
	}
	if resp := ask(h, "POST", "/api/reports/search", "{}", bearer, "Sec-Fetch-Site: cross-site"); resp.status != http.StatusForbidden {
		t.Errorf("from another site: %d", resp.status)
	}
	for _, entry := range logs.All() {
		if strings.Contains(fmt.Sprint(entry.ContextMap()), "linh") {
			t.Errorf("a name was logged: %v", entry)
		}
	}
}

// R002-55, R002-56: the candidate gets the whole report by their link, as a page, JSON and Markdown, with the recording;
// the link opens nothing else.
func TestCandidateLink(t *testing.T) {
	h := newTestReports(t, newShelf(t), func(o *ReportsOptions) { o.RatePerMinute = 100 })
	resp := ask(h, "GET", "/r/"+testLinkToken, "")
	body := resp.body
	for _, want := range []string{"Linh Tran", `src="/static/report/report.mjs"`, `src="/r/` + testLinkToken + `/recording"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(body, `href="/reports"`) {
		t.Error("the page leads to the operator's list")
	}
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Robots-Tag": "noindex"} {
		if resp.header.Get(name) != want {
			t.Errorf("%s: %s", name, resp.header.Get(name))
		}
	}
	for file, want := range map[string]string{"report.json": `"version":"viva.report/1"`, "report.md": "# Interview report"} {
		if got := ask(h, "GET", "/r/"+testLinkToken+"/"+file, "").body; !strings.Contains(got, want) {
			t.Errorf("%s: %.80s", file, got)
		}
	}
	part := ask(h, "GET", "/r/"+testLinkToken+"/recording", "", "Range: bytes=0-3")
	if got := part.body; part.status != http.StatusPartialContent || got != "RIFF" || part.header.Get("Content-Type") != "audio/ogg" {
		t.Errorf("%d %q", part.status, got)
	}
	for _, path := range []string{"/r/unknown", "/r/" + testLinkToken + "/passwd", "/r/AJ_000", "/r/" + LinkHash(testLinkToken)} {
		if resp := ask(h, "GET", path, ""); resp.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, resp.status)
		}
	}
	for _, path := range []string{"/api/reports/AJ_000", "/reports/AJ_001"} {
		if resp := ask(h, "GET", path, "", "Cookie: viva_reports="+testLinkToken); resp.status == http.StatusOK {
			t.Errorf("%s: %d", path, resp.status)
		}
	}
	for _, session := range []string{"AJ_999", "..%2f..%2fetc", strings.Repeat("a", 81)} {
		if resp := ask(h, "GET", "/api/reports/"+session, "", bearer); resp.status != http.StatusNotFound {
			t.Errorf("%s: %d", session, resp.status)
		}
	}
}

// RX-20: the candidate's link shows nothing that the interview hides from them, in no form; the operator's pages have all of it.
func TestCandidateLinkKeepsSecrets(t *testing.T) {
	const secret = "sliding window"
	s := newShelf(t)
	var rep report.Report
	if err := json.Unmarshal(s.reports["AJ_000"], &rep); err != nil {
		t.Fatal(err)
	}
	rep.Questions[0].Feedback = "Well told. A " + secret + " was wanted."
	rep.Questions[0].Gaps, rep.Questions[0].Flags = []string{secret, "numbers"}, []string{"instructs_judge"}
	rep.Stages = append(rep.Stages, report.Stage{ID: "X", Assessment: report.Assessment{Improved: "Use a " + secret + "."}})
	rep.NextSteps = append(rep.NextSteps, report.Step{Text: "Be ready to speak about " + secret + "."})
	report.Withhold(&rep, func(text string) bool { return strings.Contains(text, secret) })
	raw, err := json.Marshal(&rep)
	if err != nil {
		t.Fatal(err)
	}
	s.reports["AJ_000"] = raw
	h := newTestReports(t, s, func(*ReportsOptions) {})
	for _, path := range []string{"", "/report.json", "/report.md"} {
		own, all := ask(h, "GET", "/r/"+testLinkToken+path, ""), ask(h, "GET", "/reports/AJ_000"+path, "", bearer)
		if own.status != http.StatusOK || strings.Contains(own.body, secret) || strings.Contains(own.body, "instructs_judge") || strings.Contains(own.body, "withheld") {
			t.Errorf("%q: %d, or the candidate reads what is hidden", path, own.status)
		}
		if !strings.Contains(own.body, "Well told.") || !strings.Contains(own.body, "numbers") {
			t.Errorf("%q: the rest is gone", path)
		}
		if !strings.Contains(all.body, secret) {
			t.Errorf("%q: the operator does not read it", path)
		}
	}
}

// Without links, recordings or a report that can be read there is an answer all the same.
func TestReportsWithLess(t *testing.T) {
	s := newShelf(t)
	s.reports["AJ_001"] = json.RawMessage(`{"version":5}`)
	s.links, s.sound = nil, nil
	h := newTestReports(t, s, nil)
	if resp := ask(h, "GET", "/r/"+testLinkToken, ""); resp.status != http.StatusNotFound {
		t.Errorf("a link: %d", resp.status)
	}
	if body := ask(h, "GET", "/reports/AJ_000", "", bearer).body; strings.Contains(body, "<audio") {
		t.Error("a recording is offered that there is not")
	}
	for path, want := range map[string]int{"/reports/AJ_000/recording": 404, "/reports/AJ_001": 500, "/reports/AJ_001/report.md": 500} {
		if resp := ask(h, "GET", path, "", bearer); resp.status != want {
			t.Errorf("%s: %d", path, resp.status)
		}
	}
	for name, opts := range map[string]ReportsOptions{"no archive": {Key: testReportsKey}, "short key": {Archive: s, Key: "short"}} {
		if _, err := NewReports(opts); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
