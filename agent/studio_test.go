package agent_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/vad"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	providerKey = "sk-a-key-that-no-log-may-hold"
	microphone  = 20 * time.Millisecond // a frame
	thinking    = 700 * time.Millisecond
	speaking    = 2 * time.Second
)

// studio is a whole interview but for the room, in virtual time: session, voice, playout gate and ears are the real ones,
// and so is the HTTP client; the provider is a stub at the other end of in-memory connections. Its candidate answers
// whenever it is their turn. Make it inside a bubble of testing/synctest.
type studio struct {
	t         testing.TB
	stub      *openaitest.Server
	store     *state.Memory
	interview *engine.Interview
	session   *session.Session
	logs      *observer.ObservedLogs
	closers   []func()

	mu          sync.Mutex
	from, until time.Time // when the candidate speaks
	shown       []string  // the interviewer's words, as the candidate can read them
	frames      int       // of sound that the candidate heard
}

// open builds a studio whose provider transcribes what the candidate says as the given answers, in turn.
func open(t testing.TB, answers ...string) *studio {
	t.Helper()
	s := &studio{t: t, store: state.NewMemory()}
	s.stub = openaitest.New(openaitest.Options{
		Transcription: 150 * time.Millisecond, FirstToken: 200 * time.Millisecond, PerToken: 15 * time.Millisecond, FirstAudio: 120 * time.Millisecond,
		Key: providerKey, Transcribe: func(r openaitest.Recording) string { return answers[int(r.Index)%len(answers)] },
	})
	core, logs := observer.New(zapcore.InfoLevel)
	s.logs = logs
	log := zap.New(core)
	provider := s.provider()
	library, err := agent.LoadLibrary("", "two_stage")
	s.check(err)
	s.interview, err = library.Find(agent.Metadata{})
	s.check(err)
	voice, err := agent.NewVoice(provider.Synthesizer(), s, encoder{}, log)
	s.check(err)
	ears, err := agent.NewEars(t.Context(), &loudness{detector: vad.NewDetector(250 * time.Millisecond)}, provider.Recognizer(), log)
	s.check(err)
	journal, err := s.store.Create(t.Context(), "studio")
	s.check(err)
	s.session, err = session.New(session.Options{
		Interview: s.interview, Start: engine.Started{Session: "studio", Locale: "en"}, Voice: voice, Ears: ears, Presence: s,
		Journal: journal, Model: provider.Model(), Logger: log,
	})
	s.check(err)
	ears.To(s.session)
	s.closers = append(s.closers, voice.Close, ears.Close)
	go s.candidate(ears)
	return s
}

func (s *studio) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// provider serves the stub in memory and returns a client with the limits of production.
func (s *studio) provider() *openai.Client {
	s.t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	base, hangUp := context.WithCancel(context.Background())
	server := &http.Server{Handler: s.stub, BaseContext: func(net.Listener) context.Context { return base }, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with Close
	transport := &http.Transport{DialContext: l.dial}
	c, err := openai.New(openai.Config{BaseURL: "http://provider.test/v1", APIKey: providerKey, HTTPClient: &http.Client{Transport: transport}})
	s.check(err)
	s.closers = append(s.closers, func() {
		hangUp()
		transport.CloseIdleConnections()
		_ = server.Close() // nothing to lose
	})
	return c
}

// told is what became of an interview.
type told struct {
	reason string
	lasted time.Duration
	shown  string // all that the interviewer said, a line each
	frames int
	user   *state.UserData
	log    string // from info on, a line each
}

// hold holds the interview to its end, and checks what has to hold whatever fails: the journal tells all of it, nothing
// secret and nothing that was said is in the log.
func (s *studio) hold() told {
	s.t.Helper()
	began := time.Now()
	reason, err := s.session.Run(s.t.Context())
	s.check(err)
	lasted := time.Since(began)
	for i := len(s.closers); i > 0; i-- {
		s.closers[i-1]()
	}
	entries, err := s.store.Read(context.Background(), "studio")
	s.check(err)
	folded, err := s.interview.Fold(entries)
	s.check(err)
	if diff := cmp.Diff(s.session.UserData(), folded); diff != "" {
		s.t.Errorf("the journal tells another story:\n%s", diff)
	}
	var log strings.Builder
	for _, e := range s.logs.All() {
		fmt.Fprintln(&log, e.Level, e.Message, e.ContextMap())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := told{reason: reason, lasted: lasted, shown: strings.Join(s.shown, "\n"), frames: s.frames, user: folded, log: log.String()}
	s.discreet(r)
	return r
}

func (s *studio) discreet(r told) {
	s.t.Helper()
	if strings.Contains(r.log, providerKey) {
		s.t.Error("the provider's key is in the log")
	}
	for _, turn := range r.user.Turns {
		if strings.Contains(r.log, turn.Text) {
			s.t.Errorf("what was said is in the log: %q", turn.Text)
		}
	}
}

// candidate speaks, a loud tone, when it is their turn, and is silent otherwise. The microphone closes with the session.
func (s *studio) candidate(ears agent.Ears) {
	silence := make([]int16, 16*microphone.Milliseconds())
	tone := make([]int16, len(silence))
	for i := range tone {
		tone[i] = 3000
	}
	tick := time.NewTicker(microphone)
	defer tick.Stop()
	for {
		select {
		case <-s.session.Done():
			return
		case now := <-tick.C:
			frame := silence
			if s.speaks(now) {
				frame = tone
			}
			ears.Hear(frame)
		}
	}
}

func (s *studio) speaks(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !now.Before(s.from) && now.Before(s.until)
}

// State implements session.Presence: listening is the candidate's turn, unless the interviewer goes on.
func (s *studio) State(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case state == "listening":
		s.from = now.Add(thinking)
		s.until = s.from.Add(speaking)
	case now.Before(s.from):
		s.until = s.from
	}
}

// Said implements session.Presence.
func (s *studio) Said(_ uint64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, text)
}

// WriteFrame implements playout.FrameWriter: the candidate's loudspeaker.
func (s *studio) WriteFrame(_ []byte, f playout.FrameInfo) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !f.Silence {
		s.frames++
	}
	return nil
}

// Stage implements session.Presence.
func (s *studio) Stage(engine.Publish) {}

// Words implements session.Presence.
func (s *studio) Words(uint64, string) {}

// Candidate implements session.Presence.
func (s *studio) Candidate(uint64, string, session.Certainty) {}

// Done implements session.Presence.
func (s *studio) Done(string) {}

// encoder makes packets of nothing: what is said matters here, not how it sounds.
type encoder struct{}

func (encoder) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 0), nil }

// loudness is voice activity detection for a candidate who is loud or silent: the real detector, fed with certainties.
type loudness struct {
	detector *vad.Detector
	loud     bool
}

func (l *loudness) Write(pcm []int16, at int64, report func(vad.Status)) {
	for i, sample := range pcm {
		l.loud = l.loud || sample != 0
		if end := at + int64(i) + 1; end%vad.Window == 0 {
			probability := float32(0.05)
			if l.loud {
				probability = 0.95
			}
			l.loud = false
			report(l.detector.Update(end-vad.Window, probability))
		}
	}
}

func (l *loudness) Gap() vad.Status { return l.detector.Gap() }

// pipes is a listener of in-memory connections.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
