package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// flagConfig names the settings file.
const flagConfig = "config"

// flags gives a command the flags of the settings that it uses.
func flags(c settings.Command) []cli.Flag {
	out := []cli.Flag{&cli.StringFlag{Name: flagConfig, Usage: "settings `FILE` (YAML); also " + settings.FileVariable}}
	for _, d := range settings.Table() {
		if d.Flag == "" || !d.UsedBy(c) {
			continue
		}
		usage := d.Help
		if len(d.Choices) > 0 {
			usage += " (" + strings.Join(d.Choices, ", ") + ")"
		}
		if len(d.Env) > 0 {
			usage += " [$" + d.Env[0] + "]"
		}
		if d.Boolean() {
			out = append(out, &cli.BoolFlag{Name: d.Flag, Usage: usage})
			continue
		}
		out = append(out, &cli.StringFlag{Name: d.Flag, Usage: usage, DefaultText: d.Default})
	}
	return out
}

// load reads the settings of a command: defaults, file, environment and flags, the later ones winning.
func load(cmd *cli.Command, c settings.Command) (*settings.Settings, error) {
	return settings.Load(settings.LoadOptions{
		Command: c, File: cmd.String(flagConfig), Env: os.LookupEnv, Flags: given(cmd, c),
	})
}

func given(cmd *cli.Command, c settings.Command) map[string]string {
	out := make(map[string]string)
	for _, d := range settings.Table() {
		if d.Flag != "" && d.UsedBy(c) && cmd.IsSet(d.Flag) {
			out[d.Flag] = fmt.Sprint(cmd.Value(d.Flag))
		}
	}
	return out
}

func (p *program) configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "print the settings in force and where each comes from", Flags: flags(settings.CommandConfig),
		Action: func(_ context.Context, cmd *cli.Command) error {
			s, err := load(cmd, settings.CommandConfig)
			if s != nil {
				if printErr := s.Explain(p.out); printErr != nil {
					return printErr
				}
			}
			return err
		},
	}
}
