package worker

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"
	"pgregory.net/rapid"
)

// A job counts as one that cannot be measured yet until it runs, and then less and less.
func TestFreshJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoster(10)
		for _, id := range []string{"AJ_1", "AJ_2"} {
			if _, err := r.reserve(id, func(error) {}); err != nil {
				t.Fatal(err)
			}
		}
		r.assign("AJ_1", &livekit.JobAssignment{})
		for _, want := range []float64{2, 1.8, 1.6, 1.4, 1.2, 1, 1} {
			if got := r.occupancy().fresh; math.Abs(got-want) > 1e-9 {
				t.Errorf("%v fresh jobs, want %v", got, want)
			}
			time.Sleep(settling / 5)
		}
	})
}

// Whatever order things happen in: the capacity holds, a job has one place and one assignment, and drained means empty.
func TestRosterInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRoster(rapid.IntRange(1, 4).Draw(t, "capacity"))
		places := map[string]*place{} // what the roster should hold
		assigned := map[string]bool{}
		draining := false
		job := func() string { return fmt.Sprint("AJ_", rapid.IntRange(0, 5).Draw(t, "job")) }
		t.Repeat(map[string]func(*rapid.T){
			"reserve": func(t *rapid.T) {
				id := job()
				p, err := r.reserve(id, func(error) {})
				free := places[id] == nil && len(places) < r.capacity && !draining
				if (err == nil) != free {
					t.Fatalf("reserve(%s) = %v with %d of %d places taken", id, err, len(places), r.capacity)
				}
				if err == nil {
					places[id], assigned[id] = p, false
				}
			},
			"assign": func(t *rapid.T) {
				id := job()
				want := places[id] != nil && !assigned[id]
				if r.assign(id, &livekit.JobAssignment{}) != want {
					t.Fatalf("assign(%s) != %v", id, want)
				}
				assigned[id] = assigned[id] || want
			},
			"expire": func(t *rapid.T) {
				id := job()
				if p := places[id]; p != nil && r.expire(p) {
					if assigned[id] {
						t.Fatalf("%s expired after its assignment", id)
					}
					r.release(p)
					delete(places, id)
				}
			},
			"release": func(*rapid.T) {
				id := job()
				if p := places[id]; p != nil {
					r.release(p)
					delete(places, id)
				}
			},
			"drain": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "dice") == 0 {
					r.drain()
					draining = true
				}
			},
			"": func(t *rapid.T) {
				o := r.occupancy()
				if o.running+o.reserved != len(places) || len(r.runningIDs()) != o.running {
					t.Fatalf("occupancy %+v, want %d places", o, len(places))
				}
				select {
				case <-r.drained():
					if !draining || len(places) > 0 {
						t.Fatal("drained too early")
					}
				default:
					if draining && len(places) == 0 {
						t.Fatal("drained and not told")
					}
				}
			},
		})
	})
}
