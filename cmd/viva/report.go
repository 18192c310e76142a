package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/report/pdf"
	"github.com/vivavoice/viva/state/store"
)

// reportWriters make a report's documents from what the store has.
var reportWriters = map[string]func(raw json.RawMessage) ([]byte, error){
	"json": func(raw json.RawMessage) ([]byte, error) {
		var out bytes.Buffer
		err := json.Indent(&out, raw, "", "  ")
		out.WriteByte('\n')
		return out.Bytes(), err
	},
	"md":   fromReport(report.Markdown),
	"html": fromReport(func(r *report.Report) ([]byte, error) { return report.HTML(r, report.Page{}) }),
	"pdf":  fromReport(asPDF),
}

// fromReport reads the report before it is written in another form.
func fromReport(write func(*report.Report) ([]byte, error)) func(json.RawMessage) ([]byte, error) {
	return func(raw json.RawMessage) ([]byte, error) {
		var r report.Report
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("read the report: %w", err)
		}
		r.Recording = nil // its address is that of a site
		return write(&r)
	}
}

func asPDF(r *report.Report) ([]byte, error) {
	fonts, err := pdf.Find(os.DirFS("/"))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = pdf.Write(&out, r, fonts)
	return out.Bytes(), err
}

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "write the report of an interview", ArgsUsage: "SESSION",
		Description: "Takes it from the store (--store), which may be a folder that viva console or viva simulate --journal wrote. Its forms are one file each, which needs no other: json (docs/report.schema.json),\n" +
			"md, html, and pdf (A4; the machine needs the fonts that deploy/setup.sh installs).",
		Flags: append(flags(settings.CommandReport),
			&cli.StringFlag{Name: "format", Value: "html", Usage: "`json`, md, html or pdf"},
			&cli.StringFlag{Name: "out", Value: "-", Usage: "the `FILE` to write; - is standard output"}),
		Action: p.writeReport,
	}
}

func (p *program) writeReport(ctx context.Context, cmd *cli.Command) error {
	session, err := oneArgument(cmd, "the session whose report is wanted")
	if err != nil {
		return err
	}
	write, known := reportWriters[cmd.String("format")]
	if !known {
		return misused(ctx, cmd, fmt.Errorf("there is no format %q: choose json, md, html or pdf", cmd.String("format")), false)
	}
	s, err := load(cmd, settings.CommandReport)
	if err != nil {
		return err
	}
	raw, err := storedReport(ctx, s, session)
	if err != nil {
		return err
	}
	text, err := write(raw)
	if err != nil {
		return fmt.Errorf("write the report of %s as %s: %w", session, cmd.String("format"), err)
	}
	if out := cmd.String("out"); out != "-" {
		return os.WriteFile(out, text, 0o600)
	}
	_, err = p.out.Write(text)
	return err
}

// storedReport reads a report. Where there is none it says why, as far as the store can tell.
func storedReport(ctx context.Context, s *settings.Settings, session string) (json.RawMessage, error) {
	if dir, is := strings.CutPrefix(s.Store.URL.Reveal(), settings.StoreDir); is {
		return filedReport(dir, session)
	}
	database, err := openStore(ctx, s, zap.NewNop())
	if err != nil {
		return nil, err
	}
	defer func() { _ = database.Close() }() // only read
	raw, err := database.Report(ctx, session)
	if !errors.Is(err, store.ErrNoReport) {
		return raw, err
	}
	known, err := database.Session(ctx, session)
	switch {
	case errors.Is(err, store.ErrNoSession):
		return nil, fmt.Errorf("%s has no session %q", s.Store.Shown(), session)
	case err != nil:
		return nil, err
	case known.State == store.Waiting || known.State == store.Live:
		return nil, fmt.Errorf("session %q has no report yet: it is %s", session, known.State)
	}
	return nil, fmt.Errorf("session %q has no report: it %s (%s), and its interview makes none or could not", session, known.State, known.Reason)
}

// reportPath is where the report of an interview lies that is kept in a folder, beside its journal.
func reportPath(dir, session string) string { return filepath.Join(dir, session+".report.json") }

// fileReport keeps a report in a folder.
func fileReport(dir, session string, r *report.Report) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the report of %s: %w", session, err)
	}
	return os.WriteFile(reportPath(dir, session), append(raw, '\n'), 0o600)
}

// filedReport reads a report that was kept in a folder.
func filedReport(dir, session string) (json.RawMessage, error) {
	if session != filepath.Base(session) {
		return nil, fmt.Errorf("session id %q cannot name a file", session)
	}
	raw, err := os.ReadFile(reportPath(dir, session))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s has no report of session %q: viva simulate --journal and viva console --store dir:%s keep theirs there", dir, session, dir)
	}
	return raw, err
}
