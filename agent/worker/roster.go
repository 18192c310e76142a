package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
)

// roster holds the places of jobs that are accepted or running. It never blocks and calls nothing out while locked.
type roster struct {
	capacity int

	mu       sync.Mutex
	places   map[string]*place // by job id; guarded by mu
	draining bool              // guarded by mu
	idle     chan struct{}     // closed when draining and empty; guarded by mu
}

// place is one job's. A place is reserved from the offer on and running from the assignment on; both count.
type place struct {
	jobID    string
	assigned chan *livekit.JobAssignment // gets the one assignment
	cancel   context.CancelCauseFunc
	offered  time.Time
	running  bool // guarded by roster.mu
}

func newRoster(capacity int) *roster {
	return &roster{capacity: capacity, places: make(map[string]*place), idle: make(chan struct{})}
}

// reserve takes a place, or returns errNoJobID, errDraining, errDuplicate or errFull. cancel ends the job.
func (r *roster) reserve(jobID string, cancel context.CancelCauseFunc) (*place, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case jobID == "":
		return nil, errNoJobID
	case r.draining:
		return nil, errDraining
	case r.places[jobID] != nil:
		return nil, errDuplicate
	case len(r.places) >= r.capacity:
		return nil, errFull
	}
	p := &place{jobID: jobID, assigned: make(chan *livekit.JobAssignment, 1), cancel: cancel, offered: time.Now()}
	r.places[jobID] = p
	return p, nil
}

// assign hands the assignment to the place reserved for it; false if there is none, or it has one already.
func (r *roster) assign(jobID string, assignment *livekit.JobAssignment) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.places[jobID]
	if p == nil || p.running {
		return false
	}
	p.running = true
	p.assigned <- assignment // has room: the first and only one
	return true
}

// expire gives up waiting for an assignment; false if it has come meanwhile. The place is free at once, so that a late
// assignment finds nothing.
func (r *roster) expire(p *place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.running {
		return false
	}
	r.removeLocked(p)
	return true
}

// release frees the place of a job that is over. It may be called after expire.
func (r *roster) release(p *place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removeLocked(p)
}

func (r *roster) removeLocked(p *place) {
	if r.places[p.jobID] == p {
		delete(r.places, p.jobID)
		r.signalIdleLocked()
	}
}

// terminate cancels the job; false if it is not here.
func (r *roster) terminate(jobID string, cause error) bool {
	r.mu.Lock()
	p := r.places[jobID]
	r.mu.Unlock()
	if p == nil {
		return false
	}
	p.cancel(cause)
	return true
}

// drain refuses further reservations, for good.
func (r *roster) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.draining {
		r.draining = true
		r.signalIdleLocked()
	}
}

// drained is closed when the roster drains and its last place is free.
func (r *roster) drained() <-chan struct{} { return r.idle }

func (r *roster) signalIdleLocked() {
	if !r.draining || len(r.places) > 0 {
		return
	}
	select {
	case <-r.idle:
	default:
		close(r.idle)
	}
}

// occupancy is a snapshot of a roster.
type occupancy struct {
	reserved, running, capacity int
	fresh                       float64 // how many jobs are missing in what is measured
	draining                    bool
}

func (r *roster) occupancy() occupancy {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := occupancy{capacity: r.capacity, draining: r.draining}
	for _, p := range r.places {
		if !p.running {
			o.reserved++
			o.fresh++
			continue
		}
		o.running++
		o.fresh += max(0, 1-float64(time.Since(p.offered))/float64(settling))
	}
	return o
}

// runningIDs lists assigned jobs.
func (r *roster) runningIDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for id, p := range r.places {
		if p.running {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
