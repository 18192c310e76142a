package pdf_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/report/pdf"
)

// FuzzWrite: a report whose words are anything at all is a PDF, or an error; nothing of it breaks the writer.
func FuzzWrite(f *testing.F) {
	for _, words := range []string{"", "Ada", "我们\u2028é\u0000", "\U0001F600\U000E0041", strings.Repeat("longword", 200), "\xff", "\u202e(x) Tj ET"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		r := sample(t, "en")
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		said, err := json.Marshal(words)
		if err != nil || len(words) > 4<<10 {
			return
		}
		quoted := said[1 : len(said)-1]
		for _, known := range []string{r.Candidate, r.Session} {
			if known != "" {
				raw = bytes.ReplaceAll(raw, []byte(known), quoted)
			}
		}
		var changed report.Report
		if err := json.Unmarshal(raw, &changed); err != nil {
			return
		}
		for i := range changed.Transcript {
			changed.Transcript[i].Text = words
		}
		var out bytes.Buffer
		if err := pdf.Write(&out, &changed, fonts(t)); err == nil && !bytes.HasPrefix(out.Bytes(), []byte("%PDF-1")) {
			t.Errorf("%d bytes are no PDF", out.Len())
		}
	})
}
