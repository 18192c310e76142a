package batch_test

import (
	"io"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate/batch"
)

// R004-44: rows judged a second on one core, of some 600 bytes each with construction and reasoning; 10,000 have to go
// through in 5 s. docs/benchmarks.md tells how to run it. The test below holds only that they do go through.
func BenchmarkRows(b *testing.B) {
	for _, f := range []batch.Format{batch.CSV, batch.JSONL} {
		b.Run(string(f), func(b *testing.B) {
			in := large(f, 10_000)
			o := options(b, f)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := batch.Run(b.Context(), strings.NewReader(in), io.Discard, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// R004-44: no row of 10,000 is lost; BenchmarkRows takes the time. A short run has fewer.
func TestTenThousandRows(t *testing.T) {
	rows := fewer(10_000)
	_, s := judged(t, large(batch.JSONL, rows), options(t, batch.JSONL))
	if s.Rows != rows || s.Failed != 0 || s.Accuracy < 0.49 || s.Accuracy > 0.51 || s.Construction.Mean != 0.5 {
		t.Errorf("%+v", s)
	}
}
