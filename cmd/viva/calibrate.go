package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/evaluate/calibration"
)

// gradersAtOnce bounds how many answers are judged at a time.
const gradersAtOnce = 4

func (p *program) calibrateCommand() *cli.Command {
	halves := []string{calibration.HalfHeldOut, calibration.HalfTuning, calibration.HalfAll}
	return &cli.Command{
		Name: "calibrate", Usage: "compare the levels that the grader gives with those of people", ArgsUsage: "[LABELS]",
		Description: "LABELS are JSON Lines: {\"id\",\"rubric\",\"language\",\"question\",\"answer\",\"manner\",\"reference\",\"levels\":{RATER:{CRITERION:LEVEL}}},\n" +
			"with whole levels from 1 to 5 of two raters at least; without a file, the set that comes with Viva.\n" +
			"The grader is that of an interview: rules, or with --llm openai the model of the evaluators. See docs/reports.md.",
		Flags: append(flags(settings.CommandCalibrate),
			&cli.StringFlag{Name: "half", Value: calibration.HalfHeldOut, Usage: "which `HALF` of the answers: " + strings.Join(halves, ", ")},
			&cli.StringFlag{Name: "json", Usage: "keep the run in `FILE`"},
			&cli.BoolFlag{Name: "retest", Usage: "judge the same answers again without signs, with fillers and without articles, and show what changes"},
			&cli.StringFlag{Name: "against", Usage: "show what changed since the run in `FILE` (JSON)"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if half := cmd.String("half"); !slices.Contains(halves, half) || cmd.Args().Len() > 1 {
				return &usageError{command: cmd.FullName(), err: fmt.Errorf("pass one file at most, and --half %s (it is %q)", strings.Join(halves, "|"), half)}
			}
			return p.calibrate(ctx, cmd)
		},
	}
}

func (p *program) calibrate(ctx context.Context, cmd *cli.Command) error {
	s, err := load(cmd, settings.CommandCalibrate)
	if err != nil {
		return err
	}
	labels, err := readLabels(cmd.Args().First())
	old, errOld := oldCalibration(cmd.String("against"))
	if err = errors.Join(err, errOld); err != nil {
		return err
	}
	judges, closeJudges, err := evaluators(s)
	if err != nil {
		return err
	}
	defer closeJudges()
	grader := calibration.Rules
	if judges.Model != nil {
		grader = cmp.Or(s.Evaluators.Model, s.OpenAI.ChatModel)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	grade := func(labels []calibration.Label, grader string) (*calibration.Run, error) {
		return calibration.Grade(ctx, labels, cmd.String("half"), grader, gradersAtOnce, evaluator.NewLocal(judges.Model, judges.Temperature).Judge)
	}
	run, err := grade(labels, grader)
	if err != nil {
		return err
	}
	if _, err := run.WriteTo(p.out); err != nil {
		return err
	}
	if old != nil {
		_, _ = fmt.Fprintf(p.out, "\n%s", run.Drift(old))
	}
	if cmd.Bool("retest") {
		for _, w := range calibration.Reworded(labels) {
			again, err := grade(w.Labels, w.Name)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(p.out, "\n%s", again.Drift(run))
		}
	}
	path := cmd.String("json")
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(run, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the run (--json): %w", err)
	}
	return nil
}

func readLabels(path string) ([]calibration.Label, error) {
	text, err := calibration.Shipped, error(nil)
	if path != "" {
		text, err = os.ReadFile(path) //nolint:gosec // the operator names the file
	}
	if err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	labels, err := calibration.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used; nothing was judged:\n%w", path, err)
	}
	return labels, nil
}

// oldCalibration reads the run to compare with; nil where there is none.
func oldCalibration(path string) (*calibration.Run, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the run to compare with (--against): %w", err)
	}
	run, err := calibration.ReadRun(text)
	if err != nil {
		return nil, fmt.Errorf("read the run to compare with (--against) in %s: %w", path, err)
	}
	return run, nil
}
