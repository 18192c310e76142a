package design

import (
	"net/netip"
	"net/url"
	"testing"
)

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "127.0.0.1": false, "127.8.8.8": false, "10.1.2.3": false, "172.16.0.1": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "255.255.255.255": false,
		"224.0.0.1": false, "198.18.0.1": false, "::": false, "::1": false, "fe80::1%eth0": false, "fc00::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
		"2001:db8::1": false, "2001::1": false,
	} {
		if got := public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
}

func TestAllowedHosts(t *testing.T) {
	a, err := parseAllowed([]string{"One.Example.", "*.two.example", "203.0.113.7", "10.0.0.0/8", "fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"https://one.example/x": true, "https://ONE.example.:8443": true, "https://sub.one.example": false, "https://one.example.evil": false,
		"https://a.two.example": true, "https://two.example": false, "https://eviltwo.example": false,
		"https://203.0.113.7": true, "https://203.0.113.8": false, "https://10.9.9.9": true, "https://[fd00::5]": true, "https://[::ffff:10.0.0.1]": true,
		"https://8.8.8.8": false, "https://[::1]": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.host(u) == nil; got != want {
			t.Errorf("%s is allowed: %v", text, got)
		}
	}
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "10.0.0.1:80": true, "127.0.0.1:80": false, "[fe80::1%lo]:80": false, "192.168.0.1:80": false, "bad": false, "name:1": false,
	} {
		if got := a.control("tcp", address, nil) == nil; got != want {
			t.Errorf("connecting to %s is allowed: %v", address, got)
		}
	}
}
