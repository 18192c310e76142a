package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/agent/eval/result"
	"github.com/vivavoice/viva/agent/eval/scenario"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// againstPlain is the one thing that talks can be compared with.
const againstPlain = "plain"

func (p *program) evalCommand() *cli.Command {
	return &cli.Command{
		Name: "eval", Usage: "hold whole interviews with candidates who are played, and grade them", ArgsUsage: "[FILE|KIND…]",
		Description: "Scenarios are files in the format of LiveKit's scenarios.yaml, or those that come with Viva for a KIND; without any, all of these.\n" +
			"A model plays the candidate, a model holds the interview (or the script, with --llm scripted), and a model judges; --replay needs none.\n" +
			"The exit code is 1 if an expectation or a check failed (with --compare: if something became worse). See docs/evals.md.",
		Flags: append(flags(settings.CommandEval),
			&cli.StringFlag{Name: "interview", Usage: "the `KIND` of scenarios that name none; without a FILE, the shipped scenarios of this kind"},
			&cli.StringFlag{Name: "only", Usage: "hold only scenarios with this `TAG` (or TAG=VALUE)"},
			&cli.StringFlag{Name: "against", Usage: "hold them with the same model and a prompt of ten lines too, and have the judge choose: `plain`"},
			&cli.StringFlag{Name: "record", Usage: "keep every exchange with a model in `DIR`"},
			&cli.StringFlag{Name: "replay", Usage: "take all answers from `DIR`, and ask no model"},
			&cli.StringFlag{Name: "refresh", Usage: "take known answers from `DIR`, and record what is missing"},
			&cli.BoolFlag{Name: "voice", Usage: "hold them aloud, in rooms of the LiveKit server, with whichever worker is registered there"},
			&cli.StringFlag{Name: "sound", Usage: "with --voice, keep each talk's sound in `DIR` (WAV, the candidate on the left)"},
			&cli.IntFlag{Name: "parallel", Usage: "how many talks are held at the same time", Value: 1},
			&cli.StringFlag{Name: "json", Usage: "write the results to `FILE` (JSON)"},
			&cli.StringFlag{Name: "junit", Usage: "write them to `FILE` (JUnit XML)"},
			&cli.StringFlag{Name: "page", Usage: "write them to `FILE` (HTML), with each talk"},
			&cli.StringFlag{Name: "compare", Usage: "show what became better and worse since the results in `FILE` (JSON)"}),
		Action: p.eval,
	}
}

func (p *program) eval(ctx context.Context, cmd *cli.Command) error {
	s, err := load(cmd, settings.CommandEval)
	if err != nil {
		return err
	}
	old, err := oldRun(cmd.String("compare"))
	if err != nil {
		return err
	}
	o, closeModels, err := evalOptions(cmd, s)
	if err != nil {
		return err
	}
	defer closeModels()
	o.Reporter = result.NewProgress(p.errs, o.Count())
	o.Dropped = func(path string, n int) {
		_, _ = fmt.Fprintf(p.errs, "%s: %d exchanges that are no longer asked for were dropped\n", path, n)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	run, err := eval.Run(ctx, o)
	if err != nil {
		return err
	}
	return p.showEval(cmd, run, old)
}

// evalOptions puts together who holds what. The caller calls closeModels.
func evalOptions(cmd *cli.Command, s *settings.Settings) (o eval.Options, closeModels func(), err error) {
	against := cmd.String("against")
	if against != "" && against != againstPlain {
		return o, nil, fmt.Errorf("--against: there is only %q to compare with, not %q", againstPlain, against)
	}
	scenarios, err := evalScenarios(cmd.Args().Slice(), cmd.String("interview"))
	if err != nil {
		return o, nil, err
	}
	library, err := agent.LoadLibrary(s.Interviews.Dir, s.Interviews.Default)
	if err != nil {
		return o, nil, err
	}
	o = eval.Options{
		Library: library, Scenarios: scenarios, Interview: cmd.String("interview"), Only: cmd.String("only"), Against: against != "",
		Parallel: cmd.Int("parallel"), Version: version, Pace: eval.Pace{Words: s.Eval.ReplyTime, Task: s.Eval.TaskTime},
	}
	if o.Cassettes, o.Mode, err = cassettes(cmd); err != nil {
		return o, nil, err
	}
	o.Ungraded = s.Eval.JudgeModel == settings.NoModel
	closeModels = func() {}
	if !o.Replays() {
		if closeModels, err = lendModels(&o, s); err != nil {
			return o, nil, err
		}
	}
	if cmd.Bool("voice") {
		if o.Aloud, err = evalAloud(cmd, s, &o); err != nil {
			closeModels()
			return o, nil, err
		}
	}
	return o, closeModels, nil
}

// evalScenarios reads the scenarios that the command line names: those of files, or of kinds among the shipped ones.
func evalScenarios(args []string, kind string) (all []*scenario.Scenario, err error) {
	if len(args) == 0 {
		return eval.Shipped(kind)
	}
	var problems []error
	for _, arg := range args {
		if !isFile(arg) {
			own, err := eval.Shipped(arg)
			all, problems = append(all, own...), append(problems, err)
			continue
		}
		text, err := os.ReadFile(arg) //nolint:gosec // the operator names the file
		if err != nil {
			problems = append(problems, err)
			continue
		}
		own, err := scenario.Parse(arg, text)
		all, problems = append(all, own...), append(problems, err)
	}
	return all, errors.Join(problems...)
}

// cassettes says where exchanges with models are kept, and what is done with them.
func cassettes(cmd *cli.Command) (dir string, mode cassette.Mode, err error) {
	modes := map[string]cassette.Mode{"record": cassette.Record, "replay": cassette.Replay, "refresh": cassette.Refresh}
	for name, m := range modes {
		if !cmd.IsSet(name) {
			continue
		}
		if dir != "" {
			return "", mode, errors.New("choose one of --record, --replay and --refresh")
		}
		dir, mode = cmd.String(name), m
	}
	return dir, mode, nil
}

// oldRun reads the results to compare with; nil where there are none.
func oldRun(path string) (*talk.Run, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the results to compare with (--compare): %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	old, err := result.Read(f)
	if err != nil {
		return nil, fmt.Errorf("read the results to compare with (--compare) in %s: %w", path, err)
	}
	return &old, nil
}

// showEval writes the results wherever they are wanted, and prints the table.
func (p *program) showEval(cmd *cli.Command, run talk.Run, old *talk.Run) error {
	err := errors.Join(
		writeResult(cmd, "json", run, result.JSON), writeResult(cmd, "junit", run, result.JUnit), writeResult(cmd, "page", run, result.Page),
		result.Table(p.out, run),
	)
	if old != nil {
		_, _ = fmt.Fprintf(p.out, "\n%s", result.Compare(*old, run))
	}
	if err == nil && result.Failed(run, old) {
		return cli.Exit("", exitFailure)
	}
	return err
}

// writeResult writes the results to the file that a flag names, if it does.
func writeResult(cmd *cli.Command, flag string, run talk.Run, write func(io.Writer, talk.Run) error) error {
	path := cmd.String(flag)
	if path == "" {
		return nil
	}
	f, err := createFile(path)
	if err != nil {
		return fmt.Errorf("write the results (--%s): %w", flag, err)
	}
	if err := errors.Join(write(f, run), f.Close()); err != nil {
		return fmt.Errorf("write the results (--%s): %w", flag, err)
	}
	return nil
}
