package speak

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/tts"
)

func TestCacheServesWhatWasPrefetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		e.first = 300 * time.Millisecond
		c := NewCache(e, 1<<20)
		if err := c.Prefetch(t.Context(), tts.Request{Voice: "v"}, talk, talk); err != nil {
			t.Fatal(err)
		}
		if want := texts(Clauses(talk)); !cmp.Equal(e.requests(), want) {
			t.Errorf("prefetched %q, want each clause once", e.requests())
		}
		began := time.Now()
		r := speaker(t, c).Speak(t.Context(), Utterance{Generation: 1, Voice: "v"}, said(talk))
		if !r.Complete || !r.FirstAudio.Equal(began) {
			t.Errorf("result %+v", r)
		}
		other := speaker(t, c).Speak(t.Context(), Utterance{Generation: 1, Voice: "w"}, said("Another voice is not kept."))
		if !other.Complete || len(e.requests()) != 4 {
			t.Errorf("another voice: %+v after %q", other, e.requests())
		}
	})
}

func TestCacheIsReadWhileItFills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		e.first = 300 * time.Millisecond
		c := NewCache(e, 1<<20)
		fetched := make(chan error, 1)
		go func() { fetched <- c.Prefetch(t.Context(), tts.Request{}, "Good morning to you.") }()
		synctest.Wait()
		began := time.Now()
		r := speaker(t, c).Speak(t.Context(), Utterance{Generation: 1}, said("Good morning to you."))
		if !r.Complete || r.FirstAudio.Sub(began) != e.first || len(e.requests()) != 1 {
			t.Errorf("result %+v, asked %q", r, e.requests())
		}
		if err := <-fetched; err != nil {
			t.Error(err)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		one := 2 * e.samples(20*e.perLetter) // bytes of a sentence of 20 letters
		c := NewCache(e, 2*one)
		sentences := []string{"This is sentence one", "This is sentence two", "This is sentence 003"}
		if err := c.Prefetch(t.Context(), tts.Request{}, sentences...); err != nil {
			t.Fatal(err)
		}
		if c.bytes != 2*one || len(c.entries) != 2 || c.find(tts.Request{Text: sentences[0]}) != nil {
			t.Errorf("%d bytes in %d entries", c.bytes, len(c.entries))
		}
		if err := c.Prefetch(t.Context(), tts.Request{}, strings.Repeat("endless ", 20)); !errors.Is(err, errTooLong) {
			t.Errorf("a sentence larger than the cache: %v", err)
		}
		e.fail = map[string]error{"This one will fail": errors.New("down")}
		if err := c.Prefetch(t.Context(), tts.Request{}, "This one will fail"); err == nil || len(c.entries) != 2 {
			t.Errorf("after a failure: %v, %d entries", err, len(c.entries))
		}
	})
}

// A sentence is prefetched as fixed and asked for by somebody who does not know that it is, or the other way round.
func TestCacheServesFixedOrNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, prefetched := range []bool{true, false} {
			e := newEngine()
			c := NewCache(e, 1<<20)
			if err := c.Prefetch(t.Context(), tts.Request{Fixed: prefetched}, "Good morning."); err != nil {
				t.Fatal(err)
			}
			for _, asked := range []bool{true, false} {
				sound, err := c.Synthesize(t.Context(), tts.Request{Text: "Good morning.", Fixed: asked})
				if err != nil {
					t.Fatal(err)
				}
				if err := sound.Close(); err != nil || len(e.requests()) != 1 {
					t.Errorf("prefetched %v, asked %v: engine asked %d times, %v", prefetched, asked, len(e.requests()), err)
				}
			}
		}
	})
}
