package batch_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// table is a small CSV with everything in it: quotes, line breaks, rows that cannot be judged, columns of others.
const table = `id,input_text,prediction,groundtruth,construction,reasoning,note
1,"Crosby, 45 yards",True,True,<c><entities>a</entities><actions>b</actions><constraints>c</constraints></c>,Final: True,"says ""hi"""
2,"two
lines",yes,1,,,
3,p,,1,,,no prediction
4,p,False,True,<entities>a<state_variables>b<actions>c<constraints>d,The answer is False.,
5,p,n log n,O(n log n),,So it is O(n log n),é 是
6,,True,True,,,no input
7,p,True,True
8,p,True,True,,,x,too many
9,p,False,False,,,
`

func judged(t testing.TB, in string, o batch.Options) (string, batch.Summary) {
	t.Helper()
	var out bytes.Buffer
	s, err := batch.Run(t.Context(), strings.NewReader(in), &out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), s
}

// R004-43, R004-57: the same table in the same order, and the columns after it; R004-11: what cannot be judged is
// marked, and stops nothing.
func TestCSV(t *testing.T) {
	o := options(t, batch.CSV)
	var problems []string
	o.RowError = func(e batch.RowError) { problems = append(problems, e.Error()) }
	out, _ := judged(t, table, o)
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header := append([]string{"id", "input_text", "prediction", "groundtruth", "construction", "reasoning", "note"}, batch.Columns(false)...)
	if diff := cmp.Diff(header, records[0]); diff != "" {
		t.Error(diff)
	}
	var got [][]string
	for _, r := range records[1:] {
		got = append(got, []string{r[0], r[7], r[9], r[11], r[12], r[14]})
	}
	want := [][]string{
		{"1", "0.75", "1", "0.875", "true", "ok"}, {"2", "1", "1", "1", "true", "ok"}, {"3", "0", "0", "0", "false", "failed"},
		{"4", "1", "0", "0.5", "false", "ok"}, {"5", "0", "1", "0.5", "true", "ok"}, {"6", "0", "0", "0", "false", "failed"},
		{"7", "0", "0", "0", "false", "failed"}, {"8", "0", "0", "0", "false", "failed"}, {"9", "1", "1", "1", "true", "ok"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r := records[1]; r[6] != `says "hi"` || r[1] != "Crosby, 45 yards" || records[2][1] != "two\nlines" || records[5][6] != "é 是" {
		t.Errorf("columns of the table were changed: %q", records)
	}
	wantProblems := []string{
		"line 5, column prediction: must not be empty", "line 8, column input_text: must not be empty",
		"line 9, column construction: it is missing: the row has 4 fields, the header 7",
		"line 10: the row has 8 fields, the header 7: what is beyond note is left out",
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Error(diff)
	}
	if records[3][15] != problems[0] || !strings.Contains(records[3][13], "Not evaluated: line 5, column prediction") {
		t.Errorf("row error %q, feedback %q", records[3][15], records[3][13])
	}
	var metadata twostage.Metadata
	if err := json.Unmarshal([]byte(records[1][16]), &metadata); err != nil || metadata.EntitiesFound != 1 || metadata.Missing[0] != "state_variables" {
		t.Errorf("R004-38: metadata %s, %v", records[1][16], err)
	}
}

// R004-35: with Bare, exactly the seven columns are added.
func TestBare(t *testing.T) {
	o := options(t, batch.CSV)
	o.Bare = true
	out, s := judged(t, "input_text,prediction,groundtruth\na,1,yes\n", o)
	want := "input_text,prediction,groundtruth,construction_score,construction_feedback,reasoning_score,reasoning_feedback,overall_score,overall_correct,two_stage_feedback\n" +
		`a,1,yes,1,Neither construction nor reasoning was given; the score follows the answer.,1,"Reasoning correct. Predicted: 1, Expected: yes",1,true,` +
		`"Overall Score: 1.00 | Construction: 1.00 - Neither construction nor reasoning was given; the score follows the answer. | Reasoning: 1.00 - Reasoning correct. Predicted: 1, Expected: yes"` + "\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if s.Missing != nil {
		t.Errorf("summary %+v", s)
	}
}

// R004-43: JSON Lines keep their text, their fields in order, and their types.
func TestJSONL(t *testing.T) {
	in := "\ufeff" + `{"id": 7, "input_text": "p", "prediction": true, "groundtruth": 1, "tags": [1, {"a": 1.0}]}
{"input_text": "p", "prediction": "x", "groundtruth": {"y": 1}}

not JSON "at all"
{}
null
{"input_text": "p", "prediction": "no", "groundtruth": "yes", "construction": null} `
	out, s := judged(t, in, options(t, batch.JSONL))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 6 || s.Rows != 6 || s.Failed != 4 {
		t.Fatalf("%d lines, %+v:\n%s", len(lines), s, out)
	}
	if !strings.HasPrefix(lines[0], `{"id": 7, "input_text": "p", "prediction": true, "groundtruth": 1, "tags": [1, {"a": 1.0}],"construction_score":1,`) {
		t.Error(lines[0])
	}
	for i, want := range []string{"", "line 2, column groundtruth: it must be a text", "line 4: it is not a JSON object", "line 5, column input_text: must not be empty", "line 6: it is not a JSON object: null", ""} {
		var object map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &object); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
		if got, _ := object["row_error"].(string); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("line %d: row error %q, want %q", i, got, want)
		}
	}
	if !strings.HasPrefix(lines[2], `{"input_line":"not JSON \"at all\"",`) {
		t.Error(lines[2])
	}
}

// What is wrong with the table as a whole ends the run, with line and column.
func TestBadTables(t *testing.T) {
	long := "input_text,prediction,groundtruth\na,b,b\nc,\"" + strings.Repeat("never closed\n", 1<<19)
	for _, c := range []struct {
		name   string
		format batch.Format
		in     string
		want   string
		rows   int
	}{
		{"empty", batch.CSV, "", "line 1: the table is empty", 0},
		{"no ground truth", batch.CSV, "input_text,prediction,ground_truth\n", "line 1, column groundtruth: it is missing; the header has input_text, prediction, ground_truth", 0},
		{"no prediction", batch.CSV, "input_text,groundtruth\n", "line 1, column prediction: it is missing, and so is answer", 0},
		{"a column twice", batch.CSV, "input_text,prediction,groundtruth,prediction\n", "line 1, column prediction: it is there twice", 0},
		{"a column of ours", batch.CSV, "input_text,prediction,groundtruth,overall_score\n", "line 1, column overall_score: it is one of the columns that are added", 0},
		{"a field of ours", batch.JSONL, `{"input_text":"a","prediction":"b","groundtruth":"b"}` + "\n" + `{"status":1}`, "line 2, column status: it is one of the fields", 1},
		{"a quote that is not closed", batch.CSV, long, "line 3: the row is longer than 4 MiB", 1},
		{"a line without an end", batch.JSONL, strings.Repeat("x", batch.MaxRow+10), "line 1: the row is longer than 4 MiB", 0},
		{"an unknown format", "xlsx", "", `no table format "xlsx"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := batch.Run(t.Context(), strings.NewReader(c.in), io.Discard, options(t, c.format))
			if err == nil || !strings.Contains(err.Error(), c.want) || s.Rows != c.rows {
				t.Errorf("%d rows, error %v, want %q", s.Rows, err, c.want)
			}
		})
	}
	o := options(t, batch.CSV)
	o.Evaluator = nil
	if _, err := batch.Run(t.Context(), strings.NewReader(table), io.Discard, o); err == nil {
		t.Error("runs without an evaluator")
	}
}

// A quote within a field is a row that cannot be read; the next one can.
func TestRowThatIsNoCSV(t *testing.T) {
	out, s := judged(t, "input_text,prediction,groundtruth\na,b\"c,d\ne,f,f\n", options(t, batch.CSV))
	if s.Rows != 2 || s.Failed != 1 || s.Accuracy != 1 || !strings.Contains(out, "line 2: it is not CSV") {
		t.Errorf("%+v\n%s", s, out)
	}
}

// large makes a table of n rows.
func large(f batch.Format, n int) string {
	var b strings.Builder
	if f == batch.CSV {
		b.WriteString("id,input_text,prediction,groundtruth,construction,reasoning\n")
	}
	for i := range n {
		truth, prediction := i%2 == 0, i%3 == 0
		sections := ""
		for j, id := range twostage.Sections() {
			if i>>j&1 == 0 {
				sections += fmt.Sprintf("<%s><item>first of %d</item><item>second</item></%s>", id, i, id)
			}
		}
		construction := "<construction>" + sections + "</construction>"
		reasoning := fmt.Sprintf("Step 1: read the article about game %d. Step 2: compare the yards of each pass, which are 45 and 30. Step 3: pick the longer one. Final answer: %v", i, prediction)
		text := "Crosby scored the longest touchdown of the first quarter with a pass of 45 yards."
		if f == batch.CSV {
			fmt.Fprintf(&b, "%d,%s,%v,%v,%s,%q\n", i, text, prediction, truth, construction, reasoning)
			continue
		}
		fmt.Fprintf(&b, `{"id":%d,"input_text":%q,"prediction":%v,"groundtruth":"%v","construction":%q,"reasoning":%q}`+"\n", i, text, prediction, truth, construction, reasoning)
	}
	return b.String()
}

// R004-45: one worker or many, the output is the same, byte for byte, and so are the aggregates.
func TestWorkersChangeNothing(t *testing.T) {
	for _, f := range []batch.Format{batch.CSV, batch.JSONL} {
		rows := 320 // five chunks
		if testing.Short() {
			rows = 160 // see fewer
		}
		in := large(f, rows)
		o := options(t, f)
		want, wantSummary := judged(t, in, o)
		if wantSummary.Failed > 0 || wantSummary.Rows != rows {
			t.Fatalf("%+v", wantSummary)
		}
		for _, workers := range []int{2, 7, 1000} {
			o.Workers = workers
			got, summary := judged(t, in, o)
			if got != want {
				t.Errorf("%s: %d workers write another table", f, workers)
			}
			if diff := cmp.Diff(wantSummary, summary); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// R004-46, R004-59: the stages are reported apart, and rows that could not be judged are in no mean.
func TestSummary(t *testing.T) {
	_, s := judged(t, table, options(t, batch.CSV))
	want := batch.Summary{
		Rubric: options(t, batch.CSV).Evaluator.Pin(), Rows: 9, Failed: 4, GoodEnough: 0.75,
		Construction: batch.Stage{Mean: 0.75, PassRate: 0.8}, Reasoning: batch.Stage{Mean: 0.8, PassRate: 0.8},
		Overall: batch.Stage{Mean: 0.775, PassRate: 0.6}, Accuracy: 0.8,
		Missing: map[string]int{"entities": 1, "state_variables": 2, "actions": 1, "constraints": 1},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"rows          5 judged, 4 not\n", "construction  mean 0.750, 80.0 % at 0.75 or above\n", "reasoning     mean 0.800, 80.0 % at 0.75 or above\n",
		"overall       mean 0.775, 60.0 % at 0.75 or above\n", "accuracy      80.0 %\n", "missing       entities 1 state_variables 2 actions 1 constraints 1\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

// R004-65: what was said in stored interviews is judged from the column answer.
func TestSpokenAnswers(t *testing.T) {
	out, s := judged(t, "input_text,answer,groundtruth\nTwo sum?,\"We're given an array of numbers. I keep a hash map and look up each difference. At most one pair fits. So it is linear.\",O(n)\n", options(t, batch.CSV))
	if s.Accuracy != 1 || s.Construction.Mean != 1 || !strings.Contains(out, `""construction_read"":""spoken""`) {
		t.Errorf("%+v\n%s", s, out)
	}
}

// Progress is told as rows are written, and ends at the whole table.
func TestProgress(t *testing.T) {
	in := large(batch.CSV, 300)
	o := options(t, batch.CSV)
	var told []batch.Progress
	o.Progress = func(p batch.Progress) { told = append(told, p) }
	judged(t, in, o)
	sorted := slices.IsSortedFunc(told, func(a, b batch.Progress) int { return a.Rows - b.Rows })
	if last := told[len(told)-1]; len(told) < 4 || !sorted || last.Rows != 300 || last.Read != int64(len(in)) {
		t.Errorf("progress %v", told)
	}
}

// endless is a table that never ends, in memory that does not grow.
type endless struct{ rows, most int }

func (e *endless) Read(p []byte) (int, error) {
	if e.rows == 0 {
		e.rows++
		return copy(p, "input_text,prediction,groundtruth,construction\n"), nil
	}
	if e.rows > e.most {
		return 0, io.EOF
	}
	e.rows++
	return copy(p, "text,True,True,<entities>"+strings.Repeat("a ", 400)+"</entities>\n"), nil
}

// peak notes the largest heap while it is written to.
type peak struct{ writes, heap uint64 }

func (p *peak) Write(b []byte) (int, error) {
	if p.writes++; p.writes%20 == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		p.heap = max(p.heap, m.HeapAlloc)
	}
	return len(b), nil
}

// Memory does not grow with the table: 13 MiB go through in a few.
func TestMemoryIsBounded(t *testing.T) {
	heap := func(rows int) uint64 {
		var p peak
		if _, err := batch.Run(t.Context(), &endless{most: rows}, &p, options(t, batch.CSV)); err != nil {
			t.Fatal(err)
		}
		return p.heap
	}
	small, big := heap(fewer(4_000)), heap(fewer(16_000))
	if big > small+4<<20 {
		t.Errorf("%d KiB for %d rows, %d KiB for %d", small>>10, fewer(4_000), big>>10, fewer(16_000))
	}
}

// A run that is stopped has written whole rows only.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := options(t, batch.CSV)
	o.Workers = 2
	o.Progress = func(p batch.Progress) {
		if p.Rows > 100 {
			stop()
		}
	}
	var out bytes.Buffer
	s, err := batch.Run(ctx, &endless{most: 1 << 30}, &out, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(records) != s.Rows+1 || s.Rows <= 100 {
		t.Errorf("%d records, %d rows, %v", len(records), s.Rows, err)
	}
}

// fullDisk takes some bytes, and no more.
type fullDisk struct{ left int }

var errFull = errors.New("no space left")

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestInputAndOutputThatFail(t *testing.T) {
	if _, err := batch.Run(t.Context(), &endless{most: 1 << 30}, &fullDisk{100_000}, options(t, batch.CSV)); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	broken := errors.New("cable")
	for _, f := range []batch.Format{batch.CSV, batch.JSONL} {
		in := io.MultiReader(strings.NewReader(large(f, 200)), iotest.ErrReader(broken))
		if s, err := batch.Run(t.Context(), in, io.Discard, options(t, f)); !errors.Is(err, broken) || s.Rows != 200 {
			t.Errorf("%s: %d rows, error %v", f, s.Rows, err)
		}
	}
}
