package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/vivavoice/viva/agent/loopback"
)

// What a person sets to change Options.OpenTokens and Options.LocalTokens.
const (
	openSetting  = "--web-open-tokens (VIVA_WEB_OPEN_TOKENS)"
	localSetting = "--web-local-tokens (VIVA_WEB_LOCAL_TOKENS)"
)

// guarded lets a request through to next when its client may have tokens.
func (h *Handler) guarded(next http.HandlerFunc) http.Handler {
	own := sameOrigin(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := h.refusal(r); why != "" {
			writeError(w, http.StatusForbidden, why)
			return
		}
		own.ServeHTTP(w, r)
	})
}

// sameOrigin refuses what another web site has a browser ask for.
func sameOrigin(next http.HandlerFunc) http.Handler {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusForbidden, "This request came from another web site.")
	}))
	return p.Handler(next)
}

// refusal says why a client may have no tokens, and which setting changes it; "" = it may.
func (h *Handler) refusal(r *http.Request) string {
	switch {
	case h.opts.OpenTokens:
		return ""
	case !h.opts.LocalTokens:
		return "This page starts no interviews yet: set " + openSetting + " to let everybody who reaches it start some, or " +
			localSetting + " to let only this machine."
	case !h.isLocal(r):
		return "Interviews can be started only on the machine that serves this page, opened as http://127.0.0.1 or " +
			"http://localhost and not through a proxy. To open it to others, set " + openSetting + "."
	}
	return ""
}

// isLocal holds for a browser on this machine that asked for a loopback name. The name matters as much as the address: a
// web site can make its own name resolve to 127.0.0.1 (DNS rebinding) and so reach this server from the person's browser.
// A request that a proxy passed on is not local, whatever it looks like: one that trusted proxies sent, that bears a proxy's
// marks, or that is of HTTP/1.0, which no browser speaks and proxies do. A proxy that takes off all of this cannot be told
// from a browser; that is why nobody is local where Options do not say so.
func (h *Handler) isLocal(r *http.Request) bool {
	peer := peerAddr(r)
	if !r.ProtoAtLeast(1, 1) || passedOn(r.Header) || h.clients.trusts(peer) {
		return false
	}
	return peer.IsLoopback() && arrivedOnLoopback(r) && loopback.Is(r.Host) && isLoopbackOrigin(r.Header.Get("Origin"))
}

// arrivedOnLoopback holds for a connection that was made to a loopback address. Where nobody says, it was not.
func arrivedOnLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && plain(at.Addr()).IsLoopback()
}

// isLoopbackOrigin holds also for a request that names none: browsers leave it out where a page reads from its own site.
func isLoopbackOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback.Is(u.Host)
}

// securityHeaders go out with every response. The page may talk to its own origin and to LiveKit, which is both a
// WebSocket and, when a connection fails, an HTTP address (livekit-client asks there for the reason).
func securityHeaders(liveKitURL string) http.Header {
	h := strictHeaders("style-src 'self'", "media-src 'self' blob:", "connect-src 'self' "+strings.Join(liveKitOrigins(liveKitURL), " "),
		"worker-src 'self' blob:")
	h.Set("Permissions-Policy", "microphone=(self), camera=(), geolocation=()")
	return h
}

// strictHeaders let a page have its own scripts and pictures, and what the policy adds.
func strictHeaders(policy ...string) http.Header {
	policy = append([]string{
		"default-src 'none'", "script-src 'self'", "img-src 'self' data:", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
	}, policy...)
	return http.Header{
		"Content-Security-Policy":    {strings.Join(policy, "; ")},
		"X-Content-Type-Options":     {"nosniff"},
		"X-Frame-Options":            {"DENY"},
		"Referrer-Policy":            {"no-referrer"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
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
