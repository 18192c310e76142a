package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"go.uber.org/zap"
)

//go:embed migrations
var migrations embed.FS

// versions is the table that says which migrations a database has had.
const versions = "viva_schema"

// migrate brings the schema up to date. Several processes may do so at the same time: each step is one transaction, so
// that one of them gets through and the others find it done when they look again.
func (s *Store) migrate(ctx context.Context) error {
	table, err := database.NewStore(s.schema, versions)
	if err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations/"+s.name)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(s.schema, s.write, files, goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	const attempts = 5
	for n := 1; ; n++ {
		if err = s.prepare(ctx, table); err == nil {
			err = s.upgrade(ctx, p)
		}
		if err == nil || errors.Is(err, ErrNewer) || n == attempts {
			return err
		}
		if pause(ctx, time.Duration(n)*50*time.Millisecond) != nil {
			return err
		}
	}
}

// prepare makes the table of versions. The provider would, too, but it keeps to itself why it could not.
func (s *Store) prepare(ctx context.Context, table database.Store) error {
	if _, err := table.GetLatestVersion(ctx, s.write); err == nil {
		return nil
	}
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := table.CreateVersionTable(ctx, tx); err != nil {
			return err
		}
		return table.Insert(ctx, tx, database.InsertRequest{Version: 0})
	})
	if err != nil {
		return fmt.Errorf("make the table of versions: %w", err)
	}
	return nil
}

func (s *Store) upgrade(ctx context.Context, p *goose.Provider) error {
	has, knows, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read the version of the schema: %w", err)
	case has > knows:
		return fmt.Errorf("%w: its schema is version %d, this program knows versions up to %d; update Viva, or name another database",
			ErrNewer, has, knows)
	case has == knows:
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema from version %d to %d: %w", has, knows, err)
	}
	s.log.Info("store.migrated", zap.Int64("from", has), zap.Int64("to", knows))
	return nil
}

// pause waits for d, or for the end of ctx, which it returns as an error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
