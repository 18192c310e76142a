package e2e

import (
	"sync/atomic"
	"time"
)

// doom is the end of the worker that is offered the next job.
type doom struct {
	after  time.Duration // of the offer
	struck atomic.Bool
	fallen chan *process // one slot: it is dead
}

func (d *doom) offered(p *process) {
	if !d.struck.Swap(true) {
		time.AfterFunc(d.after, func() {
			_ = p.Kill() // it may have ended: the test says why
			d.fallen <- p
		})
	}
}

// arm dooms whichever worker is offered the next job: before it has the interview's lease, as it comes into the room, or as it begins to
// speak.
func (s *siege) arm() {
	s.doom = &doom{after: time.Duration(s.random.Int64N(int64(offeredIn))), fallen: make(chan *process, 1)}
	if s.random.IntN(2) == 0 {
		s.doom.after /= 10
	}
	for _, w := range s.workers {
		w.doom.Store(s.doom)
	}
}

func (s *siege) disarm() {
	s.soon, s.doom = false, nil
	for _, w := range s.workers {
		w.doom.Store(nil)
	}
}
