package batch_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options(t testing.TB, f batch.Format) batch.Options {
	t.Helper()
	e, err := twostage.Default()
	if err != nil {
		t.Fatal(err)
	}
	return batch.Options{Evaluator: e, Format: f}
}
