package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/state/store"
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

// links make candidates' links to their reports. A link's token is made of the key, a random secret of the store and the session:
// every worker with both makes the same one, also of a session that it took over, and nobody can try keys on a link that they
// have. The store keeps only its hash.
type links struct {
	key      []byte
	site     string // without a slash at its end
	database *store.Store
	log      *zap.Logger
}

// newLinks returns nil when there are no report pages to link to. They may be another worker's.
func newLinks(ctx context.Context, s *settings.Settings, database *store.Store, log *zap.Logger) (*links, error) {
	site := s.Web.PublicURL
	if s.Web.ReportsKey == "" || database == nil || !s.Web.Enabled && site == "" {
		return nil, nil
	}
	if site == "" {
		site = "http://" + s.Web.Address
	}
	secret, err := database.LinkSecret(ctx)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(s.Web.ReportsKey.Reveal()))
	return &links{key: mac.Sum(nil), site: strings.TrimRight(site, "/"), database: database, log: log}, nil
}

func (l *links) token(session string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte("viva report link\x00" + session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// relinkLimit bounds the wait for the store where a link is handed out.
const relinkLimit = 2 * time.Second

// url is the candidate's link; it opens this one report without the key. A session that began under another key, or before
// links had a secret, has it from now on in place of its own.
func (l *links) url(session string) string {
	ctx, cancel := context.WithTimeout(context.Background(), relinkLimit)
	defer cancel()
	if err := l.database.Relink(ctx, session, l.hash(session)); err != nil {
		l.log.Warn("reports.relink", zap.String("session", session), zap.Error(err))
	}
	return l.site + "/r/" + l.token(session)
}

// hash is what the store keeps of it.
func (l *links) hash(session string) string { return web.LinkHash(l.token(session)) }

// withReports puts the pages of reports beside the candidate's page.
func withReports(s *settings.Settings, k keeping, page http.Handler, log *zap.Logger) (http.Handler, error) {
	if s.Web.ReportsKey == "" || k.database == nil {
		return page, nil
	}
	archive := web.StoreArchive{Store: k.database, Sound: k.sound}
	reports, err := web.NewReports(web.ReportsOptions{
		Archive: archive, Key: s.Web.ReportsKey.Reveal(),
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
