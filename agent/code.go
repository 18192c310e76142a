package agent

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/debrief"
	"github.com/vivavoice/viva/agent/quota"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// TopicCode is the topic of the packets that carry the candidate's code, whole: {"text":"…","language":"…"}.
const TopicCode = "viva.code"

const (
	maxCode     = 64 << 10               // bytes of text
	maxLanguage = 32                     // bytes of its name
	codeEvery   = 200 * time.Millisecond // at most so often the interview takes a new text; the last one wins
)

// packet takes a packet of the candidate's page; others hold no button and no pen.
func (a *attendance) packet(d room.Data) {
	if d.From != a.candidate || a.session.Load() == nil {
		return
	}
	switch d.Topic {
	case topicTurn:
		a.button(d)
	case TopicCode:
		a.code(d)
	case topicConsent:
		a.consent(d)
	case topicPersonas:
		a.presence.askedMenu()
	case topicPersona:
		a.chooses(d)
	case topicProblem: // a page that has just opened asks for the task
		a.presence.asked()
	case debrief.Topic: // and for the report
		a.handout.again()
	}
}

func (a *attendance) code(d room.Data) {
	change, ok := parseCode(d.Payload)
	if !ok {
		a.log.Debug("code.packet_refused", zap.Int("bytes", len(d.Payload)))
		return
	}
	a.editor.change(change)
}

func parseCode(payload []byte) (change engine.CodeChanged, ok bool) {
	if err := json.Unmarshal(payload, &change); err != nil {
		return change, false
	}
	ok = len(change.Text) <= maxCode && len(change.Language) <= maxLanguage
	change.Text = strings.Map(written, change.Text)
	return change, ok
}

// written leaves control characters out: nobody writes them, and each takes six bytes of a journal.
func written(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
		return -1
	}
	return r
}

// pace is how many bytes of code may change over time: many times what a person types, and pages of it at once. What changes
// faster is taken later, and only as it is then.
var pace = quota.Rate{PerSecond: 4 << 10, Burst: 256 << 10}

// editCost is what an edit costs beside the text in it, in bytes.
const editCost = 64

// editor passes on what the candidate writes, no more often than every codeEvery, and within pace. The last text always is.
type editor struct {
	post  func(engine.Event) // must not block
	guard *guard.Guard       // the interview's; may be nil

	mu      sync.Mutex
	pace    quota.Bucket       // guarded by mu
	last    engine.CodeChanged // guarded by mu: passed on
	at      time.Time          // guarded by mu: when
	next    engine.CodeChanged // guarded by mu: what the timer passes on
	timer   *time.Timer        // guarded by mu: nil when nothing waits
	stopped bool               // guarded by mu
}

func newEditor(post func(engine.Event)) *editor {
	return &editor{post: post, pace: quota.NewBucket(pace)}
}

// costLocked is what it takes to pass on the next text.
func (e *editor) costLocked() float64 {
	d := state.Difference(e.last.Text, e.next.Text)
	return float64(len(d.Cut) + len(d.Put) + editCost)
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
	now, cost := time.Now(), e.costLocked()
	if wait := e.pace.Wait(now, cost); wait > 0 {
		e.timer = e.guard.After(wait, "code", e.flush)
		e.mu.Unlock()
		return
	}
	e.pace.Spend(now, cost)
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
