package agent

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// codeEvery is how often at most the interview takes a new text; the last one wins.
const codeEvery = 200 * time.Millisecond

// pace is how many bytes of code may change over time: many times what a person types, and pages of it at once. What changes
// faster is taken later, and only as it is then.
var pace = rates{perSecond: 4 << 10, burst: 256 << 10}

// editCost is what an edit costs beside the text in it, in bytes.
const editCost = 64

// editor passes on what the candidate writes, no more often than every codeEvery, and within pace. The last text always is.
type editor struct {
	post  func(engine.Event) // must not block
	guard *guard.Guard       // the interview's; may be nil

	mu      sync.Mutex
	pace    *rate.Limiter      // guarded by mu
	last    engine.CodeChanged // guarded by mu: passed on
	at      time.Time          // guarded by mu: when
	next    engine.CodeChanged // guarded by mu: what the timer passes on
	timer   *time.Timer        // guarded by mu: nil when nothing waits
	stopped bool               // guarded by mu
}

func newEditor(post func(engine.Event)) *editor {
	return &editor{post: post, pace: pace.limiter()}
}

// costLocked is what it takes to pass on the next text.
func (e *editor) costLocked() int {
	d := state.Difference(e.last.Text, e.next.Text)
	return len(d.Cut) + len(d.Put) + editCost
}

// change takes a new text. One that was passed on already is not news.
func (e *editor) change(c engine.CodeChanged) {
	e.mu.Lock()
	if e.stopped || e.timer == nil && c == e.last && !e.at.IsZero() {
		e.mu.Unlock()
		return
	}
	e.next = c
	waits := e.timer != nil
	if wait := codeEvery - time.Since(e.at); !waits && wait > 0 {
		e.timer, waits = e.guard.After(wait, "code", e.flush), true
	}
	e.mu.Unlock()
	if !waits {
		e.flush()
	}
}

// flush passes on the last text, once it is within pace.
func (e *editor) flush() {
	e.mu.Lock()
	if e.stopped {
		e.mu.Unlock()
		return
	}
	now := time.Now()
	spent := e.pace.ReserveN(now, e.costLocked())
	if wait := spent.DelayFrom(now); wait > 0 {
		spent.CancelAt(now)
		e.timer = e.guard.After(wait, "code", e.flush)
		e.mu.Unlock()
		return
	}
	c := e.next
	e.last, e.at, e.timer = c, now, nil
	e.mu.Unlock()
	e.post(c)
}

// stop ends it; what waits is not passed on any more.
func (e *editor) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	if e.timer != nil {
		e.timer.Stop()
	}
}
