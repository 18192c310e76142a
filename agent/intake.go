package agent

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/state"
)

// topicNotice is the topic of the packets that tell the page in words what was not taken of what it sent: {"kind","text"}. Each
// kind of message is told of once.
const topicNotice = "viva.notice"

// maxJournalled is how many bytes the journal of an interview may have for more text of the page to be taken. Speech goes on:
// nobody speaks that much.
const maxJournalled = 16 << 20

// Kinds of messages that the candidate's page sends.
const (
	kindCode     = "code"
	kindChat     = "chat"
	kindButton   = "button"
	kindConsent  = "consent"
	kindChoice   = "choice"
	kindQuestion = "question" // the page asks for what it missed
	kindDocument = "document"
	kindFull     = "full" // in notices: whatever adds text
)

// quota is how much of one kind is taken: so many at once, and then so many a second.
type quota struct {
	messages, bytes rates
	grows           bool   // the journal keeps its text
	notice          string // what the page is told when something is refused
}

type rates struct {
	perSecond rate.Limit
	burst     int
}

func (r rates) limiter() *rate.Limiter { return rate.NewLimiter(r.perSecond, r.burst) }

// quotas are some times what the page sends at its busiest: a page of code twice a second, a button hammered on.
var quotas = map[string]quota{
	kindCode:     {rates{10, 50}, rates{64 << 10, 1 << 20}, true, noticeCode},
	kindChat:     {rates{2, 20}, rates{4 << 10, 128 << 10}, true, noticeChat},
	kindButton:   {rates{20, 100}, rates{4 << 10, 16 << 10}, false, noticeOther},
	kindConsent:  {rates{5, 50}, rates{1 << 10, 8 << 10}, false, noticeOther},
	kindChoice:   {rates{2, 20}, rates{1 << 10, 8 << 10}, true, noticeOther},
	kindQuestion: {rates{5, 50}, rates{1 << 10, 8 << 10}, false, noticeOther},
	kindDocument: {rates{0.2, 4}, rates{256 << 10, 8 << 20}, true, noticeOther},
}

// What the page is told; noticeFull when the interview has taken too much text.
const (
	noticeCode  = "Your code changes faster than it can be taken, and some of it was left out. Wait a moment, then change something once more."
	noticeChat  = "Your messages come faster than they can be read, and some were left out. Wait a moment, then send them again."
	noticeOther = "This page sends more than can be taken, and some of it was left out. Wait a moment, then try again."
	noticeFull  = "This interview has taken all the text that it can. Please go on by voice."
)

// intake decides what of the candidate's messages comes in. Others' do not get as far. It is safe for concurrent use.
type intake struct {
	accounts   map[string]*account // by kind; never changes
	journalled atomic.Int64        // bytes in the interview's journal
	metrics    *Metrics
	send       func(topic string, payload []byte) error // must not block
	log        *zap.Logger
}

// account is what is left of one kind's quota.
type account struct {
	mu              sync.Mutex // both are taken, or none
	messages, bytes *rate.Limiter
	told            atomic.Bool // that something was refused
}

func newIntake(m *Metrics, send func(string, []byte) error, log *zap.Logger) *intake {
	in := &intake{accounts: make(map[string]*account, len(quotas)), metrics: m, send: send, log: log}
	for kind, q := range quotas {
		in.accounts[kind] = &account{messages: q.messages.limiter(), bytes: q.bytes.limiter()}
	}
	return in
}

// take reports whether a message of so many bytes is within the quota.
func (a *account) take(size int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	return a.bytes.TokensAt(now) >= float64(size) && a.messages.AllowN(now, 1) && a.bytes.AllowN(now, size)
}

// admit reports whether a message may come in. One that may not is counted, and the page is told of the first of its kind.
func (in *intake) admit(ev room.Event) bool {
	kind, size := kindOf(ev)
	q, known := quotas[kind]
	switch {
	case !known:
		return false
	case q.grows && in.journalled.Load() >= maxJournalled:
		in.refuse(kind, kindFull, noticeFull)
		return false
	case !in.accounts[kind].take(size):
		in.refuse(kind, kind, q.notice)
		return false
	}
	return true
}

// kindOf is what kind of message an event is, and how many bytes it has; "" for one that nobody takes.
func kindOf(ev room.Event) (kind string, size int) {
	switch e := ev.(type) {
	case room.Text:
		return kindChat, len(e.Text)
	case room.Data:
		return topics[e.Topic].kind, len(e.Payload)
	case room.File:
		return kindDocument, len(e.Data)
	}
	return "", 0
}

// refuse counts a message under one name, and tells the page so if it is the first of its kind.
func (in *intake) refuse(kind, as, text string) {
	in.metrics.overQuota(as)
	if in.accounts[kind].told.Swap(true) {
		return
	}
	in.log.Warn("quota.spent", zap.String("kind", as), zap.Int64("journal_bytes", in.journalled.Load()))
	packet, err := json.Marshal(map[string]string{"kind": as, "text": text})
	if err == nil {
		err = in.send(topicNotice, packet)
	}
	if err != nil {
		in.log.Debug("notice.unsent", zap.Error(err))
	}
}

// admit reports whether a message of the candidate's may come in. It runs on the goroutines that read packets. Before there is
// a session nobody would take it.
func (a *attendance) admit(ev room.Event) bool {
	return a.session.Load() != nil && a.intake.admit(ev)
}

// counting is a journal that counts what is written.
type counting struct {
	state.Journal
	written *atomic.Int64
}

// Append implements state.Journal.
func (c counting) Append(e state.Entry) error {
	err := c.Journal.Append(e)
	if err == nil {
		c.written.Add(sizeOf(e))
	}
	return err
}

// sizeOf is what an entry takes of a journal, about.
func sizeOf(e state.Entry) int64 { return int64(len(e.Type) + len(e.Data) + 40) }
