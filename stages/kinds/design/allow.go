package design

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// allowed are the hosts that may be called: by name ("interviews.example.com", "*.example.com"), and by address
// ("203.0.113.7", "10.0.0.0/8"). A name must lead to a public address, or to one that is listed itself.
type allowed struct {
	names    map[string]bool
	suffixes []string // ".example.com"
	prefixes []netip.Prefix
}

func parseAllowed(entries []string) (*allowed, error) {
	a := &allowed{names: make(map[string]bool)}
	var problems []error
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(entry)), ".")
		if prefix, err := parsePrefix(name); err == nil {
			a.prefixes = append(a.prefixes, prefix)
			continue
		}
		suffix, wildcard := strings.CutPrefix(name, "*.")
		switch {
		case suffix == "" || strings.ContainsAny(suffix, "/:*@ "):
			problems = append(problems, fmt.Errorf("allowed host %q is neither a name, *.name, an address, nor a range such as 10.0.0.0/8", entry))
		case wildcard:
			a.suffixes = append(a.suffixes, "."+suffix)
		default:
			a.names[name] = true
		}
	}
	return a, errors.Join(problems...)
}

func parsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err
}

// errNotAllowed is wrapped by what the list forbids.
var errNotAllowed = errors.New("not on the list of allowed hosts")

// host reports why a URL's host may not be called; nil = it may.
func (a *allowed) host(u *url.URL) error {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		if !a.listed(addr) {
			return fmt.Errorf("%s: %w", name, errNotAllowed)
		}
		return nil
	}
	if a.names[name] || slices.ContainsFunc(a.suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) }) {
		return nil
	}
	return fmt.Errorf("%s: %w", name, errNotAllowed)
}

func (a *allowed) listed(addr netip.Addr) bool {
	return within(a.prefixes, addr.Unmap().WithZone(""))
}

func within(ranges []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// control is called with the address that is about to be connected to, after the name was resolved: a name that leads
// to another address the second time (DNS rebinding) gets no further than one that always did.
func (a *allowed) control(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("read the address %s: %w", address, err)
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("read the address %s: %w", host, err)
	}
	if !public(addr) && !a.listed(addr) {
		return fmt.Errorf("%s is no public address: %w", addr, errNotAllowed)
	}
	return nil
}

// reserved are the ranges of the IANA special-purpose registries (RFC 6890 and its successors) that netip has no name for.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
}

// public reports whether an address is one of the open internet.
func public(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && !within(reserved, addr)
}
