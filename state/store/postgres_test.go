package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vivavoice/viva/state/store/storetest"
)

// server is a PostgreSQL of our own, started when it is first needed.
type server struct {
	storetest.Postgres
	once sync.Once
	err  error
	made atomic.Int32
}

// theServer is started by the first test that needs it, and stopped by TestMain.
var theServer server

// database makes an empty database and returns its URL.
func database(t testing.TB) string {
	t.Helper()
	// Tests lose nothing when the machine does.
	return theServer.database(t, "-c", "fsync=off", "-c", "full_page_writes=off")
}

func (s *server) database(t testing.TB, options ...string) string {
	t.Helper()
	s.once.Do(func() { s.err = s.Start(options...) })
	if errors.Is(s.err, storetest.ErrNotInstalled) {
		t.Skip(s.err)
	}
	must(t, s.err)
	name := fmt.Sprintf("test%d", s.made.Add(1))
	s.exec(t, "postgres", "CREATE DATABASE "+name)
	return s.URL("postgres", "", name)
}

// exec runs statements as the superuser.
func (s *server) exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	db := raw(t, s.URL("postgres", "", database))
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// raw opens a database without the store.
func raw(t testing.TB, name string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if filepath.IsAbs(name) {
		driver, name = "sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: name}).String()
	}
	db, err := sql.Open(driver, name)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}
