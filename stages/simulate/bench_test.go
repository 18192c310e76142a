package simulate_test

import (
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/simulate"
)

// BenchmarkInterview holds whole interviews, and tells what a step of the engine takes that answers a turn: it stands between the end of
// speech and the first word.
func BenchmarkInterview(b *testing.B) {
	for _, kind := range []string{"two_stage", "system_design", "algorithm_coach"} {
		b.Run(kind, func(b *testing.B) {
			iv := shipped(b, kind, "en")
			turns, longest := 0, time.Duration(0)
			for b.Loop() {
				last := time.Now()
				simulate.Run(iv, simulate.Options{Candidate: simulate.Rambling, Observe: func(s simulate.Step) {
					now := time.Now()
					if s.Event == "turn" {
						turns++
						longest = max(longest, now.Sub(last))
					}
					last = now
				}})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(turns)/1000, "ms/turn")
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
		})
	}
}
