package worker

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

const (
	// loadInterval and loadSamples average CPU over 2.5 s, as LiveKit's frameworks do.
	loadInterval = 500 * time.Millisecond
	loadSamples  = 5
	// serverTargetLoad is where servers, unless configured otherwise, stop dispatching to a worker whatever its status
	// says; dispatchableLoad is just under it.
	serverTargetLoad = 0.7
	dispatchableLoad = 0.69
)

// assess decides from the measured load and the jobs here whether the worker is full, and what load to report.
//
// The load is the larger of two: the measured one, to which each reserved job adds what a running one uses on average;
// and jobs over capacity. With the usual threshold of 0.7 a worker is therefore full with seven tenths of its capacity
// taken, where servers stop dispatching too. One with a higher threshold that is not full reports no more than
// dispatchableLoad: it would be starved without a word.
func assess(measured, threshold float64, o occupancy) (full bool, load float64) {
	load = clampLoad(measured)
	if o.running > 0 {
		load += float64(o.reserved) * load / float64(o.running)
	}
	jobs := o.reserved + o.running
	load = max(load, float64(jobs)/float64(o.capacity))
	full = o.draining || jobs >= o.capacity || load >= threshold
	if !full && threshold > serverTargetLoad {
		load = min(load, dispatchableLoad)
	}
	return full, min(load, 1)
}

// clampLoad makes a load of whatever a load function returns; what is not a number counts as idle.
func clampLoad(load float64) float64 {
	if math.IsNaN(load) {
		return 0
	}
	return min(max(load, 0), 1)
}

// loadMeter keeps the latest sample of a load function, so that nobody who needs the load waits for the function.
type loadMeter struct {
	sample func() float64
	latest atomic.Uint64 // math.Float64bits
}

// run samples at once and then every loadInterval until ctx ends.
func (m *loadMeter) run(ctx context.Context) {
	tick := time.NewTicker(loadInterval)
	defer tick.Stop()
	for {
		m.latest.Store(math.Float64bits(clampLoad(m.sample())))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (m *loadMeter) load() float64 { return math.Float64frombits(m.latest.Load()) }

// movingAverage is the mean of the last loadSamples values.
type movingAverage struct {
	values [loadSamples]float64
	count  int
}

func (a *movingAverage) add(value float64) (mean float64) {
	a.values[a.count%loadSamples] = value
	a.count++
	filled := min(a.count, loadSamples)
	for _, v := range a.values[:filled] {
		mean += v / float64(filled)
	}
	return mean
}
