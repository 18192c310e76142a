package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// standardStream stands for standard input or output in place of a file.
const standardStream = "-"

func (p *program) evaluateCommand() *cli.Command {
	return &cli.Command{
		Name: "evaluate", Usage: "judge a table of answers in two stages: construction and reasoning",
		Description: "Reads CSV or JSON Lines with the columns input_text, prediction, groundtruth and, where they are known,\n" +
			"construction and reasoning; a column answer, with what was said, can stand in for the last two and the prediction.\n" +
			"Writes the same table with the columns " + strings.Join(batch.Columns(false), ", ") + ".\n" +
			"A row that cannot be judged has the status failed; it is named with line and column, and stops nothing.\n" +
			"With --sessions the table is made of interviews that were held: of what was said in stages with a reference answer.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "rubric", Value: twostage.Name, Usage: "the `RUBRIC`: " + twostage.Name + ", or a YAML file"},
			&cli.StringFlag{Name: "in", Usage: "the table to judge, a `FILE`, or - for standard input"},
			&cli.StringFlag{Name: "out", Usage: "where the judged table goes, a `FILE`, or - for standard output"},
			&cli.StringFlag{Name: "format", Usage: "`FORMAT` of both, csv or jsonl; without it, the name of a file tells"},
			&cli.IntFlag{Name: "workers", Value: runtime.GOMAXPROCS(0), Usage: "judge with `N` at a time, at most 256; the result is the same"},
			&cli.BoolFlag{Name: "resume", Usage: "go on after the last whole row of --out"},
			&cli.BoolFlag{Name: "bare", Usage: "add the seven columns only: no status, row_error, metadata"},
			&cli.StringFlag{Name: "summary", Usage: "write the summary as JSON to `FILE` as well"},
		}, sessionFlags()...),
		Action: p.evaluate,
	}
}

func (p *program) evaluate(ctx context.Context, cmd *cli.Command) error {
	o, err := evaluateOptions(cmd)
	if err != nil {
		return err
	}
	problems := 0
	ctx, stop := untilSignal(ctx)
	defer stop()
	in := cmd.String("in")
	if in == "" {
		if in, err = p.collect(ctx, cmd, o); err != nil {
			return stopped(err, "while sessions were read")
		}
	}
	o.RowError = func(e batch.RowError) {
		if problems++; problems <= maxRowErrors {
			_, _ = fmt.Fprintf(p.errs, "%s: %v\n", in, &e)
		}
	}
	o.Progress = p.progress(fileSize(in))
	summary, err := p.evaluateTable(ctx, cmd, in, o)
	if problems > maxRowErrors {
		_, _ = fmt.Fprintf(p.errs, "… and %d more rows; column row_error tells all of them\n", problems-maxRowErrors)
	}
	if err != nil {
		return stopped(err, fmt.Sprintf("after %d rows", summary.Rows))
	}
	return p.summarise(cmd, summary)
}

// stopped says how to go on where the operator ended a run.
func stopped(err error, when string) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped %s; go on with --resume", when)
	}
	return err
}

// maxRowErrors is how many rows that cannot be judged are named.
const maxRowErrors = 20

func evaluateOptions(cmd *cli.Command) (batch.Options, error) {
	var o batch.Options
	wrong := func(format string, args ...any) (batch.Options, error) {
		return o, &usageError{command: cmd.FullName(), err: fmt.Errorf(format, args...)}
	}
	in, out, held := cmd.String("in"), cmd.String("out"), cmd.String("sessions")
	switch {
	case in != "" && held != "":
		return wrong("--in is a table, --sessions are interviews: pass one of them")
	case held != "" && (out == "" || out == standardStream):
		return wrong("name the table to write: --sessions WHERE --out FILE")
	case held != "":
		in = rowsFile(cmd)
	case in == "" || out == "":
		return wrong("name the tables: --in FILE --out FILE")
	}
	streams := in == standardStream || out == standardStream
	if streams && (cmd.Bool("resume") || in != standardStream || out != standardStream) {
		return wrong("standard input and output go together, and without --resume: --in - --out -")
	}
	if o.Workers = cmd.Int("workers"); o.Workers < 1 || o.Workers > batch.MaxWorkers {
		return wrong("--workers %d: it must lie between 1 and %d", o.Workers, batch.MaxWorkers)
	}
	var err error
	if o.Format, err = tableFormat(cmd.String("format"), in, out); err != nil {
		return wrong("%w", err)
	}
	o.Bare = cmd.Bool("bare")
	o.Evaluator, err = twoStageRubric(cmd.String("rubric"))
	return o, err
}

// tableFormat is that of the flag, or else that of both files.
func tableFormat(flag, in, out string) (batch.Format, error) {
	switch f := batch.Format(flag); f {
	case batch.CSV, batch.JSONL:
		return f, nil
	case "":
	default:
		return "", fmt.Errorf("--format %q: known are csv and jsonl", flag)
	}
	if in == standardStream {
		return "", errors.New("standard input has no name that tells the format: pass --format csv or --format jsonl")
	}
	from, err := batch.FormatOf(in)
	if err != nil {
		return "", err
	}
	to, err := batch.FormatOf(out)
	if err == nil && from != to {
		err = fmt.Errorf("%s is %s, %s is %s: the table keeps its format", in, from, out, to)
	}
	return from, err
}

// twoStageRubric is the shipped one by its name, or one from a file.
func twoStageRubric(name string) (*twostage.Evaluator, error) {
	if name == twostage.Name {
		return twostage.Default()
	}
	text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("--rubric %s: it is neither %s nor a file", name, twostage.Name)
	}
	if err != nil {
		return nil, err
	}
	rubric, err := twostage.ParseRubric(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e, err := twostage.New(rubric)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

func (p *program) evaluateTable(ctx context.Context, cmd *cli.Command, in string, o batch.Options) (batch.Summary, error) {
	if in == standardStream {
		return batch.Run(ctx, p.in, p.out, o)
	}
	return batch.File(ctx, in, cmd.String("out"), cmd.Bool("resume"), o)
}

// summarise prints the summary; where the table is on standard output, on standard error.
func (p *program) summarise(cmd *cli.Command, s batch.Summary) error {
	to := p.out
	if cmd.String("out") == standardStream {
		to = p.errs
	}
	if _, err := s.WriteTo(to); err != nil {
		return err
	}
	name := cmd.String("summary")
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return os.WriteFile(name, append(text, '\n'), 0o600)
}

// progressEvery is how often progress is told.
const progressEvery = 2 * time.Second

func (p *program) progress(size int64) func(batch.Progress) {
	last := time.Now()
	return func(now batch.Progress) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		share := ""
		if size > 0 {
			share = fmt.Sprintf(", %d %% read", 100*now.Read/size)
		}
		_, _ = fmt.Fprintf(p.errs, "%d rows, %d of them not judged%s\n", now.Rows, now.Failed, share)
	}
}

// fileSize is 0 for what is no file.
func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
