package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vivavoice/viva/state/store"
)

// BenchmarkAppend measures how long a session waits for its journal, alone and among many. PostgreSQL writes to the disk
// for real here.
func BenchmarkAppend(b *testing.B) {
	var durable server
	b.Cleanup(func() { must(b, durable.Stop()) })
	for name, url := range map[string]func(b *testing.B) string{
		"sqlite":   func(b *testing.B) string { return filepath.Join(b.TempDir(), "viva.db") },
		"postgres": func(b *testing.B) string { return durable.database(b) },
	} {
		for _, sessions := range []int{1, 10, 50} {
			b.Run(fmt.Sprintf("%s/%d", name, sessions), func(b *testing.B) { appendAll(b, open(b, url(b)), sessions) })
		}
	}
}

// BenchmarkAppendLive measures how long a turn waits for its journal while ten interviews are held: each writes 20 entries a
// second, several times what a lively talk does.
func BenchmarkAppendLive(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "viva.db"))
	const sessions, every = 10, 50 * time.Millisecond
	took := make([][]time.Duration, sessions)
	var wg sync.WaitGroup
	b.ResetTimer()
	for n := range sessions {
		j, err := s.Create(b.Context(), fmt.Sprint("s", n))
		must(b, err)
		wg.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for i := 1; i <= 1+b.N/sessions; i++ {
				<-tick.C
				began := time.Now()
				if err := j.Append(entry(i)); err != nil {
					b.Error(err)
				}
				took[n] = append(took[n], time.Since(began))
			}
		})
	}
	wg.Wait()
	report(b, took)
}

func appendAll(b *testing.B, s *store.Store, sessions int) {
	took := make([][]time.Duration, sessions)
	var wg sync.WaitGroup
	b.ResetTimer()
	for n := range sessions {
		j, err := s.Create(b.Context(), fmt.Sprint("s", n))
		must(b, err)
		wg.Go(func() {
			for i := 1; i <= 1+b.N/sessions; i++ {
				began := time.Now()
				if err := j.Append(entry(i)); err != nil {
					b.Error(err)
				}
				took[n] = append(took[n], time.Since(began))
			}
		})
	}
	wg.Wait()
	report(b, took)
}

func report(b *testing.B, took [][]time.Duration) {
	all := slices.Concat(took...)
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(all[len(all)-1].Microseconds()), "max-µs")
}
