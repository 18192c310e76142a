package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
)

// linkSecret names the secret of links among secrets.
const linkSecret = "report links"

// LinkSecret returns 32 random bytes that links to reports are made with. The first to ask makes them; all processes with this
// database have the same. They are no key by themselves: who makes links has one that the store has not.
func (s *Store) LinkSecret(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // it never fails
	var secret []byte
	_, err := s.exec(ctx, "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", linkSecret, fresh)
	if err == nil {
		err = s.row(ctx, "SELECT value FROM secrets WHERE name = $1", []any{linkSecret}, &secret)
	}
	return secret, s.fault("read the secret of links", err)
}

// Relink gives a session that has a link this one in its place, by the hash of its token: links of before were made otherwise.
// One whose link was taken away gets none.
func (s *Store) Relink(ctx context.Context, session, hash string) error {
	_, err := s.exec(ctx, "UPDATE sessions SET link = $2 WHERE id = $1 AND link <> '' AND link <> $2", session, clean(hash))
	return s.fault(fmt.Sprintf("renew the link of session %q", session), err)
}

// Unlink takes the link of a session away: it opens nothing any more. It reports whether there was one; ErrNoSession: there is no
// such session.
func (s *Store) Unlink(ctx context.Context, session string) (had bool, err error) {
	changed, err := s.exec(ctx, "UPDATE sessions SET link = '' WHERE id = $1 AND link <> ''", session)
	doing := fmt.Sprintf("take away the link of session %q", session)
	if err != nil || changed > 0 {
		return changed > 0, s.fault(doing, err)
	}
	if _, err := s.Session(ctx, session); errors.Is(err, ErrNoSession) {
		return false, fmt.Errorf("%s: %w", doing, err)
	}
	return false, nil
}
