package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"
)

// clients tells requests' clients apart: by the address of the connection, or by what a trusted proxy says of it.
type clients struct {
	trusted []netip.Prefix
	log     *zap.Logger
	once    sync.Once // a proxy that is not trusted is logged
}

// newClients takes a proxy's word only where it connects from one of the trusted addresses.
func newClients(trusted []netip.Prefix, log *zap.Logger) *clients {
	return &clients{trusted: slices.Clone(trusted), log: log}
}

// addr is the client's address: the last of X-Forwarded-For that no trusted proxy has, for what stands before it can be
// anybody's invention. Where it cannot be told it is the connection's, or the zero Addr.
func (c *clients) addr(r *http.Request) netip.Addr {
	peer := peerAddr(r)
	if !c.trusts(peer) {
		if (peer.IsLoopback() || peer.IsPrivate()) && passedOn(r.Header) {
			c.once.Do(func() {
				c.log.Warn("web.untrusted_proxy", zap.Stringer("proxy", peer), zap.String("effect", "all who come through it share one limit"),
					zap.String("fix", "name its address in web.trusted_proxies"))
			})
		}
		return peer
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(hops) {
		hop, err := forwardedAddr(text)
		if err != nil {
			return peer // all that is behind it shares one limit
		}
		if peer = hop; !c.trusts(hop) {
			return hop
		}
	}
	return peer
}

// trusts reports whether an address is one of our own proxies'.
func (c *clients) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(c.trusted, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// forwardedAddr reads one element of X-Forwarded-For; some proxies write the port, too.
func forwardedAddr(text string) (netip.Addr, error) {
	text = strings.TrimSpace(text)
	if with, err := netip.ParseAddrPort(text); err == nil {
		return plain(with.Addr()), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return plain(addr), err
}

// peerAddr is the connection's other end, or the zero Addr, which is not loopback.
func peerAddr(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return plain(peer.Addr())
}

func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// passedOn reports whether a request bears the marks of a proxy.
func passedOn(h http.Header) bool {
	for _, name := range proxyHeaders {
		if len(h[name]) > 0 {
			return true
		}
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

// proxyHeaders are written by proxies and tunnels, besides X-Forwarded-*, in their canonical form.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fly-Client-Ip",
}
