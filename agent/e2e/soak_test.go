package e2e

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// What `make soak` asks for: for how long TestSoak has interviews held, and how many at a time.
const (
	soakVar  = "VIVA_E2E_SOAK"
	seatsVar = "VIVA_E2E_SEATS"
)

const (
	usualSeats = 20
	soakParts  = 4 // after each of them it is looked at what is left: growth that stops is that of caches
	shortSoak  = 2 // parts of one of less than shortTime, whose interviews take longer to end than a part lasts
	shortTime  = 5 * time.Minute
	leastTook  = 200      // answers of a half; fewer tell nothing of a percentile
	growthBar  = 16 << 10 // bytes on the heap for each interview of the second half that is over, at most
	heapNoise  = 2 << 20  // bytes by which two looks at one process differ; a few interviews tell nothing
	soakCache  = 1 << 20  // bytes of prepared voice: after the first interviews there are as many
	fewMore    = 4        // goroutines or files that may be there by chance
)

// costs are what a worker's process has when it holds no interview.
type costs struct{ goroutines, files, heap, resident int }

// costsEvent is the log entry with them.
const costsEvent = "soak.costs"

// tellCosts logs what this process takes, each time that it gets SIGUSR1. The function that it returns ends that.
func tellCosts(log *zap.Logger) (end func()) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	var done sync.WaitGroup
	done.Go(func() {
		for range asked {
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			files, _ := os.ReadDir("/proc/self/fd")
			var pages, resident int
			if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
				_, _ = fmt.Sscan(string(statm), &pages, &resident)
			}
			log.Info(costsEvent, zap.Int("goroutines", runtime.NumGoroutine()), zap.Int("files", len(files)),
				zap.Uint64("heap", m.HeapAlloc), zap.Int("resident", resident*os.Getpagesize()))
		}
	})
	return func() {
		signal.Stop(asked)
		close(asked)
		done.Wait()
	}
}

// costs asks the process.
func (p *process) costs(t *testing.T) costs {
	t.Helper()
	before := len(p.facts(costsEvent))
	if err := p.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "costs of the worker", func() bool { return len(p.facts(costsEvent)) > before })
	f := p.facts(costsEvent)[before]
	number := func(name string) int { n, _ := f.Fields[name].(float64); return int(n) }
	return costs{goroutines: number("goroutines"), files: number("files"), heap: number("heap"), resident: number("resident")}
}

// soak is a worker whose seats are never empty.
type soak struct {
	*office
	worker *process

	mu   sync.Mutex
	held int             // guarded by mu: interviews
	took []time.Duration // guarded by mu: from an answer to the voice, in the order in which they were heard
}

// TestSoak: interviews are held back to back, many at a time. Some candidates speak over the voice, some write code, some just leave. Once they are
// over nothing of them is left in the worker: no goroutine, no file, no memory; and the last answers come as soon as the first.
// `make soak` has it done.
func TestSoak(t *testing.T) {
	text, seats := os.Getenv(soakVar), cmp.Or(number(t, seatsVar), usualSeats)
	if text == "" {
		t.Skip("it takes minutes: make soak")
	}
	lasts, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", soakVar, err)
	}
	file := filepath.Join(t.TempDir(), "interviews.db")
	s := &soak{office: &office{t: t, name: roomName(t), server: server}, worker: startWorker(t, roomName(t), file, leaseVar+"=yes", fmt.Sprintf("%s=%d", cacheVar, soakCache))}
	s.fill(t, "warmup", seats, 0)
	before, warm := s.rest(t, costs{}), s.held
	s.took = nil
	parts := soakParts
	if lasts < shortTime {
		parts = shortSoak
	}
	var looks []costs
	var held []int
	for part := range parts {
		s.fill(t, fmt.Sprint("part", part), seats, lasts/time.Duration(parts))
		looks, held = append(looks, s.rest(t, before)), append(held, s.held)
		t.Logf("after %d interviews: %+v", s.held, looks[part])
	}
	n, half := s.held-warm, parts/2-1
	middle, after := looks[half], looks[parts-1]
	growth := (after.heap - middle.heap) / (s.held - held[half])
	if len(s.took) < 2 {
		t.Fatalf("%d answers in %d interviews", len(s.took), n)
	}
	early, late := late95(s.took[:len(s.took)/2]), late95(s.took[len(s.took)/2:])
	t.Logf("%d interviews, %d at a time, and %d before: %+v, then %+v: %d bytes of heap for each of the second half", n, seats, warm, before, after, growth)
	t.Logf("an answer's reply at the 95th percentile: %v in the first half of %d, %v in the second", early, len(s.took), late)
	if len(s.took)/2 >= leastTook && late > slack*early {
		t.Errorf("replies come later and later: %v, then %v", early, late)
	}
	if after.goroutines > before.goroutines+fewMore || after.files > before.files+fewMore {
		t.Errorf("goroutines or files are left: %+v, then %+v", before, after)
	}
	if growth > growthBar && after.heap-middle.heap > heapNoise {
		t.Errorf("%d bytes of heap are left of each interview, want at most %d", growth, growthBar)
	}
	s.checkEnds(t, file)
}

func late95(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)*95/100].Round(time.Millisecond)
}

// fill holds interviews on all seats: one each, and then as many as begin within that time.
func (s *soak) fill(t *testing.T, name string, seats int, lasts time.Duration) {
	t.Helper()
	until := time.Now().Add(lasts)
	t.Run(name, func(t *testing.T) {
		for seat := range seats {
			t.Run(fmt.Sprint(seat), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(seat), uint64(lasts)))
				for n := 0; n == 0 || time.Now().Before(until); n++ {
					s.interview(t, fmt.Sprintf("%s-%d", roomName(t), n), random)
				}
			})
		}
	})
	if t.Failed() {
		t.FailNow()
	}
}

// interview is one, held by typing.
func (s *soak) interview(t *testing.T, room string, random *rand.Rand) {
	t.Helper()
	metadata, leavesAfter := twoStage, len(answers)
	switch random.IntN(5) {
	case 0:
		metadata = personaJob
	case 1:
		leavesAfter = random.IntN(3)
	}
	g := enter(t, visit{room: room})
	defer g.leave()
	defer s.tell(t, room)
	(&office{t: t, name: s.name, server: s.server}).dispatch(room, metadata)
	var took []time.Duration
	seen := 0
	for n := range 2 * len(answers) {
		over := false
		eventually(t, "turn of the candidate", func() bool {
			over = g.isAlone() || g.latest("viva.state") == "done"
			return over || g.heardOut(seen)
		})
		if over || n == leavesAfter {
			break
		}
		seen = len(g.transcripts(false))
		if random.IntN(4) == 0 {
			if err := g.SendData("viva.code", []byte(`{"text":"print(1)","language":"python"}`)); err != nil {
				t.Fatal(err)
			}
		}
		typed := time.Now()
		g.types(answers[n%len(answers)])
		eventually(t, "reply", func() bool { return g.isAlone() || len(g.ear.since(typed)) > 0 })
		if heard := g.ear.since(typed); len(heard) > 0 {
			took = append(took, heard[0].at.Sub(typed))
		}
		if random.IntN(4) == 0 {
			g.types("Sorry, I was not done. " + answers[n%len(answers)]) // and asks for no time to think, which is silence
		}
	}
	if leavesAfter == len(answers) {
		g.awaitAgentLeft()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held++
	s.took = append(s.took, took...)
}

// tell logs what the worker did in a room where something went wrong.
func (s *soak) tell(t *testing.T, room string) {
	if !t.Failed() {
		return
	}
	s.worker.mu.Lock()
	defer s.worker.mu.Unlock()
	for _, f := range s.worker.logs {
		if f.text("room") == room {
			t.Logf("%s %s %v", f.At.Format("15:04:05.000"), f.Name, f.Fields)
		}
	}
}

// rest waits until the worker has nothing more to do, and tells what it has then; what it is compared with may take a while to be reached.
func (s *soak) rest(t *testing.T, before costs) (now costs) {
	t.Helper()
	eventuallyWithin(t, "end of all jobs", 2*patience, func() bool {
		return len(s.worker.facts("job.ended")) == len(s.worker.facts("job.started"))
	})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for deadline := time.Now().Add(patience / 2); ; <-tick.C {
		next := s.worker.costs(t)
		calm := now.goroutines > 0 && next.goroutines >= now.goroutines // fewer than that are not to be had
		if before.goroutines > 0 {
			calm = next.goroutines <= before.goroutines
		}
		if now = next; calm || time.Now().After(deadline) {
			return now
		}
	}
}

// checkEnds: every interview was ended as it should, for its reason.
func (s *soak) checkEnds(t *testing.T, file string) {
	t.Helper()
	database, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }() // nothing was written by it
	reasons := map[string]int{}
	for state := range map[string]bool{store.Live: true, store.Waiting: true, store.Failed: true} {
		all, err := database.List(t.Context(), store.Filter{State: state})
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range all.Sessions {
			t.Errorf("%s is %s: %s", left.Room, left.State, left.Reason)
		}
	}
	all, err := database.List(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all.Sessions {
		reasons[one.Reason]++
	}
	t.Logf("they ended as %v (of those listed)", reasons)
}
