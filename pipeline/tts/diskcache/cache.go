package diskcache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/tts"
)

// DefaultLimit is how much a directory holds, in bytes: some twenty minutes of speech at 24 kHz.
const DefaultLimit = 64 << 20

// Voice is what, besides the request, decides how a sentence sounds.
type Voice struct {
	Engine string // the provider, with its address where one can be chosen
	Model  string
	Name   string // of the voice for requests that name none
	// Rate is the engine's sample rate in Hz. Sound at another rate is not stored.
	Rate int
}

// Options configure a Cache. Dir and Voice are required.
type Options struct {
	Dir   string // made when the first sound is stored
	Limit int64  // bytes of all files together; 0 means DefaultLimit
	Voice Voice
	Now   func() time.Time // nil means time.Now
	// Logger is optional. Texts are not logged.
	Logger *zap.Logger
}

// Cache is a tts.Synthesizer that asks the engine only for what is not kept.
type Cache struct {
	engine  tts.Synthesizer
	voice   Voice
	store   *store
	log     *zap.Logger
	trouble atomic.Bool // the disk has failed before: it is warned of once
}

var _ tts.Synthesizer = (*Cache)(nil)

// New returns a cache in front of engine. It does not touch the disk yet.
func New(engine tts.Synthesizer, o Options) (*Cache, error) {
	if engine == nil || o.Dir == "" || o.Voice.Engine == "" || o.Voice.Rate <= 0 {
		return nil, errors.New("a cache of speech needs an engine, its name and rate, and a directory")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return &Cache{
		engine: engine, voice: o.Voice, log: o.Logger,
		store: &store{dir: o.Dir, limit: cmp.Or(o.Limit, DefaultLimit), now: o.Now},
	}, nil
}

// Synthesize returns the kept sound of a fixed request, all of it at once, or asks the engine.
func (c *Cache) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if !r.Fixed {
		return c.engine.Synthesize(ctx, r)
	}
	k := c.voice.key(r)
	kept, err := c.store.load(k)
	if err != nil {
		c.failed("read", err)
	}
	if kept != nil && kept.rate == c.voice.Rate {
		return kept, nil
	}
	sound, err := c.engine.Synthesize(ctx, r)
	if err != nil || sound.Rate() != c.voice.Rate {
		return sound, err
	}
	return &recording{Audio: sound, cache: c, key: k}, nil
}

// failed reports that the disk does not do its part, the first time as a warning: speech goes on without it.
func (c *Cache) failed(what string, err error) {
	if c.trouble.Swap(true) {
		c.log.Debug("voice.cache_failed", zap.String("step", what), zap.Error(err))
		return
	}
	c.log.Warn("voice.cache_failed", zap.String("step", what), zap.Error(err))
}

// key is the digest of everything that decides how a request sounds. Each part is led by its length, so that no two requests
// can run together into one.
type key [sha256.Size]byte

func (v Voice) key(r tts.Request) key {
	var b []byte
	for _, part := range []string{v.Engine, v.Model, cmp.Or(r.Voice, v.Name), r.Language, r.Text} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(cmp.Or(r.Speed, 1)))
	b = binary.LittleEndian.AppendUint64(b, uint64(v.Rate))
	return sha256.Sum256(b)
}

func (k key) file() string { return hex.EncodeToString(k[:]) + suffix }

// recording passes an engine's sound on and remembers it.
type recording struct {
	tts.Audio
	cache    *Cache
	key      key
	pcm      []int16
	tooLong  bool
	complete bool // read to its end
	closed   bool
}

// Read is the engine's.
func (r *recording) Read(pcm []int16) (int, error) {
	n, err := r.Audio.Read(pcm)
	r.complete = r.complete || errors.Is(err, io.EOF)
	if r.tooLong = r.tooLong || fileSize(len(r.pcm)+n) > r.cache.store.limit; r.tooLong {
		r.pcm = nil
		return n, err
	}
	r.pcm = append(r.pcm, pcm[:n]...)
	return n, err
}

// Close stores the sound if it was read to its end.
func (r *recording) Close() error {
	err := r.Audio.Close()
	if r.closed {
		return err
	}
	r.closed = true
	if r.complete && len(r.pcm) > 0 {
		if err := r.cache.store.save(r.key, &sound{rate: r.Rate(), pcm: r.pcm}); err != nil {
			r.cache.failed("store", err)
		}
	}
	r.pcm = nil
	return err
}

// sound is speech in memory; as a tts.Audio it is read once.
type sound struct {
	rate int
	pcm  []int16
}

var _ tts.Audio = (*sound)(nil)

// Rate is that of the engine which spoke it.
func (s *sound) Rate() int { return s.rate }

// Read copies the next samples; it never waits.
func (s *sound) Read(pcm []int16) (int, error) {
	if len(s.pcm) == 0 {
		return 0, io.EOF
	}
	n := copy(pcm, s.pcm)
	s.pcm = s.pcm[n:]
	return n, nil
}

// Close does nothing: the sound is in memory.
func (s *sound) Close() error { return nil }
