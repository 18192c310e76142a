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

	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/evaluate/calibration"
)

// gradersAtOnce is how many answers are judged at a time where nobody says.
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
			&cli.StringFlag{Name: "conclusions", Usage: "count instead what is read from the conclusions about cost in `FILE`: {\"locale\",\"text\",\"time\",\"space\"}, JSON Lines"},
			&cli.IntFlag{Name: "parallel", Usage: "how many answers are judged at the same time", Value: gradersAtOnce},
			&cli.StringFlag{Name: "record", Usage: "keep every exchange with the model in `FILE`"},
			&cli.StringFlag{Name: "replay", Usage: "take all answers of the model from `FILE`, and ask none"},
			&cli.StringFlag{Name: "refresh", Usage: "take known answers of the model from `FILE`, and record what is missing"},
			&cli.StringFlag{Name: "json", Usage: "keep the run in `FILE`"},
			&cli.BoolFlag{Name: "retest", Usage: "judge the same answers again without signs, with fillers and without articles, and show what changes"},
			&cli.StringFlag{Name: "against", Usage: "show what changed since the run in `FILE` (JSON)"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if half := cmd.String("half"); !slices.Contains(halves, half) || cmd.Args().Len() > 1 {
				return &usageError{command: cmd.FullName(), err: fmt.Errorf("pass one file at most, and --half %s (it is %q)", strings.Join(halves, "|"), half)}
			}
			if cmd.Int("parallel") < 1 {
				return &usageError{command: cmd.FullName(), err: errors.New("--parallel must be 1 at least")}
			}
			return p.calibrate(ctx, cmd)
		},
	}
}

func (p *program) calibrate(ctx context.Context, cmd *cli.Command) (err error) {
	s, err := load(cmd, settings.CommandCalibrate)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if path := cmd.String("conclusions"); path != "" {
		return p.hear(ctx, cmd, s, path)
	}
	labels, err := readLabels(cmd.Args().First())
	old, errOld := oldCalibration(cmd.String("against"))
	if err = errors.Join(err, errOld); err != nil {
		return err
	}
	g, err := newGrader(cmd, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	grade := func(labels []calibration.Label, name string) (*calibration.Run, error) {
		return calibration.Grade(ctx, labels, cmd.String("half"), name, cmd.Int("parallel"), g.judge)
	}
	run, err := grade(labels, g.name)
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
	return keepRun(cmd.String("json"), run)
}

// hear counts what is read from conclusions.
func (p *program) hear(ctx context.Context, cmd *cli.Command, s *settings.Settings, path string) (err error) {
	if cmd.Args().Len() > 0 || cmd.IsSet("half") || cmd.IsSet("against") || cmd.IsSet("retest") {
		return &usageError{command: cmd.FullName(), err: errors.New("--conclusions takes neither labels nor --half, --against and --retest")}
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return fmt.Errorf("read the conclusions: %w", err)
	}
	list, err := calibration.ReadConclusions(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s cannot be used; nothing was judged:\n%w", path, err)
	}
	g, err := newGrader(cmd, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	heard, err := calibration.Hear(ctx, list, g.name, cmd.Int("parallel"), g.judge)
	if err != nil {
		return err
	}
	if _, err := heard.WriteTo(p.out); err != nil {
		return err
	}
	return keepRun(cmd.String("json"), heard)
}

// keepRun keeps what was measured as JSON, if a file for it is named.
func keepRun(path string, run any) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(run, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o600) //nolint:gosec // the operator names the file
	}
	if err != nil {
		return fmt.Errorf("keep the run (--json): %w", err)
	}
	return nil
}

// grader is who judges, as in an interview: rules, the model of the evaluators, or what that answered in a recording.
type grader struct {
	name  string
	judge evaluator.Judge
	close func() error
}

func newGrader(cmd *cli.Command, s *settings.Settings) (*grader, error) {
	path, mode, err := cassettes(cmd)
	if err != nil {
		return nil, err
	}
	g := &grader{name: calibration.Rules, close: func() error { return nil }}
	var role tasks.Role
	if s.Engines.LLM == settings.EngineOpenAI && (path == "" || mode != cassette.Replay) {
		l := patient(s)
		role, g.name = l.role(s.Evaluators), cmp.Or(s.Evaluators.Model, s.OpenAI.ChatModel)
		if l.err != nil {
			return nil, l.err
		}
		g.close = func() error { l.close(); return nil }
	}
	if path != "" {
		if role.Model == nil && mode != cassette.Replay {
			return nil, errors.New("--record and --refresh need a model that answers: --llm openai")
		}
		c, err := cassette.Open(path, mode)
		if err != nil {
			return nil, errors.Join(err, g.close())
		}
		c.Note(eval.RoleEvaluator, g.name)
		role.Model, g.name = c.Model(eval.RoleEvaluator, role.Model), c.Noted(eval.RoleEvaluator)
		closeModel := g.close
		g.close = func() error { return errors.Join(c.Close(), closeModel()) }
	}
	g.judge = evaluator.NewLocal(role.Model, role.Temperature).Judge
	return g, nil
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
