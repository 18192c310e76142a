package candidate

import (
	"math"
	"slices"
	"time"
)

// Distribution summarises samples of one measure, in milliseconds. Percentiles are by nearest rank: the smallest sample that at least
// that share of the samples does not exceed, so every figure is one that was measured.
type Distribution struct {
	Count int     `json:"count"`
	Min   float64 `json:"min_ms"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// distribution sorts the samples in place.
func distribution(samples []time.Duration) Distribution {
	if len(samples) == 0 {
		return Distribution{}
	}
	slices.Sort(samples)
	at := func(share float64) float64 {
		rank := int(math.Ceil(share * float64(len(samples))))
		return milliseconds(samples[max(rank, 1)-1])
	}
	return Distribution{
		Count: len(samples), Min: at(0), P50: at(0.50), P95: at(0.95), P99: at(0.99), Max: at(1),
	}
}

// milliseconds is d in ms, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
