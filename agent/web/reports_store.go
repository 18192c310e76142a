package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/vivavoice/viva/state/store"
)

// StoreArchive shows what a store keeps. The store and the folder stay their owner's to close.
type StoreArchive struct {
	Store *store.Store
	// Sound is the folder that recordings are in; nothing outside of it is opened. Nil: there is nothing to hear.
	Sound *os.Root
}

var _ Archive = StoreArchive{}

// List implements Archive.
func (a StoreArchive) List(ctx context.Context, f store.Filter) (InterviewPage, error) {
	found, err := a.Store.List(ctx, f)
	if err != nil {
		return InterviewPage{}, err
	}
	page := InterviewPage{Total: found.Total}
	for i := range found.Sessions {
		page.Interviews = append(page.Interviews, listed(&found.Sessions[i]))
	}
	return page, nil
}

func listed(s *store.Listed) InterviewRow {
	row := InterviewRow{
		Session: s.ID, Kind: s.Kind, Candidate: cmp.Or(s.Name, s.Identity), State: s.State, Locale: s.Locale, Began: s.Began, Report: s.Report,
	}
	if !s.Began.IsZero() && s.Ended.After(s.Began) {
		row.Duration = s.Ended.Sub(s.Began).Milliseconds()
	}
	return row
}

// Report implements Archive.
func (a StoreArchive) Report(ctx context.Context, session string) (json.RawMessage, error) {
	raw, err := a.Store.Report(ctx, session)
	return raw, none(err)
}

// SessionByLink implements Archive.
func (a StoreArchive) SessionByLink(ctx context.Context, hash string) (string, error) {
	s, err := a.Store.SessionByLink(ctx, hash)
	return s.ID, none(err)
}

// none makes what is not there one error.
func none(err error) error {
	if errors.Is(err, store.ErrNoReport) || errors.Is(err, store.ErrNoSession) {
		return fmt.Errorf("%w: %w", ErrNoReport, err)
	}
	return err
}
