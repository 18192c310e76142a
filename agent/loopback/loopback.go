// Package loopback tells which names and addresses are this machine's own. Whoever serves without a key asks it about Host and Origin.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether a host, with or without a port, is localhost or a loopback address. It looks no name up: what a name server
// says is not this machine's word.
func Is(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}
