package speak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/vivavoice/viva/pipeline/tts"
)

// Cache is a tts.Synthesizer that keeps fixed sentences ready, so that a greeting starts at once. Only what Prefetch asked
// for is kept, least recently used first out; everything else goes to the engine. It is safe for concurrent use and may
// serve many sessions.
type Cache struct {
	engine tts.Synthesizer
	limit  int

	mu      sync.Mutex
	entries map[tts.Request]*entry // by key
	clock   uint64                 // counts uses
	bytes   int
}

var _ tts.Synthesizer = (*Cache)(nil)

// NewCache returns a cache in front of engine that holds at most limit bytes of sound.
func NewCache(engine tts.Synthesizer, limit int) *Cache {
	return &Cache{engine: engine, limit: limit, entries: make(map[tts.Request]*entry)}
}

// Synthesize returns the kept sound, also while it is still being fetched, or asks the engine.
func (c *Cache) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if e := c.find(r); e != nil {
		if err := e.opened(ctx.Done()); err == nil {
			return &replay{stop: ctx.Done(), entry: e}, nil
		}
	}
	return c.engine.Synthesize(ctx, r)
}

// Prefetch cuts the texts into clauses, as a Chunker does, and synthesises those that are not kept, with the voice, language,
// speed and fixedness of like. It goes on after an error and returns all errors joined.
func (c *Cache) Prefetch(ctx context.Context, like tts.Request, texts ...string) error {
	var errs []error
	for _, text := range texts {
		for _, clause := range Clauses(text) {
			r := like
			r.Text = clause.Text
			if err := c.prefetch(ctx, r); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// key names the sound of a request: who may keep it makes no difference to it.
func key(r tts.Request) tts.Request {
	r.Fixed = false
	return r
}

func (c *Cache) prefetch(ctx context.Context, r tts.Request) error {
	e, isNew := c.reserve(r)
	if !isNew {
		return nil
	}
	if err := e.fill(ctx, c.engine, r, c.limit); err != nil {
		c.drop(r)
		return fmt.Errorf("prefetch voice: %w", err)
	}
	c.keep(e)
	return nil
}

func (c *Cache) find(r tts.Request) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key(r)]
	if e != nil {
		c.touchLocked(e)
	}
	return e
}

func (c *Cache) touchLocked(e *entry) {
	c.clock++
	e.used = c.clock
}

// reserve adds an empty entry unless there is one, so that each sentence is fetched once.
func (c *Cache) reserve(r tts.Request) (e *entry, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key(r)]; ok {
		return e, false
	}
	e = &entry{changed: make(chan struct{})}
	c.touchLocked(e)
	c.entries[key(r)] = e
	return e, true
}

func (c *Cache) drop(r tts.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key(r))
}

// keep counts a complete entry and makes room for it. Entries still being fetched are neither counted nor dropped.
func (c *Cache) keep(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.counted = 2 * len(e.pcm)
	c.bytes += e.counted
	for c.bytes > c.limit {
		oldest := c.oldestLocked()
		c.bytes -= c.entries[oldest].counted
		delete(c.entries, oldest)
	}
}

// oldestLocked returns the complete entry used least recently. A walk over all is cheap: the cache holds some dozens.
func (c *Cache) oldestLocked() (oldest tts.Request) {
	used := uint64(math.MaxUint64)
	for r, e := range c.entries {
		if e.counted > 0 && e.used < used {
			oldest, used = r, e.used
		}
	}
	return oldest
}

// errTooLong ends the fetching of a sentence that alone is larger than the cache.
var errTooLong = errors.New("sound is larger than the cache")

// entry is the sound of one request, growing while it is fetched.
type entry struct {
	used    uint64 // guarded by Cache.mu
	counted int    // bytes in Cache.bytes, 0 until complete; guarded by Cache.mu

	mu      sync.Mutex
	rate    int // 0 until the engine has answered
	pcm     []int16
	done    bool
	err     error
	changed chan struct{} // closed and replaced by fill whenever something above changed
}

// fill fetches the sound; it is called once.
func (e *entry) fill(ctx context.Context, engine tts.Synthesizer, r tts.Request, limit int) error {
	err := e.read(ctx, engine, r, limit)
	e.change(func() { e.done, e.err = true, err })
	return err
}

func (e *entry) read(ctx context.Context, engine tts.Synthesizer, r tts.Request, limit int) (err error) {
	sound, err := engine.Synthesize(ctx, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sound.Close()) }()
	e.change(func() { e.rate = sound.Rate() })
	buf := make([]int16, sound.Rate()/10)
	for total := 0; ; {
		n, err := sound.Read(buf)
		if total += 2 * n; total > limit {
			return errTooLong
		}
		if n > 0 {
			e.change(func() { e.pcm = append(e.pcm, buf[:n]...) })
		}
		switch {
		case errors.Is(err, io.EOF) && total == 0:
			return ErrNoAudio
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (e *entry) change(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
	close(e.changed)
	e.changed = make(chan struct{})
}

// opened waits until the engine has answered, and returns its error.
func (e *entry) opened(stop <-chan struct{}) error {
	return e.wait(stop, func() bool { return e.rate > 0 })
}

// wait blocks until ready, which runs under the lock, until the sound ended, whose error it returns, or until stop.
func (e *entry) wait(stop <-chan struct{}, ready func() bool) error {
	for {
		e.mu.Lock()
		ok, done, err, changed := ready(), e.done, e.err, e.changed
		e.mu.Unlock()
		if ok {
			return nil
		}
		if done {
			return err
		}
		select {
		case <-changed:
		case <-stop:
			return fmt.Errorf("wait for cached voice: %w", context.Canceled)
		}
	}
}

// replay reads an entry from its start.
type replay struct {
	stop  <-chan struct{} // closed when the context given to Synthesize is cancelled
	entry *entry
	at    int
}

// Rate is the engine's rate in Hz.
func (r *replay) Rate() int { return r.entry.rate }

// Read copies the next samples, waiting for them while the sound is being fetched.
func (r *replay) Read(pcm []int16) (int, error) {
	n := 0
	err := r.entry.wait(r.stop, func() bool {
		n = copy(pcm, r.entry.pcm[r.at:])
		return n > 0 || len(pcm) == 0
	})
	r.at += n
	if err == nil && n == 0 && len(pcm) > 0 {
		return 0, io.EOF
	}
	return n, err
}

// Close does nothing: the sound belongs to the cache.
func (r *replay) Close() error { return nil }
