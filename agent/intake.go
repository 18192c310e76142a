package agent

import (
	"encoding/json"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/debrief"
	"github.com/vivavoice/viva/agent/quota"
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

// kindsOfTopics are the kinds of user packets. Other topics are nobody's.
var kindsOfTopics = map[string]string{
	TopicCode: kindCode, topicTurn: kindButton, topicConsent: kindConsent, topicPersona: kindChoice,
	topicPersonas: kindQuestion, topicProblem: kindQuestion, debrief.Topic: kindQuestion,
}

// quotas are some times what the page sends at its busiest: a page of code twice a second, a button hammered on.
var quotas = map[string]quota.Limit{
	kindCode:     {Messages: quota.Rate{PerSecond: 10, Burst: 50}, Bytes: quota.Rate{PerSecond: 64 << 10, Burst: 1 << 20}},
	kindChat:     {Messages: quota.Rate{PerSecond: 2, Burst: 20}, Bytes: quota.Rate{PerSecond: 4 << 10, Burst: 128 << 10}},
	kindButton:   {Messages: quota.Rate{PerSecond: 20, Burst: 100}, Bytes: quota.Rate{PerSecond: 4 << 10, Burst: 16 << 10}},
	kindConsent:  {Messages: quota.Rate{PerSecond: 5, Burst: 50}, Bytes: quota.Rate{PerSecond: 1 << 10, Burst: 8 << 10}},
	kindChoice:   {Messages: quota.Rate{PerSecond: 2, Burst: 20}, Bytes: quota.Rate{PerSecond: 1 << 10, Burst: 8 << 10}},
	kindQuestion: {Messages: quota.Rate{PerSecond: 5, Burst: 50}, Bytes: quota.Rate{PerSecond: 1 << 10, Burst: 8 << 10}},
	kindDocument: {Messages: quota.Rate{PerSecond: 0.2, Burst: 4}, Bytes: quota.Rate{PerSecond: 256 << 10, Burst: 8 << 20}},
}

// growing are the kinds whose text the journal keeps.
var growing = map[string]bool{kindCode: true, kindChat: true, kindChoice: true, kindDocument: true}

// notices are what the page is told, by kind; "" is for all others.
var notices = map[string]string{
	kindCode: "Your code changes faster than it can be taken, and some of it was left out. Wait a moment, then change something once more.",
	kindChat: "Your messages come faster than they can be read, and some were left out. Wait a moment, then send them again.",
	"":       "This page sends more than can be taken, and some of it was left out. Wait a moment, then try again.",
}

// noticeFull is what the page is told when the interview has taken too much text.
const noticeFull = "This interview has taken all the text that it can. Please go on by voice."

// intake decides what of the candidate's messages comes in. Others' do not get as far. It is safe for concurrent use.
type intake struct {
	book       *quota.Book
	journalled atomic.Int64 // bytes in the interview's journal
	metrics    *Metrics
	send       func(topic string, payload []byte) error // must not block
	log        *zap.Logger
}

func newIntake(m *Metrics, send func(string, []byte) error, log *zap.Logger) *intake {
	return &intake{book: quota.NewBook(quotas), metrics: m, send: send, log: log}
}

// admit reports whether a message may come in. One that may not is counted, and the page is told of the first of its kind.
func (in *intake) admit(ev room.Event) bool {
	kind, size := kindOf(ev)
	if kind == "" {
		return false
	}
	if growing[kind] && in.journalled.Load() >= maxJournalled {
		in.refuse(kindFull, noticeFull, in.book.Refuse(kind))
		return false
	}
	ok, first := in.book.Take(kind, size)
	if !ok {
		text, there := notices[kind]
		if !there {
			text = notices[""]
		}
		in.refuse(kind, text, first)
	}
	return ok
}

// kindOf is what kind of message an event is, and how many bytes it has; "" for one that nobody takes.
func kindOf(ev room.Event) (kind string, size int) {
	switch e := ev.(type) {
	case room.Text:
		return kindChat, len(e.Text)
	case room.Data:
		return kindsOfTopics[e.Topic], len(e.Payload)
	case room.File:
		return kindDocument, len(e.Data)
	}
	return "", 0
}

func (in *intake) refuse(kind, text string, first bool) {
	in.metrics.overQuota(kind)
	if !first {
		return
	}
	in.log.Warn("quota.spent", zap.String("kind", kind), zap.Int64("journal_bytes", in.journalled.Load()))
	packet, err := json.Marshal(map[string]string{"kind": kind, "text": text})
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
