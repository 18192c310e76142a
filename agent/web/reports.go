package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

// ErrNoReport says that there is no such interview, report, link or recording. Those who ask are told no more than that.
var ErrNoReport = errors.New("there is no such report")

// Archive is where interviews and their reports are kept; a StoreArchive is one. Its methods may be called at the same time, and
// end with ctx.
type Archive interface {
	// List returns one page of the interviews that match, newest first.
	List(ctx context.Context, filter store.Filter) (InterviewPage, error)
	// Report returns the report of a session as stages/report writes it, or ErrNoReport.
	Report(ctx context.Context, session string) (json.RawMessage, error)
	// SessionByLink finds the session that a candidate's link belongs to, by the hex SHA-256 of its token, or ErrNoReport.
	SessionByLink(ctx context.Context, hash string) (string, error)
	// Parts returns the recordings that are there, in the order of the talk, or ErrNoReport. There are several where another worker
	// took the interview up, and could not go on in the first one's file.
	Parts(ctx context.Context, session string) ([]Part, error)
}

// InterviewPage is a part of a list.
type InterviewPage struct {
	Interviews []InterviewRow `json:"interviews"`
	Total      int            `json:"total"` // that match, on all pages
}

// InterviewRow is one interview in a list.
type InterviewRow struct {
	Session   string    `json:"session"`
	Kind      string    `json:"kind"`
	Candidate string    `json:"candidate"`
	State     string    `json:"state"`
	Locale    string    `json:"locale,omitempty"`
	Began     time.Time `json:"began,omitzero"` // zero: nobody has come yet
	Duration  int64     `json:"duration_ms"`
	Report    bool      `json:"report"` // there is one to open
}

// Limits of a list.
const (
	maxListed = 200
	maxSearch = 200 // bytes
)

// minReportsKey is the least length of a key, in bytes: 128 bits, if it is random.
const minReportsKey = 16

// ReportsOptions configures Reports. Archive and Key are required.
type ReportsOptions struct {
	Archive Archive
	Key     string // opens the list and every report
	Secure  bool   // the site is served by https: cookies are sent by nothing else
	// RatePerMinute bounds wrong keys and unknown links per client address; 0 is DefaultRatePerMinute.
	RatePerMinute  int
	TrustedProxies []netip.Prefix // believed what X-Forwarded-For says of their clients
	Logger         *zap.Logger    // nil discards
}

// Reports serves the list of interviews and their reports to those who have the key, and one report to whoever has its
// link. It is safe for concurrent use and needs no closing.
//
//	GET  /reports                     the list; it asks for the key
//	GET  /reports/{session}           a report as a page
//	GET  /reports/{session}/{file}    recording, recording-2 …, report.json or report.md
//	POST /api/reports/login           {"key"} → a cookie for this browser; POST /api/reports/logout ends it
//	POST /api/reports/search          a store.Filter → an InterviewPage
//	GET  /api/reports/{session}       a report as JSON
//	GET  /r/{token}, /r/{token}/{file}  one report, for its candidate
//
// Programs send the key as "Authorization: Bearer". What is searched for stands in the body, so that no name is in an
// address or a log.
type Reports struct {
	answers
	opts   ReportsOptions
	assets *assets
	gate   *reportsGate
}

// NewReports checks opts.
func NewReports(opts ReportsOptions) (*Reports, error) {
	if opts.Archive == nil {
		return nil, errors.New("reports: an archive is needed")
	}
	if len(opts.Key) < minReportsKey {
		return nil, fmt.Errorf("reports: the key needs at least %d characters; `openssl rand -hex 24` makes one", minReportsKey)
	}
	if opts.Logger == nil {
		opts.Logger = zap.NewNop()
	}
	if opts.RatePerMinute <= 0 {
		opts.RatePerMinute = DefaultRatePerMinute
	}
	assets, err := newAssets(staticFiles)
	if err != nil {
		return nil, fmt.Errorf("reports: read embedded files: %w", err)
	}
	r := &Reports{opts: opts, assets: assets, gate: newReportsGate(opts), answers: answers{headers: reportHeaders()}}
	r.routes = r.newRoutes()
	return r, nil
}

func (s *Reports) newRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/", s.assets)
	mux.HandleFunc("GET /reports", func(w http.ResponseWriter, r *http.Request) { s.assets.serve(w, r, reportListFile) })
	mux.Handle("POST /api/reports/login", sameOrigin(s.gate.login))
	mux.HandleFunc("POST /api/reports/logout", s.gate.logout)
	mux.Handle("POST /api/reports/search", s.gate.api(s.search))
	mux.Handle("GET /api/reports/{session}", s.gate.api(s.reportJSON))
	mux.Handle("GET /reports/{session}", s.gate.page(s.operatorPage))
	mux.Handle("GET /reports/{session}/{file}", s.gate.page(s.operatorFile))
	mux.HandleFunc("GET /r/{token}", s.candidatePage)
	mux.HandleFunc("GET /r/{token}/{file}", s.candidateFile)
	return mux
}

// search answers with one page of the list.
func (s *Reports) search(w http.ResponseWriter, r *http.Request) {
	var f store.Filter
	if err := readJSON(w, r, &f); err != nil && !errors.Is(err, io.EOF) {
		writeError(w, http.StatusBadRequest, "This search could not be read.")
		return
	}
	if f.Limit < 0 || f.Limit > maxListed || f.Offset < 0 || len(f.Text) > maxSearch {
		writeError(w, http.StatusBadRequest, fmt.Sprintf("A page has 1 to %d interviews, and a search at most %d bytes.", maxListed, maxSearch))
		return
	}
	page, err := s.opts.Archive.List(r.Context(), f)
	if err != nil {
		s.fail(w, err, "reports.list_failed")
		return
	}
	if page.Interviews == nil {
		page.Interviews = []InterviewRow{}
	}
	writeJSON(w, http.StatusOK, page)
}

func (s *Reports) reportJSON(w http.ResponseWriter, r *http.Request) {
	raw, err := s.load(r.Context(), r.PathValue("session"))
	if err != nil {
		s.fail(w, err, "reports.report_failed")
		return
	}
	writeJSON(w, http.StatusOK, raw)
}

// sessionPattern is what session ids look like; nothing else reaches the archive.
var sessionPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

func (s *Reports) load(ctx context.Context, session string) (json.RawMessage, error) {
	if !sessionPattern.MatchString(session) {
		return nil, ErrNoReport
	}
	return s.opts.Archive.Report(ctx, session)
}

// fail tells what went wrong, and logs what is nobody's business.
func (s *Reports) fail(w http.ResponseWriter, err error, event string) {
	if errors.Is(err, ErrNoReport) {
		writeError(w, http.StatusNotFound, "There is no such report.")
		return
	}
	s.opts.Logger.Error(event, zap.Error(err))
	writeError(w, http.StatusInternalServerError, "The archive could not be read. The server's log says why.")
}
