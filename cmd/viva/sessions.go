package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/state/store"
)

func (p *program) sessionsCommand() *cli.Command {
	common := flags(settings.CommandSessions)
	with := func(own ...cli.Flag) []cli.Flag { return append(append([]cli.Flag{}, common...), own...) }
	c := &cli.Command{
		Name: "sessions", Usage: "list interviews that were kept, delete old ones, and give out or delete what is kept of a candidate",
		ArgsUsage: "list | purge | delete | export | unlink",
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "list interviews, the latest first",
				Flags: with(
					&cli.StringFlag{Name: "text", Usage: "only with this `TEXT` in session, candidate or room"},
					&cli.StringFlag{Name: "state", Usage: "only in this `STATE`: waiting, live, ended or failed"},
					&cli.StringFlag{Name: "kind", Usage: "only of this `KIND`"},
					&cli.IntFlag{Name: "limit", Value: 50, Usage: "`NUMBER` of lines, at most 200"},
					&cli.BoolFlag{Name: "json", Usage: "a JSON document for each, a line each"}),
				Action: p.listSessions,
			},
			{
				Name: "purge", Usage: "delete interviews that ended long ago: journals, judgements, reports and sound",
				Flags: with(
					&cli.StringFlag{Name: "older-than", Usage: "`DURATION` since the end, such as 30d or 12h; required"},
					&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be deleted"}),
				Action: p.purgeSessions,
			},
			{
				Name: "delete", Usage: "delete everything that is kept of a candidate",
				Flags:  with(&cli.StringFlag{Name: "identity", Usage: "the candidate's `IDENTITY` in the room; required"}),
				Action: p.deleteSessions,
			},
			{
				Name: "export", Usage: "write everything that is kept of a candidate: JSON, reports as pages and text, and sound",
				Flags: with(
					&cli.StringFlag{Name: "identity", Usage: "the candidate's `IDENTITY` in the room; required"},
					&cli.StringFlag{Name: "out", Usage: "`FILE`.tar.gz, or a folder that is not there yet; required"}),
				Action: p.exportSessions,
			},
			{
				Name: "unlink", Usage: "take a candidate's link to their report away, such as one that was passed on; the report stays",
				Flags:  with(&cli.StringFlag{Name: "session", Usage: "the `SESSION`; required"}),
				Action: p.unlinkSession,
			},
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError, sub.Before = misused, noArguments
	}
	return c
}

// archive is what the commands work on.
type archive struct {
	database *store.Store
	sound    *os.Root // nil: there is no folder for recordings
	shown    string   // the store's address, to be told to people
}

// archived calls do with the store and the folder of recordings. That folder is not made: what is not there holds nothing.
func archived(ctx context.Context, cmd *cli.Command, do func(archive) error) error {
	s, err := load(cmd, settings.CommandSessions)
	if err != nil {
		return err
	}
	database, err := openStore(ctx, s, zap.NewNop())
	if err != nil {
		return err
	}
	a := archive{database: database, shown: s.Store.Shown()}
	if s.Recording.Dir != "" {
		root, err := os.OpenRoot(s.Recording.Dir)
		switch {
		case err == nil:
			a.sound = root
		case !errors.Is(err, os.ErrNotExist):
			return errors.Join(fmt.Errorf("open the folder for recordings: %w", err), database.Close())
		}
	}
	err = do(a)
	if a.sound != nil {
		_ = a.sound.Close() // nothing is written by it
	}
	return errors.Join(err, database.Close())
}

func required(ctx context.Context, cmd *cli.Command, names ...string) error {
	for _, name := range names {
		if cmd.String(name) == "" {
			return misused(ctx, cmd, fmt.Errorf("--%s is missing", name), false)
		}
	}
	return nil
}

func (p *program) unlinkSession(ctx context.Context, cmd *cli.Command) error {
	if err := required(ctx, cmd, "session"); err != nil {
		return err
	}
	return archived(ctx, cmd, func(a archive) error {
		id := cmd.String("session")
		had, err := a.database.Unlink(ctx, id)
		if errors.Is(err, store.ErrNoSession) {
			return fmt.Errorf("%s has no session %q; `viva sessions list` shows those that it has", a.shown, id)
		}
		if err != nil {
			return err
		}
		said := "the link to the report of session %s opens nothing any more\n"
		if !had {
			said = "session %s has no link\n"
		}
		_, err = fmt.Fprintf(p.out, said, id)
		return err
	})
}

func (p *program) listSessions(ctx context.Context, cmd *cli.Command) error {
	return archived(ctx, cmd, func(a archive) error {
		page, err := a.database.List(ctx, store.Filter{
			Text: cmd.String("text"), State: cmd.String("state"), Kind: cmd.String("kind"), Limit: cmd.Int("limit"),
		})
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			encoder := json.NewEncoder(p.out)
			for i := range page.Sessions {
				page.Sessions[i].Link = "" // a key to the report
				if err := encoder.Encode(&page.Sessions[i]); err != nil {
					return fmt.Errorf("write the list: %w", err)
				}
			}
			return nil
		}
		return p.table(&page)
	})
}

func (p *program) table(page *store.Page) error {
	out := []string{"SESSION\tSTATE\tINTERVIEW\tIDENTITY\tNAME\tBEGAN\tLASTED\tREPORT\tSOUND"}
	for i := range page.Sessions {
		s := &page.Sessions[i]
		began, lasted := "-", "-"
		if !s.Began.IsZero() {
			began = s.Began.Local().Format("2006-01-02 15:04")
			if s.Ended.After(s.Began) {
				lasted = s.Ended.Sub(s.Began).Round(time.Second).String()
			}
		}
		report := "-"
		if s.Report {
			report = "yes"
		}
		out = append(out, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d", s.ID, s.State, s.Kind, s.Identity, s.Name, began, lasted, report, s.Recordings))
	}
	if err := tabulated(p.out, out...); err != nil || page.Total <= len(page.Sessions) {
		return err
	}
	return lines(p.out, fmt.Sprintf("%d of %d shown: narrow it with --text, --state or --kind, or raise --limit", len(page.Sessions), page.Total))
}

func (p *program) purgeSessions(ctx context.Context, cmd *cli.Command) error {
	if err := required(ctx, cmd, "older-than"); err != nil {
		return err
	}
	age, err := settings.ParseDuration(cmd.String("older-than"))
	if err != nil || age <= 0 {
		return misused(ctx, cmd, fmt.Errorf("--older-than %q is no duration: write one such as 30d or 12h", cmd.String("older-than")), false)
	}
	before := time.Now().Add(-age)
	return archived(ctx, cmd, func(a archive) error {
		if cmd.Bool("dry-run") {
			sessions, recordings, err := a.database.Expired(ctx, before)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.out, "%d interviews and %d recordings would be deleted\n", sessions, recordings)
			return err
		}
		purged, err := a.database.Purge(ctx, before)
		return errors.Join(err, p.sweep(ctx, a, purged)) // what was purged before it failed is swept all the same
	})
}

func (p *program) deleteSessions(ctx context.Context, cmd *cli.Command) error {
	if err := required(ctx, cmd, "identity"); err != nil {
		return err
	}
	return archived(ctx, cmd, func(a archive) error {
		purged, err := a.database.Delete(ctx, cmd.String("identity"))
		if err == nil && purged.Sessions == 0 {
			_, _ = fmt.Fprintf(p.errs, "viva: %s has no interview of candidate %q\n", a.shown, cmd.String("identity"))
		}
		return errors.Join(err, p.sweep(ctx, a, purged))
	})
}

// sweep deletes the files of what was taken out of the store, and says what was done. A file stays noted in the store until
// it is gone, so that a purge that was cut short is finished by the next.
func (p *program) sweep(ctx context.Context, a archive, purged store.Purged) error {
	s := swept{unfound: purged.Recordings}
	if a.sound != nil {
		s = sweep(a.sound, purged.Recordings)
	}
	err := errors.Join(s.failed, a.database.Removed(ctx, s.gone...))
	if _, printErr := fmt.Fprintf(p.out, "%d interviews and %d recordings deleted\n", purged.Sessions, len(s.gone)); printErr != nil {
		err = errors.Join(err, printErr)
	}
	if n := len(s.unfound); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d recordings are not in the folder for recordings, the first is %s: set VIVA_RECORDING_DIR or --recording-dir "+
			"to the folder that the worker uses, and purge again", n, s.unfound[0]))
	}
	return err
}
