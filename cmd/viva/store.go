package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// keeping is where interviews are kept: always journals, and the rest where it is a database.
type keeping struct {
	journals state.Store
	database *store.Store // nil: memory or a folder
	folder   string       // where journals and reports lie as files; "" = they do not
	sound    *os.Root     // nil: nothing is recorded
}

// openKeeping opens what store.url names. The caller closes it, after everything that writes to it.
func openKeeping(ctx context.Context, s *settings.Settings, log *zap.Logger) (keeping, error) {
	switch url := s.Store.URL.Reveal(); {
	case url == settings.StoreMemory:
		return keeping{journals: state.NewMemory()}, nil
	case strings.HasPrefix(url, settings.StoreDir):
		dir := strings.TrimPrefix(url, settings.StoreDir)
		return keeping{journals: state.Dir(dir), folder: dir}, nil
	}
	database, err := openStore(ctx, s, log)
	if err != nil {
		return keeping{}, err
	}
	sound, err := openSound(s)
	if err != nil {
		return keeping{}, errors.Join(err, database.Close())
	}
	return keeping{journals: database, database: database, sound: sound}, nil
}

// begin opens the journal of an interview that this program holds without a worker, and enters it where interviews are listed.
// end must follow.
func (k keeping) begin(ctx context.Context, iv *engine.Interview, start *engine.Started) (state.Journal, error) {
	if k.database != nil {
		s := agent.Filed(iv, start)
		s.State, s.Began = store.Live, time.Now()
		if err := k.database.SaveSession(ctx, s); err != nil {
			return nil, err
		}
	}
	journal, err := k.journals.Create(ctx, start.Session)
	if err != nil {
		return nil, errors.Join(err, k.end(ctx, start.Session, "", err))
	}
	return journal, nil
}

// endLimit bounds how long a program that ends waits for the store to take down how its interview ended.
const endLimit = 5 * time.Second

// end enters how the interview ended, also when ctx has: one that stays live is found by no search, no purge and no report. One
// that was deleted while it was held stays deleted.
func (k keeping) end(ctx context.Context, session, reason string, err error) error {
	if k.database == nil || errors.Is(err, store.ErrNoSession) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	return k.database.SaveSession(ctx, agent.Over(session, reason, err))
}

// equip has interviews kept there, and gives candidates links to their reports.
func (k keeping) equip(ctx context.Context, o *agent.Options, s *settings.Settings, log *zap.Logger) error {
	o.Store, o.Archive, o.Recordings = k.journals, k.database, k.recordings()
	l, err := newLinks(ctx, s, k.database, log)
	if l != nil {
		o.LinkHash, o.Link = l.hash, l.url
	}
	return err
}

// close closes the database, if it is one.
func (k keeping) close(log *zap.Logger) {
	if k.database == nil {
		return
	}
	if k.sound != nil {
		_ = k.sound.Close() // a folder: nothing is written by it
	}
	if err := k.database.Close(); err != nil {
		log.Error("store.close", zap.Error(err))
	}
}

// openStore opens the database that store.url names, for commands that need one. The caller closes it.
func openStore(ctx context.Context, s *settings.Settings, log *zap.Logger) (*store.Store, error) {
	if !s.Store.Database() {
		return nil, errors.New("store.url names no database, so there is nothing to look into: set VIVA_STORE_URL or pass --store with a file or " +
			"postgres://user:password@host/database")
	}
	return store.Open(ctx, s.Store.URL.Reveal(), log)
}
