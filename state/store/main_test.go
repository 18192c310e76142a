package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/vivavoice/viva/state/store"
)

// writerURL makes of the test binary the process that TestCrash kills.
const writerURL = "VIVA_TEST_STORE_WRITER"

func TestMain(m *testing.M) {
	if url := os.Getenv(writerURL); url != "" {
		if err := writeForever(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1) // it is killed, or has failed
	}
	code := m.Run()
	if err := theServer.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// both runs a test with an empty database of each kind.
func both(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "made", "when needed", "100%?.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, database(t)) })
}

// stores runs a test with an empty store of each kind.
func stores(t *testing.T, test func(t *testing.T, s *store.Store)) {
	both(t, func(t *testing.T, url string) { test(t, open(t, url)) })
}

func open(t testing.TB, url string) *store.Store {
	t.Helper()
	log := zap.NewNop()
	if testing.Verbose() {
		log = zaptest.NewLogger(t)
	}
	s, err := store.Open(t.Context(), url, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
