package worker

import (
	"errors"
	"math"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"
)

func TestAssess(t *testing.T) {
	tests := map[string]struct {
		measured, threshold float64
		jobs                occupancy
		full                bool
		load                float64
	}{
		"idle":                               {0, 0.7, occupancy{capacity: 10}, false, 0},
		"CPU decides":                        {0.5, 0.7, occupancy{running: 2, capacity: 10}, false, 0.5},
		"jobs decide":                        {0.1, 0.7, occupancy{running: 5, capacity: 10}, false, 0.5},
		"jobs under the threshold":           {0.1, 0.7, occupancy{running: 13, capacity: 20}, false, 0.65},
		"jobs at the threshold":              {0.1, 0.7, occupancy{running: 14, capacity: 20}, true, 0.7},
		"reserved places count":              {0.1, 0.7, occupancy{running: 6, reserved: 1, capacity: 10}, true, 0.7},
		"all places, threshold 1":            {0.1, 1, occupancy{running: 10, capacity: 10}, true, 1},
		"but one, threshold 1":               {0.1, 1, occupancy{running: 9, capacity: 10}, false, 0.69},
		"fresh ones cost what a job does":    {0.4, 0.7, occupancy{running: 2, reserved: 1, fresh: 1, capacity: 100}, false, 0.6},
		"fresh ones reach the threshold":     {0.4, 0.7, occupancy{running: 2, reserved: 2, fresh: 2, capacity: 100}, true, 0.8},
		"at the threshold":                   {0.7, 0.7, occupancy{capacity: 10}, true, 0.7},
		"draining":                           {0, 0.7, occupancy{capacity: 10, draining: true}, true, 0},
		"not a number":                       {math.NaN(), 0.7, occupancy{capacity: 10}, false, 0},
		"out of range":                       {7, 0.7, occupancy{capacity: 10}, true, 1},
		"never full is not starved":          {1, math.Inf(1), occupancy{running: 1, capacity: 10}, false, 0.69},
		"never full by load is full by jobs": {1, math.Inf(1), occupancy{running: 10, capacity: 10}, true, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := measurement{cpu: test.measured, jobCPU: 0.2, place: 1 / float64(test.jobs.capacity)}
			v := assess(m, test.threshold, test.jobs)
			if v.full != test.full || math.Abs(v.load-test.load) > 1e-9 {
				t.Errorf("assess = %v, %v; want %v, %v", v.full, v.load, test.full, test.load)
			}
		})
	}
}

// A worker that says it is available is one that servers dispatch to, and the load is always one.
func TestAssessNeverStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 100).Draw(t, "capacity")
		running := rapid.IntRange(0, capacity).Draw(t, "running")
		o := occupancy{
			capacity: capacity, running: running,
			reserved: rapid.IntRange(0, capacity-running).Draw(t, "reserved"),
			draining: rapid.Bool().Draw(t, "draining"),
		}
		threshold := rapid.OneOf(rapid.Float64Range(0.01, 2), rapid.Just(math.Inf(1))).Draw(t, "threshold")
		o.fresh = float64(o.reserved) + float64(running)*rapid.Float64Range(0, 1).Draw(t, "fresh")
		v := assess(measurement{
			cpu: rapid.Float64().Draw(t, "cpu"), memory: rapid.Float64().Draw(t, "memory"), place: 1 / float64(capacity),
			jobCPU: rapid.Float64Range(0, 2).Draw(t, "job's CPU"), slow: rapid.Bool().Draw(t, "slow"),
		}, threshold, o)
		if math.IsNaN(v.load) || v.load < 0 || v.load > 1 {
			t.Fatalf("load = %v", v.load)
		}
		if !v.full && v.load >= serverTargetLoad {
			t.Fatalf("available at load %v: no server will dispatch", v.load)
		}
	})
}

// The largest of all decides, and is named.
func TestAssessSaysWhy(t *testing.T) {
	jobs := occupancy{running: 10, reserved: 2, fresh: 5, capacity: 100}
	rest := measurement{cpu: 0.1, memory: 0.1, jobCPU: 0.01, jobMemory: 0.02, place: 0.02}
	tests := map[string]struct {
		change func(*measurement)
		load   float64
		full   bool
	}{
		fullOfCPU:     {func(m *measurement) { m.cpu = 0.66 }, 0.71, true},
		fullOfMemory:  {func(m *measurement) { m.memory = 0.5 }, 0.6, false},
		fullOfJobs:    {func(m *measurement) { m.place = 0.06 }, 0.72, true},
		fullOfAnswers: {func(m *measurement) { m.slow = true }, 1, true},
	}
	for why, test := range tests {
		m := rest
		test.change(&m)
		if v := assess(m, 0.7, jobs); v.why != why || math.Abs(v.load-test.load) > 1e-9 || v.full != test.full {
			t.Errorf("assess = %+v, want %v, %v because of %s", v, test.full, test.load, why)
		}
	}
}

func TestMovingAverage(t *testing.T) {
	var average movingAverage
	want := []float64{1, 0.5, 1.0 / 3, 0.25, 0.2, 0, 0.2}
	for i, sample := range []float64{1, 0, 0, 0, 0, 0, 1} {
		if got := average.add(sample); math.Abs(got-want[i]) > 1e-9 {
			t.Errorf("mean after sample %d = %v, want %v", i+1, got, want[i])
		}
	}
}

// scriptedClock plays CPU readings; a nil one is an error.
type scriptedClock struct {
	readings []*[2]time.Duration
}

func (c *scriptedClock) read() (used, available time.Duration, err error) {
	next := c.readings[0]
	c.readings = c.readings[1:]
	if next == nil {
		return 0, 0, errors.New("unreadable")
	}
	return next[0], next[1], nil
}

func TestCPULoad(t *testing.T) {
	const s = time.Second
	load, err := newCPULoad(&scriptedClock{readings: []*[2]time.Duration{
		{10 * s, 100 * s}, {11 * s, 102 * s}, nil, {11 * s, 102 * s}, {15 * s, 104 * s}, {15 * s, 106 * s},
	}})
	if err != nil {
		t.Fatal(err)
	}
	// Half; unreadable and standing still repeat it; twice what is available counts as all; then idle.
	for i, want := range []float64{0.5, 0.5, 0.5, 0.75, 0.5} {
		if got := load.sample(); math.Abs(got-want) > 1e-9 {
			t.Errorf("sample %d = %v, want %v", i+1, got, want)
		}
	}
	if _, err := newCPULoad(&scriptedClock{readings: []*[2]time.Duration{nil}}); err == nil {
		t.Error("newCPULoad of an unreadable clock: no error")
	}
}

func TestProcessClockAdvances(t *testing.T) {
	clock := &processClock{started: time.Now().Add(-time.Second), cpus: 2}
	used, available, err := clock.read()
	if err != nil || used <= 0 || available < 2*time.Second {
		t.Errorf("read = %v, %v, %v; want some CPU time, at least 2 s of 2 CPUs, no error", used, available, err)
	}
}

func TestSystemClock(t *testing.T) {
	tests := map[string]struct {
		stat            string
		used, available time.Duration
		fails           bool
	}{
		"idle and iowait are not use": {stat: "cpu  10 1 5 80 3 1 0 0 4 0\ncpu0 1 1 1 1\n", used: 17, available: 100},
		"no cpu line":                 {stat: "intr 1 2 3\n", fails: true},
		"too short":                   {stat: "cpu 1 2 3\n", fails: true},
		"not numbers":                 {stat: "cpu a b c d e f g h i j\n", fails: true},
		"empty":                       {stat: "", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock := &systemClock{root: fstest.MapFS{"proc/stat": {Data: []byte(test.stat)}}}
			used, available, err := clock.read()
			if used != test.used && !test.fails || available != test.available && !test.fails || (err != nil) != test.fails {
				t.Errorf("read = %d, %d, %v; want %d, %d, failure %v", used, available, err, test.used, test.available, test.fails)
			}
		})
	}
}

func TestAllowedCPUs(t *testing.T) {
	tests := map[string]struct {
		files   map[string]string
		numCPUs string
		want    float64
	}{
		"nothing known":  {nil, "", 8},
		"v2 no limit":    {map[string]string{"sys/fs/cgroup/cpu.max": "max 100000\n"}, "", 8},
		"v2 limit":       {map[string]string{"sys/fs/cgroup/cpu.max": "150000 100000\n"}, "", 1.5},
		"v2 malformed":   {map[string]string{"sys/fs/cgroup/cpu.max": "plenty\n"}, "", 8},
		"v2 above parts": {map[string]string{"sys/fs/cgroup/cpu.max": "3200000 100000\n"}, "", 8},
		"v2 nested, the parent is tighter": {map[string]string{
			"proc/self/cgroup":                                  "0::/system.slice/viva.service\n",
			"sys/fs/cgroup/system.slice/cpu.max":                "200000 100000\n",
			"sys/fs/cgroup/system.slice/viva.service/cpu.max":   "400000 100000\n",
			"sys/fs/cgroup/another.slice/cpu.max":               "10000 100000\n",
			"sys/fs/cgroup/system.slice/viva.service/cpu.stat":  "usage_usec 1\n",
			"sys/fs/cgroup/system.slice/other.service/cpu.max":  "10000 100000\n",
			"sys/fs/cgroup/system.slice/viva.service.d/cpu.max": "10000 100000\n",
		}, "", 2},
		"v2 outside the namespace": {map[string]string{"proc/self/cgroup": "0::/../other\n"}, "", 8},
		"NUM_CPUS wins":            {map[string]string{"sys/fs/cgroup/cpu.max": "150000 100000\n"}, "16", 16},
		"NUM_CPUS is nonsense":     {nil, "many", 8},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for path, text := range test.files {
				root[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := allowedCPUs(root, test.numCPUs, 8); got != test.want {
				t.Errorf("allowedCPUs = %v, want %v", got, test.want)
			}
		})
	}
}

func TestRetryDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		failures := rapid.IntRange(1, math.MaxInt).Draw(t, "failures")
		jitter := rapid.Float64Range(0, 0.999).Draw(t, "jitter")
		delay, longest := retryDelay(failures, jitter), retryDelay(failures, 0)
		if delay < longest/2 || delay > longest || longest > maxRetryDelay || longest < firstRetryDelay {
			t.Fatalf("retryDelay(%d, %v) = %v of at most %v", failures, jitter, delay, longest)
		}
	})
}

func TestEndpointURL(t *testing.T) {
	for base, want := range map[string]string{
		"ws://127.0.0.1:7880":           "ws://127.0.0.1:7880/agent",
		"http://127.0.0.1:7880/":        "ws://127.0.0.1:7880/agent",
		"https://example.com/livekit//": "wss://example.com/livekit/agent",
		"wss://example.com/?x=y#z":      "wss://example.com/agent",
	} {
		if got, err := endpointURL(base); err != nil || got.String() != want {
			t.Errorf("endpointURL(%q) = %v, %v; want %s", base, got, err, want)
		}
	}
}
