package agent

import (
	"database/sql"
	"testing"

	"github.com/vivavoice/viva/state/store"
)

// How an interview ended waits for a store that takes nothing at that moment.
func TestEndWaitsForTheStore(t *testing.T) {
	a := arrive(t, Metadata{Interview: "two_stage"}, "room")
	if _, err := a.open(t.Context(), jordan); err != nil {
		t.Fatal(err)
	}
	a.filing.Wait()
	other, err := sql.Open("sqlite", a.file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }() // it has written nothing
	lock, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a.saveEnd(t.Context(), "AJ_new", "done", nil)
	if s, err := a.store.Session(t.Context(), "AJ_new"); err != nil || s.State != store.Live {
		t.Fatalf("the store took it all the same: %+v, %v", s, err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := a.i.assessment.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := a.store.Session(t.Context(), "AJ_new"); err != nil || s.State != store.Ended || s.Reason != "done" {
		t.Errorf("%+v, %v", s, err)
	}
}
