package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/report"
)

// A browser that was shown the key once keeps a cookie for this long. It holds no key, only when it ends, signed.
const (
	reportsCookie    = "viva_reports"
	reportsCookieTTL = 12 * time.Hour
)

// reportsGate knows who may see all reports.
type reportsGate struct {
	key     [sha256.Size]byte // digests have one length, so that comparing tells nothing about the key's
	sign    []byte
	secure  bool
	wrong   *limiter // wrong keys and unknown links, by client
	clients *clients
	log     *zap.Logger
}

func newReportsGate(opts ReportsOptions) *reportsGate {
	sign := sha256.Sum256([]byte("viva reports cookie\x00" + opts.Key))
	return &reportsGate{
		key: sha256.Sum256([]byte(opts.Key)), sign: sign[:], secure: opts.Secure, wrong: newLimiter(opts.RatePerMinute),
		clients: newClients(opts.TrustedProxies, opts.Logger), log: opts.Logger,
	}
}

// api lets a request with the key or its cookie through.
func (g *reportsGate) api(next http.HandlerFunc) http.Handler {
	return sameOrigin(func(w http.ResponseWriter, r *http.Request) {
		if g.admitted(w, r) {
			next(w, r)
		}
	})
}

// page sends a browser without a cookie to where the key is asked for.
func (g *reportsGate) page(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" && !g.remembered(r) {
			http.Redirect(w, r, "/reports", http.StatusSeeOther)
			return
		}
		if g.admitted(w, r) {
			next(w, r)
		}
	})
}

// admitted answers a request that may not go on.
func (g *reportsGate) admitted(w http.ResponseWriter, r *http.Request) bool {
	if g.remembered(r) {
		return true
	}
	key, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !sent {
		writeError(w, http.StatusUnauthorized, "The key is needed.")
		return false
	}
	return g.knows(w, r, key)
}

// knows compares a key in constant time. A client that has shown too many wrong ones has to wait before it is even looked
// at, so that guessing is slow also for who guesses right.
func (g *reportsGate) knows(w http.ResponseWriter, r *http.Request, key string) bool {
	if g.mustWait(w, r) {
		return false
	}
	digest := sha256.Sum256([]byte(key))
	if subtle.ConstantTimeCompare(digest[:], g.key[:]) == 1 {
		return true
	}
	g.wrong.take(g.clients.addr(r), time.Now())
	g.log.Warn("reports.wrong_key", zap.Stringer("client", g.clients.addr(r)))
	writeError(w, http.StatusUnauthorized, "This key is not right.")
	return false
}

// mustWait refuses a client that guesses.
func (g *reportsGate) mustWait(w http.ResponseWriter, r *http.Request) bool {
	wait := g.wrong.left(g.clients.addr(r), time.Now())
	if wait == 0 {
		return false
	}
	writeTooMany(w, "Too many wrong tries.", wait)
	return true
}

func (g *reportsGate) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Key string `json:"key"`
	}
	if err := readJSON(w, r, &body); err != nil {
		writeError(w, http.StatusBadRequest, "The key could not be read.")
		return
	}
	if !g.knows(w, r, body.Key) {
		return
	}
	ends := time.Now().Add(reportsCookieTTL)
	stamp := strconv.FormatInt(ends.Unix(), 10)
	g.setCookie(w, stamp+"."+g.signature(stamp), int(reportsCookieTTL.Seconds()))
	w.WriteHeader(http.StatusNoContent)
}

func (g *reportsGate) logout(w http.ResponseWriter, _ *http.Request) {
	g.setCookie(w, "", -1)
	w.WriteHeader(http.StatusNoContent)
}

func (g *reportsGate) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without https on this machine a secure cookie would never come back
		Name: reportsCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.secure,
	})
}

func (g *reportsGate) signature(stamp string) string {
	mac := hmac.New(sha256.New, g.sign)
	mac.Write([]byte(stamp))
	return hex.EncodeToString(mac.Sum(nil))
}

// remembered holds for a browser whose cookie is ours and has not ended.
func (g *reportsGate) remembered(r *http.Request) bool {
	c, err := r.Cookie(reportsCookie)
	if err != nil {
		return false
	}
	stamp, signature, _ := strings.Cut(c.Value, ".")
	if !hmac.Equal([]byte(signature), []byte(g.signature(stamp))) {
		return false
	}
	ends, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && time.Now().Before(time.Unix(ends, 0))
}

// reportHeaders go out with every response: nothing is loaded from elsewhere, shown in a frame, kept or found by a search.
func reportHeaders() http.Header {
	h := strictHeaders("style-src 'self' "+report.StyleHash(), "media-src 'self'", "connect-src 'self'")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Cache-Control", "no-store")
	return h
}
