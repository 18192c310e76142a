package speak

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine is a voice that takes perLetter of sound for each byte of text.
type engine struct {
	rate      int
	perLetter time.Duration
	lead      time.Duration // silence in front
	first     time.Duration // wait before the first sample
	fail      map[string]error

	mu    sync.Mutex
	asked []string
	open  int
}

func newEngine() *engine { return &engine{rate: 16000, perLetter: 50 * time.Millisecond} }

func (e *engine) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, r.Text)
	if err := e.fail[r.Text]; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	e.open++
	s := &sound{stop: ctx.Done(), engine: e, silent: e.samples(e.lead), left: e.samples(e.lead + time.Duration(len(r.Text))*e.perLetter), end: io.EOF}
	if err := e.fail[r.Text]; err != nil {
		s.left, s.end = s.left/2, err
	}
	return s, nil
}

func (e *engine) samples(d time.Duration) int { return int(d * time.Duration(e.rate) / time.Second) }

func (e *engine) requests() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.asked...)
}

type sound struct {
	stop         <-chan struct{}
	engine       *engine
	silent, left int
	waited       bool
	end          error
}

func (s *sound) Rate() int { return s.engine.rate }

func (s *sound) Read(pcm []int16) (int, error) {
	if !s.waited {
		s.waited = true
		select {
		case <-time.After(s.engine.first):
		case <-s.stop:
			return 0, context.Canceled
		}
	}
	if s.left == 0 {
		return 0, s.end
	}
	n := min(len(pcm), s.left)
	for i := range n {
		pcm[i] = 8000
		if s.silent > 0 {
			pcm[i] = 0
			s.silent--
		}
	}
	s.left -= n
	return n, nil
}

func (s *sound) Close() error {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.engine.open--
	return nil
}

// clauseList is a source of clauses that are there already; after them comes end.
type clauseList struct {
	clauses []Clause
	end     error
}

func said(text string) *clauseList { return &clauseList{clauses: Clauses(text), end: io.EOF} }

func (l *clauseList) Next(ctx context.Context) (Clause, error) {
	if len(l.clauses) == 0 {
		if l.end == nil {
			<-ctx.Done()
			return Clause{}, ctx.Err()
		}
		return Clause{}, l.end
	}
	c := l.clauses[0]
	l.clauses = l.clauses[1:]
	return c, nil
}

type rawEncoder struct{}

func (rawEncoder) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 1), nil }

type nowhere struct{}

func (nowhere) WriteFrame([]byte, playout.FrameInfo) error { return nil }

func speaker(t *testing.T, e tts.Synthesizer) *Speaker {
	t.Helper()
	g, err := playout.New(playout.Options{Writer: nowhere{}, Encoder: rawEncoder{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &Speaker{TTS: e, Gate: g}
}

const talk = "Thank you for coming in today. Could you tell me about yourself? Please take all the time that you need."

func TestSpeakCompletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		s := speaker(t, e)
		began := time.Now()
		var words strings.Builder
		steps := 0
		r := s.Speak(t.Context(), Utterance{Generation: 1, OnWords: func(text string) { words.WriteString(text); steps++ }}, said(talk))
		if !r.FirstAudio.Equal(began) || !r.Complete || r.Cut || r.Err != nil {
			t.Errorf("result %+v", r)
		}
		if r.Text != talk || r.HeardText != talk || words.String() != talk {
			t.Errorf("text %q\nheard %q\nwords %q", r.Text, r.HeardText, words.String())
		}
		if want := time.Duration(len(talk)-2) * e.perLetter; r.Heard != want {
			t.Errorf("heard %v, want %v", r.Heard, want)
		}
		if n := len(strings.Fields(talk)); steps < n-2 {
			t.Errorf("%d words came in %d steps", n, steps)
		}
		if e.open != 0 {
			t.Errorf("%d sounds left open", e.open)
		}
	})
}

func TestWordsComeWithTheirSound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		s := speaker(t, e)
		began, heard := time.Now(), ""
		s.Speak(t.Context(), Utterance{Generation: 1, OnWords: func(text string) {
			heard += text
			if spoken := time.Since(began) + 20*time.Millisecond; spoken < time.Duration(len(heard)-2)*e.perLetter {
				t.Errorf("%q reported after %v", heard, spoken)
			}
		}}, said(talk))
	})
}

func TestCancelKeepsOnlyWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		s := speaker(t, e)
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled time.Time
		time.AfterFunc(2*time.Second, func() { cancelled = time.Now(); cancel() })
		r := s.Speak(ctx, Utterance{Generation: 1}, said(talk))
		if took := time.Since(cancelled); took > 20*time.Millisecond {
			t.Errorf("cancel took %v", took)
		}
		// 2 s of sound at 50 ms a letter are 40 letters: two words into the second sentence.
		if want := "Thank you for coming in today. Could you"; r.HeardText != want {
			t.Errorf("heard %q, want %q", r.HeardText, want)
		}
		if !r.Cut || r.Complete || r.Err != nil || !strings.HasPrefix(talk, r.Text) {
			t.Errorf("result %+v", r)
		}
		if e.open != 0 {
			t.Errorf("%d sounds left open", e.open)
		}
	})
}

func TestGateCancelEndsSpeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speaker(t, newEngine())
		time.AfterFunc(time.Second, func() { s.Gate.Cancel(1) })
		began := time.Now()
		r := s.Speak(t.Context(), Utterance{Generation: 1}, &clauseList{clauses: Clauses(talk)})
		if took := time.Since(began); took > 1020*time.Millisecond || !r.Cut || r.Err != nil {
			t.Errorf("ended after %v: %+v", took, r)
		}
		if r := s.Speak(t.Context(), Utterance{Generation: 1}, said(talk)); !errors.Is(r.Err, playout.ErrStale) || !r.Cut {
			t.Errorf("a cancelled generation was spoken: %+v", r)
		}
	})
}

func TestCancelBeforeAnySound(t *testing.T) {
	for name, src := range map[string]Source{"engine hangs": said(talk), "source hangs": &clauseList{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEngine()
				e.first = time.Hour
				s := speaker(t, e)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				r := s.Speak(ctx, Utterance{Generation: 1}, src)
				if took := time.Since(began); took != time.Second || !r.FirstAudio.IsZero() || r.HeardText != "" || r.Complete || !r.Cut {
					t.Errorf("after %v: %+v", took, r)
				}
			})
		})
	}
}

func TestEngineFailureIsReportedAfterWhatWasHeard(t *testing.T) {
	down := errors.New("engine is down")
	for name, err := range map[string]error{"before sound": down, "mid clause": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEngine()
				e.fail = map[string]error{"Could you tell me about yourself?": err}
				r := speaker(t, e).Speak(t.Context(), Utterance{Generation: 1}, said(talk))
				if !errors.Is(r.Err, err) || r.Complete || r.Cut || !strings.HasPrefix(r.HeardText, "Thank you for coming in today.") {
					t.Errorf("result %+v", r)
				}
				if r.Text != "Thank you for coming in today. Could you tell me about yourself?" || r.HeardText == r.Text {
					t.Errorf("text %q, heard %q", r.Text, r.HeardText)
				}
			})
		})
	}
}

func TestSourceFailureIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("model broke off")
		r := speaker(t, newEngine()).Speak(t.Context(), Utterance{Generation: 1}, &clauseList{clauses: Clauses("I see what you mean."), end: broken})
		if !errors.Is(r.Err, broken) || r.HeardText != "I see what you mean." || r.Complete {
			t.Errorf("result %+v", r)
		}
	})
}

func TestSilentEngineIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		e.perLetter = 0
		if r := speaker(t, e).Speak(t.Context(), Utterance{Generation: 1}, said(talk)); !errors.Is(r.Err, ErrNoAudio) {
			t.Errorf("result %+v", r)
		}
	})
}

func TestClausesAreAskedForAsTheyAreNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		s := speaker(t, e)
		e.perLetter = 3 * e.perLetter
		done := make(chan Result, 1)
		go func() { done <- s.Speak(t.Context(), Utterance{Generation: 1}, said(talk)) }()
		synctest.Wait()
		if n := len(e.requests()); n != 2 { // the first is written, the second was asked for at its beginning
			t.Errorf("%d clauses asked for at the start", n)
		}
		time.Sleep(time.Second)
		if n := len(e.requests()); n != 2 {
			t.Errorf("%d clauses asked for while more than three seconds wait", n)
		}
		if r := <-done; !r.Complete {
			t.Errorf("result %+v", r)
		}
	})
}

func TestLeadingSilenceIsTrimmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		e.lead, e.rate = 500*time.Millisecond, 24000
		r := speaker(t, e).Speak(t.Context(), Utterance{Generation: 1}, said("Good morning to you."))
		if want := 20*e.perLetter + 60*time.Millisecond; r.Heard != want {
			t.Errorf("heard %v, want %v", r.Heard, want)
		}
	})
}

func TestHeldUtteranceIsHeardAfterRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speaker(t, newEngine())
		began := time.Now()
		time.AfterFunc(time.Second, func() { s.Gate.Release(1) })
		r := s.Speak(t.Context(), Utterance{Generation: 1, Hold: true}, said(talk))
		if !r.Complete || r.FirstAudio.Sub(began) != time.Second {
			t.Errorf("result %+v", r)
		}
	})
}

func TestHeadCutsWholeWords(t *testing.T) {
	for _, tt := range []struct {
		text     string
		fraction float64
		want     string
	}{
		{"one two three", 0, ""}, {"one two three", 0.3, "one"}, {"one two three", 0.9, "one two"},
		{"one two three", 1, "one two three"}, {"你好吗", 0.7, "你好"}, {"word", 0.99, ""},
	} {
		if got := head(tt.text, tt.fraction); got != tt.want {
			t.Errorf("head(%q, %v) = %q, want %q", tt.text, tt.fraction, got, tt.want)
		}
	}
}

// fixedness notes which requests said that their text is fixed.
type fixedness struct {
	*engine
	fixed []bool
}

func (f *fixedness) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	f.fixed = append(f.fixed, r.Fixed)
	return f.engine.Synthesize(ctx, r)
}

func TestFixedClausesAreToldToTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fixedness{engine: newEngine()}
		clauses := Clauses(talk)
		clauses[1].Fixed = true
		if r := speaker(t, e).Speak(t.Context(), Utterance{Generation: 1}, &clauseList{clauses: clauses, end: io.EOF}); !r.Complete {
			t.Errorf("result %+v", r)
		}
		if want := []bool{false, true, false}; !cmp.Equal(e.fixed, want) {
			t.Errorf("fixed: %v, want %v", e.fixed, want)
		}
	})
}
