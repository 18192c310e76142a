package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guarded lets a request through to next when its client may have tokens.
func (h *Handler) guarded(next http.HandlerFunc) http.Handler {
	refusal := "Interviews can be started only on the machine that serves this page, opened as http://127.0.0.1 or " +
		"http://localhost. To open it to others, set " + h.opts.OpenTokensSetting + "."
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.opts.OpenTokens && !isLocal(r) {
			writeError(w, http.StatusForbidden, refusal)
			return
		}
		if err := sameOrigin.Check(r); err != nil {
			writeError(w, http.StatusForbidden, "This request came from another web site.")
			return
		}
		next(w, r)
	})
}

// isLocal holds for a client on this machine that asked for a loopback name. The name matters as much as the address: a
// web site can make its own name resolve to 127.0.0.1 (DNS rebinding) and so reach this server from the person's browser.
// A request that a proxy passed on is not local, whatever it looks like.
func isLocal(r *http.Request) bool {
	if r.Header.Get("Forwarded") != "" || r.Header.Get("X-Forwarded-For") != "" {
		return false
	}
	return clientAddr(r).IsLoopback() && isLoopbackName(r.Host)
}

func isLoopbackName(hostport string) bool {
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

// clientAddr is the peer's address, or the zero Addr, which is not loopback.
func clientAddr(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap().WithZone("")
}

// securityHeaders go out with every response. The page may talk to its own origin and to LiveKit, which is both a
// WebSocket and, when a connection fails, an HTTP address (livekit-client asks there for the reason).
func securityHeaders(liveKitURL string) http.Header {
	policy := strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		"media-src 'self' blob:",
		"worker-src 'self' blob:",
		"connect-src 'self' " + strings.Join(liveKitOrigins(liveKitURL), " "),
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}, "; ")
	return http.Header{
		"Content-Security-Policy":    {policy},
		"X-Content-Type-Options":     {"nosniff"},
		"X-Frame-Options":            {"DENY"},
		"Referrer-Policy":            {"no-referrer"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
		"Permissions-Policy":         {"microphone=(self), camera=(), geolocation=()"},
	}
}

// liveKitOrigins gives the WebSocket and the HTTP origin of an address that New has checked.
func liveKitOrigins(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if u.Scheme == "wss" || u.Scheme == "https" {
		return []string{"wss://" + u.Host, "https://" + u.Host}
	}
	return []string{"ws://" + u.Host, "http://" + u.Host}
}
