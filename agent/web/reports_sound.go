package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/record"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// Part is one recording of an interview.
type Part struct {
	Offset   time.Duration // of its first sample, from the beginning of the interview; -1 = unknown
	Duration time.Duration // 0 = unknown
	Open     func() (io.ReadSeekCloser, error)
}

// partPrefix begins the names of the recordings after the first: recording-2 and so on.
const partPrefix = fileRecording + "-"

// parts are the recordings of a session, at least one.
func (s *Reports) parts(ctx context.Context, session string) ([]Part, error) {
	if !sessionPattern.MatchString(session) {
		return nil, ErrNoReport
	}
	return s.opts.Archive.Parts(ctx, session)
}

// attach gives the report the addresses of its recordings on this site; one without a recording gets none. Where the file does
// not say itself when it begins, the report does. It returns all of several recordings.
func (s *Reports) attach(r *http.Request, rep *report.Report, session, address string) []report.Recording {
	said := report.Recording{}
	if rep.Recording != nil {
		said = *rep.Recording
	}
	rep.Recording = nil
	parts, err := s.parts(r.Context(), session)
	if err != nil || len(parts) == 0 {
		return nil
	}
	all := make([]report.Recording, 0, len(parts))
	for i, p := range parts {
		rec := report.Recording{URL: address, Offset: state.FromDuration(p.Offset), Duration: state.FromDuration(p.Duration)}
		if i > 0 {
			rec.URL += "-" + strconv.Itoa(i+1)
		}
		if p.Offset < 0 {
			rec.Offset, rec.Duration = said.Offset, said.Duration
		}
		all = append(all, rec)
	}
	rep.Recording = &all[0]
	return all
}

// serveRecording answers ranges, by which a browser jumps to a second.
func (s *Reports) serveRecording(w http.ResponseWriter, r *http.Request, session, file string) {
	n := 1
	if number, more := strings.CutPrefix(file, partPrefix); more {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 2 || strconv.Itoa(n) != number {
			s.fail(w, ErrNoReport, "")
			return
		}
	}
	parts, err := s.parts(r.Context(), session)
	if err == nil && n > len(parts) {
		err = ErrNoReport
	}
	var f io.ReadSeekCloser
	if err == nil {
		f, err = parts[n-1].Open()
	}
	if err != nil {
		s.fail(w, err, "reports.recording_failed")
		return
	}
	defer func() { _ = f.Close() }() // read only
	w.Header().Set("Content-Type", "audio/ogg")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// Parts implements Archive: of the files in the index those that are in the folder, in the order of their own beginnings. A file
// that does not tell its beginning is of use alone only.
func (a StoreArchive) Parts(ctx context.Context, session string) ([]Part, error) {
	if a.Sound == nil {
		return nil, ErrNoReport
	}
	all, err := a.Store.Recordings(ctx, session)
	if err != nil {
		return nil, none(err)
	}
	var parts, silent []Part
	for _, r := range all {
		p := Part{Offset: -1, Duration: r.Duration, Open: func() (io.ReadSeekCloser, error) { return a.Sound.Open(r.Path) }}
		f, err := a.Sound.Open(r.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open a recording of session %q: %w", session, err)
		}
		if at, err := record.OffsetIn(f); err == nil {
			p.Offset = at
			parts = append(parts, p)
		} else {
			silent = append(silent, p)
		}
		_ = f.Close() // only looked into
	}
	slices.SortStableFunc(parts, func(x, y Part) int { return int(x.Offset.Milliseconds() - y.Offset.Milliseconds()) })
	switch {
	case len(parts) > 0:
		return parts, nil
	case len(silent) > 0:
		return silent[:1], nil
	}
	return nil, ErrNoReport
}
