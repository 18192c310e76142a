// Package quota bounds what one participant may send in the course of an interview: messages and bytes of each kind over time.
// It says yes or no and remembers nothing of what was sent. What is over a quota is refused by the caller; it is never a
// reason to end an interview.
package quota

import (
	"sync"
	"time"
)

// Rate is a token bucket: it holds Burst at most, and fills by PerSecond.
type Rate struct {
	PerSecond, Burst float64
}

// Limit is what may be sent of one kind of message. Its bytes are those of the payload.
type Limit struct {
	Messages, Bytes Rate
}

// Bucket is a Rate with what is left of it. It begins full. The zero value takes nothing; a Bucket is not safe for concurrent
// use.
type Bucket struct {
	rate Rate
	left float64
	at   time.Time
}

// NewBucket returns a full bucket.
func NewBucket(r Rate) Bucket { return Bucket{rate: r, left: r.Burst} }

// fill adds what has come since the last look.
func (b *Bucket) fill(now time.Time) {
	if !b.at.IsZero() {
		b.left = min(b.rate.Burst, b.left+now.Sub(b.at).Seconds()*b.rate.PerSecond)
	}
	b.at = now
}

// Take takes n tokens and reports true, or takes none.
func (b *Bucket) Take(now time.Time, n float64) bool {
	b.fill(now)
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}

// Wait is how long it takes until n tokens are there; for more than the bucket ever holds, until it is full.
func (b *Bucket) Wait(now time.Time, n float64) time.Duration {
	b.fill(now)
	missing := min(n, b.rate.Burst) - b.left
	if missing <= 0 || b.rate.PerSecond <= 0 {
		return 0
	}
	return time.Duration(missing/b.rate.PerSecond*float64(time.Second)) + 1
}

// Spend takes n tokens, or all that are left.
func (b *Bucket) Spend(now time.Time, n float64) {
	b.fill(now)
	b.left = max(0, b.left-n)
}

// Book holds one participant's quotas, by kind of message. It is safe for concurrent use.
type Book struct {
	mu    sync.Mutex
	kinds map[string]*account // guarded by mu; its keys never change
}

type account struct {
	messages, bytes Bucket
	told            bool // that something was refused
}

// NewBook returns full quotas for these kinds.
func NewBook(limits map[string]Limit) *Book {
	b := &Book{kinds: make(map[string]*account, len(limits))}
	for kind, l := range limits {
		b.kinds[kind] = &account{messages: NewBucket(l.Messages), bytes: NewBucket(l.Bytes)}
	}
	return b
}

// Take reports whether a message of so many bytes may come in. If it may not, first tells whether it is the first one of its
// kind that is refused. A kind without a quota may not come in.
func (b *Book) Take(kind string, bytes int) (ok, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, known := b.kinds[kind]
	if !known {
		return false, false
	}
	now := time.Now()
	if a.bytes.fill(now); float64(bytes) <= a.bytes.left && a.messages.Take(now, 1) {
		a.bytes.Spend(now, float64(bytes))
		return true, false
	}
	return false, a.refuse()
}

// Refuse notes that a message of a kind is refused for another reason, and reports whether it is the first of its kind.
func (b *Book) Refuse(kind string) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, known := b.kinds[kind]
	return known && a.refuse()
}

func (a *account) refuse() (first bool) {
	first, a.told = !a.told, true
	return first
}
