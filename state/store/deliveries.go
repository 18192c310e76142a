package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// States of a delivery.
const (
	DeliveryWaiting = "waiting" // for its next attempt
	Delivered       = "delivered"
	DeliveryDead    = "dead" // given up
)

// Delivery is a webhook on its way. The body is sent as it is, so that every attempt has the same signature.
type Delivery struct {
	ID       string          `json:"id"`
	Session  string          `json:"session"`
	URL      string          `json:"-"` // may hold a secret
	Body     json.RawMessage `json:"-"`
	Status   string          `json:"status"`
	Attempts int             `json:"attempts"`
	Next     time.Time       `json:"next,omitzero"`
	Problem  string          `json:"problem,omitempty"` // of the last attempt
}

const deliveryColumns = "id, session, url, body, status, attempts, next_at, problem"

func scanDelivery(row scanner) (d Delivery, err error) {
	var next int64
	err = row.Scan(&d.ID, &d.Session, &d.URL, (*[]byte)(&d.Body), &d.Status, &d.Attempts, &next, &d.Problem)
	d.Next = moment(next)
	return d, err
}

// AddDelivery queues a delivery for its first attempt at d.Next. Of one that is there already, by its ID, nothing changes,
// and added is false.
func (s *Store) AddDelivery(ctx context.Context, d Delivery) (added bool, err error) {
	const query = "INSERT INTO deliveries (" + deliveryColumns + ") VALUES ($1, $2, $3, $4, $5, 0, $6, '') ON CONFLICT (id) DO NOTHING"
	flaw := cmp.Or(checkID(d.ID), checkID(d.Session), checkDocument(d.Body, maxReport))
	return s.keep(ctx, fmt.Sprintf("add delivery %q", d.ID), flaw, query,
		d.ID, d.Session, clean(d.URL), []byte(d.Body), DeliveryWaiting, millis(d.Next))
}

// ClaimDeliveries returns at most n deliveries whose time has come, and counts an attempt for each. No other caller, on
// this machine or another, gets them before now+lease: whoever dies with a delivery in hand leaves it to the next.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, n int) ([]Delivery, error) {
	query := `UPDATE deliveries SET attempts = attempts + 1, next_at = $1 WHERE id IN
		(SELECT id FROM deliveries WHERE status = 'waiting' AND next_at <= $2 ORDER BY next_at, id LIMIT $3` + s.locking("UPDATE SKIP LOCKED") + `)
		RETURNING ` + deliveryColumns
	due, err := collect(ctx, s.write, scanDelivery, query, millis(now.Add(lease)), millis(now), n)
	return due, s.fault("claim deliveries", err)
}

// SettleDelivery says what became of an attempt: Delivered, DeliveryDead, or DeliveryWaiting with the time of the next one.
// What was delivered stays so. ErrNoDelivery: there is none to settle any more.
func (s *Store) SettleDelivery(ctx context.Context, id, status string, next time.Time, problem string) error {
	doing := fmt.Sprintf("settle delivery %q", id)
	if status != Delivered && status != DeliveryDead && status != DeliveryWaiting {
		return fmt.Errorf("%s: %q is no status", doing, status)
	}
	const query = "UPDATE deliveries SET status = $2, next_at = $3, problem = $4 WHERE id = $1 AND status <> 'delivered'"
	n, err := s.exec(ctx, query, clean(id), status, millis(next), clean(problem))
	if err == nil && n == 0 {
		err = ErrNoDelivery
	}
	return s.fault(doing, err)
}

// Deliveries returns the deliveries of a session.
func (s *Store) Deliveries(ctx context.Context, session string) ([]Delivery, error) {
	all, err := collect(ctx, s.read, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries WHERE session = $1 ORDER BY id", clean(session))
	return all, s.fault("read deliveries", err)
}
