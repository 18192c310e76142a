package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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
	s.servePage(w, r, session, "/reports/"+session+"/"+fileRecording, "/reports", whole)
}

func (s *Reports) operatorFile(w http.ResponseWriter, r *http.Request) {
	s.serveFile(w, r, r.PathValue("session"), r.PathValue("file"), whole)
}

func (s *Reports) candidatePage(w http.ResponseWriter, r *http.Request) {
	if session, ok := s.follow(w, r); ok {
		s.servePage(w, r, session, "/r/"+r.PathValue("token")+"/"+fileRecording, "", report.Own)
	}
}

func (s *Reports) candidateFile(w http.ResponseWriter, r *http.Request) {
	if session, ok := s.follow(w, r); ok {
		s.serveFile(w, r, session, r.PathValue("file"), report.Own)
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
	session, err := s.opts.Archive.SessionByLink(r.Context(), LinkHash(r.PathValue("token")))
	if errors.Is(err, ErrNoReport) {
		s.gate.wrong.take(s.gate.clients.addr(r), time.Now())
	}
	if err != nil {
		s.fail(w, err, "reports.link_failed")
		return "", false
	}
	return session, true
}

// version makes of a report what its reader may see: the whole of it, or report.Own for the candidate.
type version func(*report.Report) *report.Report

func whole(r *report.Report) *report.Report { return r }

func (s *Reports) read(r *http.Request, session string, as version) (*report.Report, error) {
	raw, err := s.load(r.Context(), session)
	if err != nil {
		return nil, err
	}
	var rep report.Report
	if err := json.Unmarshal(raw, &rep); err != nil {
		return nil, fmt.Errorf("read the report of %s: %w", session, err)
	}
	return as(&rep), nil
}

// servePage writes the report with the address of its recording on this site, if there is one.
func (s *Reports) servePage(w http.ResponseWriter, r *http.Request, session, recording, home string, as version) {
	rep, err := s.read(r, session, as)
	if err != nil {
		s.fail(w, err, "reports.report_failed")
		return
	}
	recordings := s.attach(r, rep, session, recording)
	page := report.Page{Recordings: recordings, Scripts: []string{reportScript}, Styles: []string{reportStyle}, Home: home, Icon: "/static/favicon.svg"}
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

func (s *Reports) serveFile(w http.ResponseWriter, r *http.Request, session, file string, as version) {
	if file == fileRecording || strings.HasPrefix(file, partPrefix) {
		s.serveRecording(w, r, session, file)
		return
	}
	if file != fileJSON && file != fileMarkdown {
		s.fail(w, ErrNoReport, "")
		return
	}
	rep, err := s.read(r, session, as)
	if err != nil {
		s.fail(w, err, "reports.report_failed")
		return
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	if file == fileJSON {
		writeJSON(w, http.StatusOK, rep)
		return
	}
	text, err := report.Markdown(rep)
	if err != nil {
		s.fail(w, err, "reports.page_failed")
		return
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = w.Write(text) // a client that has gone away is no error of ours
}
