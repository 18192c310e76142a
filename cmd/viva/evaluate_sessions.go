package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/sessions"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// theStore stands for the store that the settings name.
const theStore = "store"

func sessionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "sessions", Usage: "judge the answers of interviews that were held, in place of --in: a journal or a folder of them, " +
			"a database file, postgres://…, or store for what store.url names; `WHERE`"},
		&cli.StringFlag{Name: "interview", Usage: "with --sessions: the `FILE|KIND` that was held, where the sessions do not tell, or another text of it"},
		&cli.StringSliceFlag{Name: "reference", Usage: "with --sessions: the right answer of a stage that has none, as `STAGE=ANSWER`: a text, problem.complexity or var.NAME"},
		&cli.StringFlag{Name: "rows", Usage: "with --sessions: where the answers go before they are judged, a `FILE`; by default beside --out"},
		localeFlag(), interviewsFlag(),
	}
}

// collector collects the answers of stored interviews in a table.
type collector struct {
	p       *program
	cmd     *cli.Command
	options batch.Options
	further map[string]string
	known   map[string]*engine.Interview // by kind and locale
	skipped int
}

// rowsFile is where the answers go.
func rowsFile(cmd *cli.Command) string {
	if name := cmd.String("rows"); name != "" {
		return name
	}
	out := cmd.String("out")
	ext := filepath.Ext(out)
	return strings.TrimSuffix(out, ext) + ".rows" + ext
}

// collect makes the table of answers and returns its name. With --resume a whole table stays as it is.
func (p *program) collect(ctx context.Context, cmd *cli.Command, o batch.Options) (string, error) {
	file := rowsFile(cmd)
	switch _, err := os.Stat(file); {
	case err == nil && !cmd.Bool("resume"):
		return "", fmt.Errorf("%s: %w", file, batch.ErrExists)
	case err == nil:
		return file, lines(p.errs, file+": the answers were collected before, and are judged as they are")
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	a := &collector{p: p, cmd: cmd, options: o, known: make(map[string]*engine.Interview)}
	var err error
	if a.further, err = references(cmd); err != nil {
		return "", err
	}
	from, err := openSessions(ctx, cmd)
	if err != nil {
		return "", err
	}
	defer from.close()
	table, err := sessions.Begin(file, o.Format)
	if err != nil {
		return "", err
	}
	if err := a.fill(ctx, from, table); err != nil {
		return "", errors.Join(err, table.Close())
	}
	return file, table.Finish()
}

func references(cmd *cli.Command) (map[string]string, error) {
	out := make(map[string]string)
	for _, pair := range cmd.StringSlice("reference") {
		stage, answer, ok := strings.Cut(pair, "=")
		if !ok || stage == "" || answer == "" {
			return nil, &usageError{command: cmd.FullName(), err: fmt.Errorf("--reference %q: write STAGE=ANSWER", pair)}
		}
		out[stage] = answer
	}
	return out, nil
}

// fill adds all sessions.
func (a *collector) fill(ctx context.Context, from source, table *sessions.Table) error {
	list, err := from.list(ctx)
	if err != nil {
		return err
	}
	last := time.Now()
	for i, s := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.add(ctx, from, s, table); err != nil {
			return err
		}
		if time.Since(last) >= progressEvery {
			last = time.Now()
			_, _ = fmt.Fprintf(a.p.errs, "%d of %d sessions read, %d answers\n", i+1, len(list), table.Rows())
		}
	}
	if a.skipped > maxRowErrors {
		_, _ = fmt.Fprintf(a.p.errs, "… and %d more sessions\n", a.skipped-maxRowErrors)
	}
	if table.Rows() == 0 {
		return fmt.Errorf("none of %d sessions has an answer to judge: their stages have no reference; pass --reference STAGE=ANSWER", len(list))
	}
	_, err = fmt.Fprintf(a.p.errs, "%d sessions, %d of them left out; %d answers\n", len(list), a.skipped, table.Rows())
	return err
}

// add adds one session. One that cannot be read is named and left out; a source or table that fails ends the run.
func (a *collector) add(ctx context.Context, from source, s stored, table *sessions.Table) error {
	journal, err := from.read(ctx, s.id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var rows []sessions.Row
	if err == nil {
		rows, err = a.rows(s, journal)
	}
	if err != nil {
		if a.skipped++; a.skipped <= maxRowErrors {
			_, _ = fmt.Fprintf(a.p.errs, "session %s is left out: %v\n", s.id, err)
		}
		return nil
	}
	return table.Add(rows)
}

func (a *collector) rows(s stored, journal []state.Entry) ([]sessions.Row, error) {
	if len(journal) == 0 {
		return nil, errors.New("its journal is empty")
	}
	iv, err := a.interview(s, journal[0])
	if err != nil {
		return nil, err
	}
	return sessions.Rows(a.options.Evaluator, iv, s.id, journal, a.further)
}

// interview finds what was held. A definition that has changed since would fold the journal into something else.
func (a *collector) interview(s stored, first state.Entry) (*engine.Interview, error) {
	var start origin
	if err := json.Unmarshal(first.Data, &start); err != nil {
		return nil, fmt.Errorf("its first event cannot be read: %w", err)
	}
	named := a.cmd.String("interview")
	name, locale := cmp.Or(named, start.Kind, s.Kind), cmp.Or(start.Locale, s.Locale, a.cmd.String("locale"))
	if name == "" {
		return nil, errors.New("it does not tell which interview it is of: pass --interview FILE|KIND")
	}
	key := name + " " + locale
	iv := a.known[key]
	if iv == nil {
		var err error
		if iv, err = findInterview(name, a.cmd.String("interviews"), locale); err != nil {
			return nil, err
		}
		a.known[key] = iv
	}
	if named != "" {
		return iv, nil
	}
	return iv, unchanged(iv, name, cmp.Or(start.DefHash, s.DefHash))
}

// stored is a session that was held, as far as its source knows.
type stored struct {
	id string
	origin
}

// source is where interviews are kept.
type source struct {
	list  func(context.Context) ([]stored, error)
	read  func(ctx context.Context, session string) ([]state.Entry, error)
	close func()
}

func openSessions(ctx context.Context, cmd *cli.Command) (source, error) {
	where := strings.TrimPrefix(cmd.String("sessions"), settings.StoreDir)
	if where == theStore {
		s, err := load(cmd, settings.CommandReport)
		if err != nil {
			return source{}, err
		}
		where = strings.TrimPrefix(s.Store.URL.Reveal(), settings.StoreDir)
	}
	if strings.Contains(where, "://") {
		return database(ctx, where)
	}
	info, err := os.Stat(where)
	switch {
	case err != nil:
		return source{}, fmt.Errorf("--sessions: %w", err)
	case info.IsDir():
		files, err := filepath.Glob(filepath.Join(where, "*.jsonl"))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("--sessions %s: there is no journal (SESSION.jsonl) in it", where)
		}
		return journals(where, files...), err
	case filepath.Ext(where) == ".jsonl":
		return journals(filepath.Dir(where), where), nil
	}
	return database(ctx, where)
}

// journals are files in a folder.
func journals(dir string, files ...string) source {
	list := make([]stored, len(files))
	for i, file := range files {
		list[i] = journalled(file)
	}
	return source{
		list: func(context.Context) ([]stored, error) { return list, nil }, read: state.Dir(dir).Read, close: func() {},
	}
}

// journalled is the session of a journal's file, with what the state beside it tells, if there is one.
func journalled(file string) stored {
	s := stored{id: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
	text, err := os.ReadFile(statePath(filepath.Dir(file), s.id))
	if err != nil {
		return s
	}
	var told origin
	if json.Unmarshal(text, &told) == nil {
		s.origin = told
	}
	return s
}

// listPage is how many sessions are listed at once.
const listPage = 200

// database is a store; sessions that are still held are none yet.
func database(ctx context.Context, url string) (source, error) {
	db, err := store.Open(ctx, url, zap.NewNop())
	if err != nil {
		return source{}, err
	}
	return source{
		list:  func(ctx context.Context) ([]stored, error) { return listAll(ctx, db) },
		read:  db.Read,
		close: func() { _ = db.Close() }, // only read
	}, nil
}

// listAll lists the sessions that are over, the oldest first. New ones push older ones to later pages, so some come twice.
func listAll(ctx context.Context, db *store.Store) ([]stored, error) {
	var out []stored
	seen := make(map[string]bool)
	for offset := 0; ; offset += listPage {
		page, err := db.List(ctx, store.Filter{Offset: offset, Limit: listPage})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if over := s.State == store.Ended || s.State == store.Failed; over && !seen[s.ID] && s.Entries > 0 {
				seen[s.ID] = true
				out = append(out, stored{s.ID, origin{Kind: s.Kind, Locale: s.Locale, DefHash: s.Definition}})
			}
		}
		if len(page.Sessions) < listPage {
			slices.Reverse(out)
			return out, nil
		}
	}
}
