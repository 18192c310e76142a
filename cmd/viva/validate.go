package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
)

func (p *program) validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "check interview definitions", ArgsUsage: "FILE…",
		Description: "Reports every problem of every file with line and column. Words are looked for in prompts/ beside each file,\n" +
			"then among the shipped ones.",
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

func (p *program) validate(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	if err != nil {
		return err
	}
	def, err := definition.Parse(file, text)
	if err != nil {
		return err
	}
	words := []fs.FS{os.DirFS(filepath.Join(filepath.Dir(file), "prompts")), prompts.Shipped()}
	for _, locale := range def.Locales {
		if _, err := agent.Compile(def, locale, words...); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	_, err = fmt.Fprintf(p.out, "%s: %s, %d stages, %v: good\n", file, def.Kind, len(def.Stages), def.Locales)
	return err
}
