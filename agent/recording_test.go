package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/webrtc/v4/pkg/media/oggreader"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// shelf is an index of recordings.
type shelf struct {
	mu    sync.Mutex
	books map[string]store.Recording // guarded by mu
	saves int                        // guarded by mu
	fail  error                      // guarded by mu
}

func (s *shelf) SaveRecording(_ context.Context, r store.Recording) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if s.books == nil {
		s.books = make(map[string]store.Recording)
	}
	s.books[r.Path], s.saves = r, s.saves+1
	return nil
}

func (s *shelf) ForgetRecording(_ context.Context, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, path)
	return nil
}

func (s *shelf) Recordings(_ context.Context, session string) (all []store.Recording, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(s.books)) {
		if s.books[path].Session == session {
			all = append(all, s.books[path])
		}
	}
	return all, s.fail
}

func (s *shelf) failWith(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// deck is a recording in a folder of the test's, and two who talk.
type deck struct {
	*recording
	t      *testing.T
	folder string
	index  *shelf
	shown  []bool // belongs to the test's goroutine: read after synctest.Wait
	mu     sync.Mutex
	heard  int64 // samples of the microphone so far
}

func newDeck(t *testing.T) *deck {
	t.Helper()
	b := &deck{t: t, folder: t.TempDir(), index: &shelf{}}
	root, err := os.OpenRoot(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() }) // nothing to lose
	b.recording = &recording{
		o: &Recordings{Folder: root, Index: b.index}, tape: &tape{}, session: "AJ_one/two", show: b.mark, log: zap.NewNop(),
	}
	t.Cleanup(func() { b.close(context.Background()) })
	return b
}

func (b *deck) mark(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown = append(b.shown, on)
}

// marked reports whether the candidate is told that they are recorded.
func (b *deck) marked() bool {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.shown) > 0 && b.shown[len(b.shown)-1]
}

// talk has both sides speak for a while.
func (b *deck) talk(d time.Duration) {
	mic, voice := hum(audio.InputRate, audio.InputFrame), hum(audio.VoiceRate, audio.VoiceFrame)
	for range d / audio.FrameDuration {
		b.tape.interviewer(voice)
		time.Sleep(audio.FrameDuration)
		b.tape.candidate(mic, b.heard)
		b.heard += audio.InputFrame
	}
}

// hum is a frame of 400 Hz: whole periods, so that frames join.
func hum(rate, n int) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(9000 * math.Sin(2*math.Pi*400*float64(i)/float64(rate)))
	}
	return pcm
}

// files are the contents of the folder by path.
func (b *deck) files() map[string][]byte {
	b.t.Helper()
	found := make(map[string][]byte)
	err := fs.WalkDir(os.DirFS(b.folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found[path], err = os.ReadFile(filepath.Join(b.folder, path))
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// played is how long a file plays by an Ogg reader that is not ours; it checks the pages' sums.
func played(t *testing.T, data []byte) time.Duration {
	t.Helper()
	r, header, err := oggreader.NewWith(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if header.Channels != 2 {
		t.Errorf("%d channels", header.Channels)
	}
	last := uint64(0)
	for {
		_, page, err := r.ParseNextPage()
		if errors.Is(err, io.EOF) {
			return time.Duration(last-uint64(header.PreSkip)) * time.Second / 48000
		}
		if err != nil {
			t.Fatal(err)
		}
		last = page.GranulePosition
	}
}

var (
	agreed    = engine.Record{On: true, Consent: engine.ConsentSpoken}
	withdrawn = engine.Record{Consent: engine.ConsentPage}
)

// Issue 5: no byte is written, and nothing is in the index, before there is consent. With it both sides are kept, and the
// index and the report know where.
func TestNothingIsKeptBeforeConsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.talk(30 * time.Second)
		b.Record(withdrawn, 30_000)
		if len(b.files()) != 0 || b.index.saves != 0 || b.marked() || b.report() != nil {
			t.Fatalf("before consent: %d files, %d saves", len(b.files()), b.index.saves)
		}
		b.Record(agreed, 30_500)
		b.Record(agreed, 30_600) // twice changes nothing
		b.talk(60 * time.Second)
		if rec := b.report(); !b.marked() || rec == nil || rec.URL != "recording.ogg" || rec.Offset != 30_500 || rec.Duration < 57_000 || rec.Duration > 60_000 {
			t.Errorf("the report gets %+v", rec)
		}
		b.close(t.Context())
		b.talk(time.Second)
		files := b.files()
		if len(files) != 1 || len(b.index.books) != 1 {
			t.Fatalf("%d files, index %v", len(files), b.index.books)
		}
		for path, data := range files {
			if d := played(t, data); d != 60*time.Second {
				t.Errorf("it plays %v", d)
			}
			in := b.index.books[path]
			if in.Session != "AJ_one/two" || in.Consent != engine.ConsentSpoken || in.Bytes != int64(len(data)) || in.Duration != 60*time.Second {
				t.Errorf("the index says %+v of %d bytes", in, len(data))
			}
			if strings.Count(path, "/") != 1 || strings.Contains(path, "..") {
				t.Errorf("path %q", path)
			}
			if info, err := os.Stat(filepath.Join(b.folder, path)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others may read it: %v %v", info.Mode(), err)
			}
		}
		if rec := b.report(); b.marked() || rec == nil || rec.Duration != state.FromDuration(60*time.Second) {
			t.Errorf("at the end the report gets %+v, and the mark is %v", rec, b.marked())
		}
	})
}

// Consent that is taken back ends the recording at once and deletes what was kept. It may be given again.
func TestConsentTakenBackDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.Record(agreed, 0)
		b.talk(10 * time.Second)
		if len(b.files()) != 1 {
			t.Fatal("nothing was kept")
		}
		b.Record(withdrawn, 10_000)
		if b.marked() || len(b.files()) != 0 || len(b.index.books) != 0 || b.report() != nil {
			t.Errorf("left: %d files, index %v, report %+v", len(b.files()), b.index.books, b.report())
		}
		b.talk(5 * time.Second)
		if len(b.files()) != 0 {
			t.Error("it goes on")
		}
		b.Record(engine.Record{On: true, Consent: engine.ConsentPage}, 15_000)
		b.talk(5 * time.Second)
		if !b.marked() {
			t.Error("the mark does not come back")
		}
		b.close(t.Context())
		for path, data := range b.files() {
			if d := played(t, data); d != 5*time.Second || b.index.books[path].Consent != engine.ConsentPage {
				t.Errorf("%s: %v, %+v", path, d, b.index.books[path])
			}
		}
		if rec := b.report(); rec == nil || rec.Offset != 15_000 {
			t.Errorf("the report gets %+v", rec)
		}
	})
}

// Who is deleted while the interview goes on is not recorded any more, and what was kept goes.
func TestADeletedSessionIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.Record(agreed, 0)
		b.talk(5 * time.Second)
		b.index.failWith(store.ErrNoSession)
		b.talk(40 * time.Second)
		if b.marked() || len(b.files()) != 0 {
			t.Errorf("marked %v, %d files", b.marked(), len(b.files()))
		}
	})
}

// What goes wrong ends the recording and nothing else: no index, no folder; and an index that is away for a while is no reason.
func TestWhatGoesWrongEndsOnlyTheRecording(t *testing.T) {
	away := errors.New("the database is away")
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.index.failWith(away)
		b.Record(agreed, 0)
		b.talk(5 * time.Second)
		if b.marked() || len(b.files()) != 0 {
			t.Errorf("without an index: marked %v, %d files", b.marked(), len(b.files()))
		}
		b.close(t.Context())
	})
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		if err := os.WriteFile(filepath.Join(b.folder, time.Now().UTC().Format("2006-01")), nil, 0o600); err != nil { // in the folder's place
			t.Fatal(err)
		}
		b.Record(agreed, 0)
		b.talk(5 * time.Second)
		if b.marked() || len(b.index.books) != 0 {
			t.Errorf("without a folder: marked %v, index %v", b.marked(), b.index.books)
		}
		b.close(t.Context())
	})
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.Record(agreed, 0)
		b.talk(5 * time.Second)
		b.index.failWith(away)
		b.talk(60 * time.Second)
		b.index.failWith(nil)
		b.talk(5 * time.Second)
		if !b.marked() {
			t.Error("it gave up")
		}
		b.close(t.Context())
		for path, data := range b.files() {
			if d := played(t, data); d != 70*time.Second || b.index.books[path].Duration != d {
				t.Errorf("it plays %v; the index says %+v", d, b.index.books[path])
			}
		}
	})
}

// successor is the recording of a worker that takes the session up.
func (b *deck) successor(inherit bool) *recording {
	again := &recording{o: b.o, tape: &tape{}, session: b.session, show: b.mark, log: zap.NewNop(), inherit: inherit}
	b.tape, b.heard = again.tape, 0
	return again
}

// R002-59, RX-18: a session that another worker takes up goes on in its file, and the report's times still fit it. A new
// session of the same name does not: what is there stays, and there is another file.
func TestASessionThatIsTakenUpGoesOnInItsFile(t *testing.T) {
	for _, inherit := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newDeck(t)
			b.Record(agreed, 2000)
			b.talk(10 * time.Second)
			if err := b.now.recorder.Discard(t.Context()); err != nil { // the worker dies
				t.Fatal(err)
			}
			time.Sleep(20 * time.Second)
			again := b.successor(inherit)
			again.Record(agreed, 32_000)
			b.talk(5 * time.Second)
			again.close(t.Context())
			files := b.files()
			if want := map[bool]int{true: 1, false: 2}[inherit]; len(files) != want || len(b.index.books) != want {
				t.Fatalf("%d files, index %v", len(files), b.index.books)
			}
			rec := again.report()
			if want := (map[bool][2]state.Millis{true: {2000, 35_000}, false: {32_000, 5000}})[inherit]; rec == nil || rec.Offset != want[0] || rec.Duration != want[1] {
				t.Errorf("the report gets %+v, want %v", rec, want)
			}
			for path, data := range files {
				if d := played(t, data); inherit && (d != 35*time.Second || b.index.books[path].Duration != d) {
					t.Errorf("it plays %v; the index says %+v", d, b.index.books[path])
				}
			}
		})
	}
}

// A worker that died while it deleted what was taken back leaves that to the next one.
func TestWhatWasTakenBackIsDeletedByTheNextWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDeck(t)
		b.Record(agreed, 0)
		b.talk(5 * time.Second)
		if err := b.now.recorder.Discard(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.successor(false).sweep(t.Context())
		if len(b.files()) != 0 || len(b.index.books) != 0 {
			t.Errorf("left: %d files, index %v", len(b.files()), b.index.books)
		}
	})
}

// The taps of a room that is not recorded, and of one that is, allocate nothing per frame.
func TestTapeDoesNotAllocate(t *testing.T) {
	b := newDeck(t)
	frame := hum(audio.VoiceRate, audio.VoiceFrame)
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	packet := make([]byte, 0, 2000)
	work := func() {
		b.tape.candidate(frame[:audio.InputFrame], 0)
		var err error
		if packet, err = (taped{encoder, b.tape}).Encode(packet[:0], frame); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(200, work); n != 0 {
		t.Errorf("%v allocations per frame without a recording", n)
	}
	b.Record(agreed, 0)
	if n := testing.AllocsPerRun(200, work); n > 0.5 { // the recorder's goroutine starts meanwhile
		t.Errorf("%v allocations per frame with one", n)
	}
}

func TestParseConsent(t *testing.T) {
	for payload, want := range map[string][2]bool{
		`{"recording":true}`: {true, true}, `{"recording":false}`: {false, true},
		``: {}, `{}`: {}, `{"recording":"yes"}`: {}, `{"recording":1}`: {}, `true`: {}, `{"recording":null}`: {}, `[`: {},
	} {
		if recording, ok := parseConsent([]byte(payload)); recording != want[0] || ok != want[1] {
			t.Errorf("%s: %v %v", payload, recording, ok)
		}
	}
}

// Consent from before counts only where sound can be kept: nobody is told that they are recorded and are not.
func TestConsentOfTheDispatch(t *testing.T) {
	for _, x := range []struct {
		metadata string
		can      bool
		want     string
	}{
		{`{"consent":{"recording":true}}`, true, engine.ConsentMetadata},
		{`{"consent":{"recording":true,"by":"page"}}`, true, engine.ConsentPage},
		{`{"consent":{"recording":true,"by":"spoken"}}`, true, engine.ConsentMetadata},
		{`{"consent":{"recording":true}}`, false, ""},
		{`{"consent":{"recording":false}}`, true, ""},
		{`{"consent":{}}`, true, ""},
		{`{}`, true, ""},
	} {
		m, err := ParseMetadata(x.metadata)
		if err != nil {
			t.Fatal(err)
		}
		a := &attendance{i: &Interviewer{}, meta: m}
		if x.can {
			a.i.o.Recordings = &Recordings{}
		}
		if got := a.agreed(); got != x.want {
			t.Errorf("%s, can record %v: %q, want %q", x.metadata, x.can, got, x.want)
		}
	}
	if _, err := ParseMetadata(`{"consent":{"recording":"yes"}}`); err == nil {
		t.Error("a word is taken for consent")
	}
}
