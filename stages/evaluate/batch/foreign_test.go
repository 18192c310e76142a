package batch

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// judged is what every row of these tests gets.
var judged = twostage.Result{ConstructionScore: 0.5, ConstructionFeedback: "a, \"b\"\nc", OverallCorrect: true, Status: "ok"}

// FuzzTables: whatever table is read, every row of it ends, and what is written of it is a table again, with a row for a row and
// the judgement at its end.
func FuzzTables(f *testing.F) {
	f.Add([]byte("input,prediction,groundtruth\na,b,c\n\"x\ny\",=1+1,\n1\n1,2,3,4\n"), true)
	f.Add([]byte("\ufeffinput,prediction,groundtruth\r\na,b\"c,d\n\"never closed"), true)
	f.Add([]byte("{\"input\":\"a\",\"prediction\":1.50,\"groundtruth\":null}\n\nnull\n[]\n{\"input\":{}}\n{}\n{ \"input\" : \"a\" } \n{\"a\":1,\"a\":2}"), false)
	f.Add([]byte("\ufeff{\"input\":\"\\ud800\"}\r\n{\"status\":1}"), false)
	f.Fuzz(func(t *testing.T, text []byte, asCSV bool) {
		var c codec = newJSONL(bytes.NewReader(text), false)
		if asCSV {
			var err error
			if c, err = newCSV(bytes.NewReader(text), false); err != nil {
				return
			}
		}
		written := bytes.NewBuffer(c.header())
		rows := 0
		for ; ; rows++ {
			r, err := c.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				var where *RowError
				if !errors.As(err, &where) {
					t.Errorf("no row is named: %v", err)
				}
				return
			}
			if rows > len(text) {
				t.Fatal("the table does not end")
			}
			tail, err := c.encode(judged)
			if err != nil {
				t.Fatal(err)
			}
			written.Write(r.prefix)
			written.Write(tail)
		}
		if asCSV {
			again := csv.NewReader(bytes.NewReader(written.Bytes()))
			records, err := again.ReadAll()
			if err != nil || len(records) != rows+1 {
				t.Fatalf("%d rows became %d, %v:\n%s", rows, len(records)-1, err, written)
			}
			return
		}
		lines := bytes.Split(bytes.TrimSuffix(written.Bytes(), []byte("\n")), []byte("\n"))
		if rows > 0 && len(lines) != rows {
			t.Fatalf("%d rows became %d lines:\n%s", rows, len(lines), written)
		}
		for _, l := range lines[:min(rows, len(lines))] {
			var object map[string]json.RawMessage // keys as they are: a column of the table's own may be called Status
			if err := json.Unmarshal(l, &object); err != nil || string(object["status"]) != `"ok"` || string(object["overall_correct"]) != "true" {
				t.Fatalf("%s is read as %s, %v", l, object, err)
			}
		}
	})
}
