package web

import (
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxClients bounds the limiter's memory. When a new address comes and all places are taken, the one not heard of for
// the longest time is forgotten, so that a flood of addresses cannot lock out a person who comes later.
const maxClients = 1024

// ipv6Site is the prefix (bits) that one IPv6 subscriber owns; its addresses share a limit.
const ipv6Site = 64

// limiter grants perMinute requests to each client, at once or spread out.
type limiter struct {
	perMinute int

	mu      sync.Mutex
	calls   uint64                 // guarded by mu
	clients map[netip.Addr]*client // guarded by mu
}

type client struct {
	bucket *rate.Limiter
	seen   uint64 // the last call that was this client's
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, clients: make(map[netip.Addr]*client)}
}

// take is 0 if addr may go on, else how long it should wait.
func (l *limiter) take(addr netip.Addr, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := l.bucketLocked(site(addr)).ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// left is 0 if addr may try, else how long it should wait; it takes nothing.
func (l *limiter) left(addr netip.Addr, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, known := l.clients[site(addr)]
	if !known {
		return 0
	}
	missing := 1 - c.bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(c.bucket.Limit()) * float64(time.Second))
}

func (l *limiter) bucketLocked(addr netip.Addr) *rate.Limiter {
	l.calls++
	c, ok := l.clients[addr]
	if !ok {
		if len(l.clients) >= maxClients {
			l.forgetLocked()
		}
		every := rate.Limit(float64(l.perMinute) / time.Minute.Seconds())
		c = &client{bucket: rate.NewLimiter(every, l.perMinute)}
		l.clients[addr] = c
	}
	c.seen = l.calls
	return c.bucket
}

// forgetLocked drops the client unseen for longest. It looks at all: that is microseconds, and only in a flood.
func (l *limiter) forgetLocked() {
	var oldest netip.Addr
	seen := uint64(math.MaxUint64)
	for addr, c := range l.clients {
		if c.seen < seen {
			oldest, seen = addr, c.seen
		}
	}
	delete(l.clients, oldest)
}

func site(addr netip.Addr) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	prefix, err := addr.Prefix(ipv6Site)
	if err != nil {
		return addr
	}
	return prefix.Addr()
}
