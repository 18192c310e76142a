package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/web/webtest"
	"github.com/vivavoice/viva/pipeline/record"
	"github.com/vivavoice/viva/state/store"
)

// relay is a shelf whose interview two workers have recorded: the first for a minute, the second from 70 s on.
type relay struct{ *shelf }

func (r relay) Parts(_ context.Context, session string) ([]Part, error) {
	if r.reports[session] == nil {
		return nil, ErrNoReport
	}
	part := func(offset, length int) Part {
		return Part{Offset: time.Duration(offset) * time.Second, Duration: time.Duration(length) * time.Second, Open: func() (io.ReadSeekCloser, error) {
			return sound{bytes.NewReader(silence(length))}, nil
		}}
	}
	return []Part{part(0, 60), part(70, 160)}, nil
}

func relayed(t *testing.T) *Reports {
	t.Helper()
	s := newShelf(t)
	return newTestReports(t, s, func(o *ReportsOptions) { o.Archive = relay{s} })
}

// RX-18: of an interview with two recordings both are served, each moment leads into the right one, and no other name opens a file.
func TestTwoRecordings(t *testing.T) {
	h := relayed(t)
	for file, want := range map[string]int{
		"recording": 44 + 60*8000, "recording-2": 44 + 160*8000, "recording-1": 0, "recording-3": 0, "recording-02": 0, "recording-": 0, "recording-x": 0,
	} {
		got := ask(h, "GET", "/reports/AJ_000/"+file, "", bearer)
		if ok := want > 0; ok != (got.status == 200) || ok && len(got.body) != want {
			t.Errorf("%s: %d, %d bytes", file, got.status, len(got.body))
		}
	}
	page := ask(h, "GET", "/r/"+testLinkToken, "").body
	for _, want := range []string{`src="/r/` + testLinkToken + `/recording"`, "recording-2#t=", "recording#t=", "data-files="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if page := ask(newTestReports(t, newShelf(t), nil), "GET", "/r/"+testLinkToken, "").body; strings.Contains(page, "data-files") {
		t.Error("a page with one recording lists several")
	}
}

// RX-18: in the browser a click on a moment plays the recording that has it, forth and back, and the end of one goes over into the
// next.
func TestTwoRecordingsInBrowser(t *testing.T) {
	b := webtest.Open(t, webtest.Options{Microphone: webtest.Allowed})
	origin := serveOn(t, relayed(t))
	b.Resize(1280, 900)
	b.Open(origin + "/r/" + testLinkToken)
	b.Wait(`document.getElementById("recording").readyState >= 1`, patience)
	moments := webtest.Eval[[]float64](b, `[...document.querySelectorAll("#transcript [data-at]")].map((a) => Number(a.dataset.at))`)
	var early, late float64
	for _, at := range moments {
		if at > 5_000 && at < 55_000 {
			early = at
		}
		if at > 80_000 && late == 0 {
			late = at
		}
	}
	if early == 0 || late == 0 {
		t.Fatalf("the test wants moments before and after the gap: %v", moments)
	}
	for _, step := range []struct {
		at, offset float64
		file       string
	}{{late, 70_000, "recording-2"}, {early, 0, "recording"}, {late, 70_000, "recording-2"}, {early, 0, "recording"}} {
		webtest.Eval[bool](b, fmt.Sprintf(`(document.querySelector('#transcript [data-at="%.0f"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})), true)`, step.at))
		b.Wait(fmt.Sprintf(`(({currentTime, currentSrc}) => currentSrc.endsWith("/%s") && Math.abs(currentTime - %f) < 1.5)(document.getElementById("recording"))`,
			step.file, (step.at-step.offset)/1000-0.3), patience)
		b.Wait(fmt.Sprintf(`document.querySelector("#transcript li.now")?.dataset.from <= %.0f`, step.at+1500), patience)
	}
	webtest.Eval[bool](b, `(document.getElementById("recording").currentTime = 59.5, true)`)
	b.Wait(`document.getElementById("recording").currentSrc.endsWith("/recording-2") && document.getElementById("recording").currentTime < 5 && !document.getElementById("recording").paused`, patience)
	expectClean(t, b, origin)
}

// The store's files are played in the order of the talk, whatever they are called; what tells no beginning is used alone only.
func TestPartsOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, err := store.Open(t.Context(), filepath.Join(dir, "viva.db"), zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		archive := StoreArchive{Store: s, Sound: root}
		if err := s.SaveSession(t.Context(), store.Session{ID: "AJ_1", State: store.Ended}); err != nil {
			t.Fatal(err)
		}
		offsets := func() (all []time.Duration) {
			parts, err := archive.Parts(t.Context(), "AJ_1")
			if err != nil && !errors.Is(err, ErrNoReport) {
				t.Fatal(err)
			}
			for _, p := range parts {
				all = append(all, p.Offset)
			}
			return all
		}
		enter := func(path string) {
			if err := s.SaveRecording(t.Context(), store.Recording{Session: "AJ_1", Path: path, Duration: time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		enter("gone.ogg")
		if err := os.WriteFile(filepath.Join(dir, "a.ogg"), []byte("nothing"), 0o600); err != nil {
			t.Fatal(err)
		}
		enter("a.ogg")
		if got := fmt.Sprint(offsets()); got != "[-1ns]" {
			t.Errorf("a file without a beginning, alone: %s", got)
		}
		for path, at := range map[string]time.Duration{"b.ogg": 90 * time.Second, "c.ogg": 2 * time.Second} {
			r, err := record.Start(t.Context(), record.Options{
				Open:   func(context.Context) (record.Sink, error) { return root.Create(path) },
				Offset: at, Logger: zap.NewNop(),
			})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if _, err := r.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			enter(path)
		}
		if got := fmt.Sprint(offsets()); got != "[2s 1m30s]" {
			t.Errorf("the files begin at %s", got)
		}
	})
}
