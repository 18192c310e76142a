package worker

import (
	"context"
	"math"
	"os"
	"runtime"
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
	// settling is how long after its offer a job is missing in what is measured, less and less.
	settling = 5 * time.Second
)

// What makes a worker full.
const (
	fullOfCPU     = "cpu"
	fullOfMemory  = "memory"
	fullOfJobs    = "jobs"
	fullOfAnswers = "slow answers"
)

// measurement is what is known at one moment, in shares of what this process may use.
type measurement struct {
	cpu, memory       float64 // in use, 0 to 1
	jobCPU, jobMemory float64 // what one more job takes of each
	place             float64 // what each job takes of the places there are
	slow              bool    // answers take longer than when there was little to do
}

// verdict is the load to report, and whether and why the worker is full.
type verdict struct {
	full bool
	load float64
	why  string // what the load is that of
}

// assess decides from what is measured and the jobs here whether the worker is full, and what load to report.
//
// The load is the largest of CPU and memory in use, to which jobs that are too fresh to be measured add what one costs,
// and the jobs' share of the places. It is 1 while answers are slow. With the usual threshold of 0.7 a worker is full with
// seven tenths of any of them taken, where servers stop dispatching too. One with a higher threshold that is not full
// reports no more than dispatchableLoad: it would be starved without a word.
func assess(m measurement, threshold float64, o occupancy) verdict {
	jobs := o.reserved + o.running
	v := verdict{load: float64(jobs) * m.place, why: fullOfJobs}
	v.atLeast(clampLoad(m.cpu)+o.fresh*m.jobCPU, fullOfCPU)
	v.atLeast(clampLoad(m.memory)+o.fresh*m.jobMemory, fullOfMemory)
	if m.slow {
		v.atLeast(1, fullOfAnswers)
	}
	v.full = o.draining || jobs >= o.capacity || v.load >= threshold
	if !v.full && threshold > serverTargetLoad {
		v.load = min(v.load, dispatchableLoad)
	}
	v.load = min(v.load, 1)
	return v
}

func (v *verdict) atLeast(load float64, why string) {
	if load > v.load {
		v.load, v.why = load, why
	}
}

// clampLoad makes a load of whatever a load function returns; what is not a number counts as idle.
func clampLoad(load float64) float64 {
	if math.IsNaN(load) {
		return 0
	}
	return min(max(load, 0), 1)
}

// loadMeter keeps the latest measurement, so that nobody who needs the load waits for it.
type loadMeter struct {
	cpu     func() float64 // the load function
	process *cpuLoad       // of this process; nil: what jobs cost is not learned
	memory  func() float64 // this process's share of its limit
	jobs    func() int     // running now
	answers *Answers       // may be nil

	cpus  float64 // that this process may use
	cost  jobCost
	fixed measurement // what does not change
	calm  float64     // the load below which there is little to do
	crowd int         // most jobs while answers have been slow

	latest atomic.Pointer[measurement]
}

// newLoadMeter fails if the load cannot be measured here.
func newLoadMeter(o Options, jobs func() int) (*loadMeter, error) {
	root := os.DirFS("/")
	limit := memoryLimit(root)
	m := &loadMeter{
		cpu: o.LoadFunc, memory: processMemory(root, limit), jobs: jobs, answers: o.Answers, calm: o.LoadThreshold / 2,
		cpus: allowedCPUs(root, os.Getenv("NUM_CPUS"), runtime.GOMAXPROCS(0)), cost: jobCost{prior: o.JobCost.CPU},
	}
	m.fixed.jobMemory = o.JobCost.Memory / limit
	if o.MaxJobs > 0 {
		m.fixed.place = 1 / float64(o.MaxJobs)
	}
	if m.cpu == nil {
		var err error
		if m.process, err = newCPULoad(&processClock{started: time.Now(), cpus: m.cpus}); err != nil {
			return nil, err
		}
		m.cpu = m.process.sample
	}
	if o.SystemCPU {
		machine, err := newCPULoad(&systemClock{root: root})
		if err != nil {
			return nil, err
		}
		m.cpu = func() float64 {
			m.process.sample()
			return machine.sample()
		}
	}
	m.measure(clampLoad(m.cpu()), m.memory())
	return m, nil
}

// run measures every loadInterval until ctx ends.
func (m *loadMeter) run(ctx context.Context) {
	tick := time.NewTicker(loadInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.measure(clampLoad(m.cpu()), m.memory())
		}
	}
}

// measure takes the shares of CPU and memory in use.
func (m *loadMeter) measure(cpu, memory float64) {
	now, jobs := m.fixed, m.jobs()
	now.cpu, now.memory = cpu, memory
	if m.process != nil {
		m.cost.learn(m.process.last*m.cpus, jobs)
	}
	now.jobCPU = m.cost.cores() / m.cpus
	if now.place == 0 {
		now.place = max(now.jobCPU, now.jobMemory)
	}
	if m.answers != nil {
		now.slow = m.crowded(jobs, m.answers.slow(time.Now(), max(cpu, memory, float64(jobs)*now.place) < m.calm))
	}
	m.latest.Store(&now)
}

// crowded tells whether slow answers count: when half of the jobs that gave them are over, they are of the past.
func (m *loadMeter) crowded(jobs int, slow bool) bool {
	m.crowd = max(m.crowd, jobs)
	if !slow {
		m.crowd = 0
	}
	return slow && 2*jobs > m.crowd
}

func (m *loadMeter) now() measurement { return *m.latest.Load() }

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
