package web

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// A real store behind the list, the report, the candidate's link and the recording.
func TestStoreArchive(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "viva.db"), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	began := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for _, err := range []error{
		s.SaveSession(t.Context(), store.Session{ID: "AJ_1", Kind: "persona_interview", Name: "Linh Tran", State: store.Ended, Began: began,
			Ended: began.Add(3 * time.Minute), Link: LinkHash(testLinkToken)}),
		s.SaveSession(t.Context(), store.Session{ID: "AJ_2", Identity: "guest-7", State: store.Live, Began: began}),
		s.SaveRecording(t.Context(), store.Recording{Session: "AJ_1", Path: "gone.ogg"}),
		s.SaveRecording(t.Context(), store.Recording{Session: "AJ_1", Path: "talk.ogg"}),
		s.SaveRecording(t.Context(), store.Recording{Session: "AJ_2", Path: "../../etc/passwd"}),
		os.WriteFile(filepath.Join(dir, "talk.ogg"), []byte("OggS"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.SaveReport(t.Context(), "AJ_1", sampleReport(t)); err != nil {
		t.Fatal(err)
	}
	archive := StoreArchive{Store: s, Sound: root}
	h, err := NewReports(ReportsOptions{Archive: archive, Key: testReportsKey})
	if err != nil {
		t.Fatal(err)
	}
	var page InterviewPage
	if err := json.Unmarshal([]byte(ask(h, "POST", "/api/reports/search", `{"text":"tran"}`, bearer).body), &page); err != nil {
		t.Fatal(err)
	}
	if want := (InterviewRow{Session: "AJ_1", Kind: "persona_interview", Candidate: "Linh Tran", State: store.Ended, Began: began, Duration: 180_000, Report: true}); page.Total != 1 || page.Interviews[0] != want {
		t.Errorf("%+v", page)
	}
	if got := ask(h, "POST", "/api/reports/search", `{"state":"live"}`, bearer).body; !strings.Contains(got, "guest-7") {
		t.Error(got)
	}
	if got := ask(h, "GET", "/r/"+testLinkToken, "").body; !strings.Contains(got, "Linh Tran") || !strings.Contains(got, "<audio") {
		t.Error("the link does not open the report with its recording")
	}
	for path, want := range map[string]int{"/r/other": 404, "/reports/AJ_2": 404, "/reports/AJ_9/report.json": 404, "/reports/AJ_1/recording": 200} {
		if got := ask(h, "GET", path, "", bearer); got.status != want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	parts, err := archive.Parts(t.Context(), "AJ_1")
	if err != nil || len(parts) != 1 {
		t.Fatalf("%v, %v", parts, err)
	}
	f, err := parts[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(f); err != nil || string(b) != "OggS" {
		t.Errorf("%q %v", b, err)
	}
	_ = f.Close()
	if _, err := archive.Parts(t.Context(), "AJ_2"); err == nil {
		t.Error("a file outside of the folder was opened")
	}
	if _, err := (StoreArchive{Store: s}).Parts(t.Context(), "AJ_1"); !errors.Is(err, ErrNoReport) {
		t.Errorf("without a folder: %v", err)
	}
}
