package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// partition is a lease whose holder has lost its room.
type partition struct {
	*tenancy
	back, again, ended chan struct{}
	bridge             sync.WaitGroup
}

func newPartition(t *testing.T) *partition {
	t.Helper()
	p := &partition{tenancy: tenant(t), back: make(chan struct{}), again: make(chan struct{}), ended: make(chan struct{})}
	p.lease.doubt()
	p.bridge.Go(func() { p.lease.bridge(p.back, p.again, p.ended) })
	return p
}

// so is what the database was told so far.
func (p *partition) so() (did []string) {
	p.set(func() { did = slices.Clone(p.did) })
	return did
}

func (p *partition) doneBy(t *testing.T, over bool, did string) {
	t.Helper()
	p.bridge.Wait()
	p.end(t, over, did)
}

// A room that is lost for a moment is nobody else's.
func TestPartitionThatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(t)
		time.Sleep(partitionLimit - time.Millisecond)
		close(p.back)
		p.doneBy(t, true, "release s")
	})
}

// Who has been without the room for too long offers the interview, says nothing, and has it back when nobody came.
func TestPartitionOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(t)
		p.set(func() { p.down = true })
		time.Sleep(partitionLimit + time.Minute)
		if did := p.so(); p.speaks() || len(did) > 0 {
			t.Errorf("without a database it speaks, or did %q", did)
		}
		p.set(func() { p.down = false })
		time.Sleep(leaseLife)
		if did := p.so(); p.speaks() || len(did) != 1 {
			t.Errorf("it speaks in a room that is anybody's, or did %q", did)
		}
		p.set(func() { p.down = true })
		close(p.back)
		time.Sleep(time.Minute)
		if p.speaks() || p.ctx.Err() != nil {
			t.Errorf("before the database answers it speaks, or has given up: %v", context.Cause(p.ctx))
		}
		p.set(func() { p.down = false })
		time.Sleep(leaseLife)
		if !p.speaks() {
			t.Error("back in the room it is silent")
		}
		if p.befell(t, leaseOffered) != 1 || p.befell(t, leaseRetaken) != 1 || p.befell(t, leaseUnrenewed) == 0 {
			t.Errorf("counted as offered %d times, as retaken %d, as not renewed %d", p.befell(t, leaseOffered), p.befell(t, leaseRetaken), p.befell(t, leaseUnrenewed))
		}
		p.doneBy(t, true, "offer s, retake s, release s")
	})
}

// Who lost the room twice while the database was away does not take back what it has offered since: of the first time nobody waits any more.
func TestPartitionTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(t)
		time.Sleep(partitionLimit + time.Millisecond)
		p.set(func() { p.down = true })
		close(p.back)
		time.Sleep(time.Minute)
		close(p.again)
		time.Sleep(leaseLife)
		p.set(func() { p.down = false })
		time.Sleep(time.Minute)
		if did := p.so(); p.speaks() || len(did) != 1 {
			t.Errorf("it speaks in a room that it has lost, or did %q", did)
		}
		p.doneBy(t, true, "offer s, release s")
	})
}

// Whoever comes back into a room to which another was called has no interview any more.
func TestPartitionTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(t)
		time.Sleep(partitionLimit + time.Millisecond)
		p.set(func() { p.held = nil })
		if !p.of.yields() {
			t.Error("it calls somebody itself before others can")
		}
		time.Sleep(time.Minute)
		if p.of.yields() {
			t.Error("it leaves what others do not take")
		}
		if p.speaks() || p.ctx.Err() != nil {
			t.Errorf("it speaks, or has ended before it could know: %v", context.Cause(p.ctx))
		}
		close(p.back)
		p.bridge.Wait()
		if p.speaks() || !errors.Is(context.Cause(p.ctx), errLeaseLost) {
			t.Errorf("it speaks, or its session goes on: %v", context.Cause(p.ctx))
		}
		p.doneBy(t, false, "offer s, abandon s") // which changes nothing: the epoch is another one
	})
}

// An interview that ends without its room, as by its clock, leaves nobody waiting.
func TestPartitionOutlivesNothing(t *testing.T) {
	for _, after := range []time.Duration{partitionLimit / 2, 2 * partitionLimit} {
		synctest.Test(t, func(t *testing.T) {
			p := newPartition(t)
			time.Sleep(after)
			close(p.ended)
			p.bridge.Wait()
			p.lease.end(t.Context(), true)
			p.of.close()
			if did := strings.Join(p.did, ", "); !strings.HasSuffix(did, "release s") {
				t.Errorf("at its end: %q", did)
			}
		})
	}
}
