package worker

import (
	"slices"
	"sync"
	"time"
)

const (
	// answersWindow is how far back answers tell whether jobs answer slowly, answersNeeded how many it takes to tell: single
	// jobs on a machine that others keep busy do not close a worker.
	answersWindow = time.Minute
	answersNeeded = 40
	answersKept   = 512
	// slowBy is by how much the 95th percentile may grow: a twentieth of the usual answer of 0.8 s.
	slowBy = 40 * time.Millisecond
	// calmWeight is how much of the present percentile goes into that of calm times, every loadInterval: ten minutes change
	// two thirds of it.
	calmWeight = float64(loadInterval) / float64(10*time.Minute)
)

// Answers tell a worker how soon its jobs answer, so that it takes no more of them once it answers more slowly than when there
// was little to do. The zero value is ready, and safe for concurrent use.
type Answers struct {
	mu     sync.Mutex
	recent [answersKept]answer // guarded by mu: a ring
	count  int                 // guarded by mu: taken so far

	sorted [answersKept]time.Duration // slow's
	calm   time.Duration              // slow's: the 95th percentile while there was little to do
	known  bool                       // slow's: calm is
}

type answer struct {
	at   time.Time
	took time.Duration
}

// Took notes how long an answer took of this machine: what others were waited for does not belong to it.
func (a *Answers) Took(took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recent[a.count%answersKept] = answer{at: time.Now(), took: took}
	a.count++
}

// slow tells whether answers of the last minute were slow. calm says that there is little to do. One goroutine calls it, every
// loadInterval.
func (a *Answers) slow(now time.Time, calm bool) bool {
	p95, ok := a.percentile(now)
	switch {
	case !ok:
		return false
	case calm && !a.known:
		a.calm, a.known = p95, true
	case calm:
		a.calm += time.Duration(calmWeight * float64(p95-a.calm))
	}
	return p95 > a.calm+slowBy
}

// percentile is the 95th of the answers in the window, by nearest rank, if they are enough.
func (a *Answers) percentile(now time.Time) (p95 time.Duration, ok bool) {
	found := a.sorted[:0]
	a.mu.Lock()
	for _, one := range a.recent[:min(a.count, answersKept)] {
		if now.Sub(one.at) < answersWindow {
			found = append(found, one.took)
		}
	}
	a.mu.Unlock()
	if len(found) < answersNeeded {
		return 0, false
	}
	slices.Sort(found)
	return found[(len(found)*95+99)/100-1], true
}
