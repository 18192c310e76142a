package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// attic is a store with three old interviews, two of them Ada's, and a folder with their sound.
type attic struct {
	t               *testing.T
	database, sound string
}

func newAttic(t *testing.T) *attic {
	t.Helper()
	dir := t.TempDir()
	a := &attic{t: t, database: filepath.Join(dir, "interviews.db"), sound: filepath.Join(dir, "sound")}
	setting(t, "VIVA_STORE_URL="+a.database, "VIVA_RECORDING_DIR="+a.sound)
	a.with(func(s *store.Store) {
		a.keep(s, "AJ_ada_1", "ada", 40*24*time.Hour)
		a.keep(s, "AJ_bob/1", "bob", 35*24*time.Hour)
		a.keep(s, "AJ_ada_2", "ada", time.Hour)
	})
	return a
}

func (a *attic) with(do func(*store.Store)) {
	a.t.Helper()
	s, err := store.Open(a.t.Context(), a.database, zap.NewNop())
	if err != nil {
		a.t.Fatal(err)
	}
	do(s)
	if err := s.Close(); err != nil {
		a.t.Fatal(err)
	}
}

// keep puts a whole interview into the store, which ended so long ago.
func (a *attic) keep(s *store.Store, id, identity string, ago time.Duration) {
	a.t.Helper()
	ctx, ended := a.t.Context(), time.Now().Add(-ago)
	j, err := s.Create(ctx, id)
	a.check(err)
	a.check(j.Append(state.Entry{Seq: 1, Type: "turn", Data: json.RawMessage(`{"text":"what I said"}`)}))
	a.check(j.Close())
	a.check(s.SaveSession(ctx, store.Session{
		ID: id, Kind: "persona_interview", Identity: identity, Name: "The " + identity, Room: "room", State: store.Ended, Reason: "done",
		Began: ended.Add(-10 * time.Minute), Ended: ended, Link: "hash-of-a-link-to-" + id,
	}))
	raw, err := json.Marshal(&report.Report{Session: id, Title: "Talk with " + identity})
	a.check(err)
	_, err = s.SaveReport(ctx, id, raw)
	a.check(err)
	path := "2026-01/" + strings.ReplaceAll(id, "/", "%2F") + ".01.ogg"
	a.check(s.SaveRecording(ctx, store.Recording{Session: id, Path: path, Bytes: 5, Duration: 10 * time.Minute, Consent: "spoken"}))
	a.check(os.MkdirAll(filepath.Join(a.sound, "2026-01"), 0o700))
	a.check(os.WriteFile(filepath.Join(a.sound, path), []byte("sound of "+id), 0o600))
}

func (a *attic) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// sounds are the names of the files in the folder.
func (a *attic) sounds() string {
	a.t.Helper()
	var names []string
	a.check(fs.WalkDir(os.DirFS(a.sound), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.Base(path))
		}
		return err
	}))
	return strings.Join(names, " ")
}

// sessions are the ids in the store, the latest first.
func (a *attic) sessions() string {
	a.t.Helper()
	var ids []string
	a.with(func(s *store.Store) {
		page, err := s.List(a.t.Context(), store.Filter{})
		a.check(err)
		for _, one := range page.Sessions {
			ids = append(ids, one.ID)
		}
	})
	return strings.Join(ids, " ")
}

func TestSessionsList(t *testing.T) {
	newAttic(t)
	o := viva(t, nobody(), "sessions", "list")
	o.wants(t, 0, "AJ_ada_1", "AJ_bob/1", "The ada", "persona_interview", "10m0s", "yes")
	if strings.Contains(o.out, "hash-of-a-link") {
		t.Error("the list shows what opens a report")
	}
	viva(t, nobody(), "sessions", "list", "--text", "bob", "--limit", "1").wants(t, 0, "AJ_bob/1")
	o = viva(t, nobody(), "sessions", "list", "--json", "--limit", "2")
	if lines := strings.Split(strings.TrimSpace(o.out), "\n"); len(lines) != 2 || !json.Valid([]byte(lines[0])) || strings.Contains(o.out, "hash-of-a-link") {
		t.Errorf("%s", o.out)
	}
}

// Issue 5: retention. What ended longer ago goes, from the store and from the disk; a dry run only counts.
func TestSessionsPurge(t *testing.T) {
	a := newAttic(t)
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d", "--dry-run").wants(t, 0, "2 interviews and 2 recordings would be deleted")
	if a.sessions() != "AJ_ada_2 AJ_bob/1 AJ_ada_1" || a.sounds() != "AJ_ada_1.01.ogg AJ_ada_2.01.ogg AJ_bob%2F1.01.ogg" {
		t.Fatalf("a dry run leaves %q and %q", a.sessions(), a.sounds())
	}
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d").wants(t, 0, "2 interviews and 2 recordings deleted")
	if a.sessions() != "AJ_ada_2" || a.sounds() != "AJ_ada_2.01.ogg" {
		t.Errorf("%q and %q are left", a.sessions(), a.sounds())
	}
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d").wants(t, 0, "0 interviews and 0 recordings deleted")
	for _, wrong := range [][]string{{}, {"--older-than", "a while"}, {"--older-than", "0d"}, {"--older-than", "-30d"}, {"--older-than", "30d", "now"}} {
		viva(t, nobody(), append([]string{"sessions", "purge"}, wrong...)...).wants(t, exitUsage)
	}
	if a.sessions() != "AJ_ada_2" {
		t.Error("a wrong command line deletes")
	}
}

// A purge that dies between the store and the disk, or that is given the wrong folder, is finished by the next one.
func TestSessionsPurgeIsFinishedLater(t *testing.T) {
	a := newAttic(t)
	a.with(func(s *store.Store) { // the store has forgotten them, the files are there: killed in between
		purged, err := s.Purge(t.Context(), time.Now().Add(-30*24*time.Hour))
		a.check(err)
		if len(purged.Recordings) != 2 {
			t.Fatalf("%+v", purged)
		}
	})
	wrong := t.TempDir()
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d", "--recording-dir", wrong).wants(t, exitFailure, "0 recordings deleted",
		"2 recordings are not in the folder", "--recording-dir")
	a.check(os.Remove(filepath.Join(a.sound, "2026-01", "AJ_ada_1.01.ogg"))) // killed between the disk and the store
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d").wants(t, 0, "0 interviews and 2 recordings deleted")
	if a.sounds() != "AJ_ada_2.01.ogg" {
		t.Errorf("%q are left", a.sounds())
	}
	viva(t, nobody(), "sessions", "purge", "--older-than", "30d").wants(t, 0, "0 interviews and 0 recordings deleted")
}

// Issue 5: deletion of one candidate's data.
func TestSessionsDelete(t *testing.T) {
	a := newAttic(t)
	viva(t, nobody(), "sessions", "delete").wants(t, exitUsage, "--identity is missing")
	viva(t, nobody(), "sessions", "delete", "--identity", "nobody").wants(t, 0, "no interview of candidate", "0 interviews and 0 recordings deleted")
	viva(t, nobody(), "sessions", "delete", "--identity", "ada").wants(t, 0, "2 interviews and 2 recordings deleted")
	if a.sessions() != "AJ_bob/1" || a.sounds() != "AJ_bob%2F1.01.ogg" {
		t.Errorf("%q and %q are left", a.sessions(), a.sounds())
	}
}

var adasFiles = []string{
	"candidate.json",
	"sessions/AJ_ada_1/AJ_ada_1.01.ogg", "sessions/AJ_ada_1/journal.json", "sessions/AJ_ada_1/recordings.json", "sessions/AJ_ada_1/report.html",
	"sessions/AJ_ada_1/report.json", "sessions/AJ_ada_1/report.md", "sessions/AJ_ada_1/session.json",
	"sessions/AJ_ada_2/AJ_ada_2.01.ogg", "sessions/AJ_ada_2/journal.json", "sessions/AJ_ada_2/recordings.json", "sessions/AJ_ada_2/report.html",
	"sessions/AJ_ada_2/report.json", "sessions/AJ_ada_2/report.md", "sessions/AJ_ada_2/session.json",
}

// Deleting a candidate leaves none of their words, and nothing by which they could be told, in any file of the folder: not in the
// journal, the judgements, the report, the sound, or what waits to be delivered. What is others' stays.
func TestSessionsDeleteLeavesNoWords(t *testing.T) {
	const words, others = "I once took down production", "I never did"
	a := newAttic(t)
	folder := filepath.Dir(a.database)
	setting(t, "VIVA_STORE_URL="+a.database, "VIVA_RECORDING_DIR="+a.sound)
	a.with(func(s *store.Store) {
		for id, said := range map[string]string{"AJ_cem": words, "AJ_dov": others} {
			a.keep(s, id, strings.TrimPrefix(id, "AJ_"), time.Hour)
			body, err := json.Marshal(map[string]string{"quote": said})
			a.check(err)
			journal, entries, err := s.Resume(t.Context(), id)
			a.check(err)
			a.check(journal.Append(state.Entry{Seq: uint64(len(entries) + 1), Type: "turn", Data: body}))
			a.check(journal.Close())
			_, err = s.SaveEvaluation(t.Context(), id, "q1", body)
			a.check(err)
			_, err = s.AddDelivery(t.Context(), store.Delivery{ID: "report/" + id, Session: id, Body: body, Next: time.Now()})
			a.check(err)
			a.check(os.WriteFile(filepath.Join(a.sound, "2026-01", id+".01.ogg"), []byte(said), 0o600))
		}
	})
	if holders(t, folder, words) == "" {
		t.Fatal("the words were nowhere")
	}
	viva(t, nobody(), "sessions", "delete", "--identity", "cem").wants(t, 0, "1 interviews and 1 recordings deleted")
	for _, text := range []string{words, "The cem", "AJ_cem"} {
		if found := holders(t, folder, text); found != "" {
			t.Errorf("%q is left in %s", text, found)
		}
	}
	if holders(t, folder, others) == "" {
		t.Error("the words of another candidate are gone")
	}
}

// holders are the files below a folder that hold a text, or are named by it.
func holders(t *testing.T, folder, text string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), text) || strings.Contains(filepath.Base(path), text) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

// Issue 5: export of one candidate's data, and of nobody else's: what the store has, reports as people read them, and sound.
func TestSessionsExport(t *testing.T) {
	newAttic(t)
	out := filepath.Join(t.TempDir(), "ada")
	viva(t, nobody(), "sessions", "export", "--identity", "ada", "--out", out).wants(t, 0, "15 files, 2 of them sound")
	var names []string
	err := fs.WalkDir(os.DirFS(out), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(adasFiles, names); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"sessions/AJ_ada_1/AJ_ada_1.01.ogg": "sound of AJ_ada_1", "sessions/AJ_ada_1/journal.json": "what I said",
		"sessions/AJ_ada_1/report.html": "<html", "sessions/AJ_ada_1/report.md": "#",
	} {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v %.80s", name, err, text)
		}
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look into it: %v %v", info, err)
	}
	viva(t, nobody(), "sessions", "export", "--identity", "ada", "--out", out).wants(t, exitFailure, "exists")
}

func TestSessionsExportToAnArchive(t *testing.T) {
	a := newAttic(t)
	out := filepath.Join(t.TempDir(), "ada.tar.gz")
	a.check(os.Remove(filepath.Join(a.sound, "2026-01", "AJ_ada_2.01.ogg")))
	viva(t, nobody(), "sessions", "export", "--identity", "ada", "--out", out).wants(t, 0, "14 files, 1 of them sound", "not in the export: 2026-01/AJ_ada_2.01.ogg")
	f, err := os.Open(out)
	a.check(err)
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	a.check(err)
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		a.check(err)
		if h.Typeflag == tar.TypeReg {
			names = append(names, h.Name)
		}
		data, err := io.ReadAll(r)
		a.check(err)
		if strings.HasSuffix(h.Name, ".ogg") && string(data) != "sound of AJ_ada_1" {
			t.Errorf("%s: %q", h.Name, data)
		}
	}
	want := slices.DeleteFunc(slices.Clone(adasFiles), func(n string) bool { return strings.HasSuffix(n, "AJ_ada_2.01.ogg") })
	for i := range want {
		want[i] = "ada/" + want[i]
	}
	slices.Sort(names)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info, err)
	}
	none := filepath.Join(t.TempDir(), "none.tar.gz")
	viva(t, nobody(), "sessions", "export", "--identity", "nobody", "--out", none).wants(t, exitFailure, "has no interview of candidate")
	if left, err := os.ReadDir(filepath.Dir(none)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// The worker deletes sound that is older than recording.retention, and nothing but sound.
func TestRetention(t *testing.T) {
	a := newAttic(t)
	root, err := os.OpenRoot(a.sound)
	a.check(err)
	defer func() { _ = root.Close() }()
	core, logs := observer.New(zap.InfoLevel)
	a.with(func(s *store.Store) {
		k := keeping{database: s, sound: root}
		expire(t.Context(), k, time.Now().Add(-36*24*time.Hour), zap.New(core))
		expire(t.Context(), k, time.Now().Add(-36*24*time.Hour), zap.New(core))
	})
	if a.sessions() != "AJ_ada_2 AJ_bob/1 AJ_ada_1" || a.sounds() != "AJ_ada_2.01.ogg AJ_bob%2F1.01.ogg" {
		t.Errorf("%q and %q are left", a.sessions(), a.sounds())
	}
	if n := logs.FilterMessage("recordings.purged").Len(); n != 1 || logs.Len() != 1 {
		t.Errorf("logged %v", logs.All())
	}
}
