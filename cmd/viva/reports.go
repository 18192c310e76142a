package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/cmd/viva/settings"
)

// ensureReportsKey makes a key for this start where none is set and reports could be shown: dev needs nothing to be set up.
// It reports whether it made one.
func ensureReportsKey(s *settings.Settings) bool {
	if s.Web.ReportsKey != "" || !s.Web.Enabled || !s.Store.Database() {
		return false
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key) // it never fails
	s.Web.ReportsKey = settings.Secret(hex.EncodeToString(key))
	return true
}

// links make candidates' links to their reports. A link's token is made of the key and the session, so that every worker
// with the key makes the same one, also of a session that it took over; the store keeps only its hash.
type links struct {
	key  []byte
	site string // without a slash at its end
}

// newLinks returns nil when there are no report pages to link to. They may be another worker's.
func newLinks(s *settings.Settings) *links {
	site := s.Web.PublicURL
	if s.Web.ReportsKey == "" || !s.Store.Database() || !s.Web.Enabled && site == "" {
		return nil
	}
	if site == "" {
		site = "http://" + s.Web.Address
	}
	return &links{key: []byte(s.Web.ReportsKey.Reveal()), site: strings.TrimRight(site, "/")}
}

func (l *links) token(session string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte("viva report link\x00" + session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// url is the candidate's link; it opens this one report without the key.
func (l *links) url(session string) string { return l.site + "/r/" + l.token(session) }

// hash is what the store keeps of it.
func (l *links) hash(session string) string { return web.LinkHash(l.token(session)) }

// withReports puts the pages of reports beside the candidate's page.
func withReports(s *settings.Settings, k keeping, page http.Handler, log *zap.Logger) (http.Handler, error) {
	if s.Web.ReportsKey == "" || k.database == nil {
		return page, nil
	}
	archive := web.StoreArchive{Store: k.database, Sound: k.sound}
	reports, err := web.NewReports(web.ReportsOptions{
		Archive: archive, Links: archive, Recordings: archive, Key: s.Web.ReportsKey.Reveal(),
		Secure: strings.HasPrefix(s.Web.PublicURL, "https://"), TrustedProxies: s.Web.TrustedProxies(), Logger: log,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/reports", "/reports/", "/api/reports/", "/r/"} {
		mux.Handle(path, reports)
	}
	mux.Handle("/", page)
	return mux, nil
}
