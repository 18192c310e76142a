package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuClock reads two amounts of CPU time that only grow: what was used, and what could have been. Their growth over an
// interval, one over the other, is the load.
type cpuClock interface {
	read() (used, available time.Duration, err error)
}

var (
	_ cpuClock = (*processClock)(nil)
	_ cpuClock = (*systemClock)(nil)
)

// cpuLoad is a load function; its owner calls it at regular intervals from one goroutine.
type cpuLoad struct {
	clock           cpuClock
	used, available time.Duration
	average         movingAverage
	last            float64
}

// newCPULoad fails if the clock cannot be read here.
func newCPULoad(clock cpuClock) (*cpuLoad, error) {
	used, available, err := clock.read()
	if err != nil {
		return nil, fmt.Errorf("measure CPU load: %w", err)
	}
	return &cpuLoad{clock: clock, used: used, available: available}, nil
}

// sample returns the moving average of the load since construction. When the clock cannot be read or stood still it
// returns the last value again.
func (l *cpuLoad) sample() float64 {
	used, available, err := l.clock.read()
	if err != nil || available <= l.available {
		return l.last
	}
	load := float64(used-l.used) / float64(available-l.available)
	l.used, l.available = used, available
	l.last = l.average.add(clampLoad(load))
	return l.last
}

// processClock counts the CPU time of this process against the CPUs it may use.
type processClock struct {
	started time.Time
	cpus    float64
}

func (c *processClock) read() (used, available time.Duration, err error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, 0, fmt.Errorf("read the process's CPU time: %w", err)
	}
	used = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return used, time.Duration(float64(time.Since(c.started)) * c.cpus), nil
}

// systemClock counts the CPU time of the whole machine, in the ticks of /proc/stat; see proc(5).
type systemClock struct{ root fs.FS }

// Fields of the cpu line of /proc/stat. Guest time is part of user time already.
const (
	statIdle   = 3
	statIOWait = 4
	statFields = 8
)

func (c *systemClock) read() (used, available time.Duration, err error) {
	data, err := fs.ReadFile(c.root, "proc/stat")
	if err != nil {
		return 0, 0, fmt.Errorf("read the machine's CPU time: %w", err)
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) <= statFields || fields[0] != "cpu" {
		return 0, 0, errors.New("read the machine's CPU time: /proc/stat does not start with a cpu line")
	}
	for i, field := range fields[1 : statFields+1] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read the machine's CPU time: %w", err)
		}
		available += time.Duration(ticks)
		if i != statIdle && i != statIOWait {
			used += time.Duration(ticks)
		}
	}
	return used, available, nil
}

// allowedCPUs is how many CPUs this process may use: NUM_CPUS if set, else the smallest quota of its control groups
// (version 2), but no more than the machine has. The file system is rooted at /.
func allowedCPUs(root fs.FS, numCPUs string, machine int) float64 {
	if n, err := strconv.ParseFloat(numCPUs, 64); err == nil && n > 0 {
		return n
	}
	cpus := float64(machine)
	for _, dir := range controlGroups(root) {
		if quota, ok := quotaOf(root, dir); ok {
			cpus = min(cpus, quota)
		}
	}
	return cpus
}

// controlGroups lists the directories of this process's version 2 control group and its parents, up to the root of what
// is visible; inside a container that root is the process's own group.
func controlGroups(root fs.FS) []string {
	const mount = "sys/fs/cgroup"
	dirs := []string{mount}
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return dirs
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		path, ok := strings.CutPrefix(lines.Text(), "0::/")
		if !ok {
			continue
		}
		dir := mount
		for name := range strings.SplitSeq(path, "/") {
			if name == "" || name == ".." {
				break
			}
			dir += "/" + name
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// quotaOf reads cpu.max: "<quota> <period>", or "max <period>" for no limit.
func quotaOf(root fs.FS, dir string) (cpus float64, ok bool) {
	data, err := fs.ReadFile(root, dir+"/cpu.max")
	if err != nil {
		return 0, false
	}
	var quota, period float64
	_, err = fmt.Sscan(string(data), &quota, &period)
	return quota / period, err == nil && quota > 0 && period > 0
}
