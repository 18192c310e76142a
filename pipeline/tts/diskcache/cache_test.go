package diskcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/pipeline/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// voice is an engine that speaks each letter as a sample, and then ends with end.
type voice struct {
	rate int
	end  error

	mu    sync.Mutex
	asked []string
}

func newVoice() *voice { return &voice{rate: 24000, end: io.EOF} }

func (v *voice) Synthesize(_ context.Context, r tts.Request) (tts.Audio, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = append(v.asked, r.Text)
	return &spoken{voice: v, left: spell(r.Text)}, nil
}

func (v *voice) requests() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.asked)
}

type spoken struct {
	voice *voice
	left  []int16
}

func (s *spoken) Rate() int { return s.voice.rate }

func (s *spoken) Read(pcm []int16) (int, error) {
	if len(s.left) == 0 {
		return 0, s.voice.end
	}
	n := copy(pcm, s.left)
	s.left = s.left[n:]
	return n, nil
}

func (s *spoken) Close() error { return nil }

func spell(text string) (pcm []int16) {
	for i, b := range []byte(text) {
		pcm = append(pcm, int16(b)<<7-int16(i))
	}
	return pcm
}

func open(t *testing.T, engine tts.Synthesizer, change func(*Options)) *Cache {
	t.Helper()
	o := Options{Dir: t.TempDir(), Voice: Voice{Engine: "e", Model: "m", Name: "v", Rate: 24000}}
	if change != nil {
		change(&o)
	}
	c, err := New(engine, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say reads a request to its end, or to the first error, and returns the sound.
func say(t *testing.T, c *Cache, r tts.Request) (pcm []int16, err error) {
	t.Helper()
	sound, err := c.Synthesize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for range 2 { // closing is idempotent
			if err := sound.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	if sound.Rate() == 0 {
		t.Error("no rate")
	}
	for buf := make([]int16, 7); ; {
		n, err := sound.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, nil
		}
		if err != nil {
			return pcm, err
		}
	}
}

// files are the names in the directory.
func files(t *testing.T, c *Cache) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(c.store.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func fixed(text string) tts.Request { return tts.Request{Text: text, Fixed: true} }

func TestFixedSentenceIsSynthesisedOnce(t *testing.T) {
	engine := newVoice()
	first := open(t, engine, nil)
	for i, c := range []*Cache{first, first, open(t, engine, func(o *Options) { o.Dir = first.store.dir })} {
		pcm, err := say(t, c, fixed("Good morning to you."))
		if diff := cmp.Diff(spell("Good morning to you."), pcm); diff != "" || err != nil {
			t.Errorf("time %d: %v, %s", i, err, diff)
		}
	}
	if engine.requests() != 1 || len(files(t, first)) != 1 {
		t.Errorf("asked %d times, keeps %q", engine.requests(), files(t, first))
	}
}

// What is not fixed may hold a candidate's words: it never reaches the disk, and neither does a text in a file's name.
func TestOnlyFixedSentencesReachTheDisk(t *testing.T) {
	engine := newVoice()
	c := open(t, engine, func(o *Options) { o.Dir = filepath.Join(o.Dir, "not", "yet") })
	for range 2 {
		if _, err := say(t, c, tts.Request{Text: "You told me of Ada."}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(c.store.dir); !errors.Is(err, os.ErrNotExist) || engine.requests() != 2 {
		t.Errorf("directory: %v, asked %d times", err, engine.requests())
	}
	if _, err := say(t, c, fixed("secret")); err != nil {
		t.Fatal(err)
	}
	names := files(t, c)
	if len(names) != 1 || strings.Contains(names[0], "secret") {
		t.Errorf("keeps %q", names)
	}
	if info, err := os.Stat(c.store.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info, err)
	}
}

func TestKeyHoldsAllThatDecidesTheSound(t *testing.T) {
	base := tts.Request{Text: "Hello.", Voice: "v", Language: "en", Speed: 1.5}
	v := Voice{Engine: "e", Model: "m", Name: "n", Rate: 24000}
	seen := map[key]string{v.key(base): "base"}
	different := map[string]key{
		"text":     v.key(tts.Request{Text: "Hello!", Voice: "v", Language: "en", Speed: 1.5}),
		"voice":    v.key(tts.Request{Text: "Hello.", Voice: "w", Language: "en", Speed: 1.5}),
		"language": v.key(tts.Request{Text: "Hello.", Voice: "v", Language: "de", Speed: 1.5}),
		"speed":    v.key(tts.Request{Text: "Hello.", Voice: "v", Language: "en"}),
		"shifted":  v.key(tts.Request{Text: "nHello.", Voice: "v", Language: "e", Speed: 1.5}),
		"engine":   Voice{Engine: "x", Model: "m", Name: "n", Rate: 24000}.key(base),
		"model":    Voice{Engine: "e", Model: "x", Name: "n", Rate: 24000}.key(base),
		"rate":     Voice{Engine: "e", Model: "m", Name: "n", Rate: 16000}.key(base),
		"default":  v.key(tts.Request{Text: "Hello.", Language: "en", Speed: 1.5}),
	}
	for name, k := range different {
		if other, ok := seen[k]; ok {
			t.Errorf("another %s has the key of %s", name, other)
		}
		seen[k] = name
	}
	if v.key(tts.Request{Text: "a", Speed: 1}) != v.key(tts.Request{Text: "a", Voice: "n", Fixed: true}) {
		t.Error("defaults written out have another key")
	}
}

func TestDamagedFileIsRemoved(t *testing.T) {
	whole := encode(fixedKey("Hello."), &sound{24000, spell("Hello.")})
	flipped := slices.Clone(whole)
	flipped[len(flipped)-3] ^= 1
	rate := slices.Clone(whole)
	rate[8]++
	for name, content := range map[string][]byte{
		"empty": nil, "cut short": whole[:len(whole)-2], "header alone": whole[:headerSize], "one bit": flipped, "another rate": rate,
		"too long": append(slices.Clone(whole), 0, 0), "noise": []byte(strings.Repeat("noise", 40)),
		"another sentence's": encode(fixedKey("Goodbye."), &sound{24000, spell("Goodbye.")}),
		"too large to read":  make([]byte, 2000),
	} {
		t.Run(name, func(t *testing.T) {
			engine := newVoice()
			c := open(t, engine, func(o *Options) { o.Limit = 1000 })
			path := filepath.Join(c.store.dir, fixedKey("Hello.").file())
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			engine.end = errors.New("engine is down") // so that nothing is stored in its place
			if pcm, err := say(t, c, fixed("Hello.")); !errors.Is(err, engine.end) || !slices.Equal(pcm, spell("Hello.")) {
				t.Errorf("got %v, %v", pcm, err)
			}
			if left := files(t, c); len(left) > 0 {
				t.Errorf("left %q", left)
			}
			engine.end = io.EOF
			for range 2 {
				if pcm, err := say(t, c, fixed("Hello.")); err != nil || !slices.Equal(pcm, spell("Hello.")) {
					t.Errorf("got %v, %v", pcm, err)
				}
			}
			if engine.requests() != 2 {
				t.Errorf("asked %d times", engine.requests())
			}
		})
	}
}

func fixedKey(text string) key {
	return Voice{Engine: "e", Model: "m", Name: "v", Rate: 24000}.key(tts.Request{Text: text})
}

func TestUnfinishedSoundIsNotStored(t *testing.T) {
	broken := newVoice()
	broken.end = io.ErrUnexpectedEOF
	c := open(t, broken, nil)
	if _, err := say(t, c, fixed("Hello.")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	engine := newVoice()
	c.engine = engine
	cut, err := c.Synthesize(t.Context(), fixed("Hello."))
	if err != nil {
		t.Fatal(err)
	}
	_, readErr := cut.Read(make([]int16, 3))
	if err := errors.Join(readErr, cut.Close()); err != nil {
		t.Fatal(err)
	}
	engine.rate = 8000
	if _, err := say(t, c, fixed("Hello.")); err != nil {
		t.Fatal(err)
	}
	engine.rate = 24000
	if _, err := say(t, c, fixed("")); err != nil {
		t.Fatal(err)
	}
	if left := files(t, c); len(left) > 0 {
		t.Errorf("stored %q", left)
	}
}

// TestLeastRecentlyUsedGo: with room for three, using the first one again costs the second.
func TestLeastRecentlyUsedGo(t *testing.T) {
	engine := newVoice()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := open(t, engine, func(o *Options) {
		o.Limit = 3*fileSize(10) + 1
		o.Now = func() time.Time { return now }
	})
	note := filepath.Join(c.store.dir, "note.txt")
	if err := os.WriteFile(note, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"sentence 1", "sentence 2", "sentence 3", "sentence 1", "sentence 4"} {
		now = now.Add(time.Second)
		if _, err := say(t, c, fixed(text)); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]bool{"sentence 1": true, "sentence 2": false, "sentence 3": true, "sentence 4": true} {
		_, err := os.Stat(filepath.Join(c.store.dir, fixedKey(text).file()))
		if kept := err == nil; kept != want {
			t.Errorf("%s kept: %v, want %v", text, kept, want)
		}
	}
	if _, err := os.Stat(note); err != nil {
		t.Error("a file that is not the cache's was removed")
	}
	if _, err := say(t, c, fixed(strings.Repeat("endless ", 100))); err != nil || len(files(t, c)) != 4 {
		t.Errorf("a sentence larger than the cache: %v, then %q", err, files(t, c))
	}
}

func TestLeftoversOfDeadProcessesGo(t *testing.T) {
	c := open(t, newVoice(), nil)
	old, young := filepath.Join(c.store.dir, partial+"1"), filepath.Join(c.store.dir, partial+"2")
	for path, age := range map[string]time.Duration{old: 2 * abandoned, young: abandoned / 2} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := say(t, c, fixed("Hello.")); err != nil {
		t.Fatal(err)
	}
	if left := files(t, c); slices.Contains(left, filepath.Base(old)) || !slices.Contains(left, filepath.Base(young)) {
		t.Errorf("left %q", left)
	}
}

// A disk that does not take part costs nothing but the saving, and one warning.
func TestDiskThatFails(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	engine := newVoice()
	c := open(t, engine, func(o *Options) {
		file := filepath.Join(o.Dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		o.Dir, o.Logger = filepath.Join(file, "voices"), zap.New(core)
	})
	for range 3 {
		if pcm, err := say(t, c, fixed("Hello.")); err != nil || !slices.Equal(pcm, spell("Hello.")) {
			t.Errorf("got %v, %v", pcm, err)
		}
	}
	if logs.FilterMessage("voice.cache_failed").Len() != 1 || engine.requests() != 3 {
		t.Errorf("warned %v, asked %d times", logs.All(), engine.requests())
	}
}

// Several processes are several caches on one directory: here they speak the same few sentences at once, in a directory too small
// for them, and each hears its sentence.
func TestSharedDirectory(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for p := range 4 {
		c := open(t, newVoice(), func(o *Options) { o.Dir, o.Limit = dir, 3*fileSize(10) })
		all.Go(func() {
			for i := range 60 {
				text := fmt.Sprintf("sentence %d", (i+p)%5)
				if pcm, err := say(t, c, fixed(text)); err != nil || !slices.Equal(pcm, spell(text)) {
					t.Errorf("%s: %v, %v", text, pcm, err)
				}
			}
			if c.trouble.Load() {
				t.Error("the disk failed")
			}
		})
	}
	all.Wait()
	if left := files(t, open(t, newVoice(), func(o *Options) { o.Dir = dir })); len(left) > 3 || len(left) == 0 {
		t.Errorf("left %q", left)
	}
}

func TestIncompleteOptionsAreRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"no directory": {Voice: Voice{Engine: "e", Rate: 1}}, "no engine": {Dir: "d", Voice: Voice{Rate: 1}}, "no rate": {Dir: "d", Voice: Voice{Engine: "e"}},
	} {
		if c, err := New(newVoice(), o); err == nil {
			t.Errorf("%s: got %v", name, c)
		}
	}
}

func TestFileHoldsAnySound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := key(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(r, "key"))
		in := &sound{rate: rapid.IntRange(1, 1<<20).Draw(r, "rate"), pcm: rapid.SliceOfN(rapid.Int16(), 1, 100).Draw(r, "pcm")}
		b := encode(k, in)
		if out := decode(k, b); out == nil || out.rate != in.rate || !slices.Equal(out.pcm, in.pcm) || int64(len(b)) != fileSize(len(in.pcm)) {
			t.Fatalf("got %+v from %+v", out, in)
		}
		b[rapid.IntRange(0, len(b)-1).Draw(r, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		if out := decode(k, b); out != nil {
			t.Fatalf("a flipped bit went unseen")
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(fixedKey("a"), &sound{24000, spell("a")}))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := decode(fixedKey("a"), b); s != nil && int64(len(b)) != fileSize(len(s.pcm)) {
			t.Errorf("%d samples from %d bytes", len(s.pcm), len(b))
		}
	})
}
