package web

import (
	"encoding/binary"
	"io/fs"
	"net/netip"
	"testing"
	"time"
)

type brokenFS struct{ err error }

func (b brokenFS) Open(string) (fs.File, error) { return nil, b.err }

func address(n int) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], uint32(10<<24+n))
	return netip.AddrFrom4(four)
}

func TestLimiterKeepsClientsApart(t *testing.T) {
	l, now := newLimiter(1), time.Unix(0, 0)
	if l.take(address(1), now) != 0 || l.take(address(2), now) != 0 {
		t.Fatal("first requests were refused")
	}
	if got := l.take(address(1), now); got != time.Minute {
		t.Errorf("wait = %v, want a minute", got)
	}
	if got := l.take(address(1), now.Add(time.Minute)); got != 0 {
		t.Errorf("wait = %v after waiting; refused requests must not count", got)
	}
}

func TestLimiterTakesAnIPv6SiteAsOneClient(t *testing.T) {
	l, now := newLimiter(1), time.Unix(0, 0)
	l.take(netip.MustParseAddr("2001:db8:1:1::1"), now)
	if l.take(netip.MustParseAddr("2001:db8:1:1:ffff::2"), now) == 0 {
		t.Error("another address of the same /64 was let through")
	}
	if l.take(netip.MustParseAddr("2001:db8:1:2::1"), now) != 0 {
		t.Error("another site was refused")
	}
}

func TestLimiterIsBoundedAndForgetsTheLongestUnseen(t *testing.T) {
	l, now := newLimiter(1), time.Unix(0, 0)
	for n := range maxClients {
		l.take(address(n), now)
	}
	l.take(address(0), now) // refused, but seen
	for n := range 3 * maxClients {
		l.take(address(maxClients+n), now)
		l.take(address(0), now)
	}
	if len(l.clients) != maxClients {
		t.Errorf("%d clients are remembered, want %d", len(l.clients), maxClients)
	}
	if l.take(address(0), now) == 0 {
		t.Error("a client that keeps knocking was forgotten")
	}
	if l.take(address(1), now) != 0 {
		t.Error("a client unseen for long was not forgotten")
	}
}
