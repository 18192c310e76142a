package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Sizes of a page.
const (
	pageSize = 50
	maxPage  = 200
)

// Filter says which sessions are wanted; what is empty does not matter.
type Filter struct {
	Text   string    `json:"text"` // a part of the id, the candidate's name or identity, or the room; case and accents do not count
	State  string    `json:"state"`
	Kind   string    `json:"kind"`
	From   time.Time `json:"from,omitzero"` // it began, or was made, at this time or later
	To     time.Time `json:"to,omitzero"`   // and before this one
	Offset int       `json:"offset"`
	Limit  int       `json:"limit"` // sessions on the page; 50 when 0, at most 200
}

// Listed is a session with what the store has of it.
type Listed struct {
	Session
	Entries     int  `json:"entries"` // in its journal
	Evaluations int  `json:"evaluations"`
	Recordings  int  `json:"recordings"`
	Report      bool `json:"report"`
}

// Page is a part of the list, the latest first.
type Page struct {
	Sessions []Listed
	Total    int            // that pass the filter, on all pages
	States   map[string]int // how many there are in each state when Filter.State is ignored
}

// List returns one page of the sessions that pass the filter.
func (s *Store) List(ctx context.Context, f Filter) (Page, error) {
	where, args := f.conditions()
	page := Page{States: make(map[string]int)}
	type count struct {
		state string
		n     int
	}
	counts, err := collect(ctx, s.read, func(row scanner) (c count, err error) {
		err = row.Scan(&c.state, &c.n)
		return c, err
	}, "SELECT state, COUNT(*) FROM sessions WHERE "+where+" GROUP BY state", args...)
	if err != nil {
		return page, s.fault("count sessions", err)
	}
	for _, c := range counts {
		page.States[c.state] = c.n
		if f.State == "" || f.State == c.state {
			page.Total += c.n
		}
	}
	if f.State != "" {
		args = append(args, clean(f.State))
		where += fmt.Sprintf(" AND state = $%d", len(args))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = pageSize
	}
	page.Sessions, err = collect(ctx, s.read, scanListed, "SELECT "+sessionColumns+`,
		(SELECT COALESCE(MAX(seq), 0) FROM journal WHERE session = sessions.id),
		(SELECT COUNT(*) FROM evaluations WHERE session = sessions.id),
		(SELECT COUNT(*) FROM recordings WHERE session = sessions.id),
		(SELECT COUNT(*) FROM reports WHERE session = sessions.id)
		FROM sessions WHERE `+where+" ORDER BY since DESC, id LIMIT "+strconv.Itoa(min(limit, maxPage))+
		" OFFSET "+strconv.Itoa(max(f.Offset, 0)), args...)
	return page, s.fault("list sessions", err)
}

func scanListed(row scanner) (l Listed, err error) {
	var reports int
	l.Session, err = scanSessionAnd(row, &l.Entries, &l.Evaluations, &l.Recordings, &reports)
	l.Report = reports > 0
	return l, err
}

// conditions returns everything but the state, as SQL.
func (f Filter) conditions() (where string, args []any) {
	terms := []string{"1 = 1"}
	add := func(term string, arg any) {
		args = append(args, arg)
		terms = append(terms, fmt.Sprintf(term, len(args)))
	}
	if text := fold(clean(f.Text)); text != "" {
		add(`search LIKE $%d ESCAPE '\'`, "%"+strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)+"%")
	}
	if f.Kind != "" {
		add("kind = $%d", clean(f.Kind))
	}
	if !f.From.IsZero() {
		add("since >= $%d", f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		add("since < $%d", f.To.UnixMilli())
	}
	return strings.Join(terms, " AND "), args
}
