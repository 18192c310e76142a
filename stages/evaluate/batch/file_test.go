package batch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// files puts a table into a folder and returns its name and that of an output.
func files(t *testing.T, f batch.Format, in string) (from, to string) {
	t.Helper()
	dir := t.TempDir()
	from, to = filepath.Join(dir, "in."+string(f)), filepath.Join(dir, "out."+string(f))
	write(t, from, in)
	return from, to
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const jsonTable = `{"input_text":"p","prediction":"True","groundtruth":"1","construction":"<entities>\"a\"</entities>"}
no JSON
{"input_text":"p\nq","prediction":"no","groundtruth":"1"}
{"input_text":"p","prediction":"","groundtruth":"1"}
`

// A run that was cut anywhere, within a row or its header, goes on after the last whole row: table and summary are those
// of a run that was not cut.
func TestResumeAfterAnyCut(t *testing.T) {
	for f, in := range map[batch.Format]string{batch.CSV: table, batch.JSONL: jsonTable} {
		for _, bare := range []bool{false, true} {
			if testing.Short() && bare == (f == batch.CSV) {
				continue // see fewer
			}
			o := options(t, f)
			o.Bare = bare
			from, to := files(t, f, in)
			want, err := batch.File(t.Context(), from, to, false, o)
			if err != nil {
				t.Fatal(err)
			}
			whole := contents(t, to)
			for cut := 0; cut <= len(whole); cut++ {
				if near := whole[max(0, cut-2):min(len(whole), cut+2)]; cut%13 > 0 && !strings.ContainsAny(near, "\n") {
					continue // every byte around the ends of lines, and some within them: each run waits for the disk
				}
				write(t, to, whole[:cut])
				got, err := batch.File(t.Context(), from, to, true, o)
				if err != nil {
					t.Fatalf("%s, bare %v, cut at %d: %v", f, bare, cut, err)
				}
				if contents(t, to) != whole {
					t.Fatalf("%s, bare %v, cut at %d: another table:\n%s", f, bare, cut, contents(t, to))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, bare %v, cut at %d: %s", f, bare, cut, diff)
				}
			}
		}
	}
}

// A run that was stopped goes on, and writes only what is left.
func TestResumeAfterStop(t *testing.T) {
	from, to := files(t, batch.CSV, large(batch.CSV, 2000))
	o := options(t, batch.CSV)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o.Progress = func(p batch.Progress) {
		if p.Rows > 500 {
			stop()
		}
	}
	first, err := batch.File(ctx, from, to, false, o)
	if !errors.Is(err, context.Canceled) || first.Rows >= 2000 {
		t.Fatalf("%d rows, %v", first.Rows, err)
	}
	o.Progress = nil
	if _, err := batch.File(t.Context(), from, to, true, o); err != nil {
		t.Fatal(err)
	}
	want, _ := judged(t, large(batch.CSV, 2000), o)
	if contents(t, to) != want {
		t.Error("the table is not that of one run")
	}
}

// An input that has grown is gone on with; one that has changed, or another rubric, is not.
func TestResumeWithSomethingElse(t *testing.T) {
	o := options(t, batch.CSV)
	other, err := twostage.New(twostage.Rubric{Evaluator: twostage.Name, Weights: &twostage.Weights{Construction: 3, Reasoning: 1}})
	if err != nil {
		t.Fatal(err)
	}
	changed := o
	changed.Evaluator = other
	bare := o
	bare.Bare = true
	for _, c := range []struct {
		name, in, want string
		o              batch.Options
	}{
		{"grown", table + "10,p,no,yes,,,\n", "", o},
		{"a row changed", strings.Replace(table, "5,p,n log n", "5,p,n", 1), "row 5 of the table", o},
		{"shorter", strings.TrimSuffix(table, "9,p,False,False,,,\n"), "more rows than the input", o},
		{"another header", strings.Replace(table, ",note", ",remark", 1), "write the header", o},
		{"another rubric", table, "row 1 of the table", changed},
		{"other columns", table, "write the header", bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := files(t, batch.CSV, table)
			if _, err := batch.File(t.Context(), from, to, false, o); err != nil {
				t.Fatal(err)
			}
			before := contents(t, to)
			write(t, from, c.in)
			_, err := batch.File(t.Context(), from, to, true, c.o)
			if c.want == "" {
				if want, _ := judged(t, c.in, o); err != nil || contents(t, to) != want {
					t.Errorf("error %v", err)
				}
				return
			}
			if !errors.Is(err, batch.ErrChanged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if contents(t, to) != before {
				t.Error("the output was changed all the same")
			}
		})
	}
}

// Nothing is overwritten, least of all the input.
func TestNothingIsOverwritten(t *testing.T) {
	from, to := files(t, batch.CSV, table)
	write(t, to, "mine")
	if _, err := batch.File(t.Context(), from, to, false, options(t, batch.CSV)); !errors.Is(err, batch.ErrExists) || contents(t, to) != "mine" {
		t.Errorf("error %v", err)
	}
	if _, err := batch.File(t.Context(), from, to, true, options(t, batch.CSV)); !errors.Is(err, batch.ErrChanged) || contents(t, to) != "mine" {
		t.Errorf("error %v", err)
	}
	if _, err := batch.File(t.Context(), from, from, true, options(t, batch.CSV)); err == nil || contents(t, from) != table {
		t.Errorf("error %v", err)
	}
	if _, err := batch.File(t.Context(), from+".none", to, true, options(t, batch.CSV)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]batch.Format{"a.csv": batch.CSV, "b/A.CSV": batch.CSV, "a.jsonl": batch.JSONL, "a.ndjson": batch.JSONL, "a.xlsx": "", "a": ""} {
		if got, err := batch.FormatOf(name); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
