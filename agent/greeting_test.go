package agent

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// reader is a voice that notes what it is asked for, and takes a while.
type reader struct {
	mu    sync.Mutex
	asked []tts.Request
	fail  error
}

func (r *reader) Synthesize(_ context.Context, q tts.Request) (tts.Audio, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, q)
	return &beep{}, r.fail
}

func (r *reader) texts() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.asked {
		out = append(out, q.Text)
	}
	return out
}

// beep is a tenth of a second of sound, after 300 ms.
type beep struct{ over bool }

func (b *beep) Rate() int { return 24000 }

func (b *beep) Read(pcm []int16) (int, error) {
	if b.over {
		return 0, io.EOF
	}
	b.over = true
	time.Sleep(300 * time.Millisecond)
	return len(pcm), nil
}

func (b *beep) Close() error { return nil }

func shippedLibrary(t *testing.T) *Library {
	t.Helper()
	l, err := LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func attend(t *testing.T, voice tts.Synthesizer, meta string) *attendance {
	t.Helper()
	l := shippedLibrary(t)
	m, err := ParseMetadata(meta)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := l.Find(m)
	if err != nil {
		t.Fatal(err)
	}
	i := &Interviewer{o: Options{Library: l, Engines: Engines{TTS: voice}, Logger: zap.NewNop()}}
	return &attendance{i: i, job: worker.Job{ID: "job"}, meta: m, interview: iv, log: zap.NewNop()}
}

// What is synthesised while joining is what the session will ask for: it costs nothing more then, and no time.
func TestGreetingIsReadyWhenTheRoomIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice := &reader{}
		cache := speak.NewCache(voice, 1<<20)
		a := attend(t, cache, `{"candidate":{"name":"Ada Lovelace"}}`)
		ctx, cancel := context.WithCancel(t.Context())
		a.greet(ctx, state.Candidate{})
		cancel() // joining is over: what was begun goes on
		a.awaitGreeting(t.Context())
		asked := voice.texts()
		if !strings.Contains(strings.Join(asked, " "), "Ada") {
			t.Errorf("synthesised %q", asked)
		}
		_, effects := a.interview.Step(&state.UserData{}, 0, a.start(state.Candidate{Identity: "ada", Name: "Somebody"}))
		began := time.Now()
		for _, clause := range speak.Clauses(fixedText(effects)) {
			r := voiceOf(a.interview)
			r.Text = clause.Text
			sound, err := cache.Synthesize(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sound.Read(make([]int16, 100)); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) > 0 || len(voice.texts()) != len(asked) {
			t.Errorf("the session waits %v and asks for %q", time.Since(began), voice.texts()[len(asked):])
		}
	})
}

// A name that only the room knows is being synthesised from the moment the candidate is seen there.
func TestGreetingByANameFromTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice := &reader{}
		a := attend(t, speak.NewCache(voice, 1<<20), "")
		a.arrived = make(chan room.Participant, 1)
		a.greet(t.Context(), state.Candidate{})
		a.handle(room.CandidateJoined{Participant: room.Participant{Identity: "grace", Name: "Grace Hopper"}})
		a.awaitGreeting(t.Context())
		if asked := strings.Join(voice.texts(), " "); strings.Count(asked, "Grace") != 1 {
			t.Errorf("synthesised %q", asked)
		}
		n := len(voice.texts())
		a.handle(room.CandidateJoined{Participant: room.Participant{Identity: "grace", Name: "Grace Hopper"}})
		a.awaitGreeting(t.Context())
		if more := voice.texts()[n:]; len(more) > 0 {
			t.Errorf("who comes twice is prepared for twice: %q", more)
		}
	})
}

func TestNoGreetingWithoutAnInterviewOrACache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := attend(t, &reader{}, "")
		a.greet(t.Context(), state.Candidate{})
		a.awaitGreeting(t.Context())
		voice := &reader{}
		a = attend(t, speak.NewCache(voice, 1<<20), "")
		a.interview = nil
		a.greet(t.Context(), state.Candidate{})
		a.awaitGreeting(t.Context())
		if len(voice.texts()) > 0 {
			t.Errorf("synthesised %q", voice.texts())
		}
	})
}

// A failing voice is not in the way of the interview: it is tried again when the greeting is due.
func TestGreetingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := attend(t, speak.NewCache(&reader{fail: errors.New("status 500")}, 1<<20), "")
		a.greet(t.Context(), state.Candidate{})
		a.awaitGreeting(t.Context())
	})
}

func TestFixedWords(t *testing.T) {
	l := shippedLibrary(t)
	for _, kind := range l.Kinds() {
		iv, err := l.Find(Metadata{Interview: kind.ID})
		if err != nil {
			t.Fatal(err)
		}
		texts := fixed(iv)
		if len(texts) < 3 || len(texts) > warmLimit {
			t.Errorf("%s has %d fixed utterances", kind.ID, len(texts))
		}
		if again := fixed(iv); !slices.Equal(texts, again) {
			t.Errorf("%s: %s", kind.ID, cmp.Diff(texts, again))
		}
	}
}

func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice := &reader{}
		a := attend(t, speak.NewCache(voice, 8<<20), "")
		if err := a.i.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := len(voice.texts())
		if n < 8 {
			t.Errorf("kept %q", voice.texts())
		}
		for _, kind := range a.i.o.Library.Kinds() {
			if a.interview, _ = a.i.o.Library.Find(Metadata{Interview: kind.ID}); a.interview == nil {
				t.Fatalf("no interview %s", kind.ID)
			}
			if a.interview.Def.Problems != nil {
				continue
			}
			a.greet(t.Context(), state.Candidate{})
			a.awaitGreeting(t.Context())
			if more := voice.texts()[n:]; len(more) > 0 {
				t.Errorf("the greeting of %s was not kept: %q", kind.ID, more)
			}
		}
		voice.fail = errors.New("status 401")
		failing := attend(t, speak.NewCache(voice, 8<<20), "")
		if err := failing.i.Warm(t.Context()); !errors.Is(err, voice.fail) {
			t.Errorf("got %v", err)
		}
	})
}

// englishOnly is a voice that refuses what is not English, as the local one does where espeak-ng is missing.
type englishOnly struct{ *reader }

func (e englishOnly) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if r.Language != "en" {
		return nil, &fault.Error{Op: "speak", Provider: "local", Kind: fault.BadRequest}
	}
	return e.reader.Synthesize(ctx, r)
}

// A language that the voice does not have keeps no other from being ready.
func TestWarmPassesOverALanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, some := &reader{}, &reader{}
		if err := attend(t, speak.NewCache(all, 8<<20), "").i.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := attend(t, speak.NewCache(englishOnly{some}, 8<<20), "").i.Warm(t.Context())
		if fault.KindOf(err) != fault.BadRequest {
			t.Errorf("told %v", err)
		}
		for _, text := range all.texts() {
			foreign := strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) })
			if !foreign && !slices.Contains(some.texts(), text) {
				t.Errorf("not kept: %q", text)
			}
		}
	})
}

func TestSpeculationIsCounted(t *testing.T) {
	r := prometheus.NewRegistry()
	m := NewMetrics(r)
	m.Observe(engine.Fact{Name: "speculation.adopted"})
	m.Observe(engine.Fact{Name: "speculation.discarded", Fields: []engine.Field{{Key: "reason", Value: "speech"}}})
	m.Observe(engine.Fact{Name: "speculation.wasted", Fields: []engine.Field{{Key: "tokens", Value: 320}, {Key: "characters", Value: 41}}})
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		for _, c := range f.GetMetric() {
			if c.GetCounter().GetValue() > 0 {
				got[f.GetName()+" "+c.GetLabel()[0].GetValue()] = c.GetCounter().GetValue()
			}
		}
	}
	want := map[string]float64{
		"viva_speculations_total adopted": 1, "viva_speculations_total discarded": 1,
		"viva_speculation_wasted_total tokens": 320, "viva_speculation_wasted_total characters": 41,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
