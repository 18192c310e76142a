//go:build pdf

package pdftext

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/vivavoice/viva/stages/material"
)

// requestBytes bounds a request: a file of twenty times the default size, in base64.
const requestBytes = 200 << 20

// softMemory is what the collector of memory aims at, in bytes; the system's limit stands above it.
const softMemory = 192 << 20

// Serve reads one material.Request, extracts the text and writes a material.Result: it is all that a process does which
// material.Process starts. The process is limited in memory and processor time before anything is read.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	debug.SetMemoryLimit(softMemory)
	if err := confine(); err != nil {
		return fmt.Errorf("limit the process that reads a PDF: %w", err)
	}
	var request material.Request
	if err := json.NewDecoder(io.LimitReader(in, requestBytes)).Decode(&request); err != nil {
		return fmt.Errorf("read the request to read a PDF: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, request.Limits.Time)
	defer cancel()
	var result material.Result
	var err error
	if result.Extracted, err = (Extractor{}).Extract(ctx, request.Data, request.Limits); err != nil {
		result.Problem = material.Problem(err)
	}
	if err := json.NewEncoder(out).Encode(result); err != nil {
		return fmt.Errorf("write the text of a PDF: %w", err)
	}
	return nil
}
