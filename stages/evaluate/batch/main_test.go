package batch_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fewer is a share of the rows in a short run, which is one under the race detector: it slows the evaluator down twentyfold and
// sees all goroutines meet within a few chunks. The full run is without.
func fewer(rows int) int {
	if testing.Short() {
		return rows / 25
	}
	return rows
}

func options(t testing.TB, f batch.Format) batch.Options {
	t.Helper()
	e, err := twostage.Default()
	if err != nil {
		t.Fatal(err)
	}
	return batch.Options{Evaluator: e, Format: f}
}
