package candidate

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A worker with two children, one of which comes with the rooms, over three seconds.
func TestFamilyCost(t *testing.T) {
	const mib = mebibyte
	table := func(root, child, late time.Duration, rss int64) map[int]process {
		m := map[int]process{
			1:  {name: "init"},
			10: {name: "worker", parent: 1, cpu: root, rss: rss},
			11: {name: "job", parent: 10, cpu: child, rss: 10 * mib},
			99: {name: "other", parent: 1, cpu: time.Hour, rss: 900 * mib},
		}
		if late > 0 {
			m[12] = process{name: "job", parent: 11, cpu: late, rss: 20 * mib}
		}
		return m
	}
	f := family{pid: 10}
	f.sample(table(5*time.Second, time.Second, 0, 50*mib), 0, 0)
	f.sample(table(5100*time.Millisecond, time.Second, 0, 50*mib), time.Second, 0)                              // idle: 0.1 core
	f.sample(table(5300*time.Millisecond, 1100*time.Millisecond, 200*time.Millisecond, 60*mib), time.Second, 2) // 0.5 core
	f.sample(table(5500*time.Millisecond, 1200*time.Millisecond, 400*time.Millisecond, 70*mib), time.Second, 2) // 0.5 core
	if f.sample(map[int]process{}, time.Second, 2) {
		t.Error("a process that has ended was found")
	}
	want := ProcessCost{
		PID: 10, Name: "worker", Processes: 3,
		RSSStart: 60, RSSMin: 60, RSSMean: 77.5, RSSMax: 100,
		CPUMin: 0.1, CPUMean: 1.1 / 3, CPUMax: 0.5,
		RSSPerRoom: 20, CPUPerRoom: 0.25,
	}
	if diff := cmp.Diff(want, f.summary(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWatchSeesItself(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	w, err := watchProcesses([]int{os.Getpid()}, func() int { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.stop()
	watched, own := w.costs()
	if len(watched) != 1 || own == nil || own.RSSStart < 1 || watched[0].PID != os.Getpid() {
		t.Errorf("watched %+v, own %+v", watched, own)
	}
}
