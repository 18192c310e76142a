//go:build !pdf

package main

import (
	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/material"
)

// pdfReader is nil: this program was built without the tag pdf, so candidates are asked for plain text or Markdown.
func pdfReader() material.Extractor { return nil }

func (p *program) documentCommands() []*cli.Command { return nil }
