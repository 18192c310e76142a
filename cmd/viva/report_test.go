package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state/store"
)

// sampleReport is that of a finished interview of five questions.
func sampleReport(t *testing.T) json.RawMessage {
	t.Helper()
	const dir = "../../stages/report/testdata/"
	var src report.Source
	raw, err := os.ReadFile(dir + "persona.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &src); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "persona.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if src.Definition, err = definition.Parse("persona.yaml", text); err != nil {
		t.Fatal(err)
	}
	if raw, err = json.Marshal(report.Build(src)); err != nil {
		t.Fatal(err)
	}
	return raw
}

// filled is a store with two sessions, one of which has a report. It is closed.
func filled(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "viva.db")
	s, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(-time.Hour)
	for _, x := range []store.Session{
		{ID: "AJ_1", Kind: "persona_interview", Name: "Linh Tran", State: store.Ended, Began: began, Ended: began.Add(time.Minute)},
		{ID: "AJ_2", Kind: "two_stage", State: store.Ended, Began: began, Ended: began.Add(time.Minute), Reason: "done"},
		{ID: "AJ_3", Kind: "two_stage", State: store.Live, Began: began},
	} {
		if err := s.SaveSession(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.SaveReport(t.Context(), "AJ_1", sampleReport(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// A report is written in each of its forms, to a file that others cannot read, or to standard output.
func TestReportCommand(t *testing.T) {
	setting(t)
	file := filled(t)
	for format, wants := range map[string][]string{
		"json": {`"session"`, "\n  "}, "md": {"# ", "Linh"}, "html": {"<!doctype html>", "Linh"}, "pdf": {"%PDF-1"},
	} {
		out := filepath.Join(t.TempDir(), "report."+format)
		viva(t, nobody(), "report", "AJ_1", "--store", file, "--format", format, "--out", out).wants(t, 0)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(out)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", format, info.Mode(), err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in it", format, want)
			}
		}
	}
	if o := viva(t, nobody(), "report", "AJ_1", "--store", file, "--format", "md"); o.code != 0 || !strings.HasPrefix(o.out, "# ") {
		t.Errorf("%d, %s", o.code, o.errs)
	}
}

// Why there is no report is said in words, and what to do about a store that can have none.
func TestReportCommandRefuses(t *testing.T) {
	setting(t)
	file := filled(t)
	for want, args := range map[string][]string{
		"has no session":     {"AJ_9", "--store", file},
		"has no report: it ": {"AJ_2", "--store", file},
		"it is live":         {"AJ_3", "--store", file},
		"VIVA_STORE_URL":     {"AJ_1", "--store", "memory"},
	} {
		viva(t, nobody(), append([]string{"report"}, args...)...).wants(t, exitFailure, want)
	}
	viva(t, nobody(), "report", "AJ_1", "--format", "docx").wants(t, exitUsage, `no format "docx"`)
	viva(t, nobody(), "report").wants(t, exitUsage, "the session whose report is wanted")
}

// What was held is replayed out of the store by its session alone: the journal tells which interview it is of.
func TestReplayFromTheStore(t *testing.T) {
	setting(t)
	file := filepath.Join(t.TempDir(), "viva.db")
	viva(t, strings.NewReader(answers), "console", "--store", file).wants(t, 0)
	s, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), store.Filter{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil || page.Total != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	viva(t, nobody(), "replay", page.Sessions[0].ID, "--store", file).wants(t, 0, "ended as ", "PAST_EXPERIENCE")
	viva(t, nobody(), "replay", "AJ_9", "--store", file).wants(t, exitFailure, "AJ_9 is no file here", "has no such session")
}

// siteSettings are those of a worker with report pages.
func siteSettings(file string) *settings.Settings {
	return &settings.Settings{
		Store: settings.Store{URL: settings.Secret(file)},
		Web:   settings.Web{Enabled: true, Address: "127.0.0.1:7890", ReportsKey: "a key that nobody guesses", PublicURL: "https://talks.example/"},
	}
}

// makers are links of these settings, in this store.
func makers(t *testing.T, s *settings.Settings, database *store.Store) *links {
	t.Helper()
	l, err := newLinks(t.Context(), s, database, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func opened(t *testing.T, file string) *store.Store {
	t.Helper()
	database, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() })
	return database
}

// R002-55: every worker with the same key and store makes the same link to a session, also of one that it has taken over; it opens
// that one report, and neither the store nor the key alone has what it takes to make it: a key cannot be tried on a link.
func TestCandidateLinks(t *testing.T) {
	s, file := siteSettings("viva.db"), filled(t)
	database := opened(t, file)
	one, other := makers(t, s, database), makers(t, s, opened(t, file))
	link := one.url("AJ_1")
	if link != other.url("AJ_1") || link == one.url("AJ_2") || !strings.HasPrefix(link, "https://talks.example/r/") || len(link) < len("https://talks.example/r/")+32 {
		t.Errorf("%s, %s", link, other.url("AJ_1"))
	}
	if strings.Contains(link, one.hash("AJ_1")) || len(one.hash("AJ_1")) != 64 {
		t.Error("the hash is no hash")
	}
	if makers(t, s, opened(t, filled(t))).url("AJ_1") == link {
		t.Error("the key is all that it takes")
	}
	s.Web.ReportsKey = "another key that nobody guesses"
	if makers(t, s, database).url("AJ_1") == link {
		t.Error("the key changes nothing")
	}
	if s.Web.ReportsKey = ""; makers(t, s, database) != nil {
		t.Error("links to pages that there are not")
	}
	s = siteSettings("memory")
	if makers(t, s, nil) != nil || ensureReportsKey(s) {
		t.Error("links to reports that nobody keeps")
	}
	s = siteSettings("viva.db")
	if s.Web.ReportsKey = ""; !ensureReportsKey(s) || len(s.Web.ReportsKey) != 32 || ensureReportsKey(s) {
		t.Errorf("key %q", s.Web.ReportsKey.Reveal())
	}
}

// A link that was handed out before links had a secret of the store goes on working until its report is handed out anew, with a
// link that works; one that was taken away does not come back.
func TestCandidateLinksOfBefore(t *testing.T) {
	file := filled(t)
	database, s := opened(t, file), siteSettings("viva.db")
	l := makers(t, s, database)
	opens := func(token string) bool {
		found, err := database.SessionByLink(t.Context(), web.LinkHash(token))
		return err == nil && found.ID == "AJ_1"
	}
	if err := database.SaveSession(t.Context(), store.Session{ID: "AJ_1", Link: web.LinkHash("of before")}); err != nil {
		t.Fatal(err)
	}
	if !opens("of before") {
		t.Error("it is dead at once")
	}
	if token := strings.TrimPrefix(l.url("AJ_1"), "https://talks.example/r/"); !opens(token) {
		t.Error("the new one opens nothing")
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	setting(t)
	viva(t, nobody(), "sessions", "unlink", "--store", file).wants(t, exitUsage, "--session is missing")
	viva(t, nobody(), "sessions", "unlink", "--store", file, "--session", "AJ_9").wants(t, exitFailure, `no session "AJ_9"`)
	viva(t, nobody(), "sessions", "unlink", "--store", file, "--session", "AJ_1").wants(t, 0, "opens nothing any more")
	viva(t, nobody(), "sessions", "unlink", "--store", file, "--session", "AJ_1").wants(t, 0, "has no link")
	database = opened(t, file)
	if opens(strings.TrimPrefix(makers(t, s, database).url("AJ_1"), "https://talks.example/r/")) {
		t.Error("it was given back")
	}
}

// The pages of reports stand beside the candidate's, and nowhere without a key.
func TestReportPagesAreMounted(t *testing.T) {
	file := filled(t)
	database := opened(t, file)
	s, k := siteSettings(file), keeping{journals: database, database: database}
	l := makers(t, s, database)
	if err := database.SaveSession(t.Context(), store.Session{ID: "AJ_1", Link: l.hash("AJ_1")}); err != nil {
		t.Fatal(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the candidate's page")) })
	site, err := withReports(s, k, page, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	get := func(h http.Handler, path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/": {200, "the candidate's page"}, "/api/token": {200, "the candidate's page"}, "/static/css/viva.css": {200, "the candidate's page"},
		"/reports": {200, "Interviews and reports"}, "/r/" + l.token("AJ_1"): {200, "Linh Tran"}, "/r/" + l.token("AJ_2"): {404, "no such report"},
		"/api/reports/AJ_1": {401, "The key is needed"}, "/reports/AJ_1": {303, "/reports"},
	} {
		if code, text := get(site, path); code != want.code || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d %.200s", path, code, text)
		}
	}
	s.Web.ReportsKey = ""
	site, err = withReports(s, k, page, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if _, text := get(site, "/reports"); text != "the candidate's page" {
		t.Errorf("without a key: %s", text)
	}
}

// A worker whose store is lost is not healthy, and says why; its other addresses answer. Who asks for its health does not take part
// in the store's work: a store that somebody else holds keeps nobody waiting.
func TestHealthWatchesTheStore(t *testing.T) {
	file := filled(t)
	database, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	fine := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("OK")) })
	core, logs := observer.New(zap.InfoLevel)
	p := &pulse{database: database, log: zap.New(core)}
	h := p.watched(fine)
	ask := func(path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	p.check(t.Context())
	if code, text := ask("/"); code != 200 || text != "OK" {
		t.Errorf("%d %s", code, text)
	}
	release := hold(t, file)
	began := time.Now()
	for range 20 {
		if code, _ := ask("/"); code != 200 {
			t.Errorf("%d", code)
		}
	}
	if took := time.Since(began); took > pulseLimit/2 {
		t.Errorf("asking for health took %v while the writer was taken", took)
	}
	release()
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	p.check(t.Context())
	p.check(t.Context())
	if code, text := ask("/"); code != http.StatusServiceUnavailable || !strings.Contains(text, "the store is lost") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := ask("/worker"); code != 200 {
		t.Errorf("/worker answers %d", code)
	}
	if n := logs.FilterMessage("store.lost").Len(); n != 1 {
		t.Errorf("logged %d times", n)
	}
	p.database = opened(t, file)
	p.check(t.Context())
	if code, _ := ask("/"); code != 200 || logs.FilterMessage("store.back").Len() != 1 {
		t.Errorf("%d %v", code, logs.All())
	}
}

// hold takes the only writer of a database file.
func hold(t *testing.T, file string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}
