//go:build pdf

package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/material/pdftext"
)

// commandReadPDF is the command of the process that reads one PDF; nobody types it.
const commandReadPDF = "read-pdf"

// readersAtOnce bounds the processes that read PDFs for one worker: each may take some hundred megabytes.
const readersAtOnce = 2

// pdfReader reads PDFs in a process of this program's own, which has no secrets, little memory and little time.
func pdfReader() material.Extractor {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return material.Process{Command: []string{program, commandReadPDF}, Slots: make(chan struct{}, readersAtOnce)}
}

func (p *program) documentCommands() []*cli.Command {
	return []*cli.Command{{
		Name: commandReadPDF, Hidden: true, Usage: "read a PDF from the input, and write its text as JSON",
		Action: func(ctx context.Context, _ *cli.Command) error { return pdftext.Serve(ctx, p.in, p.out) },
	}}
}
