package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/vivavoice/viva/state/store"
)

// Opening an empty database makes the schema; opening it again changes nothing; so does opening it many times at once.
func TestMigration(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		stores := make([]*store.Store, 6)
		var wg sync.WaitGroup
		for i := range stores {
			wg.Go(func() {
				var err error
				if stores[i], err = store.Open(t.Context(), url, zap.NewNop()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i, s := range stores {
			if s != nil {
				write(t, s, fmt.Sprint("s", i), 2)
				must(t, s.Close())
			}
		}
		s := open(t, url)
		for i := range stores {
			holds(t, s, fmt.Sprint("s", i), 2)
		}
		if got := versions(t, url); got != "[0 1 2 3 4 5]" {
			t.Errorf("the schema has been through versions %s", got)
		}
	})
}

func versions(t *testing.T, url string) string {
	t.Helper()
	rows, err := raw(t, url).QueryContext(t.Context(), "SELECT version_id FROM viva_schema ORDER BY version_id")
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	var all []int
	for rows.Next() {
		var version int
		must(t, rows.Scan(&version))
		all = append(all, version)
	}
	must(t, rows.Err())
	return fmt.Sprint(all)
}

// A database of a later version is left alone, and the person is told in words.
func TestNewerDatabase(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		s := open(t, url)
		write(t, s, "a", 1)
		must(t, s.Close())
		_, err := raw(t, url).ExecContext(t.Context(), "INSERT INTO viva_schema (version_id, is_applied) VALUES (99, "+map[bool]string{true: "1", false: "TRUE"}[filepath.IsAbs(url)]+")")
		must(t, err)
		_, err = store.Open(t.Context(), url, zap.NewNop())
		if !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "version 99, this program knows versions up to 5; update Viva") {
			t.Errorf("got %v", err)
		}
	})
}

// Both databases have the same tables with the same columns.
func TestOneSchema(t *testing.T) {
	shape := make(map[string][]string)
	both(t, func(t *testing.T, url string) {
		open(t, url)
		query := "SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'YES' THEN ' null' ELSE '' END FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'viva_schema'"
		if filepath.IsAbs(url) {
			query = `SELECT m.name || '.' || c.name || CASE c."notnull" WHEN 0 THEN ' null' ELSE '' END FROM sqlite_master m, pragma_table_info(m.name) c
				WHERE m.type = 'table' AND m.name <> 'viva_schema' AND m.name NOT LIKE 'sqlite%'`
		}
		rows, err := raw(t, url).QueryContext(t.Context(), query+" ORDER BY 1")
		must(t, err)
		defer func() { must(t, rows.Close()) }()
		for rows.Next() {
			var column string
			must(t, rows.Scan(&column))
			shape[t.Name()] = append(shape[t.Name()], column)
		}
		must(t, rows.Err())
	})
	if len(shape) < 2 {
		t.Skip("there is only one database here to look at")
	}
	if diff := cmp.Diff(shape["TestOneSchema/sqlite"], shape["TestOneSchema/postgres"]); diff != "" || len(shape["TestOneSchema/sqlite"]) < 20 {
		t.Error(diff)
	}
}

// What a person gets to read when the database cannot be opened: what to do, and no password.
func TestOpenRefusals(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	must(t, os.WriteFile(notes, []byte(strings.Repeat("This is no database. ", 100)), 0o600))
	refusals(t, map[string]string{
		"":                                 "give a file, or postgres://",
		":memory:":                         "would forget everything; name a file",
		"sqlite:":                          "name a file",
		"sqlite::memory:":                  "name a file",
		"mysql://u:hush@h/db":              `kind "mysql" are not known; give a file`,
		dir:                                "is a folder; name a file in it",
		notes:                              "is no SQLite database, or is damaged; name another file",
		notes + "/viva.db":                 "not a directory; choose another place",
		"postgres://u:hush@h:x":            "it reads postgres://user:password@host:port/database",
		"postgres://u:hush@127.0.0.1:1/db": "is PostgreSQL running at 127.0.0.1, and may this machine reach it?",
	})
}

func TestPostgresRefusals(t *testing.T) {
	database(t) // the server runs
	theServer.exec(t, "postgres", "DROP DATABASE IF EXISTS foreign_one", "DROP DATABASE IF EXISTS only_read",
		"DROP ROLE IF EXISTS locked", "DROP ROLE IF EXISTS stranger", "CREATE ROLE locked LOGIN PASSWORD 'right'", "CREATE ROLE stranger LOGIN",
		"CREATE DATABASE foreign_one", "CREATE DATABASE only_read", "ALTER DATABASE only_read SET default_transaction_read_only = on")
	theServer.exec(t, "foreign_one", "REVOKE ALL ON SCHEMA public FROM PUBLIC")
	refusals(t, map[string]string{
		theServer.URL("locked", "hush", "postgres"):      `does not let user "locked" in; check user and password`,
		theServer.URL("nobody", "hush", "postgres"):      `does not let user "nobody" in`,
		theServer.URL("stranger", "hush", "nowhere"):     "create it: createdb nowhere",
		theServer.URL("stranger", "hush", "foreign_one"): `GRANT CREATE, USAGE ON SCHEMA public TO "stranger"`,
		theServer.URL("postgres", "hush", "only_read"):   "give the URL of the primary",
	})
}

func refusals(t *testing.T, cases map[string]string) {
	t.Helper()
	for url, want := range cases {
		s, err := store.Open(t.Context(), url, zap.NewNop())
		switch {
		case err == nil:
			t.Errorf("%q was opened", url)
			must(t, s.Close())
		case !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush"):
			t.Errorf("%q: %v, want an error that says %q", url, err, want)
		}
	}
}

// A file or folder that this user may not touch is named, with what to do.
func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	foreign := filepath.Join(dir, "foreign.db")
	must(t, os.Mkdir(closed, 0o500), os.WriteFile(foreign, nil, 0o400), os.Chmod(dir, 0o755))
	cases := map[string]string{
		filepath.Join(closed, "viva.db"):        "choose another file, or give this user the right to read and write it",
		filepath.Join(closed, "sub", "viva.db"): "choose another place, or give this user the right to write there",
		foreign:                                 "permission denied",
	}
	if os.Getuid() != 0 {
		refusals(t, cases)
		return
	}
	done := make(chan struct{})
	go func() { // root may touch everything: on a thread that ends with this goroutine, be somebody else
		defer close(done)
		runtime.LockOSThread()
		const nobody = 65534
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Error(err)
		}
		if err := unix.Setfsuid(nobody); err != nil {
			t.Error(err)
			return
		}
		refusals(t, cases)
	}()
	<-done
}

// Candidates' words are readable by the worker's own user only.
func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, "sqlite://"+filepath.Join(dir, "viva.db"))
	write(t, s, "a", 1)
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if files++; err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	}))
	if files < 3 {
		t.Errorf("%d files: where is the write-ahead log?", files)
	}
}

// Every call ends with its context.
func TestCancelledCalls(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		s := open(t, url)
		write(t, s, "a", 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err1 := s.Create(ctx, "b")
		_, err2 := s.Read(ctx, "a")
		_, err3 := s.SaveReport(ctx, "a", []byte(`{}`))
		_, err4 := s.List(ctx, store.Filter{})
		_, err5 := s.Purge(ctx, monday)
		err6 := s.SaveSession(ctx, store.Session{ID: "a"})
		_, err7 := store.Open(ctx, url, zap.NewNop())
		for i, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d: %v", i+1, err)
			}
		}
		holds(t, s, "a", 1)
	})
}

// R002-59: connections that are lost in the middle cost no entry and no interview.
func TestLostConnections(t *testing.T) {
	url := database(t)
	s := open(t, url)
	j, err := s.Create(t.Context(), "a")
	must(t, err)
	for n := 1; n <= 60; n++ {
		if n%20 == 0 {
			theServer.exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'viva'")
		}
		must(t, j.Append(entry(n)))
	}
	holds(t, s, "a", 60)
}

// Another process that writes to the same file for a moment is waited for.
func TestFileIsBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "viva.db")
	s := open(t, path)
	j, err := s.Create(t.Context(), "a")
	must(t, err)
	other, err := raw(t, path).Conn(t.Context())
	must(t, err)
	defer func() { must(t, other.Close()) }()
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- j.Append(entry(1)) }()
	got, err := s.Read(t.Context(), "a") // readers do not wait
	if err != nil || len(got) > 0 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	select {
	case err := <-done:
		t.Errorf("it did not wait: %v", err)
	default:
	}
	_, err = other.ExecContext(t.Context(), "ROLLBACK")
	must(t, err, <-done)
	holds(t, s, "a", 1)
}
