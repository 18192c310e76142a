package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

func (p *program) dispatchCommand() *cli.Command {
	return &cli.Command{
		Name: "dispatch", Usage: "send the interviewer into a room, as `lk dispatch create` does",
		Flags: append(flags(settings.CommandDispatch),
			&cli.StringFlag{Name: "room", Usage: "the `ROOM`; it is made when it is not there"},
			&cli.StringFlag{Name: "interview", Usage: "the `KIND` of interview"},
			&cli.StringFlag{Name: "name", Usage: "the candidate's `NAME`"},
			&cli.StringFlag{Name: "resume", Usage: "go on with this `SESSION`, whose worker died; without it, with the one left in the room"},
			&cli.StringFlag{Name: "metadata", Usage: "the whole job metadata as `JSON`, in place of --interview, --name and --resume"}),
		Action: p.dispatch,
	}
}

func (p *program) dispatch(ctx context.Context, cmd *cli.Command) error {
	s, err := dispatchSettings(cmd)
	if err != nil {
		return err
	}
	metadata, err := dispatchMetadata(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	d, err := lksdk.NewAgentDispatchServiceClient(s.LiveKit.URL, s.LiveKit.APIKey, s.LiveKit.APISecret.Reveal()).
		CreateDispatch(ctx, &livekit.CreateAgentDispatchRequest{AgentName: s.AgentName, Room: cmd.String("room"), Metadata: metadata})
	if err != nil {
		return fmt.Errorf("dispatch to %s (check LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET): %w", s.LiveKit.URL, err)
	}
	_, err = fmt.Fprintf(p.out, "dispatch %s: agent %q into room %q\n", d.GetId(), d.GetAgentName(), d.GetRoom())
	return err
}

// dispatchSettings names a missing room beside what else is missing.
func dispatchSettings(cmd *cli.Command) (*settings.Settings, error) {
	s, err := load(cmd, settings.CommandDispatch)
	var problems settings.Problems
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	if cmd.String("room") == "" {
		problems = append(problems, settings.Problem{Key: "room", Wrong: "is missing", Fix: "pass --room"})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}

func dispatchMetadata(cmd *cli.Command) (string, error) {
	if text := cmd.String("metadata"); text != "" {
		if cmd.IsSet("interview") || cmd.IsSet("name") || cmd.IsSet("resume") {
			return "", errors.New("--metadata replaces --interview, --name and --resume: give one or the others")
		}
		_, err := agent.ParseMetadata(text)
		return text, err
	}
	if !cmd.IsSet("interview") && !cmd.IsSet("name") && !cmd.IsSet("resume") {
		return "", nil
	}
	text, err := json.Marshal(agent.Metadata{
		Interview: cmd.String("interview"), Candidate: agent.Person{Name: cmd.String("name")}, Resume: cmd.String("resume"),
	})
	return string(text), err
}
