package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// forwarded is a request that a proxy at peer has passed on with these X-Forwarded-For lines.
func forwarded(peer string, lines ...string) *http.Request {
	return request(http.MethodPost, "/api/token", `{}`, func(r *http.Request) {
		r.RemoteAddr = peer
		for _, l := range lines {
			r.Header.Add("X-Forwarded-For", l)
		}
	})
}

// nginx before version 1.29.7 speaks HTTP/1.0 to what it passes requests on to, names it as the Host and adds nothing: the
// bytes below are what it sends with `proxy_pass http://127.0.0.1:7890;` and no more.
func TestRequestsThroughNginxWithItsDefaultsAreNotLocal(t *testing.T) {
	site := httptest.NewServer(newTestHandler(t, nil))
	defer site.Close()
	conn, err := net.Dial("tcp", site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // the answer is read
	_, err = fmt.Fprintf(conn, "POST /api/token HTTP/1.0\r\nHost: %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		site.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // read only
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "--web-open-tokens") {
		t.Errorf("%d %s %v: a stranger got a token", resp.StatusCode, body, err)
	}
}

// A proxy that leaves no trace cannot be told from a browser: nobody is taken to be local until somebody says so.
func TestNobodyIsLocalUnlessASettingSaysSo(t *testing.T) {
	h := newTestHandler(t, func(o *Options) { o.LocalTokens = false })
	w := postToken(h, `{}`)
	if said := w.Body.String(); w.Code != http.StatusForbidden || !strings.Contains(said, "--web-local-tokens") || !strings.Contains(said, "--web-open-tokens") {
		t.Errorf("%d %s", w.Code, said)
	}
}

func TestWhatIsNotLocal(t *testing.T) {
	for name, edit := range map[string]func(*http.Request){
		"a connection to another address": func(r *http.Request) {
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7890}))
		},
		"a connection to nobody knows where": func(r *http.Request) {
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, nil))
		},
		"a page of another host":  func(r *http.Request) { r.Header.Set("Origin", "https://interviews.example.com") },
		"a page without a name":   func(r *http.Request) { r.Header.Set("Origin", "null") },
		"a proxy's real address":  func(r *http.Request) { r.Header.Set("X-Real-IP", "192.0.2.7") },
		"a proxy's scheme":        func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") },
		"a proxy's name":          func(r *http.Request) { r.Header.Set("Via", "1.1 proxy") },
		"a tunnel":                func(r *http.Request) { r.Header.Set("CF-Connecting-IP", "192.0.2.7") },
		"an empty Forwarded line": func(r *http.Request) { r.Header.Set("Forwarded", "") },
		"an address of IPv6":      func(r *http.Request) { r.RemoteAddr = "[2001:db8::1]:1" },
	} {
		if w := serve(newTestHandler(t, nil), request(http.MethodPost, "/api/token", `{}`, edit)); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	h := newTestHandler(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	if w := postToken(h, `{}`); w.Code != http.StatusForbidden {
		t.Errorf("through a trusted proxy: %d", w.Code)
	}
}

func TestClientAddressBehindProxies(t *testing.T) {
	c := newClients([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/24")}, zap.NewNop())
	for _, tc := range []struct {
		peer  string
		lines []string
		want  string
	}{
		{"192.0.2.7:1", nil, "192.0.2.7"},
		{"192.0.2.7:1", []string{"203.0.113.9"}, "192.0.2.7"}, // it is no proxy of ours
		{"127.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:1", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"}, // what stands before is the client's own words
		{"127.0.0.1:1", []string{"198.51.100.1", "203.0.113.9, 10.0.0.8"}, "203.0.113.9"},
		{"127.0.0.1:1", []string{"[2001:db8::1]:443"}, "2001:db8::1"},
		{"127.0.0.1:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:1", []string{"10.0.0.9, 10.0.0.8"}, "10.0.0.9"},
		{"127.0.0.1:1", nil, "127.0.0.1"},
		{"127.0.0.1:1", []string{"203.0.113.9, unknown"}, "127.0.0.1"},
		{"127.0.0.1:1", []string{"unknown, 10.0.0.8"}, "10.0.0.8"},
	} {
		if got := c.addr(forwarded(tc.peer, tc.lines...)); got != netip.MustParseAddr(tc.want) {
			t.Errorf("%s %q: %v, want %s", tc.peer, tc.lines, got, tc.want)
		}
	}
}

// Behind a trusted proxy one client's limit is not everybody's; through any other they share one, and the log says what helps.
func TestLimitsAreApartBehindATrustedProxy(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	edit := func(trusted ...netip.Prefix) func(*Options) {
		return func(o *Options) {
			o.OpenTokens, o.RatePerMinute, o.TrustedProxies, o.Logger = true, 1, trusted, zap.New(core)
		}
	}
	h := newTestHandler(t, edit(netip.MustParsePrefix("127.0.0.1/32")))
	for _, client := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.3"} {
		if w := serve(h, forwarded("127.0.0.1:1", client)); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", client, w.Code, w.Body)
		}
	}
	if w := serve(h, forwarded("127.0.0.1:1", "8.8.8.8, 203.0.113.1")); w.Code != http.StatusTooManyRequests {
		t.Errorf("a client that invents others before it: %d", w.Code)
	}
	if logs.FilterMessage("web.untrusted_proxy").Len() > 0 {
		t.Errorf("%v", logs.All())
	}
	h = newTestHandler(t, edit())
	serve(h, forwarded("127.0.0.1:1", "203.0.113.1"))
	if w := serve(h, forwarded("127.0.0.1:1", "203.0.113.2")); w.Code != http.StatusTooManyRequests {
		t.Errorf("a proxy that nobody trusts: %d", w.Code)
	}
	if told := logs.FilterMessage("web.untrusted_proxy").All(); len(told) != 1 || !strings.Contains(fmt.Sprint(told[0].ContextMap()), "web.trusted_proxies") {
		t.Errorf("logged %v", told)
	}
}

func TestReportsLimitsAreApartBehindATrustedProxy(t *testing.T) {
	h := newTestReports(t, newShelf(t), func(o *ReportsOptions) {
		o.RatePerMinute, o.TrustedProxies = 1, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's client
	})
	for range 2 {
		ask(h, "GET", "/api/reports/AJ_000", "", "Authorization: Bearer guess", "X-Forwarded-For: 203.0.113.1")
	}
	if resp := ask(h, "GET", "/api/reports/AJ_000", "", bearer, "X-Forwarded-For: 203.0.113.1"); resp.status != http.StatusTooManyRequests {
		t.Errorf("who guesses: %d", resp.status)
	}
	if resp := ask(h, "GET", "/api/reports/AJ_000", "", bearer, "X-Forwarded-For: 203.0.113.2"); resp.status != http.StatusOK {
		t.Errorf("somebody else: %d", resp.status)
	}
}
