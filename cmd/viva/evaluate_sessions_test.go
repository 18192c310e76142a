package main

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// journalsOf writes the journals of interviews that were held in virtual time, and returns their folder.
func journalsOf(t *testing.T, runs string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "journals")
	viva(t, nobody(), "simulate", "--runs", runs, "--candidate", "weak", "--journal", dir, "evaluation").wants(t, 0)
	return dir
}

// R004-65a: the answers of stored interviews are collected in a table and judged; the table names session and turns. A run that
// was ended goes on, a whole table is kept, and what cannot be read is named and stops nothing.
func TestEvaluateSessions(t *testing.T) {
	setting(t)
	dir := journalsOf(t, "3")
	if err := os.WriteFile(filepath.Join(dir, "broken.jsonl"), []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	o := viva(t, nobody(), "evaluate", "--sessions", dir, "--out", out)
	o.wants(t, 0, "session broken is left out", "4 sessions, 1 of them left out; 3 answers", "rows          3 judged, 0 not")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(table) != 4 || table[0][0] != "session" || table[0][2] != "turns" || len(table[0]) != 10+len(batch.Columns(false)) {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, row := range table[1:] {
		if row[0] == "" || row[1] != "PROBLEM" || row[2] == "" || row[4] == "" || !strings.HasPrefix(row[6], "time O(") {
			t.Errorf("%q", row[:8])
		}
	}
	viva(t, nobody(), "evaluate", "--sessions", dir, "--out", out).wants(t, exitFailure, "pass --resume")
	if err := os.WriteFile(out, text[:len(text)-30], 0o600); err != nil {
		t.Fatal(err)
	}
	viva(t, nobody(), "evaluate", "--sessions", dir, "--out", out, "--resume").wants(t, 0, "collected before", "rows          3 judged")
	if again, err := os.ReadFile(out); err != nil || string(again) != string(text) {
		t.Errorf("the table is not whole again: %v\n%s", err, again)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*-1.jsonl"))
	if err != nil || len(files) == 0 {
		if files, err = filepath.Glob(filepath.Join(dir, "[!b]*.jsonl")); err != nil || len(files) == 0 {
			t.Fatal(err)
		}
	}
	one := filepath.Join(t.TempDir(), "one.jsonl")
	viva(t, nobody(), "evaluate", "--sessions", files[0], "--out", one, "--reference", "PROBLEM=yes").wants(t, 0, "1 sessions, 0 of them", "rows          1 judged")
	if text, err := os.ReadFile(one); err != nil || !strings.Contains(string(text), `"groundtruth":"yes"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// R004-65a: sessions of a database that are over are judged, the oldest first; one that is still held is none yet, and one whose
// interview has changed since is left out.
func TestEvaluateSessionsOfAStore(t *testing.T) {
	setting(t)
	dir := journalsOf(t, "2")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	file := filepath.Join(t.TempDir(), "interviews.db")
	db, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []store.Session{
		{ID: "second", State: store.Ended}, {ID: "first", State: store.Failed}, {ID: "live", State: store.Live}, {ID: "changed", State: store.Ended},
	} {
		entries, err := state.Dir(dir).Read(t.Context(), strings.TrimSuffix(filepath.Base(files[i%2]), ".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if s.ID == "changed" {
			s.Definition = "0123456789abcdef"
			entries[0].Data = []byte(strings.NewReplacer(`"def_hash":"`, `"def_hash":"0`).Replace(string(entries[0].Data)))
		}
		s.Kind, s.Locale, s.Began = "evaluation", "en", time.Unix(1e9-int64(i)*60, 0)
		if s.State == store.Ended {
			s.Ended = s.Began.Add(time.Minute)
		}
		journal, err := db.Create(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := journal.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.SaveSession(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	viva(t, nobody(), "evaluate", "--sessions", file, "--out", out).wants(t, 0, "session changed is left out", "has changed since", "2 answers", "rows          2 judged")
	text, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(text), "live") || strings.Index(string(text), "\nfirst,") > strings.Index(string(text), "\nsecond,") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestEvaluateSessionsBadCommandLines(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	for _, test := range []struct {
		code int
		args []string
		want string
	}{
		{exitUsage, []string{"--sessions", dir, "--in", out}, "pass one of them"},
		{exitUsage, []string{"--sessions", dir}, "--sessions WHERE --out FILE"},
		{exitUsage, []string{"--sessions", dir, "--out", "-"}, "--sessions WHERE --out FILE"},
		{exitFailure, []string{"--sessions", dir, "--out", out}, "there is no journal"},
		{exitFailure, []string{"--sessions", dir + "/nowhere.db", "--out", out}, "no such file"},
		{exitUsage, []string{"--sessions", dir, "--out", out, "--reference", "PROBLEM"}, "write STAGE=ANSWER"},
	} {
		viva(t, nobody(), append([]string{"evaluate"}, test.args...)...).wants(t, test.code, test.want)
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a database was made: %v", err)
	}
}
