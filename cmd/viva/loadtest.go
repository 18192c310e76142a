package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/candidate"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
)

func (p *program) loadtestCommand() *cli.Command {
	return &cli.Command{
		Name: "loadtest", Usage: "talk to an agent with synthetic candidates and measure it at their ears",
		Description: "Works against any LiveKit agent: it dispatches --agent-name into rooms of its own, speaks, interrupts, and listens.",
		Flags: append(flags(settings.CommandLoadTest),
			&cli.IntFlag{Name: "rooms", Value: 1, Usage: "candidates, one a room"},
			&cli.IntFlag{Name: "turns", Value: 5, Usage: "utterances of each candidate"},
			&cli.IntFlag{Name: "barge-ins", Usage: "how many of the turns interrupt the agent"},
			&cli.IntFlag{Name: "interruptions", Usage: "make `N` interruptions in all rooms together; decides --turns and --barge-ins"},
			&cli.BoolFlag{Name: "dtx", Usage: "send little of the silence, as browsers do; candidates and server cost less"},
			&cli.BoolFlag{Name: "pauses", Usage: "answer with pauses of 0.3 to 1.5 s inside the thoughts"},
			&cli.DurationFlag{Name: "provider-time", Usage: "what providers take for the first sound of an answer, taken off the silence at handoffs"},
			&cli.DurationFlag{Name: "ramp", Value: candidate.DefaultRamp, Usage: "time between the starts of two rooms"},
			&cli.DurationFlag{Name: "answer-timeout", Value: candidate.DefaultAnswerTimeout, Usage: "an answer that has not begun by then is missing"},
			&cli.StringFlag{Name: "interview", Value: "conversation", Usage: "the `KIND` of interview, put into the job's metadata; empty sends none"},
			&cli.StringFlag{Name: "metadata", Usage: "the whole job metadata, in place of --interview"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of all that is drawn by lot"},
			&cli.StringSliceFlag{Name: "wav", Usage: "speak these `FILES` in place of the built-in sentences"},
			&cli.StringSliceFlag{Name: "interruption-wav", Usage: "interrupt with these `FILES`"},
			&cli.StringFlag{Name: "record", Usage: "write what each candidate said (left) and heard (right) into `DIR` as WAV"},
			&cli.IntSliceFlag{Name: "pid", Usage: "also measure CPU and memory of this process"},
			&cli.StringFlag{Name: "json", Usage: "write the report to `FILE`, - for standard output, in place of the table"}),
		Action: p.loadtest,
	}
}

func (p *program) loadtest(ctx context.Context, cmd *cli.Command) error {
	s, err := load(cmd, settings.CommandLoadTest)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	room.LogSDK(zap.NewNop())
	plan, err := loadPlan(cmd, s)
	if err != nil {
		return err
	}
	speech, err := loadSpeech(ctx, cmd)
	if err != nil {
		return err
	}
	server := candidate.NewLiveKit(s.LiveKit.URL, s.LiveKit.APIKey, s.LiveKit.APISecret.Reveal(), zap.NewNop())
	report, err := candidate.Run(ctx, plan, candidate.Deps{
		Server: server, Speech: speech, Version: version,
		Progress: func(now candidate.Progress) { _, _ = fmt.Fprintln(p.errs, now) },
	})
	if err != nil {
		return err
	}
	if err := p.report(report, cmd.String("json")); err != nil {
		return err
	}
	return verdict(report)
}

// verdict makes a run in which no room got through a failure, for scripts.
func verdict(r candidate.Report) error {
	if r.RoomsFailed == 0 || r.RoomsFailed < len(r.Rooms) {
		return nil
	}
	return fmt.Errorf("load test: no room got through: %s", r.Rooms[0].Error)
}

func loadPlan(cmd *cli.Command, s *settings.Settings) (candidate.Plan, error) {
	plan := candidate.Plan{
		Rooms: cmd.Int("rooms"), Turns: cmd.Int("turns"), BargeIns: cmd.Int("barge-ins"), AgentName: s.AgentName,
		Metadata: cmd.String("metadata"), Ramp: cmd.Duration("ramp"), Seed: cmd.Uint64("seed"), AnswerTimeout: cmd.Duration("answer-timeout"),
		Interruptions: cmd.Int("interruptions"), StageAttribute: agent.AttributeStage, ProviderTime: cmd.Duration("provider-time"), DTX: cmd.Bool("dtx"),
		RecordDir: cmd.String("record"), PIDs: cmd.IntSlice("pid"),
	}
	if plan.Interruptions != 0 && (cmd.IsSet("turns") || cmd.IsSet("barge-ins")) {
		return plan, errors.New("--interruptions decides how many turns there are: leave --turns and --barge-ins out")
	}
	if plan.Ramp == 0 {
		plan.Ramp = -1 // all at once
	}
	if plan.RecordDir != "" {
		if err := os.MkdirAll(plan.RecordDir, 0o750); err != nil {
			return plan, fmt.Errorf("make the folder for recordings: %w", err)
		}
	}
	if plan.Metadata == "" && cmd.String("interview") != "" {
		text, err := json.Marshal(agent.Metadata{Interview: cmd.String("interview")})
		if err != nil {
			return plan, err
		}
		plan.Metadata = string(text)
	}
	return plan, nil
}

func loadSpeech(ctx context.Context, cmd *cli.Command) (*candidate.Speech, error) {
	files := cmd.StringSlice("wav")
	if len(files) > 0 && cmd.Bool("pauses") {
		return nil, errors.New("--pauses goes with the built-in sentences: leave --wav out, or record the pauses")
	}
	if len(files) > 0 {
		return candidate.LoadSpeech(files, cmd.StringSlice("interruption-wav"))
	}
	flite, err := local.NewFlite(local.FliteOptions{Voice: candidateVoice})
	if err != nil {
		return nil, fmt.Errorf("the candidates have no voice (name recordings with --wav): %w", err)
	}
	if cmd.Bool("pauses") {
		return candidate.NewHesitantSpeech(ctx, candidate.Whole(flite, tts.Request{}), cmd.Uint64("seed"))
	}
	return candidate.NewSpeech(ctx, candidate.Whole(flite, tts.Request{}))
}

// report writes the report where it is wanted.
func (p *program) report(r candidate.Report, file string) error {
	switch file {
	case "":
		return r.WriteTable(p.out)
	case "-":
		return r.JSON(p.out)
	}
	f, err := os.Create(file) //nolint:gosec // the operator names the file
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return errors.Join(r.JSON(f), f.Close(), r.WriteTable(p.out))
}
