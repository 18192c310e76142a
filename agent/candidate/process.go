package candidate

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/prometheus/procfs"
)

const (
	sampleInterval = time.Second
	mebibyte       = 1 << 20
)

// ProcessCost is what a process and its children took during a run. Memory is the sum of the resident sets, in MiB; pages shared
// between the processes of a family count for each of them. CPU is in cores.
type ProcessCost struct {
	PID       int    `json:"pid"`
	Name      string `json:"name"`
	Processes int    `json:"processes"` // most at once

	RSSStart float64 `json:"rss_start_mib"` // before the first room
	RSSMin   float64 `json:"rss_min_mib"`
	RSSMean  float64 `json:"rss_mean_mib"`
	RSSMax   float64 `json:"rss_max_mib"`
	CPUMin   float64 `json:"cpu_min_cores"`
	CPUMean  float64 `json:"cpu_mean_cores"`
	CPUMax   float64 `json:"cpu_max_cores"`

	// RSSPerRoom is (RSSMax − RSSStart) over the most rooms at once.
	RSSPerRoom float64 `json:"rss_per_room_mib"`
	// CPUPerRoom is the CPU time while rooms were active over the time that they were, added up: cores for each.
	CPUPerRoom float64 `json:"cpu_per_room_cores"`
}

// process is one line of the process table.
type process struct {
	name   string
	parent int
	cpu    time.Duration
	rss    int64 // bytes
}

// processTable reads all processes. Those that vanish meanwhile are left out.
func processTable() (map[int]process, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	table := map[int]process{}
	for _, one := range all {
		if s, err := one.Stat(); err == nil {
			cpu := time.Duration(s.CPUTime() * float64(time.Second))
			table[one.PID] = process{name: s.Comm, parent: s.PPID, cpu: cpu, rss: int64(s.ResidentMemory())}
		}
	}
	return table, nil
}

// family sums up a process and its descendants.
type family struct {
	pid     int
	cpu     map[int]time.Duration // of each member at the latest sample
	cost    ProcessCost
	samples int
	rssSum  float64
	cpuSum  float64 // of samples but the first

	peak        int     // rooms at once
	activeCores float64 // core-seconds while rooms were active
	activeRooms float64 // room-seconds
}

// sample adds one observation, taken so long after the previous one while so many rooms were active. It reports whether the process
// is there.
func (f *family) sample(table map[int]process, elapsed time.Duration, rooms int) bool {
	root, ok := table[f.pid]
	if !ok {
		return false
	}
	members := descendants(table, f.pid)
	var rss float64
	var spent time.Duration
	cpu := make(map[int]time.Duration, len(members))
	for _, pid := range members {
		p := table[pid]
		rss += float64(p.rss) / mebibyte
		cpu[pid] = p.cpu
		spent += p.cpu - f.cpu[pid] // a new member counts from its birth
	}
	f.cpu = cpu
	f.cost.PID, f.cost.Name = f.pid, root.name
	f.cost.Processes = max(f.cost.Processes, len(members))
	f.memory(rss, rooms)
	if f.samples > 1 && elapsed > 0 {
		f.processor(spent.Seconds()/elapsed.Seconds(), elapsed, rooms)
	}
	return true
}

func (f *family) memory(rss float64, rooms int) {
	c := &f.cost
	if f.samples++; f.samples == 1 {
		c.RSSStart, c.RSSMin = rss, rss
	}
	c.RSSMin, c.RSSMax = min(c.RSSMin, rss), max(c.RSSMax, rss)
	f.rssSum += rss
	f.peak = max(f.peak, rooms)
}

func (f *family) processor(cores float64, elapsed time.Duration, rooms int) {
	c := &f.cost
	if f.samples == 2 {
		c.CPUMin = cores
	}
	c.CPUMin, c.CPUMax = min(c.CPUMin, cores), max(c.CPUMax, cores)
	f.cpuSum += cores
	if rooms > 0 {
		f.activeCores += cores * elapsed.Seconds()
		f.activeRooms += float64(rooms) * elapsed.Seconds()
	}
}

func (f *family) summary() ProcessCost {
	c := f.cost
	if f.samples > 0 {
		c.RSSMean = f.rssSum / float64(f.samples)
	}
	if f.samples > 1 {
		c.CPUMean = f.cpuSum / float64(f.samples-1)
	}
	if f.peak > 0 {
		c.RSSPerRoom = (c.RSSMax - c.RSSStart) / float64(f.peak)
	}
	if f.activeRooms > 0 {
		c.CPUPerRoom = f.activeCores / f.activeRooms
	}
	return c
}

// descendants are pid and everything below it.
func descendants(table map[int]process, pid int) []int {
	children := map[int][]int{}
	for child, p := range table {
		children[p.parent] = append(children[p.parent], child)
	}
	members := []int{pid}
	for i := 0; i < len(members); i++ {
		members = append(members, children[members[i]]...)
	}
	return members
}

// processWatch samples processes, and the load test itself, once per second until it is stopped.
type processWatch struct {
	rooms    func() int
	families []*family // the load test's own is the last
	latest   time.Time

	done    chan struct{}
	once    sync.Once
	sampler sync.WaitGroup
}

// watchProcesses takes the first sample and starts the sampler; the caller stops it. It fails if a process cannot be watched.
func watchProcesses(pids []int, rooms func() int) (*processWatch, error) {
	w := &processWatch{rooms: rooms, done: make(chan struct{})}
	for _, pid := range append(pids[:len(pids):len(pids)], os.Getpid()) {
		w.families = append(w.families, &family{pid: pid})
	}
	if err := w.begin(time.Now()); err != nil {
		if len(pids) == 0 {
			w.families = nil // the own cost is left out where there is no /proc
			return w, nil
		}
		return nil, err
	}
	w.sampler.Go(w.run)
	return w, nil
}

func (w *processWatch) begin(now time.Time) error {
	table, err := processTable()
	if err != nil {
		return fmt.Errorf("watch processes: this needs Linux's /proc: %w", err)
	}
	w.latest = now
	for _, f := range w.families {
		if !f.sample(table, 0, 0) {
			return fmt.Errorf("watch process %d: there is no such process", f.pid)
		}
	}
	return nil
}

func (w *processWatch) run() {
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-w.done:
			return
		case now := <-ticker.C:
			w.sample(now)
		}
	}
}

// sample observes all families; those that have ended keep what was seen.
func (w *processWatch) sample(now time.Time) {
	table, err := processTable()
	if err != nil {
		return
	}
	rooms := w.rooms()
	for _, f := range w.families {
		f.sample(table, now.Sub(w.latest), rooms)
	}
	w.latest = now
}

// stop ends the sampler and waits for it. It is idempotent.
func (w *processWatch) stop() {
	w.once.Do(func() { close(w.done) })
	w.sampler.Wait()
}

// costs returns the watched processes' and the own cost, once stopped.
func (w *processWatch) costs() (watched []ProcessCost, own *ProcessCost) {
	for i, f := range w.families {
		c := f.summary()
		if i == len(w.families)-1 {
			return watched, &c
		}
		watched = append(watched, c)
	}
	return nil, nil
}
