package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent/eval/result"
	"github.com/vivavoice/viva/agent/eval/talk"
)

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
