package session

import (
	"context"
	"sync"
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

// Message is something that reaches a session. The set is closed: Event, Turn, Prospect, Signal, Partial, Interruption, Push, and
// those the session sends itself.
type Message interface{ message() }

// remark is a fact of the session's own, from a goroutine that it started.
type remark struct {
	name   string
	fields []engine.Field
}

// Event wraps a fact of the engine. It is journalled.
type Event struct{ engine.Event }

// Turn is a whole turn of the candidate. It is journalled as a UserTurn.
type Turn struct {
	Text       string
	Confidence float64
	Began      time.Time // when its first word was spoken; zero = now
	Typed      bool
	// Mends is the number of spoken turns after which the candidate wrote what they had said with the last of them; 0 = it is a turn of its
	// own. Presence.Candidate has told the page the number before.
	Mends  uint64
	Reason string // why the turn was taken to be over
	// Ended is when its last word was spoken, Decided when it was taken to be over; zero = not known.
	Ended, Decided time.Time
}

// Prospect is a turn that may be over. A reply is prepared on it, and nothing else happens: it is not journalled.
type Prospect struct {
	Text  string
	Began time.Time // when its first word was spoken; zero = now
}

// Partial is what has been understood of a turn in progress. It is shown and forgotten.
type Partial struct{ Text string }

// Interruption is a decision of the turn model about the voice in the air. Only Interrupt is journalled.
type Interruption struct {
	Utterance uint64 // the voice it is about
	Action    Action
	Reason    string
	// Onset is when the sound began that it is about, At when it was decided; zero = not known.
	Onset, At time.Time
}

// Push says that the candidate pressed the button to talk, or let go of it. It counts only in stages in manual mode.
type Push struct{ Down bool }

// Action is what happens to the voice.
type Action string

// The actions.
const (
	Duck      Action = "duck"
	Unduck    Action = "unduck"
	Pause     Action = "pause"
	Resume    Action = "resume"
	Interrupt Action = "interrupt"
)

func (Event) message()        {}
func (Turn) message()         {}
func (Prospect) message()     {}
func (Signal) message()       {}
func (Partial) message()      {}
func (Interruption) message() {}
func (Push) message()         {}
func (waste) message()        {}
func (alarm) message()        {}
func (look) message()         {}
func (outcome) message()      {}
func (remark) message()       {}

// mailboxLimit is far above what a talk produces: some dozens of facts a minute, partial transcripts included.
const mailboxLimit = 1024

// mailbox is an ordered queue with one reader. Facts are never dropped: when it is full the session ends with an error,
// for a session that missed a fact could no longer be trusted. Only a Partial gives way, as a newer one replaces it.
type mailbox struct {
	mu     sync.Mutex
	items  []Message
	over   bool
	closed bool
	wake   chan struct{} // one slot: "look again"
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (b *mailbox) put(m Message) bool {
	ok := b.add(m)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return ok
}

func (b *mailbox) add(m Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.over {
		return false
	}
	if _, partial := m.(Partial); partial && len(b.items) > 0 {
		if _, last := b.items[len(b.items)-1].(Partial); last {
			b.items[len(b.items)-1] = m
			return true
		}
	}
	if len(b.items) >= mailboxLimit {
		b.over = true
		return false
	}
	b.items = append(b.items, m)
	return true
}

// next waits for a message.
func (b *mailbox) next(ctx context.Context) (Message, error) {
	for {
		m, err := b.get()
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-b.wake:
		}
	}
}

func (b *mailbox) get() (Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return nil, ErrOverrun
	}
	if len(b.items) == 0 {
		return nil, nil
	}
	m := b.items[0]
	b.items[0] = nil
	b.items = b.items[1:]
	return m, nil
}

// close takes no more messages and returns those that nobody took.
func (b *mailbox) close() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.items
	b.closed, b.items = true, nil
	return left
}
