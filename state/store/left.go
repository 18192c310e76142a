package store

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const (
	// maxSweeps is how often a session is handed out by ClaimLeft: one that ends every sweeper is left alone in the end.
	maxSweeps = 3
	// leftWithin is how long after its beginning a session that is over may still get its report.
	leftWithin = 48 * time.Hour
)

// ClaimLeft returns at most n sessions that a dead worker has left, the oldest first: those that are live, but into whose
// journals nothing was written since quiet, and those that ended before quiet without a report, unless they began two days
// ago. No other caller, on this machine or another, gets them before now+lease, and nobody gets one more than three times.
// That nobody else takes one up meanwhile is not promised: it shows as ErrConflict at the first entry that is appended.
func (s *Store) ClaimLeft(ctx context.Context, now, quiet time.Time, lease time.Duration, n int) ([]Session, error) {
	query := `UPDATE sessions SET swept = $1, sweeps = sweeps + 1 WHERE id IN
		(SELECT id FROM sessions WHERE swept <= $2 AND sweeps < $3 AND journal > 0 AND
			(state = '` + Live + `' AND since < $4 AND
				since + COALESCE((SELECT at FROM journal WHERE session = sessions.id ORDER BY seq DESC LIMIT 1), 0) < $4
			OR state = '` + Ended + `' AND since > $5 AND ended < $4 AND NOT EXISTS (SELECT 1 FROM reports WHERE session = sessions.id))
			ORDER BY since, id LIMIT $6` + s.locking("UPDATE SKIP LOCKED") + `)
		RETURNING ` + sessionColumns
	left, err := collect(ctx, s.write, scanSession, query,
		millis(now.Add(lease)), millis(now), maxSweeps, millis(quiet), millis(now.Add(-leftWithin)), n)
	slices.SortFunc(left, func(a, b Session) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) })
	return left, s.fault("claim sessions that were left", err)
}

// SettleLeft says that there is nothing left to do for a session: ClaimLeft does not return it again.
func (s *Store) SettleLeft(ctx context.Context, session string) error {
	_, err := s.exec(ctx, "UPDATE sessions SET sweeps = $2 WHERE id = $1", clean(session), maxSweeps)
	return s.fault("settle a session that was left", err)
}
