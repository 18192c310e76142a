package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/lint"
)

func (p *program) validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "check interview definitions", ArgsUsage: "FILE…",
		Description: "Reports every problem of every file with line and column, and what is wrong with its words in every language.\n" +
			"Words are looked for in prompts/ beside each file and problems in problems/, then among the shipped ones.",
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() == 0 {
				return errors.New("name the files to check: viva validate FILE…")
			}
			bad := 0
			for _, file := range cmd.Args().Slice() {
				if err := p.validate(file); err != nil {
					bad++
					_, _ = fmt.Fprintln(p.errs, err)
				}
			}
			if bad > 0 {
				return cli.Exit("", exitFailure)
			}
			return nil
		},
	}
}

// validate checks a definition and everything that it names: words in every language, experts, problems, rubrics.
func (p *program) validate(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	if err != nil {
		return err
	}
	parts := agent.Beside(filepath.Dir(file))
	world := lint.World{Words: parts.Words, Problems: parts.Problems}
	if found := lint.Interview(file, text, world); len(found) > 0 {
		return flaws(file, found)
	}
	def, err := definition.Parse(file, text)
	if err != nil {
		return err
	}
	for _, locale := range def.Locales {
		if _, err := parts.Compile(def, locale); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	_, err = fmt.Fprintf(p.out, "%s: %s, %d stages, %v%s: good\n", file, def.Kind, len(def.Stages), def.Locales, bound(def))
	return err
}

// bound tells how long the interview may last.
func bound(def *definition.Definition) string {
	if worst, bounded := def.WorstCase(); bounded {
		return ", at most " + worst.String()
	}
	return ", without a limit of time"
}

// flaws tells all that is wrong with a definition.
func flaws(file string, found []lint.Finding) error {
	noun := "problems"
	if len(found) == 1 {
		noun = "problem"
	}
	text := fmt.Sprintf("%s: %d %s", file, len(found), noun)
	for _, x := range found {
		text += "\n  " + strings.TrimPrefix(x.String(), file+":")
	}
	return errors.New(text)
}
