package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vivavoice/viva/stages/report"
)

// What the pages of reports consist of. The charts' library is third-party: vendor.sh puts it there, and without it the
// page keeps its still drawings.
const (
	reportListFile = "static/report/list.html"
	reportScript   = "/static/report/report.mjs"
	reportStyle    = "/static/report/served.css"
	chartsScript   = "static/vendor/uplot.esm.mjs"
	chartsStyle    = "static/vendor/uplot.min.css"
)

// Files beside a report.
const (
	fileRecording = "recording"
	fileJSON      = "report.json"
	fileMarkdown  = "report.md"
)

func (s *Reports) operatorPage(w http.ResponseWriter, r *http.Request) {
	session := r.PathValue("session")
	s.servePage(w, r, session, "/reports/"+session+"/"+fileRecording, "/reports")
}

func (s *Reports) operatorFile(w http.ResponseWriter, r *http.Request) {
	s.serveFile(w, r, r.PathValue("session"), r.PathValue("file"))
}

func (s *Reports) candidatePage(w http.ResponseWriter, r *http.Request) {
	if session, ok := s.follow(w, r); ok {
		s.servePage(w, r, session, "/r/"+r.PathValue("token")+"/"+fileRecording, "")
	}
}

func (s *Reports) candidateFile(w http.ResponseWriter, r *http.Request) {
	if session, ok := s.follow(w, r); ok {
		s.serveFile(w, r, session, r.PathValue("file"))
	}
}

// LinkHash is what an archive keeps of a link's token, so that who reads the archive cannot open the link.
func LinkHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// follow finds the session of a candidate's link. Unknown links are counted against their client.
func (s *Reports) follow(w http.ResponseWriter, r *http.Request) (string, bool) {
	if s.gate.mustWait(w, r) {
		return "", false
	}
	session, err := s.opts.Links.SessionByLink(r.Context(), LinkHash(r.PathValue("token")))
	if errors.Is(err, ErrNoReport) {
		s.gate.wrong.take(clientAddr(r), time.Now())
	}
	if err != nil {
		s.fail(w, err, "reports.link_failed")
		return "", false
	}
	return session, true
}

func (s *Reports) read(r *http.Request, session string) (*report.Report, error) {
	raw, err := s.load(r.Context(), session)
	if err != nil {
		return nil, err
	}
	var rep report.Report
	if err := json.Unmarshal(raw, &rep); err != nil {
		return nil, fmt.Errorf("read the report of %s: %w", session, err)
	}
	return &rep, nil
}

// servePage writes the report with the address of its recording on this site, if there is one.
func (s *Reports) servePage(w http.ResponseWriter, r *http.Request, session, recording, home string) {
	rep, err := s.read(r, session)
	if err != nil {
		s.fail(w, err, "reports.report_failed")
		return
	}
	s.attach(r, rep, session, recording)
	page := report.Page{Scripts: []string{reportScript}, Styles: []string{reportStyle}, Home: home, Icon: "/static/favicon.svg"}
	if s.assets.has(chartsScript) && s.assets.has(chartsStyle) {
		page.Styles = append(page.Styles, "/"+chartsStyle)
	}
	html, err := report.HTML(rep, page)
	if err != nil {
		s.fail(w, err, "reports.page_failed")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(html) // a client that has gone away is no error of ours
}

// attach keeps the recording's place in time and replaces its address; a report without a recording gets none.
func (s *Reports) attach(r *http.Request, rep *report.Report, session, address string) {
	offset := report.Recording{}
	if rep.Recording != nil {
		offset = *rep.Recording
	}
	rep.Recording = nil
	if s.opts.Recordings == nil {
		return
	}
	f, err := s.opts.Recordings.Recording(r.Context(), session)
	if err != nil {
		return
	}
	_ = f.Close() // only looked for
	rep.Recording = &report.Recording{URL: address, Offset: offset.Offset, Duration: offset.Duration}
}

func (s *Reports) serveFile(w http.ResponseWriter, r *http.Request, session, file string) {
	switch file {
	case fileRecording:
		s.serveRecording(w, r, session)
	case fileJSON:
		raw, err := s.load(r.Context(), session)
		if err != nil {
			s.fail(w, err, "reports.report_failed")
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="report.json"`)
		writeJSON(w, http.StatusOK, raw)
	case fileMarkdown:
		rep, err := s.read(r, session)
		if err != nil {
			s.fail(w, err, "reports.report_failed")
			return
		}
		text, err := report.Markdown(rep)
		if err != nil {
			s.fail(w, err, "reports.page_failed")
			return
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="report.md"`)
		_, _ = w.Write(text) // a client that has gone away is no error of ours
	default:
		s.fail(w, ErrNoReport, "")
	}
}

// serveRecording answers ranges, by which a browser jumps to a second.
func (s *Reports) serveRecording(w http.ResponseWriter, r *http.Request, session string) {
	if s.opts.Recordings == nil || !sessionPattern.MatchString(session) {
		s.fail(w, ErrNoReport, "")
		return
	}
	f, err := s.opts.Recordings.Recording(r.Context(), session)
	if err != nil {
		s.fail(w, err, "reports.recording_failed")
		return
	}
	defer func() { _ = f.Close() }() // read only
	w.Header().Set("Content-Type", "audio/ogg")
	http.ServeContent(w, r, "", time.Time{}, f)
}
