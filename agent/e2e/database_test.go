package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vivavoice/viva/state/store/storetest"
)

// TestDatabaseIsKilled: PostgreSQL ends at random moments of an interview, with all connections, and is started again a little later. The
// interview goes on meanwhile, with the same worker, and nothing is lost.
func TestDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	kills, seed := max(2, number(t, killsVar)/10), number(t, seedVar)
	const each = 2
	for n := 0; n*each < kills; n++ {
		t.Run(fmt.Sprintf("seed%d-%d", seed, n), func(t *testing.T) {
			t.Parallel()
			p := &storetest.Postgres{}
			t.Cleanup(func() {
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
			if err := p.Start(); errors.Is(err, storetest.ErrNotInstalled) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			s := besiege(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))), server, p.URL("postgres", "", "postgres"))
			s.begin()
			s.outages(each, p.Crash, func() {
				if err := p.Restart(); err != nil {
					t.Fatal(err)
				}
			})
			s.hold()
			s.check()
			s.checkNoTakeover()
		})
	}
}

// checkNoTakeover: the worker that began the interview ended it.
func (s *siege) checkNoTakeover() {
	s.t.Helper()
	for _, w := range s.workers {
		if n := len(w.facts("session.taken_up")); n > 0 {
			s.t.Errorf("the interview was taken over %d times, though its worker lived", n)
		}
	}
}

// TestDatabaseFailsOver: PostgreSQL's primary dies at a random moment of an interview, and its standby is made the primary a little later.
// The interview goes on, with the same worker, and nothing is lost.
func TestDatabaseFailsOver(t *testing.T) {
	t.Parallel()
	primary, standby := &storetest.Postgres{}, &storetest.Postgres{}
	t.Cleanup(func() {
		if err := errors.Join(standby.Stop(), primary.Stop()); err != nil {
			t.Error(err)
		}
	})
	if err := primary.Start(); errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	} else if err = errors.Join(err, standby.Follow(primary)); err != nil {
		t.Fatal(err)
	}
	s := besiege(t, rand.New(rand.NewPCG(uint64(number(t, seedVar)), 1)), server, primary.Either(standby, "postgres", "postgres"))
	s.begin()
	s.outages(1, primary.Crash, func() {
		if err := standby.Promote(); err != nil {
			t.Fatal(err)
		}
	})
	s.hold()
	s.check()
	s.checkNoTakeover()
}
