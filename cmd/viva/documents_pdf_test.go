//go:build pdf

package main

import (
	"bytes"
	"errors"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"github.com/vivavoice/viva/stages/material"
)

// A program with the tag pdf reads a résumé in a process of its own, and a broken one costs that process only.
func TestReadsPDF(t *testing.T) {
	sheet := fpdf.New("P", "mm", "A4", "")
	sheet.AddPage()
	sheet.SetFont("Helvetica", "", 12)
	sheet.Cell(100, 10, "Ada Lovelace wrote a compiler")
	var file bytes.Buffer
	if err := sheet.Output(&file); err != nil {
		t.Fatal(err)
	}
	r := material.Reader{Limits: material.DefaultLimits(), PDF: pdfReader()}
	d, err := r.Read(t.Context(), material.Resume, "cv.pdf", file.Bytes())
	if err != nil || d.Text != "Ada Lovelace wrote a compiler" || d.Format != material.FormatPDF || d.Pages != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := r.Read(t.Context(), material.Resume, "cv.pdf", file.Bytes()[:file.Len()/2]); !errors.Is(err, material.ErrUnread) {
		t.Errorf("half of it: %v", err)
	}
}
