package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// listed is the one session that viva sessions list knows, found with these flags.
func listed(t *testing.T, file string, search ...string) store.Session {
	t.Helper()
	o := viva(t, nobody(), append([]string{"sessions", "list", "--store", file, "--json"}, search...)...)
	o.wants(t, 0)
	var s store.Session
	if err := json.Unmarshal([]byte(o.out), &s); err != nil {
		t.Fatalf("%v: not one session with %q: %q", err, search, o.out)
	}
	return s
}

// R002-59: an interview that was typed in a terminal and is over is found, reported and deleted like one that a worker held.
func TestConsoleInterviewIsKept(t *testing.T) {
	setting(t)
	file := filepath.Join(t.TempDir(), "viva.db")
	lines := []string{"the senior one", "I studied statistics.", "I wrote a script.", "I measured it.", "I would rather not say.", "I asked a colleague.", "No, thank you."}
	viva(t, strings.NewReader(strings.Join(lines, "\n")+"\n"), "console", "--interview", "persona_interview", "--name", "Ada Byron", "--store", file).wants(t, 0, "(done)")
	s := listed(t, file, "--text", "byron", "--kind", "persona_interview", "--state", store.Ended)
	if s.Name != "Ada Byron" || s.Identity != "console" || s.Locale != "en" || s.Definition == "" || s.Reason != "done" || s.Began.IsZero() || s.Ended.Before(s.Began) {
		t.Errorf("%+v", s)
	}
	viva(t, nobody(), "report", s.ID, "--store", file, "--format", "md").wants(t, 0, "# ", "Ada Byron")

	db, err := store.Open(t.Context(), file, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	sessions, _, err := db.Expired(t.Context(), s.Ended.Add(time.Second)) // not only when it is a day old
	if err := errors.Join(err, db.Close()); err != nil || sessions != 1 {
		t.Errorf("%d interviews would be purged, %v", sessions, err)
	}
	viva(t, nobody(), "sessions", "purge", "--older-than", "1ms", "--store", file).wants(t, 0, "1 interviews and 0 recordings deleted")
	viva(t, nobody(), "report", s.ID, "--store", file).wants(t, exitFailure, "has no session")
}

// R004-65a: its answers are judged with those of other interviews, also where the input ended early; a candidate deletes them.
func TestConsoleInterviewIsEvaluated(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "viva.db")
	input := "Yes.\nI go through the list once and keep a hash map of what I have seen.\nThat takes linear time, O(n), and linear space.\n"
	viva(t, strings.NewReader(input), "console", "--interview", "evaluation", "--identity", "ada", "--store", file).wants(t, 0)
	if s := listed(t, file); s.State != store.Ended || s.Identity != "ada" || s.Kind != "evaluation" {
		t.Errorf("%+v", s)
	}
	viva(t, nobody(), "evaluate", "--sessions", file, "--out", filepath.Join(dir, "out.csv")).wants(t, 0, "1 sessions, 0 of them left out; 1 answers")
	viva(t, nobody(), "sessions", "delete", "--identity", "ada", "--store", file).wants(t, 0, "1 interviews and 0 recordings deleted")
}

// watched is an output that tells when a text was printed.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	want string
	seen chan struct{} // closed when want was printed
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := strings.Contains(w.text.String(), w.want)
	n, err := w.text.Write(p)
	if !before && strings.Contains(w.text.String(), w.want) {
		close(w.seen)
	}
	return n, err
}

// However an interview in a terminal ends, it is over in the store, with who it was held with.
func TestConsoleInterviewThatWasCutShortIsKept(t *testing.T) {
	setting(t)
	for name, end := range map[string]struct {
		how    func(t *testing.T, in io.Closer)
		reason string
	}{
		"the input ended": {func(_ *testing.T, in io.Closer) { _ = in.Close() }, "input ended"},
		"Ctrl-C":          {func(t *testing.T, _ io.Closer) { raise(t, syscall.SIGINT) }, "shutdown"},
		"window closed":   {func(t *testing.T, _ io.Closer) { raise(t, syscall.SIGHUP) }, "shutdown"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "viva.db")
			in, typed := io.Pipe()
			defer func() { _ = typed.Close() }() // ends what still reads
			out := &watched{want: "one strength", seen: make(chan struct{})}
			code := make(chan int, 1)
			go func() {
				args := []string{"viva", "console", "--name", "Ada", "--store", file}
				code <- run(context.WithoutCancel(t.Context()), args, in, out, io.Discard)
			}()
			if _, err := io.WriteString(typed, "Hi, my name is Ada and I am a baker\n"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-out.seen:
			case <-time.After(processLimit):
				t.Fatal("no question")
			}
			end.how(t, typed)
			if got := <-code; got != 0 {
				t.Errorf("exit code %d", got)
			}
			if s := listed(t, file); s.State != store.Ended || s.Reason != end.reason || s.Name != "Ada" || s.Kind != "two_stage" || s.Ended.IsZero() {
				t.Errorf("%+v", s)
			}
			viva(t, nobody(), "sessions", "purge", "--older-than", "1ms", "--store", file).wants(t, 0, "1 interviews")
		})
	}
}

func raise(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		t.Fatal(err)
	}
}

// What an interview that could not go on leaves is over as well, unless it was deleted while it was held: then nothing of it
// comes back.
func TestConsoleInterviewThatFailed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "viva.db")
	kept, err := openKeeping(t.Context(), &settings.Settings{Store: settings.Store{URL: settings.Secret(file)}}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.close(zap.NewNop())
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(agent.Metadata{})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(id string) state.Journal {
		t.Helper()
		j, err := kept.begin(t.Context(), iv, &engine.Started{Session: id, Candidate: state.Candidate{Name: "Ada", Identity: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	begin("failed")
	if err := kept.end(t.Context(), "failed", "", errors.New("the disk is full")); err != nil {
		t.Fatal(err)
	}
	if s, err := kept.database.Session(t.Context(), "failed"); err != nil || s.State != store.Failed || s.Reason != "failed" || s.Name != "Ada" {
		t.Errorf("%+v, %v", s, err)
	}
	deleted := begin("deleted")
	if _, err := kept.database.Delete(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	lost := deleted.Append(state.Entry{Seq: 1, Type: "turn"})
	if err := kept.end(t.Context(), "deleted", "", lost); err != nil || !errors.Is(lost, store.ErrNoSession) {
		t.Errorf("%v, %v", lost, err)
	}
	if s, err := kept.database.Session(t.Context(), "deleted"); !errors.Is(err, store.ErrNoSession) {
		t.Errorf("it came back: %+v, %v", s, err)
	}
}

// Simulated interviews are kept in a folder, and nowhere among those of candidates.
func TestSimulateKeepsNothingInADatabase(t *testing.T) {
	setting(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "kept")
	viva(t, strings.NewReader(answers), "console", "--store", file).wants(t, 0)
	secret := "a-password-that-nobody-may-ever-see"
	for _, where := range []string{file, "dir:" + file, filepath.Join(dir, "new.db"), "sqlite:" + filepath.Join(dir, "new"), "postgres://ada:" + secret + "@127.0.0.1:1/viva"} {
		o := viva(t, nobody(), "simulate", "two_stage", "--journal", where)
		o.wants(t, exitFailure, "--journal ", "name a folder")
		if strings.Contains(o.errs, secret) {
			t.Error("the password was told")
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 || strings.Contains(files[len(files)-1].Name(), "new") {
		t.Errorf("%v, %v", files, err)
	}
	viva(t, nobody(), "simulate", "two_stage", "--journal", "dir:"+filepath.Join(dir, "journals")).wants(t, 0)
	if found, err := filepath.Glob(filepath.Join(dir, "journals", "*.jsonl")); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}
