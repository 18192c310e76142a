package worker

import (
	"fmt"
	"math"
	"os"
	"testing"
	"testing/fstest"
	"time"
)

// learnFor has jobs measured for some time.
func learnFor(c *jobCost, lasting time.Duration, cores float64, jobs int) {
	for range lasting / loadInterval {
		c.learn(cores, jobs)
	}
}

func TestJobCostIsLearned(t *testing.T) {
	const prior = 0.01
	tests := map[string]struct {
		learn    func(*jobCost)
		from, to float64
	}{
		"nothing known":               {func(*jobCost) {}, prior, prior},
		"many jobs, quickly":          {func(c *jobCost) { learnFor(c, 30*time.Second, 40*0.03, 40) }, 0.024, 0.03},
		"cheaper ones, too":           {func(c *jobCost) { learnFor(c, 2*time.Minute, 50*0.006, 50) }, 0.006, 0.0064},
		"not below half of the prior": {func(c *jobCost) { learnFor(c, time.Hour, 0, 50) }, prior / 2, prior / 2},
		"one job proves little: the process costs something itself": {func(c *jobCost) { learnFor(c, time.Hour, 0.05, 1) }, prior, 0.015},
		"idle is no job": {func(c *jobCost) { learnFor(c, time.Hour, 0.5, 0) }, prior, prior},
		"what was dear is forgotten": {func(c *jobCost) {
			learnFor(c, 10*time.Minute, 50*0.1, 50)
			learnFor(c, 3*time.Hour, 0, 0)
		}, prior, 0.0101},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := jobCost{prior: prior}
			test.learn(&c)
			if got := c.cores(); got < test.from-1e-9 || got > test.to+1e-9 {
				t.Errorf("cost = %v cores, want %v to %v", got, test.from, test.to)
			}
		})
	}
}

// A machine of two cores takes a hundred interviews by default, and no burst of offers makes it take many more than fit.
func TestMeterCountsPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		cost     Cost
		maxJobs  int
		from, to int
	}{
		"services":      {DefaultJobCost(), 0, 100, 150},
		"local engines": {Cost{CPU: 0.14, Memory: 16 << 20}, 0, 10, 10},
		"a set number":  {DefaultJobCost(), 20, 14, 14},
	} {
		t.Run(name, func(t *testing.T) {
			running := 0
			m := &loadMeter{cpus: 2, cost: jobCost{prior: test.cost.CPU}, jobs: func() int { return running }, calm: 0.35}
			m.fixed.jobMemory = test.cost.Memory / (4 << 30)
			if test.maxJobs > 0 {
				m.fixed.place = 1 / float64(test.maxJobs)
			}
			m.measure(0, 0)
			for ; !assess(m.now(), 0.7, occupancy{reserved: running, fresh: float64(running), capacity: mostJobs}).full; running++ {
				m.measure(0, 0)
			}
			if running < test.from || running > test.to {
				t.Errorf("full with %d jobs, want %d to %d", running, test.from, test.to)
			}
		})
	}
}

// What is measured moves the number that fit: dearer jobs leave fewer places.
func TestMeterLearns(t *testing.T) {
	jobs := 60
	m := &loadMeter{cpus: 2, cost: jobCost{prior: 0.01}, jobs: func() int { return jobs }, process: &cpuLoad{last: 0.6}}
	m.measure(0.6, 0)
	first := m.now().place
	for range 2 * 60 * 5 {
		m.measure(0.6, 0)
	}
	if place := m.now().place; place <= first || math.Abs(place-0.01) > 0.0005 {
		t.Errorf("a job of 60 that take 0.6 of two cores takes %v of the places, at first %v; want 0.01", place, first)
	}
}

func TestMemory(t *testing.T) {
	const resident = 5000 // pages
	used := resident * os.Getpagesize()
	tests := map[string]struct {
		files        map[string]string
		limit, share float64
	}{
		"nothing known": {nil, math.Inf(1), 0},
		"the machine's": {map[string]string{"proc/meminfo": "MemTotal:  1024 kB\nMemFree: 1 kB\n"}, 1 << 20, 0},
		"no limit": {map[string]string{
			"proc/meminfo": "MemTotal:  1024 kB\n", "sys/fs/cgroup/memory.max": "max\n",
		}, 1 << 20, 0},
		"the tighter group's, of which half is used": {map[string]string{
			"proc/meminfo": "MemTotal:  10000000 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": fmt.Sprintln(2 * used), "sys/fs/cgroup/a/b/memory.max": "max\n",
			"proc/self/statm": fmt.Sprintln(9999, resident, 1, 2, 3),
		}, float64(2 * used), 0.5},
		"more than all": {map[string]string{"proc/meminfo": "MemTotal: 4 kB\n", "proc/self/statm": fmt.Sprintln(9999, resident)}, 4096, 1},
		"malformed":     {map[string]string{"proc/meminfo": "MemTotal: plenty\n", "proc/self/statm": "few\n"}, math.Inf(1), 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for path, text := range test.files {
				root[path] = &fstest.MapFile{Data: []byte(text)}
			}
			limit := memoryLimit(root)
			if share := processMemory(root, limit)(); limit != test.limit || share != test.share {
				t.Errorf("limit = %v, share = %v; want %v, %v", limit, share, test.limit, test.share)
			}
		})
	}
}
