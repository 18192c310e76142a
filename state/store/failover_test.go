package store_test

import (
	"errors"
	"testing"

	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store/storetest"
)

// pair is a primary with a standby.
func pair(t *testing.T) (primary, standby *storetest.Postgres) {
	t.Helper()
	primary, standby = &storetest.Postgres{}, &storetest.Postgres{}
	t.Cleanup(func() { must(t, errors.Join(standby.Stop(), primary.Stop())) })
	if err := primary.Start(); errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	} else {
		must(t, err, standby.Follow(primary))
	}
	return primary, standby
}

// A talk goes on where the primary dies and its standby takes over, and nothing that was written is missing there; a lease that was held
// before is held.
func TestFailover(t *testing.T) {
	t.Parallel()
	primary, standby := pair(t)
	s := open(t, primary.Either(standby, "postgres", "postgres"))
	j := begun(t, s, "s")
	hold, err := s.Acquire(t.Context(), "s", "elder", longLease, call)
	must(t, err)
	s.Fence(j, hold)
	must(t, j.Append(entry(2)), primary.Crash())
	if err := j.Append(entry(3)); err != nil { // nobody has it on a disk
		t.Errorf("while no database can be written: %v", err)
	}
	must(t, standby.Promote(), j.Append(entry(4)), j.Close())
	entries, err := s.Read(t.Context(), "s")
	if err != nil || len(entries) != 4 {
		t.Errorf("the new primary has %d entries, %v", len(entries), err)
	}
	if held, err := s.Renew(t.Context(), "elder", longLease); err != nil || len(held) != 1 || held[0] != hold {
		t.Errorf("renewed %v, %v", held, err)
	}
}

// A server that can be written no more for a while, as a primary that becomes a standby, ends no talk.
func TestServerThatOnlyReads(t *testing.T) {
	t.Parallel()
	p := &storetest.Postgres{}
	t.Cleanup(func() { must(t, p.Stop()) })
	if err := p.Start(); errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	} else {
		must(t, err)
	}
	s := open(t, p.URL("postgres", "", "postgres"))
	j := begun(t, s, "s")
	db := raw(t, p.URL("postgres", "", "postgres"))
	only := func(on string) {
		for _, statement := range []string{"ALTER SYSTEM SET default_transaction_read_only = " + on, "SELECT pg_reload_conf()"} {
			_, err := db.ExecContext(t.Context(), "SET default_transaction_read_only = off")
			must(t, err)
			_, err = db.ExecContext(t.Context(), statement)
			must(t, err)
		}
	}
	db.SetMaxOpenConns(1) // which may always write
	only("on")
	for n := uint64(2); n < 5; n++ {
		if err := j.Append(state.Entry{Seq: n, Type: "turn"}); err != nil {
			t.Fatalf("entry %d: %v", n, err)
		}
	}
	if _, err := s.Create(t.Context(), "another"); err == nil {
		t.Error("it can be written")
	}
	only("off")
	must(t, j.Append(entry(5)), j.Close())
	if entries, err := s.Read(t.Context(), "s"); err != nil || len(entries) != 5 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}
